import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { client, contract, type Dialect } from '../../src/adapters/http/routing/dialect.js';
import type { Resource } from '../../src/adapters/http/routing/document.js';
import { pageDocument } from '../../src/adapters/http/routing/pagination.js';
import { Query } from '../../src/adapters/http/routing/query.js';
import { described, presenting, type ResourceBuilder } from '../../src/adapters/http/routing/resource.js';
import {
  count,
  documentSchema,
  documentWithSchema,
  flag,
  listSchema,
  maybeText,
  pageSchema,
  text,
} from '../../src/adapters/http/routing/resource-schema.js';

interface Door {
  readonly name: string;
  readonly open: boolean;
  readonly painter: string | null;
  readonly keys: readonly { readonly teeth: number }[];
  readonly lock: { readonly maker: string | null } | null;
  readonly houseId: string | null;
  readonly roomIds: readonly string[];
  readonly bell?: string;
}

const colour = z.enum(['red', 'green']);

const door =
  ({
    attribute,
    group,
    optional,
    each,
    orNull,
    link,
    toOne,
    toOneOrNone,
    toOneAt,
    toOneOrNoneAt,
    toMany,
  }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (view: Door): Resource => ({
    id: view.name,
    type: 'doors',
    attributes: {
      name: attribute(text, view.name, 'As it is painted on.'),
      colour: attribute(colour, view.open ? 'green' : 'red'),
      permissions: group({ 'can-open': attribute(flag, view.open) }, "The caller's permissions."),
      painter: attribute(maybeText, view.painter),
      keys: each(view.keys, ({ teeth }) => ({ teeth: attribute(count, teeth) }), 'One for each tenant.'),
      lock: orNull(view.lock, ({ maker }) => ({ maker: attribute(maybeText, maker) }), 'Null for none.'),
      bell: view.bell === undefined ? undefined : optional(attribute(text, view.bell), 'There where it rings.'),
      missing: undefined,
    },
    relationships: {
      street: toOne('streets', 'street-1'),
      house: toOneOrNone('houses', view.houseId, 'Null for a door of nothing.'),
      rooms: toMany('rooms', view.roomIds),
      wall: toOneAt('walls', 'wall-1', `${dialect.prefix}/walls/wall-1`),
      paint: toOneOrNoneAt('paints', view.painter, `${dialect.prefix}/paints`),
    },
    links: { self: link(`${dialect.prefix}/doors/${view.name}`) },
  });

const whole: Door = {
  name: 'front',
  open: true,
  painter: 'ann',
  keys: [{ teeth: 3 }],
  lock: { maker: 'acme' },
  houseId: 'house-1',
  roomIds: ['room-1'],
  bell: 'ding',
};
const { bell: _, ...silent } = whole;
const bare: Door = { ...silent, open: false, painter: null, keys: [], lock: null, houseId: null, roomIds: [] };

const doorSchema = described({ name: 'Door', about: 'Of a house.' }, (words, dialect) => door(words)(dialect)(whole));

const written = (dialect: Dialect, view: Door) => JSON.parse(JSON.stringify(door(presenting)(dialect)(view)));

describe('a literal of which each member is said with its schema', () => {
  it('is what it would be without', () => {
    expect(written(client, whole)).toEqual({
      id: 'front',
      type: 'doors',
      attributes: {
        name: 'front',
        colour: 'green',
        permissions: { 'can-open': true },
        painter: 'ann',
        keys: [{ teeth: 3 }],
        lock: { maker: 'acme' },
        bell: 'ding',
      },
      relationships: {
        street: { data: { id: 'street-1', type: 'streets' } },
        house: { data: { id: 'house-1', type: 'houses' } },
        rooms: { data: [{ id: 'room-1', type: 'rooms' }] },
        wall: { data: { id: 'wall-1', type: 'walls' }, links: { related: '/api/v2/walls/wall-1' } },
        paint: { data: { id: 'ann', type: 'paints' }, links: { related: '/api/v2/paints' } },
      },
      links: { self: '/api/v2/doors/front' },
    });
    expect(written(contract, bare)).toMatchObject({
      attributes: { painter: null, keys: [], lock: null },
      relationships: { house: { data: null }, rooms: { data: [] }, paint: { data: null } },
    });
    expect(Object.keys(written(contract, bare).attributes)).not.toContain('bell');
  });

  it('has a schema that takes what it presents, in its dialect, and nothing besides', () => {
    for (const dialect of [contract, client]) {
      for (const view of [whole, bare])
        expect(doorSchema(dialect).safeParse(written(dialect, view)).error).toBeUndefined();
    }
    const good = written(client, whole);
    for (const bad of [
      written(contract, whole),
      { ...good, type: 'gates' },
      { ...good, meta: {} },
      { ...good, attributes: { ...good.attributes, missing: 1 } },
      { ...good, attributes: { ...good.attributes, colour: 'blue' } },
      { ...good, attributes: { ...good.attributes, keys: [{}] } },
      { ...good, attributes: { ...good.attributes, name: null } },
      { ...good, relationships: { ...good.relationships, street: { data: null } } },
      { ...good, relationships: { ...good.relationships, wall: { data: { id: 'wall-1', type: 'walls' } } } },
      { ...good, links: {} },
    ]) {
      expect(doorSchema(client).safeParse(bad).success).toBe(false);
    }
  });

  it('has its sentences in the schema, which is made once for each dialect', () => {
    expect(doorSchema(client)).toBe(doorSchema(client));
    interface Described {
      readonly description?: string;
      readonly properties?: Readonly<Record<string, Described>>;
      readonly required?: readonly string[];
    }
    const { $defs } = z.toJSONSchema(z.array(doorSchema(contract))) as { readonly $defs?: Record<string, Described> };
    const { properties = {}, description } = $defs?.['contract.Door'] ?? {};
    expect(description).toBe('Of a house.');
    const sentences = Object.values(properties).flatMap(({ properties: members = {} }) =>
      Object.values(members).map((member) => member.description),
    );
    expect(sentences.filter((sentence) => sentence !== undefined)).toEqual([
      'As it is painted on.',
      "The caller's permissions.",
      'One for each tenant.',
      'Null for none.',
      'There where it rings.',
      'Null for a door of nothing.',
    ]);
    expect(properties.attributes?.required).toEqual(['name', 'colour', 'permissions', 'painter', 'keys', 'lock']);
  });

  it('is described over a view that has every member', () => {
    const over = (view: Door) => () =>
      described({ name: 'Door' }, (words, dialect) => door(words)(dialect)(view))(client);
    expect(over({ ...whole, keys: [] })).toThrow(/a member is missing/);
    expect(over({ ...whole, lock: null })).toThrow(/a member is missing/);
  });

  it('takes no member whose value its schema does not, or that was not said', () => {
    const { attribute, toOne, orNull } = presenting;
    // @ts-expect-error a number is not a text
    attribute(text, 1);
    // @ts-expect-error the schema has no null
    attribute(text, whole.painter);
    // @ts-expect-error not a word of the enum
    attribute(colour, 'blue');
    // @ts-expect-error a member of another type
    attribute(z.strictObject({ name: text }), { name: 1 });
    // @ts-expect-error the target may be null
    toOne('houses', whole.houseId);
    // @ts-expect-error an undeclared nested member
    orNull(whole.lock, ({ maker }) => ({ maker }));
    // @ts-expect-error a plain value without a declared type
    const plain: Resource['attributes'] = { name: whole.name };
    // @ts-expect-error the same within a group
    const grouped: Resource['attributes'] = { permissions: { open: true } };
    expect([plain, grouped]).toHaveLength(2);
  });
});

describe('a document about resources', () => {
  const one = written(client, bare);
  const schema = doorSchema(client);
  const others: readonly [typeof schema] = [schema];
  const takes = (document: z.ZodType, given: unknown) => document.safeParse(given).success;

  it('has its data, what is included, and nothing besides', () => {
    expect(takes(documentSchema(schema), { data: one })).toBe(true);
    expect(takes(documentSchema(schema, others), { data: one, included: [one] })).toBe(true);
    expect(takes(documentSchema(schema, others), { data: one })).toBe(true);
    expect(takes(documentWithSchema(schema, others), { data: one, included: [one] })).toBe(true);
    expect(takes(listSchema(schema), { data: [one, one] })).toBe(true);
    for (const bad of [{}, { data: null }, { data: [one] }, { data: one, included: [one] }, { data: one, meta: {} }]) {
      expect(takes(documentSchema(schema), bad)).toBe(false);
    }
    expect(takes(documentSchema(schema, others), { data: one, included: [] })).toBe(false);
    expect(takes(documentWithSchema(schema, others), { data: one })).toBe(false);
  });

  it('is a page, wherever in the list it stands', () => {
    for (const [number, total] of [
      [1, 0],
      [1, 3],
      [2, 3],
      [9, 3],
    ] as const) {
      const page = pageDocument(
        '/api/v2/doors',
        new Query('q=a'),
        { items: [bare], number, size: 2, total },
        door(presenting)(client),
      );
      expect(takes(pageSchema(schema), JSON.parse(JSON.stringify(page)))).toBe(true);
      expect(takes(pageSchema(schema), { data: page.data })).toBe(false);
    }
  });
});
