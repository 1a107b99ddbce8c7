import { beforeAll, describe, expect, it } from '@jest/globals';
import { client, contract } from '../../src/adapters/http/dialect.js';
import type { Standing } from '../../src/domain/index.js';
import { startApi, type TestApi } from '../support/api.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { bodiesWith } from '../support/route-bodies.js';
import { makeSmallWorld, sceneOf } from '../support/small-world.js';
import { keyOf, pathAbout, routesAt } from '../support/walk-routes.js';

const owner: Standing = {
  actor: 'user',
  siteAdministrator: true,
  member: true,
  teams: [{ teamId: 'team-own', owners: true, access: new Set() }],
};

/** Ids and instants differ from one world to the next. */
const inAnyWorld = (text: string): string =>
  text
    .replaceAll(/\b[a-z]+-[A-Za-z0-9]{16}\b/g, 'made-id')
    .replaceAll(/\b([a-z]+[-_])\d+\b/g, '$1n')
    .replaceAll(/\/v1\/[\w./-]+/g, '/v1/signed')
    .replaceAll(/"token":"[^"]+"/g, '"token":"secret"');

/** What the contract says, in the words of the client dialect. */
const asClient = (text: string): string =>
  text
    .replaceAll(/"(\/(?!v1|hooks)[^"]*)"/g, `"${client.prefix}$1"`)
    .replaceAll(`"type":"${contract.configurationVersionType}"`, `"type":"${client.configurationVersionType}"`)
    .replaceAll(`"type":"${contract.listedTeamTokenType}"`, `"type":"${client.listedTeamTokenType}"`)
    .replaceAll(/"policy-mocks":("\w+"|true|false)/g, '"policy-mocks":$1,"sentinel-mocks":$1');

describe('the two mounts', () => {
  const worlds = new PassingWorlds();
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ unitOfWork: worlds });
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
        worlds.begin();
        const { secret, existing, referred } = await makeSmallWorld(worlds, owner, sceneOf(name));
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
});
