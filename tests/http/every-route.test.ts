import { describe, expect, it } from '@jest/globals';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { Standing } from '../../src/domain/index.js';
import { type Caller, missing, type Prefix, refusal, startApi } from '../support/api.js';
import { everything } from '../support/properties.js';
import { bodies, bodiesWith } from '../support/route-bodies.js';
import { makeSmallWorld } from '../support/small-world.js';
import {
  everyRoute,
  isForEveryUser,
  keyOf,
  missingLike,
  pathAbout,
  routesAt,
  routesOnce,
} from '../support/walk-routes.js';

const api = await startApi();
const teams = [{ teamId: 'team-own', owners: true, access: new Set<never>() }];
const owner: Standing = { actor: 'user', siteAdministrator: false, member: true, teams };
const world = await makeSmallWorld(api.unitOfWork, owner);
const { secret, existing, referred, agentsSecret } = world;
const auditor = api.as(world.auditorsSecret);
const stranger = await api.user('stranger');

/** The mounts are compared in a test of their own. */
const walked = everything ? everyRoute : routesOnce;

describe('every route', () => {
  const real = (route: Route): string => pathAbout(route, existing);

  const unreal = (route: Route): string => pathAbout(route, missingLike(existing));

  const callReal = (caller: Caller, prefix: Prefix, route: Route) =>
    caller.at(prefix).send(route.method, real(route), bodiesWith(referred)[keyOf(route)]);

  const callUnreal = (caller: Caller, prefix: Prefix, route: Route) =>
    caller.at(prefix).send(route.method, unreal(route), bodies[keyOf(route)]);

  it('that reads a body is tried with a good one', () => {
    const reading = routesAt('').filter((route) => route.body !== 'ignored');
    expect(reading.map(keyOf).sort()).toEqual(Object.keys(bodies).sort());
  });

  it.each(walked)('$name requires a token, and rejects that of an agent', async ({ prefix, route }) => {
    for (const caller of [api.anonymous, api.as('no such secret'), api.as(agentsSecret)]) {
      const answer = await callReal(caller, prefix, route).expect(401);
      expect(answer.headers['content-type']).toBe('application/vnd.api+json');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body.errors).toEqual([{ status: '401', title: 'unauthorized', detail: expect.any(String) }]);
    }
  });

  it.each(walked.filter(({ route }) => route.action !== null && !isForEveryUser(route)))(
    '$name gives a stranger the same answer for existing and missing resources',
    async ({ prefix, route }) => {
      const hidden = await callReal(stranger, prefix, route).expect(404);
      const missing = await callUnreal(stranger, prefix, route).expect(404);
      expect(hidden.text).toBe(missing.text);
      const [error] = hidden.body.errors;
      const detail =
        error.source === undefined
          ? 'resource not found'
          : expect.stringContaining('does not exist, or you cannot see it');
      expect(error).toMatchObject({ status: '404', title: 'not found', detail });
      const telling = ({ 'x-request-id': _id, date: _date, ...rest }: Record<string, string>) => rest;
      expect(telling(hidden.headers)).toEqual(telling(missing.headers));
    },
  );

  it.each(walked)(
    '$name does not exist for an audit token, unless it is the audit trail or the access report',
    async ({ prefix, route }) => {
      const reading = ['access-report/read', 'audit-events/read', 'audit-trails/read'];
      if (route.action !== null && reading.includes(route.action)) {
        await auditor.at(prefix).get(real(route)).expect(200);
        if (route.action === 'audit-trails/read') return;
        const elsewhere = await auditor.at(prefix).get(unreal(route)).expect(404);
        expect(elsewhere.body).toEqual(missing);
        return;
      }
      const absent = await auditor.at(prefix).send(route.method, unreal(route), { data: 5 }).expect(404);
      const present = await callReal(auditor, prefix, route).expect(404);
      expect(present.text).toBe(absent.text);
      expect(present.body).toEqual(missing);
    },
  );

  it.each(walked)('$name names its methods when asked with another', async ({ prefix, route }) => {
    const other = route.method === 'put' ? 'patch' : 'put';
    const answer = await api.admin.at(prefix).send(other, real(route)).expect(405);
    expect(answer.headers.allow?.split(', ')).toContain(route.method.toUpperCase());
    expect(answer.body.errors[0].status).toBe('405');
  });

  /** Callers who may do anything in the small world, or on the site. */
  const mighty = (route: Route): Caller =>
    route.action === 'audit-trails/read' ? auditor : route.path.startsWith('/admin/') ? api.admin : api.as(secret);

  it.each(
    walked.flatMap(({ name, prefix, route }) => {
      const parameter = Object.keys(route.reference().query ?? {}).at(-1);
      return route.method !== 'get' || parameter === undefined ? [] : [{ name, prefix, route, parameter }];
    }),
  )('$name takes $parameter once', async ({ prefix, route, parameter }) => {
    const path = real(route);
    const twice = `${path}${path.includes('?') ? '&' : '?'}${parameter}=1&${parameter}=1`;
    const answer = await mighty(route).at(prefix).get(twice).expect(422);
    expect(answer.body).toEqual(refusal(422, 'invalid attribute', expect.any(String), { parameter }));
  });

  it.each(walked.filter(({ route }) => route.body === 'read'))(
    '$name takes no body but a document',
    async ({ prefix, route }) => {
      const answer = await mighty(route).at(prefix).send(route.method, real(route), { data: 5 }).expect(422);
      expect(answer.body.errors[0]).toMatchObject({ title: 'invalid attribute', source: { pointer: '/data' } });
    },
  );

  it.each(walked.filter(({ route }) => route.path.includes('/audit-events')))(
    '$name answers whom it is for',
    async ({ prefix, route }) => {
      await mighty(route).at(prefix).get(real(route)).expect(200);
    },
  );

  it('refuses a URL longer than any has to be', async () => {
    const answer = await api.admin.get(`/organizations?${'x'.repeat(8192)}`).expect(414);
    expect(answer.body).toEqual(refusal(414, 'uri too long', expect.any(String)));
  });

  it('about a part of a run takes the id of that part, and no other', async () => {
    const { '/runs': run = '', '/plans': plan = '', '/applies': applied = '' } = existing;
    const owner = api.as(secret);
    await owner.get(`/plans/${plan}`).expect(200);
    await owner.get(`/applies/${applied}`).expect(200);
    for (const path of [`/plans/${run}`, `/plans/${applied}`, `/applies/${run}`, `/applies/${plan}`, `/runs/${plan}`]) {
      expect((await owner.get(path).expect(404)).body).toEqual(missing);
    }
  });

  it('that is unknown is missing', async () => {
    for (const path of ['/nothing', '/api/v2/nothing', '/api/v1/ping', '/workspaces', '/Organizations']) {
      const answer = await api.admin.get(path).expect(404);
      expect(answer.body.errors[0]).toMatchObject({ status: '404', title: 'not found' });
    }
  });
});
