import { z } from 'zod';
import type { Dialect } from '../dialect.js';
import type { Resource } from './document.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The schema of a resource as a presenter writes it. */
export type ResourceSchema = z.ZodObject;

/** Made once per dialect: the reference tells components apart by their names, and takes no two of one name. */
export const perDialect = <Schema>(make: (dialect: Dialect) => Schema): ((dialect: Dialect) => Schema) => {
  const made = new Map<Dialect['name'], Schema>();
  return (dialect) => {
    const schema = made.get(dialect.name) ?? make(dialect);
    made.set(dialect.name, schema);
    return schema;
  };
};

export const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({
    id: 'DateTime',
    format: 'date-time',
    description: 'UTC, to the millisecond, with a literal `Z`.',
    example: '2030-01-31T09:00:00.000Z',
  });

export const count = z.int().min(0);

export const timestamps = (stamps: readonly string[]) =>
  z.partialRecord(z.enum(stamps), dateTime).describe('When each was last reached. What was not reached is missing.');

/** The stamps that statuses leave. */
export const stampsOf = (statuses: readonly string[]): readonly string[] =>
  statuses.map((status) => `${status.replaceAll('_', '-')}-at`);

export const flags = (names: readonly string[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, z.boolean()])));

/** An absolute path, with the prefix of the mount that serves it. */
export const linkIn = (dialect: Dialect) => z.string().startsWith(`${dialect.prefix}/`);

/** More than one type: whoever it may be. */
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

/** A relationship that is told by its link alone. */
export const linkedSchema = (related: z.ZodType) => z.strictObject({ links: z.strictObject({ related }) });

/** As it reaches clients: what is undefined is not there. */
const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Undefined where the schema has none. */
export const exampleOf = (schema: z.ZodType): unknown => schema.meta()?.example;

interface ResourceParts {
  /** What the reference calls it, after the dialect. */
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  /** Any text, where nothing else is said. */
  readonly id?: z.ZodType;
  readonly attributes: Shape;
  readonly relationships?: Shape;
  readonly links?: Shape;
  /** As the presenter writes one. */
  readonly example: Resource;
}

/** What a presenter writes, and nothing besides. Members that it leaves out at times are optional. */
export const resourceSchema = (dialect: Dialect, parts: ResourceParts): ResourceSchema => {
  const { name, type, description, id = z.string(), attributes, relationships, links, example } = parts;
  return z
    .strictObject({
      id,
      type: z.literal(type),
      attributes: z.strictObject(attributes),
      ...(relationships === undefined ? {} : { relationships: z.strictObject(relationships) }),
      ...(links === undefined ? {} : { links: z.strictObject(links) }),
    })
    .meta({
      id: `${dialect.name}.${name}`,
      ...(description === undefined ? {} : { description }),
      example: asWritten(example),
    });
};

type Resources = readonly [ResourceSchema, ...ResourceSchema[]];

const includedSchema = (resources: Resources) => z.array(z.discriminatedUnion('type', [...resources])).min(1);

/** What may stand beside the data of a document; missing when nothing does. */
interface Beside {
  readonly included?: Resources;
}

const besideData = ({ included }: Beside) =>
  included === undefined ? {} : { included: includedSchema(included).optional() };

/** A document about one. */
export const documentSchema = (resource: z.ZodType, beside: Beside = {}) =>
  z.strictObject({ data: resource, ...besideData(beside) }).meta({ example: { data: exampleOf(resource) } });

/** A document about one that always brings these with it. */
export const documentWithSchema = (resource: z.ZodType, included: Resources) =>
  z
    .strictObject({ data: resource, included: includedSchema(included) })
    .meta({ example: { data: exampleOf(resource), included: included.map(exampleOf) } });

/** A list that comes whole. */
export const listSchema = (resource: z.ZodType) =>
  z.strictObject({ data: z.array(resource) }).meta({ example: { data: [exampleOf(resource)] } });

const path = z.string().startsWith('/');

const pageLinks = z
  .strictObject({ self: path, first: path, prev: path.nullable(), next: path.nullable(), last: path })
  .meta({
    id: 'PageLinks',
    description: 'Paths of other pages, with the parameters of the request. Null where there is none.',
  });

const pagination = z
  .strictObject({
    'current-page': z.int().min(1).describe('As asked for, also past the end.'),
    'page-size': z.int().min(1).max(100),
    'prev-page': z.int().min(1).nullable(),
    'next-page': z.int().min(2).nullable().describe('Null on the last page and past it.'),
    'total-pages': z.int().min(1).describe('1 for an empty list.'),
    'total-count': count,
  })
  .meta({ id: 'Pagination' });

/** One page of a list. In the example `/…` stands for the path of the list. */
export const pageSchema = (resource: z.ZodType, beside: Beside = {}) => {
  const first = '/…?page%5Bnumber%5D=1&page%5Bsize%5D=20';
  return z
    .strictObject({
      data: z.array(resource).max(100),
      ...besideData(beside),
      links: pageLinks,
      meta: z.strictObject({ pagination }),
    })
    .meta({
      example: {
        data: [exampleOf(resource)],
        links: { self: first, first, prev: null, next: null, last: first },
        meta: {
          pagination: {
            'current-page': 1,
            'page-size': 20,
            'prev-page': null,
            'next-page': null,
            'total-pages': 1,
            'total-count': 1,
          },
        },
      },
    });
};

const errorSource = z.union([
  z.strictObject({ pointer: z.string().describe('A JSON pointer to the member of the body that is at fault.') }),
  z.strictObject({ parameter: z.string().describe('The query parameter that is at fault.') }),
]);

const errorObject = z.strictObject({
  status: z.string().regex(/^[45]\d\d$/),
  title: z.string(),
  detail: z.string(),
  source: errorSource.optional(),
});

/** How every refusal is answered: one error per fault. */
export const errorDocument = z.strictObject({ errors: z.array(errorObject).min(1) }).meta({
  id: 'Errors',
  description: 'One error object per fault. `status` is the status of the answer, as text.',
  example: {
    errors: [
      {
        status: '422',
        title: 'invalid attribute',
        detail: 'Name has already been taken',
        source: { pointer: '/data/attributes/name' },
      },
    ],
  },
});
