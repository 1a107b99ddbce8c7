import { describe, expect, it } from '@jest/globals';
import { faultsOf, namingFaultsOf, proseIn } from '../../scripts/prose.js';
import { described } from '../support/published-description.js';

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
    ['Whose limit it is.', 'Whose'],
    ['That of the organization', 'That of'],
    ['As the operator of this service has decided', 'As the operator'],
    ['Rights of the teams', 'Rights of the teams'],
    ['Workspaces of the project', 'Workspaces of the project'],
    ['Of a person', 'Of'],
    ['It is stored for clients that send it.', 'stored for clients'],
    ['Unlock this workspace for another?', 'for another?'],
    ['Override what failed?', 'Override what failed'],
    ['Members lose it, from the next request on.', 'from the next request on'],
    ['The token was never in contact.', 'never in contact'],
    ['Custom: what you choose', ': what you choose'],
    ['Runs are held to it.', 'are held to'],
    ['Ask the service again', 'Ask the service again'],
    ['Runs of no other workspace read it.', 'of no other'],
    ['States lose their files after some time.', 'after some time'],
    ['A token goes before it.', 'goes before'],
    ['Only such memberships end this way.', 'end this way'],
    ['It is the turn of the run.', 'It is the turn of'],
    ['The database is away.', 'database is away'],
    ['Is it all there?', 'Is it all there'],
    ['Capitals become small letters.', 'small letters'],
    ['The client is not listened to for long.', 'is not listened to'],
    ['It counts an older token of theirs.', 'of theirs'],
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
    expect(phrases(proseIn('some.tsx', '<h2>Of a person</h2>'))).toEqual(['Of']);
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
    const found = [...textsOf(described)].flatMap(([at, text]) =>
      faultsOf(text).map(({ phrase, instead }) => `${at}: "${phrase}": ${instead}`),
    );
    expect(found).toEqual([]);
  });
});
