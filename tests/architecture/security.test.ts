import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { allowedLicences, dependenciesPage, locked, manifest, production } from '../../scripts/dependencies.js';
import { loadConfig } from '../../src/infrastructure/config.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The tests that a document names: a file, and behind it one name or more in quotation marks. */
const namedTests = (document: string) =>
  [...read(document).matchAll(/`(tests\/[\w./-]+)`((?: "[^"]+",?)+)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ document, file, name })),
  );

describe.each([
  ['SECURITY.md', 40],
  ['docs/operations.md', 10],
])('%s', (document, least) => {
  const named = namedTests(document);

  it('names a test for what it says', () => {
    expect(named.length).toBeGreaterThanOrEqual(least);
  });

  it('names tests that there are', () => {
    const unknown = named.filter(({ file, name }) => !existsSync(join(root, file)) || !read(file).includes(name));
    expect(unknown).toEqual([]);
  });
});

/** What others write gets here; `src/infrastructure` reads what the operator says. */
const exposed = ['src/domain', 'src/application', 'src/adapters', 'src/agent'];

const sources = exposed.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return ts.createSourceFile(relative(root, path), readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
    }),
);

const nodes: { readonly file: string; readonly node: ts.Node }[] = [];
for (const source of sources) {
  const visit = (node: ts.Node): void => {
    nodes.push({ file: source.fileName, node });
    ts.forEachChild(node, visit);
  };
  visit(source);
}

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

/** What is repeated: the words and signs of the pattern itself, and what patterns stumble over. */
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

/** A pattern that begins anew at each place takes ten times as long as it may. */
const length = 30_000;
const milliseconds = 150;

/** Those that no long text gets to. */
const bounded: Readonly<Record<string, string>> = {
  '^ *([0-7]*)[ \\0]*$': 'a number in the header of a tar, of twelve bytes at most',
};

const surroundings = createContext({});
const search = new Script(
  'for (const text of texts) if (slowest <= limit) slowest = Math.max(slowest, time(pattern, text))',
);

/** How much of the processor's time the pattern takes at worst, in milliseconds; never much more than it may. */
function slowness(pattern: Pattern): number {
  const time = (expression: RegExp, text: string): number => {
    const begun = process.cpuUsage();
    expression.exec(text);
    return process.cpuUsage(begun).user / 1000;
  };
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  Object.assign(surroundings, { texts: textsFor(pattern), pattern: expression, time, slowest: 0, limit: milliseconds });
  try {
    search.runInContext(surroundings, { timeout: milliseconds * 10 });
  } catch {
    return milliseconds * 10;
  }
  return surroundings.slowest as number;
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
    // A busy machine is slow once, and not twice.
    const isSlow = (pattern: Pattern) => slowness(pattern) > milliseconds && slowness(pattern) > milliseconds;
    expect(asked.filter(isSlow)).toEqual([]);
  });

  it.each(['^(a+)+$', '/+$'])('would be found out: %s', (source) => {
    expect(slowness({ file: '', source, flags: '' })).toBeGreaterThan(milliseconds);
  });
});

/** Equality ends at the first letter that differs. Where it is asked of what sounds like a secret, this is why it may. */
const compared: Readonly<Record<string, string>> = {
  'token.secretDigest === secretDigest': 'a row of the memory database is looked up, as an index does it',
  'row.secretDigest === secretDigest': 'as above',
  'lease?.digest === digest': 'as above',
  'version.state.bundle?.sha256 === bundle.sha256': 'the digest of files, which the caller has sent',
  '(await this.inspector.digest(body)).sha256 !== held.sha256': 'as above',
  "(await digestOf(file, 'sha256')) !== sha256":
    'the digest of a file that was fetched: it tells whether it came whole',
  "(await digestOf(file, 'sha256')) !== code.sha256": 'as above',
  'fingerprint === given': 'tells which key it is, and nothing of the key',
};

describe('secrets', () => {
  it('are compared in constant time', () => {
    const secret = /(?:secret|signature|password|digest|sha256|fingerprint|token)$/i;
    const nothing = /^(?:undefined|null|''|'.*'|\d+|true|false)$/;
    const found = nodes.flatMap(({ node }) => {
      if (!ts.isBinaryExpression(node) || !/^[!=]==$/.test(node.operatorToken.getText())) return [];
      const sides = [node.left.getText(), node.right.getText()];
      return sides.some((side) => secret.test(side)) && !sides.some((side) => nothing.test(side))
        ? [node.getText()]
        : [];
    });
    expect(found.filter((text) => !(text in compared))).toEqual([]);
    for (const text of Object.keys(compared)) expect(found).toContain(text);
  });
});

describe('secrets', () => {
  it('in the address of a store end the start, and are not repeated', () => {
    const start = () => loadConfig({ S3_ENDPOINT: 'https://user:hunter2-and-more@s3.example' });
    expect(start).toThrow('S3_ENDPOINT: must have no user in it');
    expect(start).not.toThrow('hunter2');
  });
});

describe('what the service is installed with', () => {
  it('is listed in docs/dependencies.md; if not, run `npm run docs` and look at what changed', () => {
    expect(read('docs/dependencies.md')).toBe(dependenciesPage());
  });

  it('is under licences that go with ours', () => {
    const others = production.filter((path) => !allowedLicences.includes(locked[path]?.license ?? ''));
    expect(others).toEqual([]);
    expect(production.length).toBeGreaterThan(100);
  });

  it('is asked for in exact versions, which are those of the lock', () => {
    const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(asked)) {
      expect([name, version]).toEqual([name, locked[`node_modules/${name}`]?.version]);
    }
  });

  it('is checked by its digest, from whichever registry it comes', () => {
    const entries = Object.entries(locked).filter(([path]) => path !== '');
    expect(entries.filter(([, entry]) => !('integrity' in entry))).toEqual([]);
    expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
  });
});
