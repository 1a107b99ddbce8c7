import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Standing } from '../../src/domain/index.js';
import { startApi, type TestApi } from '../support/api.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { bodiesWith } from '../support/route-bodies.js';
import { makeSmallWorld } from '../support/small-world.js';
import { keyOf, pathAbout, routesAt } from '../support/walk-routes.js';

/** Statements of a whole request, its credential's included, on one of everything. A rise wants a reason. */
const promised: Readonly<Record<string, number>> = {
  'get /workspaces/:workspaceId/configuration-versions': 3,
  'post /workspaces/:workspaceId/configuration-versions': 4,
  'get /configuration-versions/:id': 2,
  'get /configuration-versions/:id/ingress-attributes': 3,
  'get /configuration-versions/:id/download': 2,
  'post /configuration-versions/:id/actions/archive': 5,
  'get /team-workspaces': 3,
  'post /team-workspaces': 4,
  'get /team-workspaces/:id': 2,
  'patch /team-workspaces/:id': 3,
  'delete /team-workspaces/:id': 3,
  'get /teams/:teamId/authentication-token': 3,
  'post /teams/:teamId/authentication-token': 5,
  'delete /teams/:teamId/authentication-token': 4,
  'get /organizations/:organization/team-tokens': 4,
  'get /organizations/:organization/workspaces': 5,
  'post /organizations/:organization/workspaces': 3,
  'get /organizations/:organization/workspaces/:name': 2,
  'patch /organizations/:organization/workspaces/:name': 3,
  'delete /organizations/:organization/workspaces/:name': 5,
  'get /workspaces/:id': 2,
  'patch /workspaces/:id': 3,
  'delete /workspaces/:id': 5,
  'post /workspaces/:id/actions/lock': 3,
  'post /workspaces/:id/actions/unlock': 2,
  'post /workspaces/:id/actions/force-unlock': 2,
  'get /organizations': 3,
  'post /organizations': 5,
  'get /organizations/:organization': 2,
  'patch /organizations/:organization': 3,
  'delete /organizations/:organization': 5,
  'get /organizations/:organization/entitlement-set': 2,
  'get /organizations/:organization/authentication-token': 3,
  'post /organizations/:organization/authentication-token': 5,
  'delete /organizations/:organization/authentication-token': 4,
  'get /organizations/:organization/organization-memberships': 5,
  'post /organizations/:organization/organization-memberships': 4,
  'get /organization-memberships/:id': 3,
  'delete /organization-memberships/:id': 6,
  'get /organizations/:organization/teams': 4,
  'post /organizations/:organization/teams': 3,
  'get /teams/:id': 3,
  'patch /teams/:id': 3,
  'delete /teams/:id': 5,
  'post /teams/:id/relationships/users': 5,
  'delete /teams/:id/relationships/users': 6,
  'post /teams/:id/relationships/organization-memberships': 5,
  'delete /teams/:id/relationships/organization-memberships': 6,
  'get /account/details': 2,
  'get /users/:userId/authentication-tokens': 3,
  'post /users/:userId/authentication-tokens': 2,
  'get /authentication-tokens/:id': 2,
  'delete /authentication-tokens/:id': 3,
  'get /admin/users': 3,
  'post /admin/users': 3,
  'post /admin/users/:id/actions/suspend': 3,
  'post /admin/users/:id/actions/unsuspend': 3,
  'delete /admin/users/:id': 6,
};

const owner: Standing = {
  actor: 'user',
  siteAdministrator: true,
  member: true,
  own: true,
  teams: [{ teamId: 'team-own', owners: true, access: new Set() }],
};

const isTransactional = (sql: string): boolean => /^(begin|commit|rollback)/i.test(sql);

describe('a request on SQLite', () => {
  const worlds = new PassingWorlds();
  const open: KnexDatabase[] = [];
  let api: TestApi;
  let directory: string;
  let statements: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    api = await startApi({ unitOfWork: worlds });
  });

  afterAll(async () => {
    for (const database of open) await database.close();
    await rm(directory, { recursive: true });
  });

  it('is counted for every route', () => {
    expect(Object.keys(promised).sort()).toEqual(routesAt('').map(keyOf).sort());
  });

  it.each(routesAt('').map((route) => ({ name: keyOf(route), route })))('$name', async ({ name, route }) => {
    const database = openSqlite(join(directory, `${open.length}.sqlite`), {
      onStatement: (sql) => statements.push(sql),
    });
    open.push(database);
    await database.migrate();
    worlds.begin(database.unitOfWork);
    const { secret, existing, newcomer, other, otherMembership, freeTeam } = await makeSmallWorld(worlds, owner);
    const body = bodiesWith({
      email: newcomer.email,
      user: other.id,
      membership: otherMembership,
      workspace: existing.workspaceId ?? '',
      team: freeTeam.id,
    })[name];
    statements = [];
    const answer = await api.as(secret).send(route.method, pathAbout(route, existing), body);
    expect(answer.status).not.toBe(404);
    const asked = statements.filter((sql) => !isTransactional(sql));
    expect({ [name]: asked.length }).toEqual({ [name]: promised[name] });
    expect(asked[0]).toMatch(/from "api_tokens"|from `api_tokens`/);
    const elsewhere = pathAbout(route, existing).replace(/acme|[a-z]+-\d+/, 'nothing');
    if (route.method !== 'get' || elsewhere === pathAbout(route, existing)) return;
    // Whoever is refused is so after two: what follows in a longer request reads what is shown.
    statements = [];
    await api.as(secret).get(elsewhere).expect(404);
    expect(statements.filter((sql) => !isTransactional(sql)).length).toBeLessThanOrEqual(2);
  });
});
