import { describe, expect, it } from '@jest/globals';
import { startApi } from '../support/api.js';

const api = await startApi();
await api.organization('acme');
const team = await api.team('acme', 'platform');
const workspace = await api.workspace('acme', 'network');
const admin = api.admin.at('/api/v2');

/** Computed, because an object with this member looks like a promise. */
const fallback = 'then';

describe('the calls of the Terraform provider', () => {
  it('create, read and destroy a team token', async () => {
    await admin.get('/ping').expect(204);
    const ofTeam = `/teams/${team}/authentication-token`;
    await admin.get(ofTeam).expect(404);
    const body = { data: { type: 'authentication-tokens', attributes: {} } };
    const { data } = (await admin.post(ofTeam, body).expect(201)).body;
    expect(data.attributes.token).toEqual(expect.any(String));
    const byId = `/authentication-tokens/${data.id}`;
    const read = (await admin.get(byId).expect(200)).body.data;
    expect(read).toMatchObject({ id: data.id, relationships: { team: { data: { id: team, type: 'teams' } } } });
    await admin.get(ofTeam).expect(200);
    await admin.delete(`/teams/${data.id}/authentication-token`).expect(404);
    await admin.delete(byId).expect(204);
    await admin.get(byId).expect(404);
    await admin.delete(byId).expect(404);
  });

  it('create, update, look up, import and destroy team access', async () => {
    const named = async (path: string) => (await admin.get(path).expect(200)).body.data.attributes.name;
    expect(await named(`/workspaces/${workspace}`)).toBe('network');
    expect(await named(`/teams/${team}`)).toBe('platform');
    const create = {
      data: {
        type: 'team-workspaces',
        attributes: { access: 'custom', runs: 'plan', variables: 'read', 'sentinel-mocks': 'none' },
        relationships: {
          team: { data: { type: 'teams', id: team } },
          workspace: { data: { type: 'workspaces', id: workspace } },
        },
      },
    };
    const { id } = (await admin.post('/team-workspaces', create).expect(200)).body.data;
    const path = `/team-workspaces/${id}`;
    expect((await admin.get(path).expect(200)).body.data.attributes).toMatchObject({ access: 'custom', runs: 'plan' });

    const update = { data: { id, type: 'team-workspaces', attributes: { access: 'custom', 'run-tasks': true } } };
    expect((await admin.patch(path, update).expect(200)).body.data.attributes).toEqual({
      access: 'custom',
      runs: 'plan',
      variables: 'read',
      'state-versions': 'none',
      'policy-mocks': 'none',
      'sentinel-mocks': 'none',
      'workspace-locking': false,
      'run-tasks': true,
      'policy-overrides': false,
      'expires-at': null,
      [fallback]: null,
    });

    const found = `/team-workspaces?filter%5Bteam%5D%5Bid%5D=${team}&filter%5Bworkspace%5D%5Bid%5D=${workspace}`;
    expect((await admin.get(found).expect(200)).body).toMatchObject({ data: [{ id }] });
    const paged = (await admin.get(`${found}&page%5Bnumber%5D=1&page%5Bsize%5D=100`).expect(200)).body;
    expect(paged).toMatchObject({ data: [{ id }], meta: { pagination: { 'next-page': null } } });

    const imported = await admin.get('/organizations/acme/workspaces/network').expect(200);
    expect(imported.body.data.id).toBe(workspace);
    await admin.delete(path).expect(204);
    await admin.get(path).expect(404);
    await admin.delete(path).expect(404);
  });

  it('create, read, update and destroy an agent pool, and a token of it', async () => {
    const create = { data: { type: 'agent-pools', attributes: { name: 'racks', 'organization-scoped': true } } };
    const { data: pool } = (await admin.post('/organizations/acme/agent-pools', create).expect(201)).body;
    expect(pool.attributes).toMatchObject({ name: 'racks', 'organization-scoped': true });
    const path = `/agent-pools/${pool.id}`;
    const relationships = { ...pool.relationships, workspaces: { data: [] } };
    const beside = (await admin.get(`${path}?include=workspaces`).expect(200)).body;
    expect(beside).toEqual({ data: { ...pool, relationships } });
    const update = {
      data: { id: pool.id, type: 'agent-pools', attributes: { name: 'shelves', 'organization-scoped': true } },
    };
    expect((await admin.patch(path, update).expect(200)).body.data.attributes.name).toBe('shelves');
    const found = (await admin.get('/organizations/acme/agent-pools?q=shelves').expect(200)).body;
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([pool.id]);

    const body = { data: { type: 'agent-tokens', attributes: { description: 'rack 4' } } };
    const { data: token } = (await admin.post(`${path}/authentication-tokens`, body).expect(201)).body;
    expect(token.attributes).toMatchObject({ token: expect.any(String), description: 'rack 4' });
    const byId = `/authentication-tokens/${token.id}`;
    expect((await admin.get(byId).expect(200)).body.data.attributes).toMatchObject({
      description: 'rack 4',
      token: null,
    });
    await admin.delete(byId).expect(204);
    await admin.get(byId).expect(404);

    const executed = {
      id: workspace,
      type: 'workspaces',
      attributes: { 'execution-mode': 'agent', 'agent-pool-id': pool.id },
    };
    const changed = (await admin.patch(`/workspaces/${workspace}`, { data: executed }).expect(200)).body.data;
    expect(changed.relationships['agent-pool'].data).toEqual({ id: pool.id, type: 'agent-pools' });
    await admin.delete(path).expect(409);
    const back = { ...executed, attributes: { 'execution-mode': 'remote', 'agent-pool-id': null } };
    await admin.patch(`/workspaces/${workspace}`, { data: back }).expect(200);
    await admin.delete(path).expect(204);
    await admin.get(path).expect(404);
  });

  it('create, read, update and destroy a policy set, and attach it to workspaces', async () => {
    const identifiers = { data: [{ type: 'workspaces', id: workspace }] };
    const create = {
      data: {
        type: 'policy-sets',
        attributes: { name: 'baseline', description: '', global: false, kind: 'opa', overridable: true },
        relationships: { workspaces: identifiers },
      },
    };
    const { data: made } = (await admin.post('/organizations/acme/policy-sets', create).expect(201)).body;
    const path = `/policy-sets/${made.id}`;
    const beside = (await admin.get(`${path}?include=workspaces`).expect(200)).body;
    expect(beside.data).toEqual(made);
    expect(beside.included).toMatchObject([{ id: workspace, type: 'workspaces' }]);
    expect(made.relationships.workspaces).toEqual(identifiers);
    const update = { data: { id: made.id, type: 'policy-sets', attributes: { name: 'renamed', overridable: false } } };
    const { data: changed } = (await admin.patch(path, update).expect(200)).body;
    expect(changed.attributes).toMatchObject({ name: 'renamed', overridable: false, kind: 'opa', global: false });
    await admin.delete(`${path}/relationships/workspaces`, identifiers).expect(204);
    expect((await admin.get(path).expect(200)).body.data.relationships.workspaces.data).toEqual([]);
    await admin.post(`${path}/relationships/workspaces`, identifiers).expect(204);
    expect((await admin.get(path).expect(200)).body.data.relationships.workspaces).toEqual(identifiers);
    await admin.delete(path).expect(204);
    await admin.get(path).expect(404);
  });
});
