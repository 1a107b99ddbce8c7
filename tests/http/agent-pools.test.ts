import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  invalid,
  lacking,
  missing,
  namesIn,
  newName,
  prefix,
  startApi,
  tokenDocument,
} from '../support/api.js';
import { into, ReferenceAgent } from '../support/reference-agent.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');

const holderOf = (...permissions: string[]): Promise<Caller> => api.holderOf('acme', ...permissions);

describe('agent pools', () => {
  const path = '/organizations/acme/agent-pools';

  const resource = (id: string, name: string, createdAt = api.clock.now()) => ({
    id,
    type: 'agent-pools',
    attributes: { name, 'created-at': createdAt, 'organization-scoped': true },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      'authentication-tokens': { links: { related: `${prefix}/agent-pools/${id}/authentication-tokens` } },
      'allowed-workspaces': { data: [] },
      'allowed-projects': { data: [] },
      'excluded-workspaces': { data: [] },
    },
    links: { self: `${prefix}/agent-pools/${id}` },
  });

  const newPool = async (name = newName()): Promise<string> =>
    (await admin.post(path, doc('agent-pools', { name })).expect(201)).body.data.id;

  const tokensOf = (id: string) => `/agent-pools/${id}/authentication-tokens`;

  it('are created, shown and renamed', async () => {
    const [name, renamed] = [newName(), newName()];
    const created = await admin.post(path, doc('agent-pools', { name })).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^apool-[A-Za-z0-9]{16}$/);
    expect(created.body).toEqual({ data: resource(id, name) });
    const show = async () => (await admin.get(`/agent-pools/${id}`).expect(200)).body;
    expect(await show()).toEqual(created.body);
    const createdAt = api.clock.now();
    api.clock.advance(1);
    for (const nothing of [{}, { name: null }]) {
      expect((await admin.patch(`/agent-pools/${id}`, doc('agent-pools', nothing)).expect(200)).body).toEqual(
        created.body,
      );
    }
    const patched = await admin.patch(`/agent-pools/${id}`, doc('agent-pools', { name: renamed })).expect(200);
    expect(patched.body).toEqual({ data: resource(id, renamed, createdAt) });
    expect(await show()).toEqual(patched.body);
  });

  it('have well-formed names of their own within their organization', async () => {
    const name = newName();
    await newPool(name);
    const other = await newPool();
    const refused = async (given: object) => {
      const body = doc('agent-pools', given);
      const answer = (await admin.post(path, body).expect(422)).body;
      expect((await admin.patch(`/agent-pools/${other}`, body).expect(422)).body).toEqual(answer);
      return answer;
    };
    expect(await refused({ name })).toEqual(invalid('name', 'Name has already been taken'));
    expect(await refused({ name: 7 })).toEqual(invalid('name', 'Name must be a string'));
    const words = 'Name must be 1 to 90 letters, digits, dashes and underscores';
    for (const odd of ['', 'a pool', 'x'.repeat(91)])
      expect(await refused({ name: odd })).toEqual(invalid('name', words));
    expect((await admin.post(path, doc('agent-pools')).expect(422)).body).toEqual(invalid('name', 'Name is required'));
    await admin.post('/organizations/globex/agent-pools', doc('agent-pools', { name })).expect(201);
  });

  it('are listed by name, page by page', async () => {
    const organization = newName();
    await api.organization(organization);
    const list = `/organizations/${organization}/agent-pools`;
    for (const name of ['Zeta', 'beta', 'Alpha']) await admin.post(list, doc('agent-pools', { name })).expect(201);
    const listed = async (query = '') => (await admin.get(`${list}${query}`).expect(200)).body;
    const whole = await listed();
    expect(namesIn(whole)).toEqual(['Alpha', 'beta', 'Zeta']);
    expect(whole.data[0]).toEqual((await admin.get(`/agent-pools/${whole.data[0].id}`).expect(200)).body.data);
    expect(whole.links.self).toBe(`${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
    const second = await listed('?page[size]=2&page[number]=2');
    expect(namesIn(second)).toEqual(['Zeta']);
    expect(second.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3, 'prev-page': 1 });
    await admin.get(`${list}?page[size]=0`).expect(422);
  });

  describe('and their tokens', () => {
    const token = (id: string, pool: string, attributes: object = {}, createdBy: object | null = null) =>
      tokenDocument(
        id,
        {
          'agent-pool': { id: pool, type: 'agent-pools' },
          'created-by': createdBy ?? { id: admin.id, type: 'users' },
        },
        { 'created-at': api.clock.now(), description: '', ...attributes },
      );

    it('return their secret once, and do not store it', async () => {
      const pool = await newPool();
      const body = doc('authentication-tokens', { description: 'In the basement' });
      const issued = (await admin.post(tokensOf(pool), body).expect(201)).body.data;
      const { token: secret } = issued.attributes;
      expect(secret).toEqual(expect.stringMatching(/^[\w.-]{20,}$/));
      const described = { description: 'In the basement' };
      expect(issued).toEqual(token(issued.id, pool, { ...described, token: secret }));
      const listed = (await admin.get(tokensOf(pool)).expect(200)).body;
      expect(listed.data).toEqual([token(issued.id, pool, described)]);
      expect(listed.links.self).toBe(`${prefix}${tokensOf(pool)}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
      expect(await api.stored()).not.toContain(secret);
      // It does not belong to a user, team or organization, so the API rejects it.
      await api.as(secret).get('/organizations').expect(401);
    });

    it('need no body, and say who made them', async () => {
      const pool = await newPool();
      const organization = await api.organizationToken('acme');
      for (const body of [undefined, {}, { data: {} }, doc('authentication-tokens', { description: null })]) {
        const { data } = (await admin.post(tokensOf(pool), body).expect(201)).body;
        expect(data).toEqual(token(data.id, pool, { token: expect.any(String) }));
      }
      const { data } = (await organization.post(tokensOf(pool)).expect(201)).body;
      const createdBy = { id: expect.stringMatching(/^org-/), type: 'organizations' };
      expect(data).toEqual(token(data.id, pool, { token: expect.any(String) }, createdBy));
    });

    it('accept the resource types of their mount, and refuse bad descriptions', async () => {
      const pool = await newPool();
      const issue = (type: string, attributes: object = {}) => admin.post(tokensOf(pool), doc(type, attributes));
      await issue('agent-tokens').expect(201);
      await issue('authentication-tokens', { description: 'x'.repeat(255) }).expect(201);
      for (const [description, words] of [
        ['x'.repeat(256), 'Description is too long (the maximum is 255)'],
        [1, 'Description must be a string'],
      ]) {
        const refused = await issue('authentication-tokens', { description }).expect(422);
        expect(refused.body).toEqual(invalid('description', words));
      }
      await issue('authentication-tokens', { 'expired-at': null }).expect(201);
      const expiring = await issue('authentication-tokens', { 'expired-at': '2040-01-01T00:00:00Z' }).expect(422);
      expect(expiring.body).toEqual(invalid('expired-at', 'Expired at must be null'));
    });

    it('are shown and revoked by their own ids, by callers who manage the pool', async () => {
      const pool = await newPool();
      const { id } = (await admin.post(tokensOf(pool)).expect(201)).body.data;
      const one = `/authentication-tokens/${id}`;
      expect((await admin.get(one).expect(200)).body).toEqual({ data: token(id, pool) });
      for (const caller of [await api.member('acme', newName()), await api.user(newName())]) {
        expect((await caller.get(one).expect(404)).body).toEqual(missing);
        expect((await caller.delete(one).expect(404)).body).toEqual(missing);
      }
      const manager = await holderOf('manage-agent-pools');
      await manager.get(one).expect(200);
      await manager.delete(one).expect(204);
      await manager.get(one).expect(404);
      expect((await admin.get(tokensOf(pool)).expect(200)).body.data).toEqual([]);
    });
  });
});

