import { beforeAll, describe, expect, it } from '@jest/globals';
import { client, contract } from '../../src/adapters/http/routing/dialect.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { Standing } from '../../src/domain/index.js';
import { doc, type Prefix, startApi, type TestApi } from '../support/api.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { some } from '../support/properties.js';
import { bodies, bodiesWith } from '../support/route-bodies.js';
import { sceneOf } from '../support/small-world.js';
import { keyOf, pathAbout, routesAt } from '../support/walk-routes.js';

const owner: Standing = {
  actor: 'user',
  siteAdministrator: true,
  member: true,
  teams: [{ teamId: 'team-own', owners: true, access: new Set() }],
};

type Related = Readonly<Record<string, { readonly data: { readonly id: string } }>>;

/** Ids and instants differ from one world to the next. */
const inAnyWorld = (text: string): string =>
  text
    .replaceAll(/\b[a-z]+-[A-Za-z0-9]{16}\b/g, 'made-id')
    .replaceAll(/\b([a-z]+[-_])\d+\b/g, '$1n')
    .replaceAll(/\/v1\/[\w./-]+/g, '/v1/signed')
    .replaceAll(/"token":"[^"]+"/g, '"token":"secret"')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, 'an instant');

/** Translates text of the contract into the client dialect. */
const asClient = (text: string): string =>
  text
    .replaceAll(/"(\/(?!v1|hooks|app\/|assets\/)[^"]*)"/g, `"${client.prefix}$1"`)
    .replaceAll(`"type":"${contract.configurationVersionType}"`, `"type":"${client.configurationVersionType}"`)
    .replaceAll(`"type":"${contract.listedTeamTokenType}"`, `"type":"${client.listedTeamTokenType}"`)
    .replaceAll(/"policy-mocks":("\w+"|true|false)/g, '"policy-mocks":$1,"sentinel-mocks":$1');

