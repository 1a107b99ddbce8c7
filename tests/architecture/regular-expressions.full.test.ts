import { createContext, Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { exposedNodes as nodes } from './syntax.js';

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const patterns: readonly Pattern[] = nodes.flatMap(({ file, node }) => {
  if (!ts.isRegularExpressionLiteral(node)) return [];
  const end = node.text.lastIndexOf('/');
  return [{ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) }];
});

/** Repeated input: the words and characters of the pattern itself, and known bad cases. */
function textsFor({ source }: Pattern): readonly string[] {
  const words = [...new Set(source.match(/[A-Za-z][A-Za-z:]*[:/]*|[^\w\s]/g))];
  const usual = ['a', '0', ' ', '/', '.', '-', '@', 'a.', 'a/', ' a', '\n', '\x1b[', '\u2028'];
  const pumps = [...new Set([...usual, ...words])];
  return ['', ...words.slice(0, 2)].flatMap((beginning) =>
    pumps.flatMap((pump) =>
      ['', '!', '\u2028x'].map((ending) => beginning + pump.repeat(Math.ceil(length / pump.length)) + ending),
    ),
  );
}

/** Long enough that a pattern retried at each position takes ten times the limit. */
const length = 30_000;
const milliseconds = 150;

/** Patterns that never see a long text. */
const bounded: Readonly<Record<string, string>> = {
  '^ *([0-7]*)[ \\0]*$': 'a number in the header of a tar, of twelve bytes at most',
};

const dependencies = createContext({});
const search = new Script(
  'for (const text of texts) if (slowest <= limit) slowest = Math.max(slowest, time(pattern, text))',
);

/** The worst CPU time of the pattern in milliseconds, measured until it is just above the limit. */
function slowness(pattern: Pattern): number {
  const time = (expression: RegExp, text: string): number => {
    const begun = process.cpuUsage();
    expression.exec(text);
    return process.cpuUsage(begun).user / 1000;
  };
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  Object.assign(dependencies, { texts: textsFor(pattern), pattern: expression, time, slowest: 0, limit: milliseconds });
  try {
    search.runInContext(dependencies, { timeout: milliseconds * 30 });
  } catch {
    return milliseconds * 30;
  }
  return dependencies.slowest as number;
}

describe('every regular expression that looks at what others wrote', () => {
  it('is written down as one', () => {
    expect(patterns.length).toBeGreaterThan(40);
    const made = nodes.filter(
      ({ node }) => (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp',
    );
    expect(made.map(({ file }) => file)).toEqual([]);
  });

  it('takes time in proportion to the text', () => {
    const asked = patterns.filter(({ source }) => !(source in bounded));
    expect(patterns.length - asked.length).toBe(Object.keys(bounded).length);
    // A busy machine is slow once or twice, not three times.
    const isSlow = (pattern: Pattern) => [1, 2, 3].every(() => slowness(pattern) > milliseconds);
    expect(asked.filter(isSlow)).toEqual([]);
  });

  it.each(['^(a+)+$', '/+$'])('would be found out: %s', (source) => {
    expect(slowness({ file: '', source, flags: '' })).toBeGreaterThan(milliseconds);
  });
});
