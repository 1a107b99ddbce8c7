import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../../src/adapters/http/route.js';
import { type Caller, doc, type Prefix, startApi, type TestApi } from '../support/api.js';
import { bodies } from '../support/route-bodies.js';
import { everyRoute, keyOf, pathAbout, routesAt } from '../support/walk-routes.js';

describe('every route', () => {
  let api: TestApi;
  let stranger: Caller;
  /** What a path's parameters are in a world where the things exist. */
  let existing: Readonly<Record<string, string>>;

  beforeAll(async () => {
    api = await startApi();
    await api.organization('acme');
    const workspace = await api.workspace('acme', 'api');
    const team = await api.team('acme', 'developers', { visibility: 'organization' });
    const version = await api.admin.post(`/workspaces/${workspace}/configuration-versions`).expect(201);
    const memberships = await api.admin.get('/organizations/acme/organization-memberships').expect(200);
    const tokens = await api.admin.get(`/users/${api.admin.id}/authentication-tokens`).expect(200);
    await api.admin.post(`/teams/${team}/authentication-token`, doc('authentication-token')).expect(201);
    const granted = await api.admin
      .post(
        '/team-workspaces',
        doc(
          'team-workspaces',
          { access: 'read' },
          {
            workspace: { data: { type: 'workspaces', id: workspace } },
            team: { data: { type: 'teams', id: team } },
          },
        ),
      )
      .expect(200);
    stranger = await api.user('stranger');
    existing = {
      organization: 'acme',
      name: 'api',
      workspaceId: workspace,
      userId: api.admin.id,
      teamId: team,
      '/team-workspaces': granted.body.data.id,
      '/workspaces': workspace,
      '/teams': team,
      '/configuration-versions': version.body.data.id,
      '/organization-memberships': memberships.body.data[0].id,
      '/authentication-tokens': tokens.body.data[0].id,
      '/admin/users': api.admin.id,
    };
  });

  const real = (route: Route): string => pathAbout(route, existing);

  const unreal = (route: Route): string =>
    pathAbout(route, Object.fromEntries(Object.keys(existing).map((key) => [key, 'nonexisting'])));

  const call = (caller: Caller, prefix: Prefix, route: Route, path: string) =>
    caller.at(prefix).send(route.method, path, bodies[keyOf(route)]);

  it('that reads a body is tried with a good one', () => {
    const reading = routesAt('').filter((route) => route.body === 'read');
    expect(reading.map(keyOf).sort()).toEqual(Object.keys(bodies).sort());
  });

  it.each(everyRoute)('$name asks for a token', async ({ prefix, route }) => {
    for (const caller of [api.anonymous, api.as('no such secret')]) {
      const answer = await call(caller, prefix, route, real(route)).expect(401);
      expect(answer.headers['content-type']).toBe('application/vnd.api+json');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body.errors).toEqual([{ status: '401', title: 'unauthorized', detail: expect.any(String) }]);
    }
  });

  it.each(everyRoute.filter(({ route }) => route.action !== null))(
    '$name tells a stranger the same of what exists and of what does not',
    async ({ prefix, route }) => {
      const hidden = await call(stranger, prefix, route, real(route)).expect(404);
      const missing = await call(stranger, prefix, route, unreal(route)).expect(404);
      expect(hidden.text).toBe(missing.text);
      expect(hidden.body.errors[0]).toEqual({ status: '404', title: 'not found', detail: 'resource not found' });
      const telling = ({ 'x-request-id': _id, date: _date, ...rest }: Record<string, string>) => rest;
      expect(telling(hidden.headers)).toEqual(telling(missing.headers));
    },
  );

  it.each(everyRoute)('$name names its methods when asked with another', async ({ prefix, route }) => {
    const answer = await api.admin.at(prefix).send('put', real(route)).expect(405);
    expect(answer.headers.allow?.split(', ')).toContain(route.method.toUpperCase());
    expect(answer.body.errors[0].status).toBe('405');
  });

  it('that nobody knows is missing', async () => {
    for (const path of ['/nothing', '/api/v2/nothing', '/api/v1/ping', '/workspaces', '/Organizations']) {
      const answer = await api.admin.get(path).expect(404);
      expect(answer.body.errors[0]).toMatchObject({ status: '404', title: 'not found' });
    }
  });
});