describe('where runs are executed', () => {
  let organization: string;

  beforeEach(async () => {
    organization = newName('org');
    await api.organization(organization);
  });

  const pools = () => `/organizations/${organization}/agent-pools`;
  const newPool = async (attributes: object = {}, relationships: object = {}): Promise<string> => {
    const body = doc('agent-pools', { name: newName(), ...attributes }, relationships);
    return (await admin.post(pools(), body).expect(201)).body.data.id;
  };
  const tokensOf = (id: string) => `/agent-pools/${id}/authentication-tokens`;
  const agentOf = async (id: string, site = ''): Promise<ReferenceAgent> => {
    const issued = await admin.post(`${site}${tokensOf(id)}`).expect(201);
    return new ReferenceAgent(into(api.server), issued.body.data.attributes.token);
  };
  const workspace = async (attributes: object = {}, relationships: object = {}) =>
    (
      await admin.post(
        `/organizations/${organization}/workspaces`,
        doc('workspaces', { name: newName('workspace'), ...attributes }, relationships),
      )
    ).body.data;
  const named = (pool: string) => ({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  const refused = async (caller: Caller, path: string, body: object) =>
    (await caller.patch(path, body).expect(422)).body;
  const takeByDefault = (pool: string | null, mode = 'agent', caller = admin) =>
    caller.patch(
      `/organizations/${organization}`,
      doc(
        'organizations',
        { 'default-execution-mode': mode },
        { 'default-agent-pool': { data: pool === null ? null : { id: pool, type: 'agent-pools' } } },
      ),
    );
  const execution = async (id: string) => {
    const { attributes } = (await admin.get(`/workspaces/${id}`).expect(200)).body.data;
    return [attributes['execution-mode'], attributes['agent-pool-id'], attributes['setting-overwrites']];
  };
  const own = (mode: boolean, pool: boolean) => ({ 'execution-mode': mode, 'agent-pool': pool });
  /** A run of the workspace that waits for an agent, under its id. */
  const queued = async (workspaceId: string): Promise<string> => {
    const { id: configurationVersionId } = await api.version(workspaceId);
    const id = `run-${newName()}`;
    await api.seedRun({ id, workspaceId, configurationVersionId, status: 'plan_queued', planOnly: true });
    return id;
  };
  const claimedBy = async (agent: ReferenceAgent): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let job = await agent.claim(); job !== undefined; job = await agent.claim()) ids.push(job.runId);
    return ids;
  };

  it('is the organization’s mode and pool until the workspace has its own, and again when it asks for them', async () => {
    const pool = await newPool();
    const { id } = await workspace();
    expect(await execution(id)).toEqual(['remote', null, own(false, false)]);
    const defaulted = (await takeByDefault(pool).expect(200)).body.data;
    expect(defaulted.attributes['default-execution-mode']).toBe('agent');
    expect(defaulted.relationships['default-agent-pool']).toEqual({ data: { id: pool, type: 'agent-pools' } });
    expect(await execution(id)).toEqual(['agent', pool, own(false, false)]);
    const change = (attributes: object, relationships: object = {}) =>
      admin.patch(`/workspaces/${id}`, doc('workspaces', attributes, relationships)).expect(200);
    await change({ 'execution-mode': 'local' });
    expect(await execution(id)).toEqual(['local', null, own(true, true)]);
    const other = await newPool();
    await change({ 'execution-mode': 'agent' }, { 'agent-pool': { data: { id: other, type: 'agent-pools' } } });
    expect(await execution(id)).toEqual(['agent', other, own(true, true)]);
    await change({ 'setting-overwrites': { 'agent-pool': false } });
    expect(await execution(id)).toEqual(['agent', pool, own(true, false)]);
    await change({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } });
    expect(await execution(id)).toEqual(['agent', pool, own(false, false)]);
    await change({ 'execution-mode': 'local', 'agent-pool-id': '', 'setting-overwrites': own(true, true) });
    expect(await execution(id)).toEqual(['local', null, own(true, true)]);
    await change({ 'execution-mode': 'remote', 'agent-pool-id': other, 'setting-overwrites': own(false, false) });
    expect(await execution(id)).toEqual(['agent', pool, own(false, false)]);
    await takeByDefault(null, 'remote').expect(200);
    expect(await execution(id)).toEqual(['remote', null, own(false, false)]);
  });

  it('is the mode and pool of its project, where that has its own', async () => {
    const [pool, scoped] = [await newPool(), await newPool({ 'organization-scoped': false })];
    const inOrganization = `/organizations/${organization}`;
    const given = doc('projects', {
      name: newName('project'),
      'default-execution-mode': 'agent',
      'default-agent-pool-id': pool,
    });
    const { data: project } = (await admin.post(`${inOrganization}/projects`, given).expect(201)).body;
    const shown = (mode: string, poolId: string | null, ...overwrites: readonly [boolean, boolean]) => ({
      attributes: {
        'default-execution-mode': mode,
        'setting-overwrites': { 'default-execution-mode': overwrites[0], 'default-agent-pool': overwrites[1] },
      },
      relationships: { 'default-agent-pool': { data: poolId && { id: poolId, type: 'agent-pools' } } },
    });
    expect(project).toMatchObject(shown('agent', pool, true, true));
    const path = `/projects/${project.id}`;
    const inProject = { project: { data: { id: project.id, type: 'projects' } } };
    const created = await workspace({}, inProject);
    expect(created.attributes).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    const moved = await workspace();
    const move = await admin.patch(`/workspaces/${moved.id}`, doc('workspaces', {}, inProject)).expect(200);
    expect(move.body.data.attributes).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    expect(await execution(moved.id)).toEqual(['agent', pool, own(false, false)]);
    const change = (attributes: object, caller = admin) => caller.patch(path, doc('projects', attributes));
    const overwriting = (mode: boolean, poolToo: boolean) => ({
      'setting-overwrites': { 'default-execution-mode': mode, 'default-agent-pool': poolToo },
    });
    const local = { 'default-execution-mode': 'local', 'default-agent-pool-id': '', ...overwriting(true, true) };
    expect((await change(local).expect(200)).body.data).toMatchObject(shown('local', null, true, true));
    expect(await execution(created.id)).toEqual(['local', null, own(false, false)]);
    const back = (await change(overwriting(false, false)).expect(200)).body.data;
    expect(back).toMatchObject(shown('remote', null, false, false));
    expect(await execution(created.id)).toEqual(['remote', null, own(false, false)]);
    expect((await change({ 'default-agent-pool-id': scoped }).expect(422)).body).toEqual(
      invalid('default-agent-pool-id', 'Agent pool does not allow this project. Change the scope of the pool first'),
    );
    expect((await change(overwriting(true, false)).expect(422)).body.errors[0].source).toEqual({
      pointer: '/data/attributes/setting-overwrites/default-execution-mode',
    });
    const other = await newPool();
    const related = { 'default-agent-pool': { data: { id: other, type: 'agent-pools' } } };
    const named = await admin.patch(path, doc('projects', {}, related)).expect(200);
    expect(named.body.data).toMatchObject(shown('agent', other, true, true));
    expect(named.body.data.relationships['agent-pool-token-creators']).toEqual({ data: [] });
    await admin.delete(`/agent-pools/${other}`).expect(409);
    await change({ 'default-execution-mode': 'local' }, await api.organizationToken(organization)).expect(404);
    await change({ description: 'Its own' }, await api.organizationToken(organization)).expect(200);
  });

  it('takes a pool for `agent`, and `agent` for a pool', async () => {
    const pool = await newPool();
    const { id } = await workspace();
    const path = `/workspaces/${id}`;
    const needed = 'Agent pool is required in execution mode agent because the organization has no default agent pool';
    expect(await refused(admin, path, doc('workspaces', { 'execution-mode': 'agent' }))).toEqual(
      invalid('agent-pool-id', needed),
    );
    const remote = { 'execution-mode': 'remote', 'agent-pool-id': pool };
    expect(await refused(admin, path, doc('workspaces', remote))).toEqual(
      invalid('agent-pool-id', 'Agent pool can be set only in execution mode agent, and the execution mode is remote'),
    );
    const differing = doc('workspaces', { 'agent-pool-id': pool }, { 'agent-pool': { data: null } });
    expect((await refused(admin, path, differing)).errors[0].source.pointer).toBe('/data/relationships/agent-pool');
    const unnamed = { 'setting-overwrites': { 'execution-mode': true } };
    expect((await refused(admin, path, doc('workspaces', unnamed))).errors[0].source.pointer).toBe(
      '/data/attributes/setting-overwrites/execution-mode',
    );
    const organizationPath = `/organizations/${organization}`;
    const modeAlone = doc('organizations', { 'default-execution-mode': 'agent' });
    expect(await refused(admin, organizationPath, modeAlone)).toEqual(
      invalid('default-execution-mode', 'Default execution mode agent requires a default agent pool'),
    );
    const withoutMode = doc(
      'organizations',
      { 'default-execution-mode': 'remote' },
      { 'default-agent-pool': { data: { id: pool, type: 'agent-pools' } } },
    );
    expect(await refused(admin, organizationPath, withoutMode)).toEqual(
      invalid('default-execution-mode', "Default agent pool must not be specified unless using 'agent' execution mode"),
    );
    const foreign = (await takeByDefault('apool-nobody').expect(422)).body.errors[0];
    expect(foreign.source).toEqual({ pointer: '/data/relationships/default-agent-pool' });
    const scoped = await newPool({ 'organization-scoped': false });
    expect((await takeByDefault(scoped).expect(422)).body.errors[0].detail).toBe(
      'Default agent pool must be organization-scoped',
    );
    expect(await execution(id)).toEqual(['remote', null, own(false, false)]);
  });

  it('decides which agents claim a run', async () => {
    const [first, second] = [await newPool(), await newPool()];
    const site = (await admin.post('/admin/agent-pools', doc('agent-pools', { name: newName() })).expect(201)).body
      .data;
    const agents = {
      first: await agentOf(first),
      second: await agentOf(second),
      site: await agentOf(site.id, '/admin'),
    };
    await claimedBy(agents.site);
    const runs = {
      remote: await queued((await workspace({ 'execution-mode': 'remote' })).id),
      local: await queued((await workspace({ 'execution-mode': 'local' })).id),
      named: await queued((await workspace(named(second))).id),
      following: await queued((await workspace()).id),
    };
    expect(await claimedBy(agents.first)).toEqual([]);
    expect(await claimedBy(agents.second)).toEqual([runs.named]);
    expect(await claimedBy(agents.site)).toEqual([runs.remote, runs.following]);
    await api.admin.at('').delete(`/admin/agent-pools/${site.id}`).expect(409);
    await api.admin.delete(`/admin/agent-pools/${site.id}`).expect(409);
    await takeByDefault(first).expect(200);
    const later = [await queued((await workspace()).id), await queued((await workspace()).id)];
    expect(await claimedBy(agents.site)).toEqual([]);
    expect(await claimedBy(agents.first)).toEqual(later);
  });

  it('names in a scope only workspaces of the organization that the caller sees', async () => {
    const hidden = await workspace();
    const manager = await api.holderOf(organization, 'manage-agent-pools');
    const pool = await newPool({}, { 'excluded-workspaces': { data: [{ id: hidden.id, type: 'workspaces' }] } });
    const path = `/agent-pools/${pool}`;
    const listing = (id: string) =>
      doc('agent-pools', {}, { 'allowed-workspaces': { data: [{ id, type: 'workspaces' }] } });
    const answers = [];
    for (const id of [hidden.id, 'ws-nobody']) answers.push((await manager.patch(path, listing(id)).expect(422)).text);
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? '').errors[0].source).toEqual({
      pointer: '/data/relationships/allowed-workspaces',
    });
    for (const answer of [await manager.get(path), await manager.get(pools())]) {
      expect(answer.text).not.toContain(hidden.id);
    }
    // Workspaces the caller does not see stay excluded.
    await manager.patch(path, doc('agent-pools', {}, { 'excluded-workspaces': { data: [] } })).expect(200);
    expect((await admin.get(path)).body.data.relationships['excluded-workspaces'].data).toHaveLength(1);
  });

  it('may serve the workspaces of its allowed projects, as long as they are in them', async () => {
    const newProject = async (of = organization): Promise<string> =>
      (await admin.post(`/organizations/${of}/projects`, doc('projects', { name: newName() })).expect(201)).body.data
        .id;
    const [project, other] = [await newProject(), await newProject()];
    const projects = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ id, type: 'projects' })) });
    const pool = await newPool({ 'organization-scoped': false }, { 'allowed-projects': projects(project) });
    const allow = (...ids: readonly string[]) =>
      admin.patch(`/agent-pools/${pool}`, doc('agent-pools', {}, { 'allowed-projects': projects(...ids) }));
    expect((await allow(project).expect(200)).body.data.relationships['allowed-projects']).toEqual(projects(project));
    const { id } = await workspace();
    const use = () => admin.patch(`/workspaces/${id}`, doc('workspaces', named(pool)));
    await use().expect(422);
    const into = await workspace();
    const moved = doc('workspaces', named(pool), { project: { data: { id: project, type: 'projects' } } });
    await admin.patch(`/workspaces/${into.id}`, moved).expect(200);
    const moveTo = (target: string) =>
      admin.post(`/projects/${target}/relationships/workspaces`, { data: [{ id, type: 'workspaces' }] }).expect(204);
    await moveTo(project);
    await use().expect(200);
    const { name } = (await admin.get(`/projects/${project}`).expect(200)).body.data.attributes;
    const filtered = async (caller: Caller, word: string): Promise<string> =>
      (await caller.get(`${pools()}?filter[allowed_projects][name]=${word}`).expect(200)).text;
    expect(await filtered(admin, name)).toContain(pool);
    const manager = await api.holderOf(organization, 'manage-agent-pools');
    const absent = 'x'.repeat(name.length);
    expect(await filtered(manager, name)).toBe((await filtered(manager, absent)).replaceAll(absent, name));
    expect((await manager.get(`/agent-pools/${pool}`).expect(200)).text).not.toContain(project);
    expect((await allow(other).expect(200)).body.data.relationships['allowed-projects']).toEqual(projects(other));
    expect(await filtered(admin, name)).not.toContain(pool);
    const refused = new Set<string>();
    const foreign = await newProject('globex');
    for (const hidden of ['prj-nobody', foreign]) refused.add((await allow(hidden).expect(422)).text);
    expect(refused.size).toBe(1);
    expect(JSON.parse([...refused][0] ?? '').errors[0]).toMatchObject({
      detail: 'Projects must belong to the organization',
      source: { pointer: '/data/relationships/allowed-projects' },
    });
    await admin.delete(`/projects/${other}`).expect(204);
    expect((await admin.get(`/agent-pools/${pool}`)).body.data.relationships['allowed-projects']).toEqual(projects());
  });

  it('is chosen by an administrator of the workspace, never by the token of the organization', async () => {
    const pool = await newPool();
    const { id } = await workspace();
    const token = await api.organizationToken(organization);
    const vain = [{ 'execution-mode': 'local' }, named(pool), { 'agent-pool-id': pool }];
    for (const attributes of vain) {
      const answer = await token.patch(`/workspaces/${id}`, doc('workspaces', attributes)).expect(404);
      expect(answer.body).toEqual(lacking('workspace admin'));
      const fresh = doc('workspaces', { name: newName(), ...attributes });
      const created = await token.post(`/organizations/${organization}/workspaces`, fresh).expect(404);
      expect(created.body).toEqual(lacking('workspace admin'));
    }
    await token.patch(`/workspaces/${id}`, doc('workspaces', { description: 'mine' })).expect(200);
    expect((await takeByDefault(pool, 'agent', token).expect(404)).body).toEqual(lacking('owner'));
    const manager = await api.holderOf(organization, 'manage-workspaces');
    await manager.patch(`/workspaces/${id}`, doc('workspaces', named(pool))).expect(200);
    expect((await takeByDefault(pool, 'agent', manager).expect(404)).body).toEqual(lacking('owner'));
  });

  it('shows a caller who names a pool which others hold tokens of it', async () => {
    const manager = await api.holderOf(organization, 'manage-agent-pools');
    const pool = await newPool();
    await admin.post(tokensOf(pool)).expect(201);
    for (const _ of [1, 2]) await manager.post(tokensOf(pool)).expect(201);
    const creators = { data: [{ id: manager.id, type: 'users' }] };
    const place = await workspace(named(pool));
    expect(place.relationships['agent-pool-token-creators']).toEqual(creators);
    const follower = await workspace();
    const changed = await admin.patch(`/workspaces/${follower.id}`, doc('workspaces', named(pool))).expect(200);
    expect(changed.body.data.relationships['agent-pool-token-creators']).toEqual(creators);
    const again = await admin.patch(`/workspaces/${follower.id}`, doc('workspaces', named(pool))).expect(200);
    expect(again.body.data.relationships).not.toHaveProperty('agent-pool-token-creators');
    const defaulted = (await takeByDefault(pool).expect(200)).body.data;
    expect(defaulted.relationships['agent-pool-token-creators']).toEqual(creators);
  });

  it('takes the pool out of the hands of those who only manage pools, until nothing names it', async () => {
    const pool = await newPool();
    const place = await workspace();
    const manager = await api.holderOf(organization, 'manage-agent-pools');
    const token = await api.organizationToken(organization);
    const { id } = (await manager.post(tokensOf(pool)).expect(201)).body.data;
    const attempts = (caller: Caller) => [
      () => caller.get(tokensOf(pool)),
      () => caller.post(tokensOf(pool)),
      () => caller.get(`/authentication-tokens/${id}`),
      () => caller.delete(`/authentication-tokens/${id}`),
      () => caller.patch(`/agent-pools/${pool}`, doc('agent-pools', { name: newName() })),
      () => caller.patch(`/agent-pools/${pool}`, doc('agent-pools', { 'organization-scoped': true })),
      () => caller.delete(`/agent-pools/${pool}`),
    ];
    const refusedAll = async (callers: readonly Caller[]) => {
      for (const caller of callers) {
        for (const attempt of attempts(caller)) {
          const answer = await attempt();
          expect([answer.status, answer.body.errors?.[0].detail]).toEqual([
            404,
            expect.stringContaining('requires manage-agent-pools, pool not in use'),
          ]);
        }
        await caller.get(`/agent-pools/${pool}`).expect(200);
      }
    };
    await admin.patch(`/workspaces/${place.id}`, doc('workspaces', named(pool))).expect(200);
    await refusedAll([manager, token]);
    const administrator = await api.holderOf(organization, 'manage-workspaces');
    await administrator.post(tokensOf(pool)).expect(201);
    await takeByDefault(pool).expect(200);
    await admin.patch(`/workspaces/${place.id}`, doc('workspaces', { 'execution-mode': 'remote' })).expect(200);
    await refusedAll([manager, token]);
    await takeByDefault(null, 'remote').expect(200);
    const statuses = [];
    for (const attempt of attempts(manager)) statuses.push((await attempt()).status);
    expect(statuses).toEqual([200, 201, 200, 204, 200, 200, 204]);
  });
});

