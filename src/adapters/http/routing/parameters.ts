import { z } from 'zod';
import { newestSearched } from '../../../application/index.js';
import { limits } from './limits.js';
import type { Query } from './query.js';
import { type Fault, RequestError } from './request-error.js';

/**
 * The query parameters that a list or a resource serves, by name: filters, searches, sorting and `include`. A schema
 * reads the text of one parameter. Other parameters of these kinds are refused. A name with the group `[0]` stands for
 * all that begin as it does before the group: the operation reads them itself, and refuses malformed ones.
 */
export type Parameters = Readonly<Record<string, z.ZodType>>;

export type Values<Served extends Parameters> = { readonly [Name in keyof Served]: z.output<Served[Name]> };

/** The names by which clients of this API family select, sort and include: ignored, the response would look right and not be. */
const selecting = /^(?:(?:filter|search|q)\[|(?:q|name|sort|include)$)/;

export const isSelecting = (name: string): boolean => selecting.test(name);

/** Throws a 400 with one error per parameter that selects, sorts or includes and is not among those served. */
export function refuseOthers(served: Parameters, query: Query): void {
  if (query.isEmpty) return;
  const faults = query
    .names()
    .filter((name) => isSelecting(name) && !Object.hasOwn(served, name) && !isInGroup(served, name))
    .map((name): Fault => ({ parameter: name, detail: `${name} is not supported: ${reasonFor(served, name)}` }));
  if (faults.length > 0) throw new RequestError(400, 'bad request', faults.slice(0, limits.faults.max));
}

/** Clients recognize a refused `include` by the last three words. */
function reasonFor(served: Parameters, name: string): string {
  const names = Object.keys(served);
  const list = names.find((known) => known === name.replace(/\[\d*\]$/, ''));
  if (list !== undefined) return `several values are one ${list}, with commas`;
  const supported =
    names.length === 0
      ? 'this endpoint does not filter, search, sort or include'
      : `this endpoint supports ${names.join(', ')}`;
  return name === 'include' ? `${supported}. ${invalidInclude}` : supported;
}

const isInGroup = (served: Parameters, name: string): boolean =>
  Object.keys(served).some((known) => {
    const [before, ...group] = known.split('[0]');
    return group.length > 0 && name.startsWith(`${before}[`);
  });

/** The values of an empty query, by parameters: most requests have none. */
const withoutQuery = new WeakMap<Parameters, Values<Parameters>>();

/** Reads the parameters of a query. Throws a 400 for `include`, and a 422 for others, that the schema rejects. */
export function valuesOf<Served extends Parameters>(served: Served, query: Query): Values<Served> {
  const known = query.isEmpty ? withoutQuery.get(served) : undefined;
  const values =
    known ??
    Object.fromEntries(Object.entries(served).map(([name, schema]) => [name, readOne(name, schema, query.one(name))]));
  if (query.isEmpty && known === undefined) withoutQuery.set(served, values);
  return values as Values<Served>;
}

function readOne(name: string, schema: z.ZodType, text: string | undefined): unknown {
  const { success, data, error } = schema.safeParse(text);
  if (success) return data;
  const message = error.issues[0]?.message ?? '';
  throw name === 'include'
    ? new RequestError(400, 'bad request', [{ parameter: name, detail: message }])
    : new RequestError(422, 'invalid attribute', [{ parameter: name, detail: `${name} ${message}` }]);
}

/** Any text. An empty one is none. */
export const textual = (description: string) =>
  z
    .string()
    .optional()
    .transform((text) => text || undefined)
    .meta({ description });

/** For what no index finds. */
export const looksAtNewest = `Looks at the newest ${newestSearched.toLocaleString('en')} that the other filters select.`;

/** A part of a text, which no index finds. */
export const searching = (description: string) => textual(`${description} ${looksAtNewest}`);

/** The text of a whole number from 1 to `max`. A schema that transforms shows no example. */
export const countUpTo = (max: number, description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a number from 1 to ${max}`)
    .refine((text) => Number(text) <= max, `must be a number from 1 to ${max}`)
    .optional()
    .meta({ description: `${description} From 1 to ${max}.`, examples: ['7'] });

export const required = (description: string) =>
  z.string({ error: 'is required' }).min(1, 'is required').meta({ description });

/** The words of a list, separated by commas. */
const split = (text: unknown): unknown =>
  typeof text === 'string' ? text.split(',').filter((word) => word !== '') : text;

/** Any texts, separated by commas. */
export const texts = (description: string) => z.preprocess(split, z.array(z.string()).optional()).meta({ description });

const mustBe = (words: readonly string[]) => ({ error: `must be one of ${words.join(', ')}` });

export const requiredOneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  z.enum(words, mustBe(words)).meta({ description });

export const oneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  requiredOneOf(words, description).optional().meta({ description });

/** Some of the words, separated by commas. */
export const someOf = <const Word extends string>(words: readonly Word[], description: string) =>
  z.preprocess(split, z.array(z.enum(words, mustBe(words))).optional()).meta({ description });

export interface Sort<Key extends string> {
  readonly key: Key;
  readonly descending: boolean;
}

/** A sort key, reversed by a hyphen before it. */
export const sortBy = <const Key extends string>(keys: readonly Key[], usual: NoInfer<Key>) => {
  const words = keys.flatMap((key) => [key, `-${key}` as const]);
  return z
    .enum(words, mustBe(keys))
    .optional()
    .transform((word: string = usual): Sort<Key> => {
      const descending = word.startsWith('-');
      return { key: (descending ? word.slice(1) : word) as Key, descending };
    })
    .meta({
      description: `The attribute to sort by. Prefix a hyphen to reverse the order. Default: \`${usual}\`.`,
    });
};

