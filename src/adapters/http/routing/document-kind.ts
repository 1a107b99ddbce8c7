import { z } from 'zod';
import { type BodyKind, bodyKinds } from './body-kinds.js';
import { limits } from './limits.js';
import type { Route } from './route.js';
import { kindOf, membersOf, wrappedIn } from './schema-parts.js';

/** The longest text that the schema takes; undefined when it has no limit of its own. */
const longestOf = (schema: z.core.$ZodType): number | undefined => (schema as z.ZodString).maxLength ?? undefined;

/** Whether a document of this schema has a text that is longer than any name or id. */
export function hasFreeText(schema: z.core.$ZodType): boolean {
  switch (kindOf(schema)) {
    case 'string':
      return (longestOf(schema) ?? Number.POSITIVE_INFINITY) > limits.word.max;
    case 'record':
      return true;
    default:
      return [...Object.values(membersOf(schema)), ...wrappedIn(schema)].some(hasFreeText);
  }
}

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
