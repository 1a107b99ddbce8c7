import { z } from 'zod';
import type { Query } from './query.js';
import { type Fault, RequestError } from './request-error.js';

/**
 * The query parameters that a list or a resource serves, by name: filters, searches, sorting and `include`. A schema
 * reads the text of one parameter. Everything else that the family has is refused.
 */
export type Parameters = Readonly<Record<string, z.ZodType>>;

export type Values<Served extends Parameters> = { readonly [Name in keyof Served]: z.output<Served[Name]> };

const notByProject = 'agent pools are not scoped by project, and policy sets are not attached to projects';
const notHere = 'this endpoint does not support it';

/**
 * Every query parameter by which a client of this API family selects, sorts or includes, and why it is refused where it
 * is not served. A name covers the names that go on from it in brackets: `filter[names]` is `filter[names][0]`, which is
 * refused where lists are written with commas. Groups of `filter[tagged]` may have any text in place of the 0.
 */
export const familyParameters: Readonly<Record<string, string>> = {
  include: 'this endpoint includes nothing. Invalid include parameter',
  sort: notHere,
  name: notHere,
  q: notHere,
  'q[email]': notHere,
  'q[name]': notHere,
  'search[basic]': notHere,
  'search[commit]': notHere,
  'search[exclude-tags]': notHere,
  'search[name]': notHere,
  'search[tags]': notHere,
  'search[user]': notHere,
  'search[wildcard-name]': notHere,
  'filter[admin]': notHere,
  'filter[agent_pool_names]': notHere,
  'filter[allowed_projects][name]': notByProject,
  'filter[allowed_workspaces][name]': notHere,
  'filter[current-run][status]': notHere,
  'filter[email]': notHere,
  'filter[expiry_status]': notHere,
  'filter[kind]': notHere,
  'filter[names]': notHere,
  'filter[operation]': notHere,
  'filter[organization][name]': notHere,
  'filter[permissions][create-workspace]': notHere,
  'filter[permissions][update]': notHere,
  'filter[project][id]': notHere,
  'filter[source]': notHere,
  'filter[status]': notHere,
  'filter[status_group]': notHere,
  'filter[suspended]': notHere,
  'filter[exclude][taggable][id]': notHere,
  'filter[tagged][0][key]': notHere,
  'filter[tagged][0][value]': notHere,
  'filter[team][id]': notHere,
  'filter[timeframe]': notHere,
  'filter[user][id]': notHere,
  'filter[versioned]': notHere,
  'filter[workspace][id]': notHere,
  'filter[workspace][name]': notHere,
  'filter[workspace_names]': notHere,
};

/** Throws a 400 with one error per parameter of the family that is not among those served. */
export function refuseOthers(served: Parameters, query: Query): void {
  if (query.isEmpty) return;
  const faults = query.names().flatMap((name): readonly Fault[] => {
    if (Object.hasOwn(served, name) || isTagged(served, name)) return [];
    const reason = Object.hasOwn(familyParameters, name)
      ? familyParameters[name]
      : (reasonOfGroup(name) ?? reasonOfMember(served, name));
    return reason === undefined ? [] : [{ parameter: name, detail: `${name} is not supported: ${reason}` }];
  });
  if (faults.length > 0) throw new RequestError(400, 'bad request', faults);
}

/** For a name that goes on from another in brackets, as `filter[names][0]` does. */
function reasonOfMember(served: Parameters, name: string): string | undefined {
  const whole = Object.keys(familyParameters).find((known) => name.startsWith(`${known}[`));
  if (whole === undefined) return undefined;
  return Object.hasOwn(served, whole) ? `several values are one ${whole}, with commas` : familyParameters[whole];
}

/** Parameters of groups that the caller numbers are described with the first group. */
const isTagged = (served: Parameters, name: string): boolean =>
  Object.hasOwn(served, 'filter[tagged][0][key]') && name.startsWith('filter[tagged][');

const reasonOfGroup = (name: string): string | undefined => (name.startsWith('filter[tagged][') ? notHere : undefined);

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

export const required = (description: string) =>
  z.string({ error: 'is required' }).min(1, 'is required').meta({ description });

/** The words of a list, separated by commas. */
const split = (text: unknown): unknown =>
  typeof text === 'string' ? text.split(',').filter((word) => word !== '') : text;

/** Any texts, separated by commas. */
export const texts = (description: string) => z.preprocess(split, z.array(z.string()).optional()).meta({ description });

const mustBe = (words: readonly string[]) => ({ error: `must be one of ${words.join(', ')}` });

export const oneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  z.enum(words, mustBe(words)).optional().meta({ description });

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

/** Resources that nothing here has: including them includes nothing. */
const neverThere = ['cost_estimate', 'policy_checks', 'run_triggers'];

/** Words of `include` that need something the service does not have, and what. */
const refusedWords: ReadonlyMap<string, string> = new Map([
  ['tag_bindings', 'only effective ones are included, with workspaces'],
  ['tags', 'their names are an attribute'],
  ['project', notHere],
  ['projects', notByProject],
  ['project_exclusions', notByProject],
  ['default_project', notHere],
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
    return `${unable}Invalid include parameter`;
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