const invalidInclude = 'Invalid include parameter';

/** Resources that nothing here has: including them includes nothing. */
const neverThere = ['cost_estimate', 'policy_checks', 'run_triggers'];

/** Words of `include` that need something the service does not have, and what. */
const refusedWords: ReadonlyMap<string, string> = new Map([
  ['tag_bindings', 'only effective ones are included, with workspaces'],
  ['tags', 'their names are an attribute'],
  ['project', 'this endpoint does not support it'],
  ['projects', 'this endpoint does not support it'],
]);

interface IncludeOptions {
  readonly unknownWords?: 'refused' | 'ignored';
  /** Further words that are refused, and why. */
  readonly refused?: Readonly<Record<string, string>>;
}

/**
 * The related resources that may be included, by the word for each; a word may stand for several. Hyphens are
 * underscores. Clients recognize a refusal by its last three words.
 */
export const include = <Part extends string>(
  parts: Readonly<Record<string, readonly Part[]>>,
  { unknownWords = 'refused', refused = {} }: IncludeOptions = {},
) => {
  const words = [...Object.keys(parts), ...neverThere];
  const error = ({ input }: { readonly input?: unknown }) => {
    const word = String(input);
    const reason = Object.hasOwn(refused, word) ? refused[word] : refusedWords.get(word);
    const unable = reason === undefined ? '' : `${input} cannot be included: ${reason}. `;
    return `${unable}${invalidInclude}`;
  };
  const known = (word: string) => unknownWords === 'refused' || words.includes(word);
  const wordsIn = (text: unknown) =>
    typeof text === 'string' ? (split(text.replaceAll('-', '_')) as string[]).filter(known) : text;
  return z
    .preprocess(wordsIn, z.array(z.enum(words, { error })).optional())
    .transform((asked = []): ReadonlySet<Part> => new Set(asked.flatMap((word) => parts[word] ?? [])))
    .meta({
      description: `Related resources to return in \`included\`, separated by commas.${
        unknownWords === 'ignored' ? ' Others are ignored.' : ''
      } There are never any ${neverThere.map((word) => `\`${word}\``).join(', ')}.`,
    });
};
