import type { PlannedChange } from './plan-changes.ts';

/** One printed line of a value. */
export interface Line {
  readonly text: string;
  /** Equal for lines that say the same; different for hidden values that differ. */
  readonly key: string;
  readonly forcesReplacement: boolean;
}

type Lines = readonly Line[];

type Key = string | number;

/** A value with its marks, which are true for a whole value or have its shape. */
interface Marked {
  readonly value: unknown;
  readonly unknown: unknown;
  readonly secret: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const member = (value: unknown, key: Key): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<Key, unknown>>)[key]
    : undefined;

const markIn = (mark: unknown, key: Key): unknown => mark === true || member(mark, key);

/** Whether a mark says anything: its shape alone, such as `[{}]`, does not. */
const hasMark = (mark: unknown): boolean =>
  mark === true || (typeof mark === 'object' && mark !== null && Object.values(mark).some(hasMark));

const inside = ({ value, unknown, secret }: Marked, key: Key): Marked => ({
  value: member(value, key),
  unknown: markIn(unknown, key),
  secret: markIn(secret, key),
});

/** The names of the members: values that become known after apply are in the mark alone. */
const namesOf = ({ value, unknown }: Marked): readonly string[] =>
  [
    ...new Set([
      ...(isObject(value) ? Object.keys(value) : []),
      ...(isObject(unknown) ? Object.keys(unknown).filter((key) => hasMark(unknown[key])) : []),
    ]),
  ].sort();

const lengthOf = ({ value, unknown }: Marked): number =>
  Math.max(Array.isArray(value) ? value.length : 0, Array.isArray(unknown) ? unknown.length : 0);

const isAbsent = ({ value, unknown }: Marked): boolean => (value === undefined || value === null) && !hasMark(unknown);

const indent = (depth: number): string => '  '.repeat(depth);

const pathText = (path: readonly Key[]): string => JSON.stringify(path.map(String));

/** The value that the text of a JSON object or list stands for. */
function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** A name that is not an identifier is quoted, as in a configuration. */
const nameText = (name: string): string => (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) ? name : JSON.stringify(name));

/** A line before it is indented. */
interface Printed {
  readonly depth: number;
  readonly text: string;
  readonly key?: string;
  /** Only on the first line of a value. */
  readonly path?: readonly Key[];
}

interface Place {
  readonly path: readonly Key[];
  readonly depth: number;
  /** Stands before the value, such as `ami = `. */
  readonly label: string;
  /** Stands after it, such as the comma of a list. */
  readonly end?: string;
}

function* printed(marked: Marked, place: Place): Generator<Printed> {
  const { value, unknown, secret } = marked;
  const { path, depth, label, end = '' } = place;
  const first = (text: string): Printed => ({ depth, text: label + text, path });
  if (secret === true) {
    // Whether it changes may be shown, the value may not.
    yield { ...first(`(sensitive)${end}`), key: unknown === true ? label : label + JSON.stringify(value) };
  } else if (unknown === true) {
    yield first(`(known after apply)${end}`);
  } else if (Array.isArray(value) || Array.isArray(unknown)) {
    const items = [...new Array(lengthOf(marked)).keys()];
    yield* group(
      ['[', ']'],
      items.map((index) => [inside(marked, index), { path: [...path, index], label: '', end: ',' }]),
      place,
    );
  } else if (isObject(value) || isObject(unknown)) {
    const members = namesOf(marked).map((name) => [name, inside(marked, name)] as const);
    const shown = members.filter(([, one]) => !isAbsent(one));
    yield* group(
      ['{', '}'],
      shown.map(([name, one]) => [one, { path: [...path, name], label: `${nameText(name)} = ` }]),
      place,
    );
  } else if (typeof value === 'string') {
    yield* printedText(value, place);
  } else {
    yield first(`${JSON.stringify(value ?? null)}${end}`);
  }
}

function* group(
  [open, close]: readonly [string, string],
  members: readonly (readonly [Marked, Omit<Place, 'depth'>])[],
  { path, depth, label, end = '' }: Place,
): Generator<Printed> {
  if (members.length === 0) {
    yield { depth, text: `${label}${open}${close}${end}`, path };
    return;
  }
  yield { depth, text: label + open, path };
  for (const [one, place] of members) yield* printed(one, { ...place, depth: depth + 1 });
  yield { depth, text: close + end };
}

/** JSON is printed as its value, and several lines as such. */
function* printedText(value: string, { path, depth, label, end = '' }: Place): Generator<Printed> {
  const json = jsonIn(value);
  const lines = (json === undefined ? value : JSON.stringify(json, undefined, 2)).split('\n');
  if (json === undefined && lines.length === 1) {
    yield { depth, text: `${label}${JSON.stringify(value)}${end}`, path };
    return;
  }
  const [open, close] = json === undefined ? ['<<EOT', 'EOT'] : ['jsonencode(', ')'];
  yield { depth, text: label + open, path };
  for (const text of lines) yield { depth: depth + 1, text };
  yield { depth, text: close + end };
}

/** The attributes of a change with the lines of both sides; a side without the attribute has none. */
export function attributeLines(planned: PlannedChange): readonly (readonly [Lines, Lines])[] {
  const replaces = new Set((planned.replace_paths ?? []).map(pathText));
  // A value that one side calls sensitive may be the same on the other.
  const secret = merged(planned.before_sensitive, planned.after_sensitive);
  const before: Marked = { value: planned.before, unknown: undefined, secret };
  const after: Marked = { value: planned.after, unknown: planned.after_unknown, secret };
  const linesOf = (marked: Marked, path: readonly Key[], label: string): Lines => {
    if (isAbsent(marked)) return [];
    return [...printed(marked, { path, depth: 0, label })].map(({ depth, text, key = text, path: at }) => ({
      text: indent(depth) + text,
      key: indent(depth) + key,
      forcesReplacement: at !== undefined && replaces.has(pathText(at)),
    }));
  };
  const isWhole = secret === true || !(isObject(before.value) || isObject(after.value));
  if (isWhole) return [[linesOf(before, [], ''), linesOf(after, [], '')]];
  return [...new Set([...namesOf(before), ...namesOf(after)])].sort().map((name) => {
    const label = `${nameText(name)} = `;
    return [linesOf(inside(before, name), [name], label), linesOf(inside(after, name), [name], label)];
  });
}

/** The marks of both sides as one. */
function merged(one: unknown, other: unknown): unknown {
  if (one === true || other === true) return true;
  if (!hasMark(one)) return other;
  if (!hasMark(other)) return one;
  const names = [one, other].flatMap((mark) => Object.keys(mark as object));
  return Object.fromEntries(names.map((name) => [name, merged(member(one, name), member(other, name))]));
}
