import { z } from 'zod';

/** A resource by type and id, as relationships name it. */
export interface Ref {
  readonly type: string;
  readonly id: string;
}

/** A resource of either server. Relationships without data are absent. */
export interface Item {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly related: Readonly<Record<string, readonly Ref[]>>;
}

const ref = z.object({ type: z.string(), id: z.string() });
const data = z.union([ref.transform((one) => [one]), z.array(ref), z.null().transform(() => [])]);
/** Undefined for what is not as the family has it: other servers add much, and leave much out. */
const relationship = z.object({ data }).optional().catch(undefined);

const item = z
  .object({
    id: z.string(),
    attributes: z.record(z.string(), z.unknown()).nullish(),
    relationships: z.record(z.string(), relationship).nullish(),
  })
  .transform(
    ({ id, attributes, relationships }): Item => ({
      id,
      attributes: attributes ?? {},
      related: Object.fromEntries(
        Object.entries(relationships ?? {}).flatMap(([name, said]) => (said === undefined ? [] : [[name, said.data]])),
      ),
    }),
  );

const pagination = z.object({ 'next-page': z.number().nullish(), 'total-count': z.number().nullish() });

export const listDocument = z.object({
  data: z.array(item),
  meta: z
    .object({ pagination: pagination.nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

export const itemDocument = z.object({ data: item });

const wrong = z.union([z.string(), z.object({ title: z.string().nullish(), detail: z.string().nullish() })]);

/** The sentences of an error response of the family, some of whose servers send plain texts. */
export const errorsDocument = z
  .object({ errors: z.array(wrong) })
  .transform(({ errors }) =>
    errors.slice(0, 3).map((one) => (typeof one === 'string' ? one : (one.detail ?? one.title ?? ''))),
  );

export const textOf = ({ attributes }: Item, name: string): string | undefined => {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
};

export const numberOf = ({ attributes }: Item, name: string): number | undefined => {
  const value = attributes[name];
  return typeof value === 'number' ? value : undefined;
};

/** The only resource of a relationship to one. */
export const oneOf = ({ related }: Item, name: string): Ref | undefined => related[name]?.[0];
