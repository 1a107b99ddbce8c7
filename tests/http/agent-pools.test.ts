import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  invalid,
  missing,
  mounts,
  newName,
  refusal,
  startApi,
  type TestApi,
} from '../support/api.js';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  await api.organization('acme');
  await api.organization('globex');
});

/** A member of a new team that holds these organization-level permissions. */
const holderOf = async (...permissions: string[]): Promise<Caller> => {
  const access = Object.fromEntries(permissions.map((permission) => [permission, true]));
  return api.member('acme', newName(), [await api.team('acme', newName(), { 'organization-access': access })]);
};

describe.each(mounts)('agent pools at "$prefix"', ({ prefix }) => {
  const contract = prefix === '';
  const path = '/organizations/acme/agent-pools';
  let admin: Caller;

  beforeAll(() => {
    admin = api.admin.at(prefix);
  });

  const resource = (id: string, name: string, createdAt = api.clock.now()) => ({
    id,
    type: 'agent-pools',
    attributes: { name, 'created-at': createdAt, 'organization-scoped': true },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      'authentication-tokens': { links: { related: `${prefix}/agent-pools/${id}/authentication-tokens` } },
    },
    links: { self: `${prefix}/agent-pools/${id}` },
  });

  const newPool = async (name = newName()): Promise<string> =>
    (await admin.post(path, doc('agent-pools', { name })).expect(201)).body.data.id;

  const tokensOf = (id: string) => `/agent-pools/${id}/authentication-tokens`;

  it('are created, shown and renamed', async () => {
    const [name, renamed] = [newName(), newName()];
    const created = await admin.post(path, doc('agent-pools', { name, 'organization-scoped': false })).expect(201);
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
    for (const [type, status] of [
      ['agents', 422],
      ['agent-pool', contract ? 422 : 201],
    ] as const) {
      await admin.post(path, doc(type, { name: newName() })).expect(status);
    }
    await admin.post(path, { data: { attributes: { name: newName() } } }).expect(201);
  });

  it('are listed by name, page by page', async () => {
    const organization = newName();
    await api.organization(organization);
    const list = `/organizations/${organization}/agent-pools`;
    for (const name of ['Zeta', 'beta', 'Alpha']) await admin.post(list, doc('agent-pools', { name })).expect(201);
    const listed = async (query = '') => (await admin.get(`${list}${query}`).expect(200)).body;
    const namesIn = (body: { data: { attributes: { name: string } }[] }) =>
      body.data.map(({ attributes }) => attributes.name);
    const whole = await listed();
    expect(namesIn(whole)).toEqual(['Alpha', 'beta', 'Zeta']);
    expect(whole.data[0]).toEqual((await admin.get(`/agent-pools/${whole.data[0].id}`).expect(200)).body.data);
    expect(whole.links.self).toBe(`${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
    const second = await listed('?page[size]=2&page[number]=2');
    expect(namesIn(second)).toEqual(['Zeta']);
    expect(second.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3, 'prev-page': 1 });
    await admin.get(`${list}?page[size]=0`).expect(422);
  });

  it('are removed with their tokens, unless a workspace names them or an agent of theirs executes a run', async () => {
    const id = await newPool();
    await admin.post(tokensOf(id)).expect(201);
    const workspaceId = await api.workspace('acme', newName());
    const { id: configurationVersionId } = await api.version(workspaceId);
    const run = { id: `run-${newName()}`, workspaceId, configurationVersionId };
    const lease = { poolId: id, agent: 'one', digest: newName('digest'), expiresAt: api.clock.now() };
    await api.seedRun({ ...run, status: 'planning', lease });
    const words = 'agent pool is named by a workspace or executes a run';
    expect((await admin.delete(`/agent-pools/${id}`).expect(409)).body).toEqual(refusal(409, 'conflict', words));
    await api.seedRun({ ...run, status: 'applied', lease: null });
    const name = async (agentPoolId: string | null) =>
      api.unitOfWork.run(async (tx) => {
        const workspace = await tx.workspaces.find(workspaceId);
        if (workspace !== undefined)
          await tx.workspaces.save({ ...workspace, agentPoolId, revision: workspace.revision + 1 });
      });
    await name(id);
    expect((await admin.delete(`/agent-pools/${id}`).expect(409)).body).toEqual(refusal(409, 'conflict', words));
    await name(null);
    expect((await admin.delete(`/agent-pools/${id}`).expect(204)).text).toBe('');
    for (const gone of [id, 'apool-nobody']) {
      expect((await admin.get(`/agent-pools/${gone}`).expect(404)).body).toEqual(missing);
      expect((await admin.patch(`/agent-pools/${gone}`, doc('agent-pools')).expect(404)).body).toEqual(missing);
      expect((await admin.delete(`/agent-pools/${gone}`).expect(404)).body).toEqual(missing);
      expect((await admin.get(tokensOf(gone)).expect(404)).body).toEqual(missing);
      expect((await admin.post(tokensOf(gone)).expect(404)).body).toEqual(missing);
    }
  });

  describe('and their tokens', () => {
    const token = (id: string, pool: string, attributes: object = {}, createdBy: object | null = null) => ({
      id,
      type: 'authentication-tokens',
      attributes: {
        'created-at': api.clock.now(),
        'last-used-at': null,
        description: '',
        token: null,
        'expired-at': null,
        ...attributes,
      },
      relationships: {
        'agent-pool': { data: { id: pool, type: 'agent-pools' } },
        'created-by': { data: createdBy ?? { id: admin.id, type: 'users' } },
      },
    });

    it('tell their secret once, and keep none', async () => {
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
      // It is no user's, team's or organization's: the API does not know it.
      await api.as(secret).at(prefix).get('/organizations').expect(401);
    });

    it('need no body, and say who made them', async () => {
      const pool = await newPool();
      const organization = (await api.organizationToken('acme')).at(prefix);
      for (const body of [undefined, {}, { data: {} }, doc('authentication-tokens', { description: null })]) {
        const { data } = (await admin.post(tokensOf(pool), body).expect(201)).body;
        expect(data).toEqual(token(data.id, pool, { token: expect.any(String) }));
      }
      const { data } = (await organization.post(tokensOf(pool)).expect(201)).body;
      const createdBy = { id: expect.stringMatching(/^org-/), type: 'organizations' };
      expect(data).toEqual(token(data.id, pool, { token: expect.any(String) }, createdBy));
    });

    it('are called by the words the mount knows, and described in so many', async () => {
      const pool = await newPool();
      const issue = (type: string, attributes: object = {}) => admin.post(tokensOf(pool), doc(type, attributes));
      await issue('authentication-tokens').expect(201);
      for (const other of ['authentication-token', 'agent-tokens']) await issue(other).expect(contract ? 422 : 201);
      expect((await issue('tokens').expect(422)).body.errors[0].source).toEqual({ pointer: '/data/type' });
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

    it('are shown and revoked by their own ids, by whoever manages the pool', async () => {
      const pool = await newPool();
      const { id } = (await admin.post(tokensOf(pool)).expect(201)).body.data;
      const one = `/authentication-tokens/${id}`;
      expect((await admin.get(one).expect(200)).body).toEqual({ data: token(id, pool) });
      for (const caller of [await api.member('acme', newName()), await api.user(newName())]) {
        expect((await caller.at(prefix).get(one).expect(404)).body).toEqual(missing);
        expect((await caller.at(prefix).delete(one).expect(404)).body).toEqual(missing);
      }
      const manager = (await holderOf('manage-agent-pools')).at(prefix);
      await manager.get(one).expect(200);
      await manager.delete(one).expect(204);
      await manager.get(one).expect(404);
      expect((await admin.get(tokensOf(pool)).expect(200)).body.data).toEqual([]);
    });

    it('are listed newest first, page by page', async () => {
      const [pool, other] = [await newPool(), await newPool()];
      const ids: string[] = [];
      for (const at of [pool, other, pool, pool]) {
        api.clock.advance(1);
        const { id } = (await admin.post(tokensOf(at)).expect(201)).body.data;
        if (at === pool) ids.unshift(id);
      }
      const listed = async (query = '') => (await admin.get(`${tokensOf(pool)}${query}`).expect(200)).body;
      const idsIn = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
      expect(idsIn(await listed())).toEqual(ids);
      const second = await listed('?page[size]=2&page[number]=2');
      expect(idsIn(second)).toEqual(ids.slice(2));
      expect(second.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3, 'prev-page': 1 });
    });
  });

  it('are managed by those who manage them and by the token of the organization, and hidden from others', async () => {
    const id = await newPool();
    const answered = async (caller: Caller, pool: string, organization = 'acme') => {
      const [at, list] = [caller.at(prefix), `/organizations/${organization}/agent-pools`];
      const attempts = [
        () => at.get(list),
        () => at.post(list, doc('agent-pools', { name: newName() })),
        () => at.get(`/agent-pools/${pool}`),
        () => at.patch(`/agent-pools/${pool}`, doc('agent-pools', { name: newName() })),
        () => at.get(tokensOf(pool)),
        () => at.post(tokensOf(pool)),
        () => at.delete(`/agent-pools/${pool}`),
      ];
      const answers = [];
      for (const attempt of attempts) {
        const { status, text } = await attempt();
        answers.push({ status, text });
      }
      return answers;
    };
    for (const caller of [await holderOf('manage-agent-pools'), await api.organizationToken('acme'), api.admin]) {
      const statuses = (await answered(caller, await newPool())).map(({ status }) => status);
      expect(statuses).toEqual([200, 201, 200, 200, 200, 201, 204]);
    }
    for (const caller of [
      await holderOf('manage-workspaces', 'manage-policies'),
      await api.member('acme', newName()),
      await api.user(newName()),
      await api.organizationToken('globex'),
    ]) {
      const hidden = await answered(caller, id);
      expect(hidden).toEqual(await answered(caller, 'apool-nobody', 'nowhere'));
      expect(hidden).toEqual(Array(7).fill({ status: 404, text: JSON.stringify(missing) }));
    }
    expect((await answered(api.anonymous, id)).map(({ status }) => status)).toEqual(Array(7).fill(401));
    await admin.get(`/agent-pools/${id}`).expect(200);
  });
});
