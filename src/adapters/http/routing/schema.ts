import { z } from 'zod';
import type { Instant } from '../../../domain/index.js';
import type { Dialect, TypeName } from './dialect.js';
import { limits } from './limits.js';
import { notAnId } from './names-for-ids.js';
import { type Fault, invalid } from './request-error.js';
import type { Call } from './route.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The `type` member: which words pass is the dialect's to say. */
export const typeMember = (dialect: Dialect, type: TypeName) => {
  const accepted = dialect.acceptedTypes(type);
  const words = [...new Set(accepted)].filter((word) => word !== undefined);
  const member = z
    .unknown()
    .refine((given) => accepted.includes(given as string | undefined), {
      error: `Type must be ${words.find((word) => word !== '')}`,
    })
    .meta({ type: 'string', enum: words });
  // A member that may be missing is not looked at when it is, so only that of a type that may be missing is one.
  return accepted.includes(undefined) ? member.optional() : member;
};

/** An object that may be left out, as may what is in it; `null` counts as left out. */
const orEmpty = <Schema extends z.ZodType>(schema: Schema) => z.preprocess((given) => given ?? {}, schema);

/** A request body whose attributes each have a default: the body, `data` and `attributes` may all be missing. */
export const optionalDocument = <Attributes extends Shape>(dialect: Dialect, type: TypeName, attributes: Attributes) =>
  z.object({
    data: orEmpty(z.object({ type: typeMember(dialect, type), attributes: orEmpty(z.object(attributes)) })),
  });

/** A request body with a resource in it. */
export const resourceDocument = <Attributes extends Shape, Relationships extends Shape = Record<never, never>>(
  dialect: Dialect,
  type: TypeName,
  attributes: Attributes,
  relationships: Relationships = {} as Relationships,
) =>
  z.object({
    data: z.object({
      type: typeMember(dialect, type),
      attributes: orEmpty(z.object(attributes)),
      relationships: orEmpty(z.object(relationships)),
    }),
  });

/** A short text whose form the domain checks: bounded before it looks. */
export const word = z.string().max(limits.word.max);

/** The id of a resource of a collection. */
export const idOf = ({ plural }: Pick<TypeName, 'plural'>) =>
  word.min(1).refine((id) => notAnId(plural, id) === undefined, {
    error: ({ input }) => notAnId(plural, String(input)) ?? '',
  });

export const identifier = (dialect: Dialect, type: TypeName) =>
  z.object({ type: typeMember(dialect, type), id: idOf(type) });

/** As many as a relationship may name at once. */
export const manyOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(limits.identifiers.max);

const wellFormedUtc =
  /^(\d{4}-\d\d-\d\d[Tt]\d\d(:\d\d(:\d\d([.,]\d+)?)?)?|\d{8}[Tt]\d\d(\d\d(\d\d([.,]\d+)?)?)?)([Zz]|[+-]00(:?00)?)$/;

/** The form in which an instant is stored. Undefined for a text that is not a date-time in UTC, or not a day. */
function instantFrom(text: string): Instant | undefined {
  if (!wellFormedUtc.test(text)) return undefined;
  const [whole = '', part = ''] = text.replace(/([Zz]|[+-]00(:?00)?)$/, '').split(/[.,]/);
  const digits = whole.replace(/\D/g, '').padEnd(14, '0');
  const at = (from: number, to: number) => digits.slice(from, to);
  const date = `${at(0, 4)}-${at(4, 6)}-${at(6, 8)}`;
  const stored = `${date}T${at(8, 10)}:${at(10, 12)}:${at(12, 14)}.${part.padEnd(3, '0').slice(0, 3)}Z`;
  const read = new Date(stored);
  // The 30th of February would be read as a day in March.
  return !Number.isNaN(read.getTime()) && read.toISOString() === stored ? stored : undefined;
}

