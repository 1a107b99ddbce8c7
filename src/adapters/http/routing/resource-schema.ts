import { z } from 'zod';
import type { Dialect } from './dialect.js';

/** The schema of a resource. */
export type ResourceSchema = z.ZodObject;

/** Made once per dialect: the reference identifies components by name, and rejects two of the same name. */
export const perDialect = <Schema>(make: (dialect: Dialect) => Schema): ((dialect: Dialect) => Schema) => {
  const made = new WeakMap<Dialect, Schema>();
  return (dialect) => {
    const schema = made.get(dialect) ?? make(dialect);
    made.set(dialect, schema);
    return schema;
  };
};

export const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({
    id: 'DateTime',
    format: 'date-time',
    description: 'UTC date-time with milliseconds and a literal `Z`.',
    example: '2030-01-31T09:00:00.000Z',
  });

export const text = z.string();
export const maybeText = text.nullable();
export const flag = z.boolean();
export const no = z.literal(false);
export const nothing = z.null();
export const count = z.int().min(0);
export const maybeDateTime = dateTime.nullable();

export const timestamps = (stamps: readonly string[]) =>
  z
    .partialRecord(z.enum(stamps), dateTime)
    .describe('When each status was last reached. Statuses that were never reached are absent.');

/** The timestamps that statuses leave. */
export const stampsOf = (statuses: readonly string[]): readonly string[] =>
  statuses.map((status) => `${status.replaceAll('_', '-')}-at`);

/** An absolute path, with the prefix of the mount that serves it. */
export const linkIn = (dialect: Dialect) => z.string().startsWith(`${dialect.prefix}/`);

/** More than one type for a polymorphic relationship. */
type Types = string | readonly string[];

const identifierOf = (types: Types) =>
  z.strictObject({ id: z.string(), type: typeof types === 'string' ? z.literal(types) : z.enum(types) });

/** `related` is the schema of the link, where there is one. */
export const toOneSchema = (
  types: Types,
  { nullable = false, related }: { readonly nullable?: boolean; readonly related?: z.ZodType } = {},
) =>
  z.strictObject({
    data: nullable ? identifierOf(types).nullable() : identifierOf(types),
    ...(related === undefined ? {} : { links: z.strictObject({ related }) }),
  });

export const toManySchema = (types: Types) => z.strictObject({ data: z.array(identifierOf(types)) });

export type Resources = readonly [ResourceSchema, ...ResourceSchema[]];

const includedSchema = (resources: Resources) => z.array(z.discriminatedUnion('type', [...resources])).min(1);

/** The members of a document other than `data`; missing when there are none. */
const besideData = (included: Resources | undefined) =>
  included === undefined ? {} : { included: includedSchema(included).optional() };

/** A document with one resource. */
export const documentSchema = (resource: z.ZodType, included?: Resources) =>
  z.strictObject({ data: resource, ...besideData(included) });

/** A document with one resource that always includes these. */
export const documentWithSchema = (resource: z.ZodType, included: Resources) =>
  z.strictObject({ data: resource, included: includedSchema(included) });

/** A list without pagination. */
export const listSchema = (resource: z.ZodType, included?: Resources) =>
  z.strictObject({ data: z.array(resource), ...besideData(included) });

const path = z.string().startsWith('/');

const aboutLinks =
  'The paths of other pages keep the query parameters of the request. A page that does not exist is null.';
const uncountedLinks = z.strictObject({ self: path, first: path, prev: path.nullable(), next: path.nullable() });
const pageLinks = uncountedLinks.extend({ last: path }).meta({ id: 'PageLinks', description: aboutLinks });

const uncounted = z.strictObject({
  'current-page': z.int().min(1).describe('The page number from the request, even if it is past the last page.'),
  'page-size': z.int().min(1).max(100),
  'prev-page': z.int().min(1).nullable(),
  'next-page': z.int().min(2).nullable().describe('Null on the last page and beyond.'),
});
const pagination = uncounted
  .extend({ 'total-pages': z.int().min(1).describe('1 for an empty list.'), 'total-count': count })
  .meta({ id: 'Pagination' });

const search = z
  .strictObject({ newest: z.int() })
  .meta({ id: 'Search', description: 'Set if there is more to search: only this many of the newest were.' });

const pageOf = (links: z.ZodType, pagination: z.ZodType) => (resource: z.ZodType, included?: Resources) =>
  z.strictObject({
    data: z.array(resource).max(100),
    ...besideData(included),
    links,
    meta: z.strictObject({ pagination, search: search.optional() }),
  });

/** One page of a list. */
export const pageSchema = pageOf(pageLinks, pagination);

/** One page of a list that nothing counts, so that there is neither a total nor a last page. */
export const uncountedPageSchema = pageOf(
  uncountedLinks.meta({ id: 'UncountedPageLinks', description: aboutLinks }),
  uncounted.meta({ id: 'UncountedPagination' }),
);

const errorSource = z.union([
  z.strictObject({ pointer: z.string().describe('A JSON pointer to the invalid member of the request body.') }),
  z.strictObject({ parameter: z.string().describe('The invalid query parameter.') }),
]);

const errorObject = z.strictObject({
  status: z.string().regex(/^[45]\d\d$/),
  title: z.string(),
  detail: z.string(),
  source: errorSource.optional(),
});

/** The document of every error response: one error per fault. */
export const errorDocument = z.strictObject({ errors: z.array(errorObject).min(1) }).meta({
  id: 'Errors',
  description: 'One error object per error. `status` is the HTTP status as a string.',
});
