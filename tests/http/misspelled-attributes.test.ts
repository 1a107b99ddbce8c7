import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { misspelledAttributes, namesOfClients } from '../../src/adapters/http/routing/misspelled-attributes.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import { doc, faultsIn, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { routesOnce } from '../support/walk-routes.js';

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The attributes of a document, and the schemas of their values. */
const attributesOf = (schema: z.ZodType): readonly (readonly [name: string, shape: Shape])[] => {
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  return Object.entries(properties?.data?.properties?.attributes?.properties ?? {});
};

const writing = routesOnce.flatMap(({ name, route }) => {
  const { body, answers } = route.reference();
  if (!(body instanceof z.ZodType)) return [];
  const shown = Object.values(answers).flatMap((answer) => (answer instanceof z.ZodType ? attributesOf(answer) : []));
  const attributes = attributesOf(body).map(([attribute]) => attribute);
  return attributes.length === 0 ? [] : [{ name, route, attributes, shown: shown.map(([attribute]) => attribute) }];
});

const slips: Readonly<Record<string, (name: string) => string>> = {
  'underscores for hyphens': (name) => name.replaceAll('-', '_'),
  'hyphens left out': (name) => name.replaceAll('-', ''),
  capitals: (name) => name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase()),
  'a letter too few': (name) => name.slice(0, 3) + name.slice(4),
  'a letter too many': (name) => `${name.slice(0, 3)}q${name.slice(3)}`,
  'another letter': (name) => `${name.slice(0, 3)}q${name.slice(4)}`,
};

const letters = (name: string): number => name.replaceAll(/[-_]/g, '').length;

const faults = (route: Pick<Route, 'reference'>, ...names: readonly string[]) =>
  misspelledAttributes(route, doc('any', Object.fromEntries(names.map((name) => [name, null]))));

describe('a misspelled attribute', () => {
  it('is known by the attributes of many operations', () => {
    expect(writing.length).toBeGreaterThan(40);
  });

  it.each(writing)('names the one that was meant, in $name', ({ route, attributes, shown }) => {
    const ignored = new Set([...attributes, ...shown, ...namesOfClients]);
    for (const attribute of attributes) {
      for (const slip of Object.values(slips)) {
        const name = slip(attribute);
        if (ignored.has(name)) continue;
        const few = Math.min(letters(name), letters(attribute)) < 5;
        const detail = expect.stringMatching(new RegExp(`^${name} is not an attribute: use [a-z_-]+$`));
        expect([name, faults(route, name)]).toEqual([
          name,
          few ? [] : [{ pointer: `/data/attributes/${name}`, detail }],
        ]);
      }
    }
  });

  it.each(writing)('is none that a client has or a response shows, in $name', ({ route, attributes, shown }) => {
    expect(faults(route, ...attributes, ...shown, ...namesOfClients)).toEqual([]);
  });

  const route = (asked: z.ZodType, shown: z.ZodType = z.object({})): Pick<Route, 'reference'> => ({
    reference: () => ({ operation: 'any', summary: 'Any', body: asked, answers: { 200: shown } }),
  });
  const documentOf = (attributes: Readonly<Record<string, z.ZodType>>) =>
    z.object({ data: z.object({ attributes: z.object(attributes) }) });

  it('may be shown, at its place', () => {
    const settings = documentOf({ settings: z.object({ level: z.string() }) });
    const shown = documentOf({ settings: z.object({ levels: z.string() }) });
    const sent = (attributes: object) => misspelledAttributes(route(settings, shown), { data: { attributes } });
    expect(sent({ settings: { levels: 1 } })).toEqual([]);
    expect(sent({ settings: { levels: 1, lavel: 1 }, setting: {} }).map(({ pointer }) => pointer)).toEqual([
      '/data/attributes/settings/lavel',
      '/data/attributes/setting',
    ]);
  });

  it('is looked for in attributes alone, at every depth, and never among names that callers choose', () => {
    const asked = z.object({
      data: z.array(
        z.object({ attributes: z.object({ value: z.string(), values: z.record(z.string(), z.string()) }) }),
      ),
      comment: z.string(),
    });
    const sent = { data: [{ attribute: {}, attributes: { valuo: 1, values: { valuo: 1 } } }], coment: '' };
    expect(misspelledAttributes(route(asked), sent).map(({ pointer }) => pointer)).toEqual([
      '/data/0/attributes/valuo',
    ]);
    expect(misspelledAttributes(route(asked), null)).toEqual([]);
    expect(misspelledAttributes(route(asked), 'text')).toEqual([]);
  });
});

const api = await startApi();
const bench = await Bench.make(api);
const workspace = `/workspaces/${bench.workspaceId}`;

describe('a request with misspelled attributes', () => {
  const admin = api.admin.at('/api/v2');

  it('is 422, with one error for each', async () => {
    const sent = { auto_apply: true, desciption: 'changed', name: 'renamed' };
    const answer = await admin.patch(workspace, doc('workspaces', sent)).expect(422);
    expect(faultsIn(answer)).toEqual([
      ['/data/attributes/auto_apply', 'auto_apply is not an attribute: use auto-apply'],
      ['/data/attributes/desciption', 'desciption is not an attribute: use description'],
    ]);
    const { attributes } = (await admin.get(workspace).expect(200)).body.data;
    expect(attributes.name).not.toBe('renamed');
    const nested = doc('teams', { name: 'fresh', 'organization-access': { 'manage-polices': true } });
    const { body } = await admin.post(`/organizations/${bench.organization}/teams`, nested).expect(422);
    expect(body).toEqual(
      refusal(422, 'invalid attribute', 'manage-polices is not an attribute: use manage-policies', {
        pointer: '/data/attributes/organization-access/manage-polices',
      }),
    );
  });

  it('has at most a hundred errors', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `description${String.fromCodePoint(0x100 + index)}`);
    const sent = doc('workspaces', Object.fromEntries(names.map((name) => [name, ''])));
    expect((await admin.patch(workspace, sent).expect(422)).body.errors).toHaveLength(100);
  });

  it('is granted with attributes that are not near to any, and in the contract', async () => {
    await admin.patch(workspace, doc('workspaces', { nam: 1, autoapplies: 1, nobody: 1, 'locked-by': 1 })).expect(200);
    await api.admin
      .at('')
      .patch(workspace, doc('workspaces', { auto_apply: true }))
      .expect(200);
  });
});