describe('the two mounts', () => {
  const worlds = new PassingWorlds();
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ unitOfWork: worlds });
  });

  it('unlock workspaces, at the contract too', async () => {
    const { admin } = await startApi();
    await admin.post('/organizations', doc('organizations', { name: 'acme', email: 'ops@example.com' })).expect(201);
    const made = await admin.post('/organizations/acme/workspaces', doc('workspaces', { name: 'network' })).expect(201);
    const actions = `/workspaces/${made.body.data.id}/actions`;
    for (const action of ['unlock', 'force-unlock']) {
      await admin.post(`${actions}/lock`, { reason: 'The database is being moved' }).expect(200);
      const { body } = await admin.post(`${actions}/${action}`).expect(200);
      expect(body.data.attributes.locked).toBe(false);
    }
  });

  it('serve the same routes, but for the actions of the self-hosted edition', () => {
    const atContract = routesAt('').map(keyOf);
    const more = routesAt('/api/v2')
      .map(keyOf)
      .filter((key) => !atContract.includes(key));
    expect(more).toEqual(
      client.backingDataActions.map(({ word }) => `post /configuration-versions/:id/actions/${word}`),
    );
    expect(atContract.filter((key) => !routesAt('/api/v2').map(keyOf).includes(key))).toEqual([]);
  });

  it.each(routesAt('').map((route) => ({ name: keyOf(route), route })))(
    'answer $name alike, but for the words of the dialect',
    async ({ name, route }) => {
      const answered = async (prefix: '' | '/api/v2') => {
        const { secret, existing, referred } = await worlds.beginSmall(owner, sceneOf(name), api.bundleStore);
        const caller = api.as(secret).at(prefix);
        const { status, text, headers } = await caller.send(
          route.method,
          pathAbout(route, existing),
          bodiesWith(referred)[name],
        );
        return { status, type: headers['content-type'], text: inAnyWorld(text ?? '') };
      };
      const [said, toClients] = [await answered(''), await answered('/api/v2')];
      expect(said.status).toBeLessThan(500);
      expect({ ...said, text: asClient(said.text) }).toEqual(toClients);
    },
  );

  /** Here the type decides between two kinds of policy, so that it cannot be left out. */
  const deciding = [
    'post /workspaces/:id/relationships/data-retention-policy',
    'post /organizations/:organization/relationships/data-retention-policy',
  ];

  const typed = Object.entries(bodies).flatMap(([name, body]) => {
    if (deciding.includes(name)) return [];
    const { data } = body as { data?: { type?: string } | [] };
    return data === undefined || Array.isArray(data) || data.type === undefined ? [] : [{ name, type: data.type }];
  });

  typed.push({ name: 'post /workspaces/:workspaceId/configuration-versions', type: contract.configurationVersionType });

  /** The operations whose type the contract requires. */
  const demanding = ['post /teams/:teamId/authentication-token', 'post /team-workspaces'];

  /** The operations that take both words at the contract. */
  const lenient = [
    'post /organizations/:organization/authentication-token',
    'post /users/:userId/authentication-tokens',
  ];

  it.each(some(typed, 5))('take the type of $name in their own words: $type', async ({ name, type }) => {
    const route = routesAt('').find((one) => keyOf(one) === name) as Route;
    const answered = async (prefix: Prefix, given: unknown) => {
      const { secret, existing, referred } = await worlds.beginSmall(owner, sceneOf(name), api.bundleStore);
      const { data } = bodiesWith(referred)[name] as { data?: object };
      const body = { data: { ...data, type: given } };
      const answer = await api.as(secret).at(prefix).send(route.method, pathAbout(route, existing), body);
      return answer.status < 300 ? 'taken' : `${answer.status} ${answer.body.errors[0].source?.pointer}`;
    };
    const foreign = '422 /data/type';
    for (const prefix of ['', '/api/v2'] as const) {
      expect([prefix, await answered(prefix, type)]).toEqual([prefix, 'taken']);
      for (const given of ['nothing', 5, null, {}])
        expect([prefix, given, await answered(prefix, given)]).toEqual([prefix, given, foreign]);
    }
    const singular = type.replace(/ies$/, 'y').replace(/s$/, '');
    for (const given of [undefined, '', singular])
      expect([given, await answered('/api/v2', given)]).toEqual([given, 'taken']);
    expect(await answered('', '')).toBe(foreign);
    const isTaken = singular === type || lenient.includes(name);
    expect(await answered('', singular)).toBe(isTaken ? 'taken' : foreign);
    expect(await answered('', undefined)).toBe(demanding.includes(name) ? foreign : 'taken');
  });

  it.each(['workspace', 'team'])('take the type of the %s that is given access in their own words', async (related) => {
    const answered = async (prefix: Prefix, type: unknown) => {
      const { secret, referred } = await worlds.beginSmall(owner, sceneOf('post /team-workspaces'), api.bundleStore);
      const { data } = bodiesWith(referred)['post /team-workspaces'] as { data: { relationships: Related } };
      const relationships = {
        ...data.relationships,
        [related]: { data: { type, id: data.relationships[related]?.data.id } },
      };
      const body = { data: { ...data, relationships } };
      const answer = await api.as(secret).at(prefix).post('/team-workspaces', body);
      return answer.status < 300 ? 'taken' : `${answer.status} ${answer.body.errors[0].source?.pointer}`;
    };
    const foreign = `422 /data/relationships/${related}/data/type`;
    for (const prefix of ['', '/api/v2'] as const) {
      expect([prefix, await answered(prefix, `${related}s`)]).toEqual([prefix, 'taken']);
      expect([prefix, await answered(prefix, 'nothing')]).toEqual([prefix, foreign]);
    }
    for (const given of [undefined, '', related]) {
      expect([given, await answered('/api/v2', given)]).toEqual([given, 'taken']);
      expect([given, await answered('', given)]).toEqual([given, foreign]);
    }
  });
});
