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
  [
    /\b(?:database|store|service|provider|standby|primary|collector|server|pooler|bucket)\s+(?:is|was|were)\s+away\b/giu,
    'write "unavailable"',
  ],
  [/\bgoes\s+before\b/giu, 'write "takes precedence over"'],
  [/\b(?:is|are)\s+(?:not\s+)?listened\s+to\b/giu, 'write what is read, and until when'],
  [/\bit\s+is\s+(?:the\s+turn\s+of|(?:its|their)\s+turn)\b/giu, 'write "reaches the front of the queue"'],
  [/\b(?:is|are)\s+held\s+to\b/giu, 'write "enforce", or "is checked against"'],
  [/\b(?:of|to|by|in)\s+no\s+other\b/giu, 'write "no other … can"'],
  [/\b(?:of\s+theirs|for\s+another\?)/giu, 'name the owner'],
  [/\bafter\s+some\s+time\b|\bend\s+this\s+way\b/giu, 'write the number, or what is removed'],
  [/\bfrom\s+the\s+next\s+request\s+on\b/giu, 'write "immediately"'],
  [/\bstored\s+for\s+clients\b/giu, 'write "No effect (kept for API compatibility)"'],
  [
    /\b(?:never\s+in\s+contact|small\s+letters|pages\s+for\s+people)\b/giu,
    'write "never connected", "lowercase", "web pages"',
  ],
  [/\bis\s+it\s+all\s+there\b/giu, 'write "verify"'],
  [/\b(?:override|choose|shows?)\s+what\s+(?:failed|you\s+choose)\b|:\s+what\s+you\s+choose\b/giu, 'name the thing'],
  [/\bask\s+the\s+service\s+again\b/giu, 'write "retry"'],
  [
    /\bAs\s+the\s+operator\b|\b(?:Rights|Workspaces|Permissions)\s+of\s+the\s+(?:teams?|project|organization)$/gmu,
    'write "Site default", "Team permissions"',
  ],
  [/(?<=^[ \t]*|[.!?]\s+|[-|]\s+)That of\s/gmu, 'name the thing again'],
  [/(?<=^[ \t]*|[.!?]\s+|[-|]\s+)(?:Of|So that|Whose)\s/gmu, 'begin with the subject'],
  [/(?<=^[ \t]*|[.!?]\s+|[-|]\s+)(?:What|Where)\s(?![^.!?|]*\?)/gmu, 'begin with the subject'],
];

/** Words that mislead in the name of an export or of its member, each with what to write for it. */
const words: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:tells?|telling|told|hears?|hearing|heard|says?|saying|said)$/u,
    'write "notify", "onChange", "print" or the thing',
  ],
  [/^(?:un)?ask(?:s|ed|ing)?$/u, 'write "request", "check" or "audit"'],
  [/^(?:living|otherwise|anew|whoever|nobody|somebody)$/u, 'write "active", "other" or the thing'],
];

/** Words that mislead only where a name begins with them. */
const firstWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:most|least)$/u, 'write "max" or "min"'],
  [/^unless$/u, 'write what it does: "throwIf…", "undefinedIf…"'],
  [/^seen$/u, 'write "visible" or "authorized"'],
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

/** The prose of a source file with elements: also their text, and attributes, of more than three words or capitalized. */
function ofElements(text: string): string {
  let prose = ofSource(text);
  for (const { 0: piece, index } of text.matchAll(/(?<=[\w"'}/]>)[^<>{}()=;]+(?=[<{])|(?<==)"[^"\n]*"/gu)) {
    const isLabel = /^"?\s*[A-Z][a-z]* [^"]/u.test(piece);
    if (!isLabel && piece.trim().split(/\s+/u).length <= 3) continue;
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

/** The names that a source file exports, and those of the members of its interfaces and classes. */
function* exportedNames(text: string): Generator<{ readonly name: string; readonly at: number }> {
  const declared =
    /^export (?:(?:declare|abstract|async) )*(?:const|let|function\*?|class|interface|type|enum) (\w+)(?:.*\{\n(?: .*\n|\n)*\})?/gmu;
  const member = /^ {2}(?:(?:readonly|static|async|get|override|abstract) )*(\w+)\??[(:<]/gmu;
  for (const { 0: block, 1: name = '', index } of text.matchAll(declared)) {
    yield { name, at: index };
    if (!/^export (?:abstract )?(?:interface|class) /u.test(block)) continue;
    for (const { 1: one = '', index: within } of block.matchAll(member)) yield { name: one, at: index + within };
  }
}

/** The faults of the names that a source file exports. */
export const namingFaultsOf = (text: string): readonly Fault[] =>
  [...exportedNames(text)].flatMap(({ name, at }) => {
    const split = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/gu)?.map((word) => word.toLowerCase()) ?? [];
    return split.flatMap((word, index) =>
      [...words, ...(index === 0 ? firstWords : [])]
        .filter(([pattern]) => pattern.test(word))
        .map(([, instead]) => ({ at, phrase: name, instead })),
    );
  });

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
      const isNamed = /^(?:src|lab|web)\/.*\.tsx?$/u.test(file) && !file.endsWith('.d.ts');
      return [...faultsOf(proseIn(file, text)), ...(isNamed ? namingFaultsOf(text) : [])].map(
        ({ at, phrase, instead }) => `${file}:${text.slice(0, at).split('\n').length}: "${phrase}": ${instead}\n`,
      );
    });
  process.stderr.write(faults.join(''));
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
