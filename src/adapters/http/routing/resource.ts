import { z } from 'zod';
import { contract, type Dialect } from './dialect.js';
import type { Members, Resource, Said } from './document.js';
import { linkIn, perDialect, type ResourceSchema, toManySchema, toOneSchema } from './resource-schema.js';

/** Makes read-only what is never written to. */
type Unchanged<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

/** A literal declares each member with one of these. `about` is a sentence for the description of the API. */
export interface Words {
  is<Value>(schema: z.ZodType<Value>, value: NoInfer<Unchanged<Value>>, about?: string): Said;
  /** A group of members: an object with them. */
  group(members: Members, about?: string): Said;
  /** Sometimes undefined; never in the described view. */
  optional(said: Said | Members | undefined, about?: string): Said | undefined;
  /** A path of this service. */
  link(path: string): Said;
  toOne(type: string, id: string, about?: string): Said;
  toOneOrNone(type: string, id: string | null, about?: string): Said;
  toMany(type: string, ids: readonly string[], about?: string): Said;
  /** `related` is the path at which it can be read. */
  toOneAt(type: string, id: string, related: string): Said;
  toOneOrNoneAt(type: string, id: string | null, related: string): Said;
  /** The described view has at least one item. */
  each<Item>(items: readonly Item[], present: (item: Item) => Members, about?: string): Said;
  /** Not null in the described view. */
  orNull<Item>(item: Item | null, present: (item: Item) => Members, about?: string): Said;
}

const said = (value: unknown): Said => value as Said;

const identifier = (type: string, id: string | null) => (id === null ? null : { id, type });

/** The words that present values. */
export const presenting: Words = {
  is: (_, value) => said(value),
  group: said,
  optional: (value) => said(value),
  link: said,
  toOne: (type, id) => said({ data: { id, type } }),
  toOneOrNone: (type, id) => said({ data: identifier(type, id) }),
  toMany: (type, ids) => said({ data: ids.map((id) => ({ id, type })) }),
  toOneAt: (type, id, related) => said({ data: { id, type }, links: { related } }),
  toOneOrNoneAt: (type, id, related) => said({ data: identifier(type, id), links: { related } }),
  each: (items, present) => said(items.map(present)),
  orNull: (item, present) => said(item === null ? null : present(item)),
};

const about = (schema: z.ZodType, sentence?: string): Said =>
  said(sentence === undefined ? schema : schema.describe(sentence));

/** Exactly the members of the described literal. */
export const schemaOf = (given: Said | Members): z.ZodType => {
  if (given instanceof z.ZodType) return given;
  const members = Object.entries(given).filter(([, one]) => one !== undefined);
  return z.strictObject(Object.fromEntries(members.map(([name, one]) => [name, schemaOf(one as Said | Members)])));
};

const present = <Given>(given: Given): NonNullable<Given> => {
  if (given === undefined || given === null) throw new Error('a member is missing in the described view');
  return given;
};

/** The words that build the schema. */
export const describing = (dialect: Dialect): Words => {
  const related = linkIn(dialect);
  return {
    is: (schema, _, sentence) => about(schema, sentence),
    group: (members, sentence) => about(schemaOf(members), sentence),
    optional: (given, sentence) => about(schemaOf(present(given)).optional(), sentence),
    link: () => said(related),
    toOne: (type, _, sentence) => about(toOneSchema(type), sentence),
    toOneOrNone: (type, _, sentence) => about(toOneSchema(type, { nullable: true }), sentence),
    toMany: (type, _, sentence) => about(toManySchema(type), sentence),
    toOneAt: (type) => said(toOneSchema(type, { related })),
    toOneOrNoneAt: (type) => said(toOneSchema(type, { nullable: true, related })),
    each: ([item], each, sentence) => about(z.array(schemaOf(each(present(item)))), sentence),
    orNull: (item, each, sentence) => about(schemaOf(each(present(item))).nullable(), sentence),
  };
};

interface Named {
  /** Its name in the reference, after the dialect's. */
  readonly name: string;
  readonly about?: string;
  /** Any text, where nothing else is said. */
  readonly id?: z.ZodType;
}

/** `view` applies the literal to a view that has every member a response can have. Made once per dialect. */
export const described = (
  { name, about: description, id = z.string() }: Named,
  view: (words: Words, dialect: Dialect) => Resource,
): ((dialect: Dialect) => ResourceSchema) =>
  perDialect((dialect) => {
    const { type, attributes, relationships, links } = view(describing(dialect), dialect);
    return z
      .strictObject({
        id,
        type: z.literal(type),
        attributes: schemaOf(attributes),
        ...(relationships === undefined ? {} : { relationships: schemaOf(relationships) }),
        ...(links === undefined ? {} : { links: schemaOf(links) }),
      })
      .meta({
        id: `${dialect.name}.${name}`,
        ...(description === undefined ? {} : { description }),
      });
  });

/** The schema of plain JSON that is not a resource. `view` is as for `described`. */
export const describedJson = (view: (words: Words) => Members): z.ZodType => schemaOf(view(describing(contract)));

/** A view for describing a literal: it has the members of `given`, and any other member that is read. */
export const anyView = <View>(given: NoInfer<Partial<View>> = {}): View =>
  new Proxy(() => {}, {
    get: (_, name) => {
      if (Object.hasOwn(given, name)) return Reflect.get(given, name);
      if (name === Symbol.toPrimitive) return () => 'any';
      return name === Symbol.iterator ? () => [anyView()].values() : anyView();
    },
    apply: () => anyView(),
  }) as View;
