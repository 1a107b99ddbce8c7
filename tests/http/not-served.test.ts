import { describe, expect, it } from '@jest/globals';
import { notServed } from '../../src/adapters/http/openapi/not-served.js';
import { familyPaths } from '../clients/family-paths.js';
import { refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { routesOnce } from '../support/walk-routes.js';

const api = await startApi();
const bench = await Bench.make(api);
await bench.version();
const existing: Readonly<Record<string, string>> = {
  '/organizations': bench.organization,
  '/workspaces': bench.workspaceId,
  '/runs': await bench.run(),
  '/agent-pools': bench.poolId,
  '/policy-sets': await bench.policySet(),
  '/teams': await api.team(bench.organization, 'some'),
  '/users': api.admin.id,
};

const about = (path: string, id?: string): string => {
  const [place = ''] = path.split('/:');
  return path.replace(/:\w+/, id ?? existing[place] ?? 'some-id');
};

const patternOf = (path: string, end = ''): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}${end}$`);

const served = routesOnce.map(({ route }) => patternOf(route.path));

const endpoints = notServed.flatMap(({ name, paths, alone = [], why }) => {
  const detail = `not served: ${name}. ${why}`;
  return [
    ...paths.map((path) => ({ path, detail, below: '/some-id/and?more=1', pattern: patternOf(path, '(/.*)?') })),
    ...alone.map((path) => ({ path, detail, below: '?more=1', pattern: patternOf(path) })),
  ];
});

describe('a part of the API family that is not served', () => {
  it.each(endpoints)(
    '$path is 404 with the reason, in both dialects and for every method',
    async ({ path, detail, below }) => {
      for (const prefix of ['', '/api/v2'] as const) {
        const caller = api.admin.at(prefix);
        for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
          const { body } = await caller.send(method, about(path)).expect(404);
          expect(body).toEqual(refusal(404, 'not found', detail));
        }
        expect((await caller.get(about(path) + below).expect(404)).body.errors[0].detail).toBe(detail);
      }
    },
  );

  it.each(endpoints)('$path does not reveal what exists, and requires a token', async ({ path }) => {
    const known = await api.admin.get(about(path)).expect(404);
    expect((await api.admin.get(about(path, 'nonexisting')).expect(404)).text).toBe(known.text);
    await api.anonymous.get(about(path)).expect(401);
    await api.as('no such secret').post(about(path), {}).expect(401);
  });

  it('is every path of the family that no endpoint serves', () => {
    const patterns = [...served, ...endpoints.map(({ pattern }) => pattern)];
    const silent = familyPaths.filter((path) => {
      const place = path.replaceAll(':id', 'some-id');
      return !patterns.some((pattern) => pattern.test(place));
    });
    expect(silent).toEqual([]);
  });

  it('has no endpoint that is a part of the name of another', async () => {
    const { body } = await api.admin.get('/projects-of-mine').expect(404);
    expect(body).toEqual(refusal(404, 'not found', 'resource not found'));
  });
});

describe('the IP ranges of the service', () => {
  it.each(['/api/meta/ip-ranges', '/api/v2/meta/ip-ranges'])('%s are empty lists, without a token', async (path) => {
    const answer = await api.anonymous.get(path).expect(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body).toEqual({ api: [], notifications: [], sentinel: [], vcs: [] });
  });
});
