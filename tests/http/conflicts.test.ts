import { describe, expect, it } from '@jest/globals';
import { doc, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;

/** A run that an agent is at work on. */
async function running(status: 'planning' | 'applying' = 'planning') {
  const organization = newName('org');
  await api.organization(organization);
  const name = newName('ws');
  const workspaceId = await api.workspace(organization, name);
  const { id } = await api.version(workspaceId);
  const run = { id: `run-${id}`, workspaceId, configurationVersionId: id, createdBy: null };
  await api.seedRun({ ...run, status });
  return { organization, name, workspaceId, run };
}

/** An organization with its owners team and the one membership in it. */
async function owned() {
  const organization = newName('org');
  await api.organization(organization);
  const list = async (path: string) => (await admin.get(path).expect(200)).body.data;
  const [owners] = await list(`/organizations/${organization}/teams`);
  const [membership] = await list(`/organizations/${organization}/organization-memberships`);
  return { organization, owners: owners.id as string, membership: membership.id as string };
}

const conflict = (words: unknown) => refusal(409, 'conflict', words);

describe('what a run that is applied stands on', () => {
  it('stays: its organization and its workspace', async () => {
    const { organization, name } = await running('applying');
    const removed = await admin.delete(`/organizations/${organization}`).expect(409);
    expect(removed.body).toEqual(
      conflict('the organization has a run that is being applied: wait for it, or cancel it'),
    );
    const answer = await admin.delete(`/organizations/${organization}/workspaces/${name}`).expect(409);
    expect(answer.body).toEqual(conflict('the workspace has a run that is being applied: wait for it, or cancel it'));
  });

  it('is not discarded with it', async () => {
    const { run } = await running();
    const answer = await admin.post(`/runs/${run.id}/actions/discard`).expect(409);
    expect(answer.body).toEqual(
      refusal(409, 'transition not allowed', expect.stringContaining('could not be discarded')),
    );
  });
});

describe('a workspace that is locked', () => {
  it('is not locked once more', async () => {
    const organization = newName('org');
    await api.organization(organization);
    const lock = `/workspaces/${await api.workspace(organization, newName('ws'))}/actions/lock`;
    await admin.post(lock).expect(200);
    expect((await admin.post(lock).expect(409)).body).toEqual(conflict(expect.stringContaining('lock')));
  });

  it('names who locks it in the words that clients look for', async () => {
    const { workspaceId, run } = await running();
    const act = (action: string, id = workspaceId) => admin.post(`/workspaces/${id}/actions/${action}`).expect(409);
    expect((await act('lock')).body).toEqual(conflict('workspace already locked'));
    for (const action of ['unlock', 'force-unlock']) {
      expect((await act(action)).body).toEqual(conflict(expect.stringContaining(`is locked by Run ${run.id}`)));
    }
    const { attributes, relationships } = (await admin.get(`/workspaces/${workspaceId}`).expect(200)).body.data;
    expect(attributes).toMatchObject({ locked: true, 'locked-reason': null });
    expect(relationships['locked-by']).toEqual({ data: { id: run.id, type: 'runs' } });
    await admin.post(`/runs/${run.id}/actions/cancel`).expect(202);
    expect((await act('unlock')).body).toEqual(conflict('workspace already unlocked'));
  });
});

describe('a safe deletion of a workspace', () => {
  it('is refused while it is locked, in the words that clients look for, by id and by name', async () => {
    const { organization, name, workspaceId, run } = await running();
    const paths = [`/workspaces/${workspaceId}`, `/organizations/${organization}/workspaces/${name}`];
    const locked = 'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted';
    for (const path of paths) {
      expect((await admin.post(`${path}/actions/safe-delete`).expect(409)).body).toEqual(conflict(locked));
    }
    await admin.post(`/runs/${run.id}/actions/cancel`).expect(202);
    const answer = await admin.post(`${paths[1]}/actions/safe-delete`).expect(204);
    expect(answer.text).toBe('');
    await admin.get(`/workspaces/${workspaceId}`).expect(404);
    await admin.post(`${paths[0]}/actions/safe-delete`).expect(404);
  });

  it.each(['', '/api/v2'] as const)('is a deletion where there is nothing to lose, at "%s"', async (mount) => {
    const organization = newName('org');
    await api.organization(organization);
    for (const by of ['id', 'name'] as const) {
      const name = newName('ws');
      const id = await api.workspace(organization, name);
      const path = by === 'id' ? `/workspaces/${id}` : `/organizations/${organization}/workspaces/${name}`;
      await admin.at(mount).post(`${path}/actions/safe-delete`).expect(204);
      await admin.get(`/workspaces/${id}`).expect(404);
    }
  });
});

describe('the owners of an organization', () => {
  it('keep an active member', async () => {
    const { organization, owners, membership } = await owned();
    const words = conflict(`the owners team of ${organization} must have at least one active member`);
    const attempts = {
      membership: () => admin.delete(`/organization-memberships/${membership}`),
      'team member': () =>
        admin.delete(`/teams/${owners}/relationships/organization-memberships`, {
          data: [{ id: membership, type: 'organization-memberships' }],
        }),
      'by user name': () =>
        admin.delete(`/teams/${owners}/relationships/users`, { data: [{ id: 'admin', type: 'users' }] }),
      user: () => admin.delete(`/admin/users/${admin.id}`),
      'user, suspended': () => admin.post(`/admin/users/${admin.id}/actions/suspend`),
    };
    for (const [attempt, send] of Object.entries(attempts)) {
      const { status, body } = await send();
      expect([attempt, status]).toEqual([attempt, 409]);
      if (!attempt.startsWith('user')) expect(body).toEqual(words);
    }
  });

  it('are a team whose name stays', async () => {
    const { owners } = await owned();
    const answer = await admin.patch(`/teams/${owners}`, doc('teams', { name: 'others' })).expect(409);
    expect(answer.body.errors[0].title).toBe('conflict');
  });
});
