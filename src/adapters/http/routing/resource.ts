import { z } from 'zod';
import { contract, type Dialect } from './dialect.js';
import type { Members, Resource, WireValue } from './document.js';
import { linkIn, perDialect, type ResourceSchema, toManySchema, toOneSchema } from './resource-schema.js';

/** Makes read-only what is never written to. */
type Unchanged<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

/** A literal declares each member with one of these. `about` is a sentence for the description of the API. */
export interface ResourceBuilder {
  attribute<Value>(schema: z.ZodType<Value>, value: NoInfer<Unchanged<Value>>, about?: string): WireValue;
  /** A group of members: an object with them. */
  group(members: Members, about?: string): WireValue;
  /** Sometimes undefined; never in the described view. */
  optional(wireValue: WireValue | Members | undefined, about?: string): WireValue | undefined;
  /** A path of this service. */
  link(path: string): WireValue;
  toOne(type: string, id: string, about?: string): WireValue;
  toOneOrNone(type: string, id: string | null, about?: string): WireValue;
  toMany(type: string, ids: readonly string[], about?: string): WireValue;
  /** `related` is the path at which it can be read. */
  toOneAt(type: string, id: string, related: string): WireValue;
  toOneOrNoneAt(type: string, id: string | null, related: string): WireValue;
  /** The described view has at least one item. */
  each<Item>(items: readonly Item[], present: (item: Item) => Members, about?: string): WireValue;
  /** Not null in the described view. */
  orNull<Item>(item: Item | null, present: (item: Item) => Members, about?: string): WireValue;
}

const wireValue = (value: unknown): WireValue => value as WireValue;

const identifier = (type: string, id: string | null) => (id === null ? null : { id, type });

/** The words that present values. */
export const presenting: ResourceBuilder = {
  attribute: (_, value) => wireValue(value),
  group: wireValue,
  optional: (value) => wireValue(value),
  link: wireValue,
  toOne: (type, id) => wireValue({ data: { id, type } }),
  toOneOrNone: (type, id) => wireValue({ data: identifier(type, id) }),
  toMany: (type, ids) => wireValue({ data: ids.map((id) => ({ id, type })) }),
  toOneAt: (type, id, related) => wireValue({ data: { id, type }, links: { related } }),
  toOneOrNoneAt: (type, id, related) => wireValue({ data: identifier(type, id), links: { related } }),
  each: (items, present) => wireValue(items.map(present)),
  orNull: (item, present) => wireValue(item === null ? null : present(item)),
};

const about = (schema: z.ZodType, sentence?: string): WireValue =>
  wireValue(sentence === undefined ? schema : schema.describe(sentence));

/** Exactly the members of the described literal. */
export const schemaOf = (given: WireValue | Members): z.ZodType => {
  if (given instanceof z.ZodType) return given;
  const members = Object.entries(given).filter(([, one]) => one !== undefined);
  return z.strictObject(Object.fromEntries(members.map(([name, one]) => [name, schemaOf(one as WireValue | Members)])));
};

const present = <Given>(given: Given): NonNullable<Given> => {
  if (given === undefined || given === null) throw new Error('a member is missing in the described view');
  return given;
};

/** The words that build the schema. */
export const describing = (dialect: Dialect): ResourceBuilder => {
  const related = linkIn(dialect);
  return {
    attribute: (schema, _, sentence) => about(schema, sentence),
    group: (members, sentence) => about(schemaOf(members), sentence),
    optional: (given, sentence) => about(schemaOf(present(given)).optional(), sentence),
    link: () => wireValue(related),
    toOne: (type, _, sentence) => about(toOneSchema(type), sentence),
    toOneOrNone: (type, _, sentence) => about(toOneSchema(type, { nullable: true }), sentence),
    toMany: (type, _, sentence) => about(toManySchema(type), sentence),
    toOneAt: (type) => wireValue(toOneSchema(type, { related })),
    toOneOrNoneAt: (type) => wireValue(toOneSchema(type, { nullable: true, related })),
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
  view: (words: ResourceBuilder, dialect: Dialect) => Resource,
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
export const describedJson = (view: (words: ResourceBuilder) => Members): z.ZodType =>
  schemaOf(view(describing(contract)));

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
