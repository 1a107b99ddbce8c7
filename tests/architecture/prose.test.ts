import { describe, expect, it } from '@jest/globals';
import { faultsOf, namingFaultsOf, proseIn } from '../../scripts/prose.js';
import { describeApi } from '../../src/adapters/http/openapi/served-api.js';
import { packageVersion } from '../../src/infrastructure/package-version.js';

/** Every text of the description that a reader sees, with where it stands. */
function* textsOf(value: unknown, at = ''): Generator<readonly [string, string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') yield* textsOf(member, `${at}/${key}`);
    else if (key === 'summary' || key === 'description') yield [`${at}/${key}`, member];
  }
}

const phrases = (text: string) => faultsOf(text).map(({ phrase }) => phrase);

describe('the prose linter', () => {
  it.each([
    ['It is no directory.', 'is no directory'],
    ['Whoever asks is refused.', 'Whoever'],
    ['The lock is kept for ever.', 'for ever'],
    ['It is read anew.', 'anew'],
    ['The caller is told the limit.', 'told'],
    ['It failed. Of an agent, its pool.', 'Of'],
    ['What the caller sends is kept.', 'What'],
  ])('finds a fault in "%s"', (text, phrase) => {
    expect(phrases(text)).toEqual([phrase]);
  });

  it.each([
    'There is no directory.',
    'The version is no longer current.',
    'What is a version?',
    'The prefix tells one kind from another.',
    'It takes as many as the limit allows.',
  ])('takes "%s"', (text) => {
    expect(phrases(text)).toEqual([]);
  });

  it('reads comments and sentences of a source file, and no code', () => {
    const source = "// Read anew.\nconst anew = 'told'; /* anew */\nthrow new Error(`the file was read anew`);\n";
    const prose = proseIn('some.ts', source);
    expect(faultsOf(prose).map(({ at }) => source.slice(0, at).split('\n').length)).toEqual([1, 3]);
  });

  it('reads the text of elements, and their longer attributes', () => {
    const element = (text: string, attribute: string) =>
      `const Some = () => (\n  <p title="${attribute}">\n    ${text} <b>{name}</b>\n  </p>\n);\n`;
    expect(phrases(proseIn('some.tsx', element('It is read anew.', 'id')))).toEqual(['anew']);
    expect(phrases(proseIn('some.tsx', element('It is read.', 'It is kept for ever.')))).toEqual(['for ever']);
    expect(
      phrases(proseIn('some.tsx', 'const anew = (anew: Anew<Anew>): Anew<Anew> => anew<Anew>(anew) > anew;')),
    ).toEqual([]);
  });

  it('reads a document without its headings, code and quotations', () => {
    const prose = proseIn('some.md', '# Anew\n\nSome `anew` and "anew".\n\n```\nanew\n```\n\nanew\n');
    expect(phrases(prose)).toEqual(['anew']);
  });
});

describe('the linter of names', () => {
  const names = (text: string) => namingFaultsOf(text).map(({ phrase }) => phrase);

  it('reads what is exported, and its members', () => {
    const source = `
const told = 1;
export const mostTags = told;
export function unlessStale(most: number) {
  return most;
}
export interface Listener {
  readonly hearChanges: () => void;
  onChange(told: string): void;
}
`;
    expect(names(source)).toEqual(['mostTags', 'unlessStale', 'hearChanges']);
  });

  it('reads words, and no parts of them', () => {
    expect(
      names("export const almostTask = 'told';\nexport const atMost = 1;\nexport const checkUnlessForced = 1;\n"),
    ).toEqual([]);
  });
});

describe('the description of the API', () => {
  it('is in plain English', () => {
    const found = [...textsOf(describeApi('self-hosted', packageVersion()))].flatMap(([at, text]) =>
      faultsOf(text).map(({ phrase, instead }) => `${at}: "${phrase}": ${instead}`),
    );
    expect(found).toEqual([]);
  });
});
