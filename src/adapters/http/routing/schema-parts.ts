import type { z } from 'zod';

type Schema = z.core.$ZodType;

const definitionOf = (schema: Schema): Readonly<Record<string, unknown>> =>
  schema._zod.def as unknown as Readonly<Record<string, unknown>>;

export const kindOf = (schema: Schema): unknown => definitionOf(schema).type;

/** The members of an object, by name; none if the schema is not one. */
export const membersOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (definitionOf(schema).shape as Readonly<Record<string, Schema>> | undefined) ?? {};

/** The schemas within a schema, other than members. */
export function wrappedIn(schema: Schema): readonly Schema[] {
  const { options, element, innerType, in: input, out } = definitionOf(schema);
  return [...((options as [] | undefined) ?? []), element, innerType, input, out].filter(
    (part): part is Schema => part !== undefined,
  );
}