/** A date-time whose offset is zero, in the form in which it is stored. */
const utcDateTime = z
  .string()
  .max(64)
  .refine((text) => instantFrom(text) !== undefined, {
    error: 'must be an ISO 8601 date-time in UTC, such as 2030-01-31T09:00:00Z',
  })
  .meta({
    pattern: wellFormedUtc.source,
    description:
      'An ISO 8601 date-time in UTC, in extended or basic form, to the hour or finer, such as `2030-01-31T09:00:00Z`, `2030-01-31T09:00Z` or `20300131T090000+0000`. Letters may be lower case. Fractions of seconds are cut to milliseconds.',
  })
  .transform((text) => instantFrom(text) ?? text);

/** A date-time whose offset is zero; null and absent are the same. */
export const instant = z
  .union([z.null(), utcDateTime])
  .optional()
  .transform((text) => text ?? null);

/** A date-time whose offset is zero, where null unsets and absent changes nothing. */
export const namedInstant = z.union([z.null(), utcDateTime]).optional();

/** An attribute that may be left out; `null` counts as left out. */
export const absentable = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .union([z.null(), schema])
    .optional()
    .transform((value) => value ?? undefined) as unknown as z.ZodType<z.infer<Schema> | undefined>;

/** Values with which clients say that they want nothing. */
const isNothing = (given: unknown): boolean =>
  given === undefined ||
  given === null ||
  given === false ||
  given === '' ||
  (Array.isArray(given) && given.length === 0) ||
  (typeof given === 'object' && !Array.isArray(given) && 'data' in given && isNothing(given.data));

/** A member that clients of this API family know and this service does not serve: it is refused, and never dropped. */
export const unserved = (sentence: string) =>
  z
    .unknown()
    .refine(isNothing, { error: sentence })
    .optional()
    .meta({ description: `Refused. ${sentence}.` });

/** Only what the request names. */
export const named = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };

const labelOf = (path: readonly PropertyKey[]): string => {
  const words = String(path.findLast((part) => typeof part === 'string') ?? 'body').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

const sentenceOf = (issue: z.core.$ZodIssue): string => {
  const label = labelOf(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${label} is required`
        : `${label} must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined
        ? `${label} is required`
        : `${label} must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.minimum === 1 ? `${label} can't be blank` : `${label} is too short`;
    case 'too_big':
      return `${label} is too long (the maximum is ${issue.maximum})`;
    case 'invalid_format':
    case 'custom':
      return issue.message.startsWith('must') ? `${label} ${issue.message}` : issue.message;
    default:
      return `${label} is invalid`;
  }
};

/** A union fails as its last, most specific member does: the members before it only let `null` pass. */
const unfolded = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (inner === undefined) return [issue];
  const within = (one: z.core.$ZodIssue) =>
    ({
      ...one,
      path: [...issue.path, ...one.path],
      input: one.path.length > 0 ? one.input : issue.input,
    }) as typeof one;
  return inner.map(within).flatMap(unfolded);
};

const faultOf = (issue: z.core.$ZodIssue): Fault => ({
  pointer: issue.path.map((part) => `/${String(part)}`).join(''),
  detail: sentenceOf(issue),
});

/** Throws a 422 with one error, and one pointer, per fault. */
export function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const result = schema.safeParse(body ?? {}, { reportInput: true });
  if (!result.success) throw invalid(result.error.issues.flatMap(unfolded).slice(0, limits.faults.max).map(faultOf));
  return result.data;
}

/** Reads the body of a request, and says by which schema it does. */
export interface Reader<Command> {
  (call: Call): Command;
  readonly schema: z.ZodType;
}

/** The reader throws a 422 as `parse` does. */
export const reading = <Schema extends z.ZodType, Command>(
  schema: Schema,
  toCommand: (body: z.infer<Schema>, call: Call) => Command,
): Reader<Command> => Object.assign((call: Call) => toCommand(parse(schema, call.body), call), { schema });

/** The ids in a body that is a list of identifiers, as relationship endpoints take it. */
export const readingIds = (dialect: Dialect, type: TypeName) =>
  reading(z.object({ data: manyOf(identifier(dialect, type)) }), ({ data }): readonly string[] =>
    data.map(({ id }) => id),
  );
