import { describe, expect, it } from '@jest/globals';
import type { WorkspaceId } from '../../src/domain/index.js';
import { type Caller, doc, namesIn, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const encoded = (query: string): string => query.replaceAll('[', '%5B').replaceAll(']', '%5D');

/** The answer to the query, with the name in it replaced by another of its length. */
const withoutName = async (caller: Caller, path: string, name: string): Promise<string> => {
  const { text } = await caller.get(encoded(path)).expect(200);
  return text.replaceAll(name, 'x'.repeat(name.length));
};

/** The total that a page of the list reports: the runs of an organization have none. */
const total = (list: string, count: number) => (list.startsWith('runs') ? {} : { 'total-count': count });

describe('a filter', () => {
  it('answers alike for what is hidden from the caller and what does not exist', async () => {
    const bench = await Bench.make(api);
    const { organization, workspaceId } = bench;
    await bench.version();
    const run = await bench.run({ message: 'hidden message' });
    const { name } = (await admin.get(`/workspaces/${workspaceId}`).expect(200)).body.data.attributes;
    const hiddenTag = [{ type: 'tag-bindings', attributes: { key: 'hidden-key', value: 'x' } }];
    const fresh = doc('projects', { name: 'hidden project' }, { 'tag-bindings': { data: hiddenTag } });
    const created = await admin.post(`/organizations/${organization}/projects`, fresh).expect(201);
    const project = created.body.data.id;
    const moved = { data: [{ type: 'workspaces', id: workspaceId }] };
    await admin.post(`/projects/${project}/relationships/workspaces`, moved).expect(204);
    const team = newName('hidden-team');
    await api.team(organization, team, { visibility: 'secret' });
    const member = await bench.member();
    for (const [query, hidden] of [
      ['workspaces?search[name]=', name],
      ['workspaces?search[wildcard-name]=', name],
      ['workspaces?sort=-current-run.created-at&include=current_run&search[name]=', name],
      ['runs?filter[workspace_names]=', name],
      ['runs?search[basic]=', run],
      ['runs?search[basic]=', 'hidden message'],
      ['runs?include=workspace,created_by&search[user]=', 'admin'],
      ['workspaces?filter[project][id]=', project],
      ['projects?q=', 'hidden project'],
      ['projects?filter[names]=', 'hidden project'],
      ['projects?include=effective_tag_bindings&filter[tagged][0][key]=', 'hidden-key'],
      ['teams?q=', team],
      ['teams?include=users&filter[names]=', team],
    ] as const) {
      const path = `/organizations/${organization}/${query}`;
      const seen = (await admin.get(encoded(path + encodeURIComponent(hidden))).expect(200)).body;
      const { pagination } = seen.meta;
      expect({ query, found: seen.data.length, pagination }).toMatchObject({
        query,
        found: 1,
        pagination: total(query, 1),
      });
      const told = await withoutName(member, path + hidden.replaceAll(' ', '+'), hidden.replaceAll(' ', '+'));
      const absent = await member.get(encoded(path + 'x'.repeat(hidden.length))).expect(200);
      expect(told).toBe(absent.text);
      expect(absent.body).toMatchObject({ data: [], meta: { pagination: { 'next-page': null, ...total(query, 0) } } });
    }
    for (const query of ['runs?filter[status_group]=non_final', 'workspaces?filter[current-run][status]=plan_queued']) {
      const path = encoded(`/organizations/${organization}/${query}`);
      const [seen, hidden] = [(await admin.get(path).expect(200)).body, (await member.get(path).expect(200)).body];
      expect(seen).toMatchObject({ data: [{}], meta: { pagination: total(query, 1) } });
      expect(hidden).toMatchObject({ data: [], meta: { pagination: total(query, 0) } });
    }
  });

  it('that searches a text looks at the newest 10,000, and says so', async () => {
    const organization = newName('org');
    await api.organization(organization);
    const oldest = await api.workspace(organization, 'new-but-oldest');
    await api.unitOfWork.run(async (tx) => {
      const model = await tx.workspaces.find(oldest as WorkspaceId);
      if (model === undefined) throw new Error('it is there');
      for (let n = 0; n < 10_000; n += 1) {
        const id = `ws-${n}` as WorkspaceId;
        await tx.workspaces.add({ ...model, id, name: `new-${n}`, createdAt: '2099-01-01T00:00:00.000Z' });
      }
    });
    const metaOf = async (query: string) =>
      (await admin.get(encoded(`/organizations/${organization}/workspaces?${query}`)).expect(200)).body.meta;
    expect(await metaOf('')).toEqual({ pagination: expect.objectContaining({ 'total-count': 10_001 }) });
    expect(await metaOf('search[name]=NEW-')).toEqual({
      pagination: expect.objectContaining({ 'total-count': 10_000 }),
      search: { newest: 10_000 },
    });
    expect(await metaOf('search[wildcard-name]=*oldest')).toMatchObject({ pagination: { 'total-count': 0 } });
    // Fewer than that are searched, however old.
    const found = await metaOf('search[name]=new&filter[project][id]=prj-other');
    expect(found).toEqual({ pagination: expect.objectContaining({ 'total-count': 0 }) });
  });

  it.each([
    ['workspaces?sort=size', 'sort', 'name, current-run.created-at, latest-change-at'],
    ['workspaces?filter[current-run][status]=planning,none', 'filter[current-run][status]', 'pending'],
    ['organization-memberships?filter[status]=gone', 'filter[status]', 'active, invited'],
    ['runs?filter[operation]=plan', 'filter[operation]', 'plan_only'],
    ['runs?filter[status_group]=open', 'filter[status_group]', 'non_final, final, discardable'],
    ['runs?filter[timeframe]=month', 'filter[timeframe]', 'a year'],
    ['projects?sort=created-at', 'sort', 'name'],
    ['agent-pools?sort=-', 'sort', 'name, created-at'],
    ['policies?filter[kind]=rego', 'filter[kind]', 'opa, sentinel'],
    ['policy-sets?filter[versioned]=1', 'filter[versioned]', 'true, false'],
    ['team-tokens?filter[expiry_status]=soon', 'filter[expiry_status]', 'active, expiring_in_7_days'],
  ])('in %s is 422 for a value that %s does not have', async (query, parameter, words) => {
    const organization = newName('org');
    await api.organization(organization);
    const answer = await admin.get(encoded(`/organizations/${organization}/${query}`)).expect(422);
    const detail = expect.stringContaining(`${parameter} must be `);
    expect(answer.body).toEqual(refusal(422, 'invalid attribute', detail, { parameter }));
    expect(answer.body.errors[0].detail).toContain(words);
  });

  it('of runs takes words of other services, groups and years', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const run = await bench.run({ 'is-destroy': true });
    await bench.act(run, 'cancel');
    await bench.run({ 'plan-only': true });
    const year = api.clock.now().slice(0, 4);
    for (const [query, count] of [
      ['filter[status]=cost_estimated', 0],
      ['filter[status]=cost_estimated,canceled', 1],
      ['filter[source]=tfe-ui', 0],
      ['filter[source]=tfe-ui,tfe-api', 2],
      ['filter[status_group]=final', 1],
      ['filter[status_group]=non_final', 1],
      ['filter[status_group]=discardable', 0],
      ['filter[status_group]=final&filter[status]=plan_queued', 0],
      ['filter[operation]=destroy,plan_only', 2],
      ['filter[operation]=plan_and_apply', 0],
      ['filter[timeframe]=year', 2],
      [`filter[timeframe]=${year}`, 2],
      [`filter[timeframe]=${Number(year) - 1}`, 0],
      ['search[basic]=', 2],
    ] as const) {
      for (const [path, counted] of [
        [`/workspaces/${bench.workspaceId}/runs`, { 'total-count': count }],
        [`/organizations/${bench.organization}/runs`, {}],
      ] as const) {
        const { data, meta } = (await admin.get(encoded(`${path}?${query}`)).expect(200)).body;
        const found = { path, query, found: data.length, pagination: meta.pagination };
        expect(found).toMatchObject({ path, query, found: count, pagination: counted });
      }
    }
    api.clock.advance(366 * 24 * 60 * 60);
    const later = await admin
      .get(encoded(`/organizations/${bench.organization}/runs?filter[timeframe]=year`))
      .expect(200);
    expect(later.body.data).toEqual([]);
  });

  it('of the runs of an organization counts none, and says whether there are more', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const runs: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      api.clock.advance(1);
      runs.unshift(await bench.run());
    }
    const path = `/organizations/${bench.organization}/runs`;
    const linkTo = (number: number) => `/api/v2${path}?page%5Bnumber%5D=${number}&page%5Bsize%5D=2`;
    for (const [number, ids, previous, next] of [
      [1, runs.slice(0, 2), null, 2],
      [2, runs.slice(2), 1, null],
      [3, [], 2, null],
    ] as const) {
      const { data, links, meta } = (await admin.get(encoded(`${path}?page[number]=${number}&page[size]=2`))).body;
      expect(data.map(({ id }: { readonly id: string }) => id)).toEqual(ids);
      expect(links).toEqual({
        self: linkTo(number),
        first: linkTo(1),
        prev: previous && linkTo(previous),
        next: next && linkTo(next),
      });
      const around = { 'prev-page': previous, 'next-page': next };
      expect(meta).toEqual({ pagination: { 'current-page': number, 'page-size': 2, ...around } });
    }
  });

  it('of runs by agent pool finds them for those who may list the pools', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const run = await bench.run();
    const { name } = (await admin.get(`/agent-pools/${bench.poolId}`).expect(200)).body.data.attributes;
    const path = (pool: string) => `/organizations/${bench.organization}/runs?filter[agent_pool_names]=${pool}`;
    const found = async (caller: Caller, pool: string): Promise<readonly string[]> =>
      (await caller.get(encoded(path(pool))).expect(200)).body.data.map(({ id }: { id: string }) => id);
    expect(await found(admin, `other,${name}`)).toEqual([run]);
    expect(await found(admin, 'other')).toEqual([]);
    const manager = await bench.member('read', { 'organization-access': { 'manage-agent-pools': true } });
    expect(await found(manager, name)).toEqual([run]);
    const reader = await bench.member('read');
    const absent = await reader.get(encoded(path('x'.repeat(name.length)))).expect(200);
    expect(absent.body.data).toEqual([]);
    expect(await withoutName(reader, path(name), name)).toBe(absent.text);
    const local = doc('workspaces', { 'execution-mode': 'local' });
    await admin.patch(`/workspaces/${bench.workspaceId}`, local).expect(200);
    expect(await found(admin, name)).toEqual([]);
  });

  it('of team tokens is one of clients, and not of the contract', async () => {
    const organization = newName('org');
    await api.organization(organization);
    const soon = new Date(Date.parse(api.clock.now()) + 3_600_000).toISOString();
    for (const name of ['with', 'without']) {
      const team = await api.team(organization, name);
      const expiry = name === 'with' ? { 'expired-at': soon } : {};
      await admin.post(`/teams/${team}/authentication-token`, doc('authentication-tokens', expiry)).expect(201);
    }
    const total = async (mount: '' | '/api/v2', query: string) =>
      (
        await admin
          .at(mount)
          .get(encoded(`/organizations/${organization}/team-tokens?${query}`))
          .expect(200)
      ).body.meta.pagination['total-count'];
    expect(await total('/api/v2', 'filter[expiry_status]=no_expiration')).toBe(1);
    expect(await total('/api/v2', 'filter[expiry_status]=no_expiration,expired,active')).toBe(2);
    expect(await total('', 'filter[expiry_status]=no_expiration')).toBe(2);
    expect(await total('', 'filter[expiry_status]=anything')).toBe(2);
  });

  it('of names and addresses takes several, separated by commas', async () => {
    const organization = newName('org');
    await api.organization(organization);
    for (const name of ['alpha', 'beta', 'gamma']) await api.team(organization, name);
    const query = encoded('filter[names]=gamma,ALPHA,,nothing');
    const { body } = await admin.get(`/organizations/${organization}/teams?${query}`).expect(200);
    expect(namesIn(body)).toEqual(['alpha', 'gamma']);
    expect(body.links.self).toContain('filter%5Bnames%5D=');
    const none = await admin.get(`/organizations/${organization}/teams?${encoded('filter[names]=')}`).expect(200);
    expect(none.body.data).toEqual([]);
  });
});
