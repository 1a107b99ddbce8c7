import { z } from 'zod';
import { type BodyKind, bodyKinds } from './body-kinds.js';
import { limits } from './limits.js';
import type { Route } from './route.js';

type Definition = Readonly<Record<string, unknown>>;

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

/** The longest text that the schema takes; undefined when it has no limit of its own. */
const longestOf = (schema: z.core.$ZodType): number | undefined => (schema as z.ZodString).maxLength ?? undefined;

/** Whether a document of this schema has a text that is longer than any name or id. */
export function hasFreeText(schema: z.core.$ZodType): boolean {
  const definition = definitionOf(schema);
  switch (definition.type) {
    case 'string':
      return (longestOf(schema) ?? Number.POSITIVE_INFINITY) > limits.word.max;
    case 'record':
      return true;
    default:
      return partsOf(definition).some(hasFreeText);
  }
}

/** The schemas within a schema. */
const partsOf = ({ shape, options, element, innerType, in: input, out }: Definition): readonly z.core.$ZodType[] =>
  [
    ...Object.values((shape as object | undefined) ?? {}),
    ...((options as [] | undefined) ?? []),
    element,
    innerType,
    input,
    out,
  ].filter((part): part is z.core.$ZodType => part !== undefined);

const kinds = new WeakMap<Route['reference'], BodyKind>();

/** The limits of a document, which follow from its schema. */
export function documentKindOf({ reference }: Pick<Route, 'reference'>): BodyKind {
  let kind = kinds.get(reference);
  if (kind === undefined) {
    const { body } = reference();
    kind = body instanceof z.ZodType && hasFreeText(body) ? bodyKinds.text : bodyKinds.plain;
    kinds.set(reference, kind);
  }
  return kind;
}
