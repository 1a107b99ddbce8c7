import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeApi } from '../../src/adapters/http/openapi/served-api.js';
import { familyParameters } from '../../src/adapters/http/routing/parameters.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { Standing } from '../../src/domain/index.js';
import { type Caller, startApi } from '../support/api.js';
import { makeSmallWorld } from '../support/small-world.js';
import { everyRoute, pathAbout } from '../support/walk-routes.js';

const api = await startApi();
const teams = [{ teamId: 'team-own', owners: true, access: new Set<never>() }];
const owner: Standing = { actor: 'user', siteAdministrator: false, member: true, teams };
const { secret, auditorsSecret, existing } = await makeSmallWorld(api.unitOfWork, owner);

const stranger = await api.user('stranger');

const mighty = (route: Route): Caller => {
  if (route.action === 'audit-trails/read') return api.as(auditorsSecret);
  return route.path.startsWith('/admin/') ? api.admin : api.as(secret);
};

const adding = (path: string, name: string, value: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;

/** A value that the schema takes. */
const sampleOf = (schema: z.ZodType): string => {
  const { enum: words, examples, items } = z.toJSONSchema(schema, { io: 'input' });
  const [word] =
    words ?? (examples as unknown[] | undefined) ?? (items as { enum?: unknown[] } | undefined)?.enum ?? [];
  return word === undefined ? 'a' : String(word);
};

/** The outcomes' own filters have groups that callers name: there, both dialects refuse any other filter. */
const isOutcomeFilter = ({ path }: Route, prefix: string, name: string): boolean =>
  prefix === '' && path.endsWith('/policy-set-outcomes') && name.startsWith('filter[');

const reading = everyRoute.filter(({ route }) => route.method === 'get');
/** Parameters that are names of something, which the path has already. */
const required = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;
/** One of these filters must be given, and the path has it. */
const isAlternative = ({ path }: Route): boolean => path === '/workspaces/:id/effective-access';

describe('the query parameters of the family', () => {
  const names = Object.keys(familyParameters);

  it.each(reading)('are each served or refused by $name', async ({ prefix, route }) => {
    const caller = mighty(route).at(prefix);
    const path = pathAbout(route, existing);
    const plain = await caller.get(path);
    const served = Object.entries(route.parameters);
    for (const [name, schema] of served.filter(([, schema]) => !required(schema) && !isAlternative(route))) {
      expect([name, (await caller.get(adding(path, name, sampleOf(schema)))).status]).toEqual([name, plain.status]);
    }
    const others = names.filter((name) => !Object.hasOwn(route.parameters, name));
    const asked = others.filter((name) => !isOutcomeFilter(route, prefix, name));
    const answer = await caller.get(asked.reduce((all, name) => adding(all, name, 'a'), path));
    if (prefix === '') return expect(answer.status).toBe(plain.status);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual(
      names
        .filter((name) => others.includes(name))
        .map((name) => ({
          status: '400',
          title: 'bad request',
          detail: `${name} is not supported: ${familyParameters[name]}`,
          source: { parameter: name },
        })),
    );
  });

  it.each(reading.filter(({ route }) => route.action !== null && Object.keys(route.parameters).length > 0))(
    'reveal nothing to a stranger about $name',
    async ({ prefix, route }) => {
      const unreal = Object.fromEntries(Object.keys(existing).map((key) => [key, 'nonexisting']));
      const about = (things: Readonly<Record<string, string>>) =>
        Object.entries(route.parameters)
          .filter(([, schema]) => !required(schema) && !isAlternative(route))
          .reduce((path, [name, schema]) => adding(path, name, sampleOf(schema)), pathAbout(route, things));
      const hidden = await stranger.at(prefix).get(about(existing)).expect(404);
      const missing = await stranger.at(prefix).get(about(unreal)).expect(404);
      expect(hidden.text).toBe(missing.text);
    },
  );

  it.each(reading)('are in the family, if $name serves them', ({ route }) => {
    expect(Object.keys(route.parameters).filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.keys(route.reference().query ?? {})).toEqual(expect.arrayContaining(Object.keys(route.parameters)));
  });

  it.each(reading)('are not all that $name can be sent: unknown names are ignored', async ({ prefix, route }) => {
    const path = pathAbout(route, existing);
    const plain = await mighty(route).at(prefix).get(path);
    const unknown = ['filter[nobody]', 'nobody', 'constructor', 'filter[tagged]x', 'search'];
    const asked = unknown.filter((name) => !isOutcomeFilter(route, '', name));
    const answer = await mighty(route)
      .at(prefix)
      .get(asked.reduce((all, name) => adding(all, name, 'a'), path));
    expect(answer.status).toBe(plain.status);
  });

  it('are not taken apart by brackets, whether they are served or not', async () => {
    const faults = async (path: string) => (await api.admin.at('/api/v2').get(path).expect(400)).body.errors;
    const at = `/organizations/${existing.organization}`;
    expect(await faults(`${at}/teams?filter[names][0]=a`)).toEqual([
      expect.objectContaining({
        detail: 'filter[names][0] is not supported: several values are one filter[names], with commas',
        source: { parameter: 'filter[names][0]' },
      }),
    ]);
    expect((await faults(`${at}/policy-sets?filter[names][0]=a`))[0].detail).toBe(
      `filter[names][0] is not supported: ${familyParameters['filter[names]']}`,
    );
  });

  it('are described where they are served, and nowhere else', () => {
    const { paths, info } = describeApi('self-hosted', '0.0.0');
    for (const { name, prefix, route } of reading) {
      const item = paths[prefix + route.path.replaceAll(/:(\w+)/g, '{$1}')];
      const inQuery = (item?.get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const described = inQuery.map((parameter) => parameter.name);
      expect({ name, served: described.filter((one) => names.includes(one)).sort() }).toEqual({
        name,
        served: Object.keys(route.parameters).sort(),
      });
    }
    for (const name of names) expect(JSON.stringify(info)).toContain(`\`${name}\``);
  });

  it('are refused for the list of users', async () => {
    for (const name of ['filter[admin]', 'filter[suspended]', 'q']) {
      await api.admin
        .at('/api/v2')
        .get(adding('/admin/users', name, 'true'))
        .expect(400);
    }
  });

  it('are refused all at once, each with its reason', async () => {
    const answer = await api
      .as(secret)
      .at('/api/v2')
      .get(adding(adding('/account/details', 'sort', 'a'), 'search[tags]', 'a'))
      .expect(400);
    expect(answer.body.errors.map(({ source }: { source: unknown }) => source)).toEqual([
      { parameter: 'sort' },
      { parameter: 'search[tags]' },
    ]);
  });
});
