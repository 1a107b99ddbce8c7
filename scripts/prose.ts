import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Phrases that make a reader stumble, each with what to write for it. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|fewer\b|less\b|other\b|one\b)\w+/giu,
    'write "is not a …"',
  ],
  [/(?<!-)\b(?:whoever|whomever|nobody|somebody|anybody)\b(?!-)/giu, 'name the caller, the client, the operator'],
  [/\b(?:shall|would want)\b/giu, 'write "must", "may" or "cannot"'],
  [/\b(?:is|are) to be\b/giu, 'write "must be"'],
  [/\b(?:for ever|for good)\b/giu, 'write "permanently" or the limit'],
  [/\b(?:so many|as many(?! as\b))\b/giu, 'write the number or the limit'],
  [/\b(?:anew|goes by|beside)\b/giu, 'write "again", "follows", "next to" or "in addition to"'],
  [/\bby (?:itself|themselves)\b/giu, 'write "automatically" or "on its own"'],
  [
    /\b(?:tells?|told)\b(?! apart| \w+ apart| .{1,30} from )|\b(?:hears?|heard)\b/giu,
    'write "returns", "reports", "notifies"',
  ],
  [/(?<=^[ \t]*|[.!?]\s+|[-|]\s+)(?:Of|So that)\s/gmu, 'begin with the subject'],
  [/(?<=^[ \t]*|[.!?]\s+|[-|]\s+)(?:What|Where)\s(?![^.!?|]*\?)/gmu, 'begin with the subject'],
];

export interface Fault {
  readonly at: number;
  readonly phrase: string;
  readonly instead: string;
}

/** The faults of a text in running English, in order. */
export const faultsOf = (text: string): readonly Fault[] =>
  phrases
    .flatMap(([pattern, instead]) =>
      [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({ at: index, phrase: phrase.trim(), instead })),
    )
    .sort((one, other) => one.at - other.at);

/** Blanks out what is not prose, so that places stay where they are. */
const blank = (text: string) => text.replace(/[^\n]/gu, ' ');
const without = (text: string, ...patterns: readonly RegExp[]) =>
  patterns.reduce((left, pattern) => left.replace(pattern, blank), text);

const quoted = /`[^`\n]*`|"[^"\n]*"/gu;
const marks = /^\s*(?:\/\*\*?|\*\/|\*|\/\/)/gmu;

/** The prose of a document: headings, code and quotations are left out. */
const ofDocument = (text: string) => without(text, /^```[\s\S]*?^```/gmu, /^#.*$/gmu, quoted);

/** The prose of a source file: its comments, and its strings of more than three words. */
function ofSource(text: string): string {
  let prose = '';
  let end = 0;
  for (const { 0: piece, index } of text.matchAll(
    /^[ \t]*\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$|'(?:[^'\\\n]|\\.)*'|`[^`]*`/gmu,
  )) {
    prose += blank(text.slice(end, index));
    if (/^\s*\//u.test(piece)) prose += without(piece, marks, quoted);
    else prose += piece.split(' ').length > 3 ? ` ${without(piece.slice(1, -1), /\$\{[^}]*\}/gu)} ` : blank(piece);
    end = index + piece.length;
  }
  return prose;
}

/** The prose of a source file with elements: also their text, and attributes of more than three words. */
function ofElements(text: string): string {
  let prose = ofSource(text);
  for (const { 0: piece, index } of text.matchAll(/(?<=[\w"'}/]>)[^<>{}()=;]+(?=[<{])|(?<==)"[^"\n]*"/gu)) {
    if (piece.trim().split(/\s+/u).length <= 3) continue;
    const words = piece.startsWith('"') ? ` ${piece.slice(1, -1)} ` : piece;
    prose = prose.slice(0, index) + words + prose.slice(index + piece.length);
  }
  return prose;
}

/** The prose of a file, everything else blanked out. */
export function proseIn(file: string, text: string): string {
  if (file.endsWith('.md')) return ofDocument(text);
  return file.endsWith('.tsx') ? ofElements(text) : ofSource(text);
}

const read = [
  '*.md',
  'docs/**/*.md',
  'examples/**/*.md',
  'deploy/**/*.md',
  '{src,lab,tests,scripts,examples}/**/*.ts',
  'web/**/*.{ts,tsx,md}',
];
const notOurs = ['docs/api', 'scripts/prose.ts', 'tests/architecture/prose.test.ts'];

function main(): void {
  const faults = globSync(read)
    .filter((file) => !notOurs.some((path) => file.startsWith(path)))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return faultsOf(proseIn(file, text)).map(
        ({ at, phrase, instead }) => `${file}:${text.slice(0, at).split('\n').length}: "${phrase}": ${instead}\n`,
      );
    });
  process.stderr.write(faults.join(''));
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