describe('site agent pools', () => {
  const path = '/admin/agent-pools';

  const newPool = async (name = newName()): Promise<string> =>
    (await admin.post(path, doc('agent-pools', { name })).expect(201)).body.data.id;

  it('are created, listed, shown, renamed and deleted by a site administrator', async () => {
    const [name, renamed] = [newName(), newName()];
    const created = (await admin.post(path, doc('agent-pools', { name })).expect(201)).body.data;
    const { id } = created;
    const self = `${prefix}${path}/${id}`;
    expect(created).toEqual({
      id,
      type: 'agent-pools',
      attributes: { name, 'created-at': api.clock.now() },
      relationships: { 'authentication-tokens': { links: { related: `${self}/authentication-tokens` } } },
      links: { self },
    });
    expect((await admin.get(`${path}/${id}`).expect(200)).body.data).toEqual(created);
    expect((await admin.get(`${path}?page[size]=100`).expect(200)).body.data).toContainEqual(created);
    expect((await admin.post(path, doc('agent-pools', { name })).expect(422)).body).toEqual(
      invalid('name', 'Name has already been taken'),
    );
    await admin.patch(`${path}/${id}`, doc('agent-pools', { name: renamed })).expect(200);
    expect((await admin.get(`${path}/${id}`)).body.data.attributes.name).toBe(renamed);
    await admin.delete(`${path}/${id}`).expect(204);
    expect((await admin.get(`${path}/${id}`).expect(404)).body).toEqual(missing);
  });

  it('have tokens, which are shown and revoked by their own ids', async () => {
    const id = await newPool();
    const issued = (await admin.post(`${path}/${id}/authentication-tokens`).expect(201)).body.data;
    const agent = new ReferenceAgent(into(api.server), issued.attributes.token);
    expect((await agent.json('post', '/agent/v1/claims', {}, '{"name":"a"}')).status).toBeLessThan(300);
    const one = `/authentication-tokens/${issued.id}`;
    expect((await admin.get(one).expect(200)).body.data.attributes.token).toBeNull();
    expect((await admin.get(`${path}/${id}/authentication-tokens`).expect(200)).body.data).toHaveLength(1);
    for (const caller of [await api.user(newName()), await holderOf('manage-agent-pools')]) {
      expect((await caller.get(one).expect(404)).body).toEqual(missing);
      expect((await caller.delete(one).expect(404)).body).toEqual(missing);
    }
    await admin.delete(one).expect(204);
    expect((await agent.json('post', '/agent/v1/claims', {}, '{"name":"a"}')).status).toBe(401);
  });

  it('are missing for everybody else, and where pools of organizations are', async () => {
    const site = await newPool();
    const own = (await admin.post('/organizations/acme/agent-pools', doc('agent-pools', { name: newName() }))).body.data
      .id;
    const attempts = (caller: Caller, pool: string) => [
      () => caller.get(path),
      () => caller.post(path, doc('agent-pools', { name: newName() })),
      () => caller.get(`${path}/${pool}`),
      () => caller.patch(`${path}/${pool}`, doc('agent-pools', { name: newName() })),
      () => caller.get(`${path}/${pool}/authentication-tokens`),
      () => caller.post(`${path}/${pool}/authentication-tokens`),
      () => caller.delete(`${path}/${pool}`),
    ];
    for (const caller of [await holderOf('manage-agent-pools'), await api.organizationToken('acme')]) {
      for (const attempt of attempts(caller, site)) {
        const { status, body } = await attempt();
        expect([status, body]).toEqual([404, missing]);
      }
    }
    for (const attempt of attempts(admin, own).slice(2)) expect((await attempt()).body).toEqual(missing);
    expect((await admin.get(`/agent-pools/${site}`).expect(404)).body).toEqual(missing);
    expect((await admin.post(`/agent-pools/${site}/authentication-tokens`).expect(404)).body).toEqual(missing);
    const { id } = (await admin.post('/organizations/acme/workspaces', doc('workspaces', { name: newName() }))).body
      .data;
    await admin.patch(`/workspaces/${id}`, doc('workspaces', { 'agent-pool-id': site })).expect(422);
  });

  it('are audited in the trail of the site', async () => {
    const id = await newPool();
    const { id: token } = (await admin.post(`${path}/${id}/authentication-tokens`).expect(201)).body.data;
    await admin.delete(`/authentication-tokens/${token}`).expect(204);
    await admin.delete(`${path}/${id}`).expect(204);
    const events = (await admin.get('/admin/audit-events?page[size]=4').expect(200)).body.data;
    const done = events.map(({ attributes }: { attributes: Record<string, unknown> }) => attributes.action);
    expect(done).toEqual(Array(4).fill('site-agent-pools/manage'));
  });
});
