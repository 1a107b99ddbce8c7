import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isSelecting } from '../../src/adapters/http/routing/parameters.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { Standing } from '../../src/domain/index.js';
import { type Caller, startApi } from '../support/api.js';
import { described } from '../support/published-description.js';
import { makeSmallWorld } from '../support/small-world.js';
import { everyRoute, missingLike, pathAbout } from '../support/walk-routes.js';

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
const isOutcomeFilter = ({ path }: Route, name: string): boolean =>
  path.endsWith('/policy-set-outcomes') && name.startsWith('filter');

const { paths } = described;

const reading = everyRoute.filter(({ route }) => route.method === 'get');
/** Parameters that are names of something, which the path has already. */
const required = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;
/** One of the filters is given, and the path has it. */
const isAlternative = ({ path }: Route): boolean =>
  ['/workspaces/:id/effective-access', '/organizations/:organization/who-can'].includes(path);

/** Every name that some operation serves. */
const everyName = [...new Set(everyRoute.flatMap(({ route }) => Object.keys(route.parameters)))];
const mistyped = [
  'filter[nobody]',
  'filter[]',
  'filter[',
  'filter[name]]',
  'search[nmae]',
  'search[tags][key]',
  'q[nobody]',
];

interface Refused {
  readonly detail: string;
  readonly source: { readonly parameter: string };
}

describe('the query parameters that filter, search, sort or include', () => {
  it.each(reading)('are each served or refused by $name', async ({ prefix, route }) => {
    const caller = mighty(route).at(prefix);
    const path = pathAbout(route, existing);
    const plain = await caller.get(path);
    const served = Object.entries(route.parameters);
    const optional = served.filter(([name, schema]) => !required(schema) && !isOutcomeFilter(route, name));
    for (const [name, schema] of optional.filter(() => !isAlternative(route))) {
      expect([name, (await caller.get(adding(path, name, sampleOf(schema)))).status]).toEqual([name, plain.status]);
    }
    const others = [...everyName, ...mistyped].filter(
      (name) => !Object.hasOwn(route.parameters, name) && !isOutcomeFilter(route, name),
    );
    const answer = await caller.get(others.reduce((all, name) => adding(all, name, 'a'), path));
    if (prefix === '') return expect(answer.status).toBe(plain.status);
    expect(answer.status).toBe(400);
    const errors: readonly Refused[] = answer.body.errors;
    expect(errors.map(({ source }) => source.parameter)).toEqual(others);
    for (const { detail, source } of errors) {
      expect(detail.startsWith(`${source.parameter} is not supported: `)).toBe(true);
      expect(served.filter(([name]) => !detail.includes(name))).toEqual([]);
      expect(detail.endsWith('Invalid include parameter')).toBe(source.parameter === 'include');
    }
  });

  it.each(
    everyRoute.filter(
      ({ prefix, route: { method, body } }) => prefix !== '' && method !== 'get' && typeof body === 'string',
    ),
  )('are refused by $name, which then does nothing', async ({ prefix, route }) => {
    const path = adding(pathAbout(route, existing), 'filter[nobody]', 'a');
    const { body } = await mighty(route).at(prefix).send(route.method, path, {}).expect(400);
    expect(body.errors.map(({ source }: Refused) => source)).toEqual([{ parameter: 'filter[nobody]' }]);
  });

  it.each(reading.filter(({ route }) => route.action !== null && Object.keys(route.parameters).length > 0))(
    'reveal nothing to a stranger about $name',
    async ({ prefix, route }) => {
      const about = (things: Readonly<Record<string, string>>) =>
        Object.entries(route.parameters)
          .filter(([, schema]) => !required(schema) && !isAlternative(route))
          .reduce((path, [name, schema]) => adding(path, name, sampleOf(schema)), pathAbout(route, things));
      const hidden = await stranger.at(prefix).get(about(existing)).expect(404);
      const missing = await stranger
        .at(prefix)
        .get(about(missingLike(existing)))
        .expect(404);
      expect(hidden.text).toBe(missing.text);
    },
  );

  it.each(reading)('are not all that $name can be sent: unknown names are ignored', async ({ prefix, route }) => {
    const path = pathAbout(route, existing);
    const plain = await mighty(route).at(prefix).get(path);
    const unknown = [
      'nobody',
      'constructor',
      'filter',
      'search',
      'includes',
      'sort[name]',
      'Filter[name]',
      '__proto__',
    ];
    const asked = unknown.filter((name) => !isOutcomeFilter(route, name));
    const answer = await mighty(route)
      .at(prefix)
      .get(asked.reduce((all, name) => adding(all, name, 'a'), path));
    expect(answer.status).toBe(plain.status);
  });

  it('are not taken apart by brackets, whether they are served or not', async () => {
    const detailOf = async (path: string): Promise<string> => {
      const { body } = await api.admin.at('/api/v2').get(`/organizations/${existing.organization}${path}`).expect(400);
      return body.errors[0].detail;
    };
    for (const end of ['[0]', '[]']) {
      expect(await detailOf(`/teams?filter[names]${end}=a`)).toBe(
        `filter[names]${end} is not supported: several values are one filter[names], with commas`,
      );
    }
    expect(await detailOf('/teams?q[name]=a')).toBe(
      'q[name] is not supported: this endpoint supports include, q, filter[names]',
    );
    expect(await detailOf('/policy-sets?filter[names][0]=a')).toBe(
      'filter[names][0] is not supported: this endpoint supports include, search[name], filter[kind], filter[versioned]',
    );
  });

  it('are refused where there are none, in words that clients look for', async () => {
    const { body } = await api.as(secret).at('/api/v2').get('/account/details?include=teams').expect(400);
    expect(body.errors[0].detail).toBe(
      'include is not supported: this endpoint does not filter, search, sort or include. Invalid include parameter',
    );
  });

  it('may include what newer clients know, in a run', async () => {
    const path = pathAbout({ method: 'get', path: '/runs/:id' } as Route, existing);
    const { body } = await api.as(secret).at('/api/v2').get(`${path}?include=tf_policy_evaluations,plan`).expect(200);
    expect(body.included.map(({ type }: { type: string }) => type)).toEqual(['plans']);
    await api.as(secret).at('/api/v2').get(`${path}?filter[nobody]=a`).expect(400);
  });

  it.each(everyRoute)('are described where $name serves them, and nowhere else', ({ prefix, route }) => {
    const item = paths[prefix + route.path.replaceAll(/:(\w+)/g, '{$1}')];
    const inQuery = (item?.[route.method]?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const described = inQuery.map(({ name }) => name);
    expect(described.filter(isSelecting).sort()).toEqual(Object.keys(route.parameters).sort());
  });

  it('are refused for the list of users', async () => {
    for (const name of ['filter[email]', 'filter[status]', 'sort']) {
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
