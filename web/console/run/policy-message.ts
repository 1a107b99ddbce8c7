/** One finding of a policy: a text, and named values in the order of the policy. */
export interface Message {
  /** Empty if there are values only. */
  readonly text: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** The members in which policies put a text for people. */
const texts = ['msg', 'message'];

const isInner = (value: unknown): value is object => typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The leaves by their paths, such as `tags.Name`. A list of simple values is one leaf. */
function* leavesOf(value: unknown, path: string): Generator<readonly [string, string]> {
  if (!isInner(value)) return yield [path, textOf(value)];
  const members = Object.entries(value);
  if (members.length === 0) return yield [path, 'none'];
  if (Array.isArray(value) && !value.some(isInner)) return yield [path, value.map(textOf).join(', ')];
  for (const [key, inside] of members) {
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
    yield* leavesOf(inside, path + step);
  }
}

/** One member of the output of a policy, whose form is up to its author. */
export function messageOf(output: unknown): Message {
  if (!isInner(output)) return { text: textOf(output), values: [] };
  if (Array.isArray(output) && !output.some(isInner)) return { text: output.map(textOf).join(', '), values: [] };
  const name = texts.find((known) => typeof Reflect.get(output, known) === 'string');
  const rest = name === undefined ? output : Object.fromEntries(Object.entries(output).filter(([key]) => key !== name));
  const values = Object.keys(rest).length === 0 ? [] : [...leavesOf(rest, '')];
  return { text: name === undefined ? '' : String(Reflect.get(output, name)), values };
}

/** In characters. */
const longestReason = 200;

/** The first text among the messages of a policy, cut off where it is long; empty if they have none. */
export function firstTextOf(output: readonly unknown[] | null): string {
  const first = (output ?? []).map((one) => messageOf(one).text).find((text) => text !== '') ?? '';
  return first.length > longestReason ? `${first.slice(0, longestReason)}…` : first;
}

const gravity = ['failed mandatory', 'errored', 'failed advisory', 'passed'];

interface Judged {
  readonly status: string;
  readonly level: string | null;
}

const rankOf = ({ status, level }: Judged): number =>
  gravity.indexOf(status === 'failed' ? `failed ${level === 'advisory' ? level : 'mandatory'}` : status);

/** Failed ones first, and otherwise in their order. */
export const gravestFirst = <Row>(rows: readonly Row[], judged: (row: Row) => Judged): readonly Row[] =>
  rows.toSorted((one, other) => rankOf(judged(one)) - rankOf(judged(other)));
