import { expect, it } from '@jest/globals';
import type { Standing, WorkspaceVisibility } from '../../src/domain/index.js';
import { aMembership, noon, unique } from '../support/builders.js';
import { anAgentPool } from '../support/policy-builders.js';
import { onEveryBackend } from './on-every-backend.js';

const nobody: Standing = { actor: 'user', siteAdministrator: false, member: false, teams: [] };

onEveryBackend('related resources', (on) => {
  it('are the existing ones of some ids', async () => {
    const organization = await on.organization();
    const [here, gone] = [await on.workspace(organization), await on.workspace(organization)];
    const runs: string[] = [];
    const versions: string[] = [];
    for (const { id: workspaceId } of [here, gone]) {
      const { state } = await on.version({ id: workspaceId });
      const id = unique('run');
      await on.seedRun({ id, workspaceId, configurationVersionId: state.id, status: 'applied' });
      runs.push(id);
      versions.push(state.id);
    }
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    const of = [...runs, 'run-none'];
    expect(ids(await on.read((tx) => tx.runs.among(of)))).toEqual(runs.slice(0, 1));
    expect(ids(await on.read((tx) => tx.configurationVersions.among([...versions, 'cv-none'])))).toEqual([versions[0]]);
    expect(await on.read((tx) => tx.workspaces.among([here.id, gone.id, 'ws-none']))).toEqual([here]);
    for (const none of [
      await on.read((tx) => tx.runs.among([])),
      await on.read((tx) => tx.configurationVersions.among([])),
      await on.read((tx) => tx.workspaces.among([])),
    ]) {
      expect(none).toEqual([]);
    }
  });

  it('are workspaces that may be seen, with the standing on each', async () => {
    const organization = await on.organization();
    const [pool, unused] = [anAgentPool(organization), anAgentPool(organization)];
    for (const one of [pool, unused]) await on.run((tx) => tx.agentPools.add(one));
    const naming = { executionMode: 'agent', agentPoolId: pool.id } as const;
    const [b, a] = [
      await on.workspace(organization, { name: 'b', ...naming }),
      await on.workspace(organization, { name: 'A', ...naming }),
    ];
    const other = await on.workspace(organization, { name: 'c', executionMode: 'local' });
    const following = await on.workspace(organization, { name: 'd', executionMode: null });
    const foreign = await on.workspace(await on.organization());
    const team = await on.team(organization);
    await on.grant(team, b, { access: 'write' });
    const standing: Standing = {
      ...nobody,
      member: true,
      teams: [{ teamId: team.id, owners: false, access: new Set() }],
    };
    const among = async (visibility: WorkspaceVisibility) => {
      const ids = [a.id, b.id, foreign.id, 'ws-none'];
      return on.read((tx) => tx.workspaces.visibleWithStanding(organization.id, standing, visibility, ids));
    };
    const all = await among('all');
    expect(all.map(({ subject }) => subject)).toEqual([a, b]);
    expect(all.map((seen) => seen.standing.teams[0]?.grant?.access)).toEqual([undefined, 'write']);
    expect((await among({ throughTeams: [team.id] })).map(({ subject }) => subject.name)).toEqual(['b']);
    expect(await among({ throughTeams: [] })).toEqual([]);
    const using = async (visibility: WorkspaceVisibility, ...ids: string[]) =>
      (await on.read((tx) => tx.workspaces.using(organization.id, standing, visibility, ids))).map(
        ({ subject }) => subject.name,
      );
    expect(await using('all', pool.id, unused.id)).toEqual(['A', 'b']);
    expect(await using({ throughTeams: [team.id] }, pool.id)).toEqual(['b']);
    expect(await using('all', unused.id)).toEqual([]);
    expect(await using('all')).toEqual([]);
    await on.run((tx) =>
      tx.organizations.setDefaults(organization.id, { executionMode: 'agent', agentPoolId: unused.id }),
    );
    expect(await using('all', unused.id)).toEqual([following.name]);
    expect(await using('all', pool.id)).toEqual(['A', 'b']);
    expect(await using('all', unused.id, pool.id)).not.toContain(other.name);
  });

  it('are members as a list shows them', async () => {
    const organization = await on.organization();
    const elsewhere = await on.organization();
    const [bert, anna] = [
      await on.member(organization, { username: unique('bert') }),
      await on.member(organization, { username: unique('Anna') }),
    ];
    const outsider = await on.member(elsewhere, {});
    const known = await on.user();
    await on.run((tx) =>
      tx.memberships.add({ ...aMembership(organization, known), invitedEmail: 'a-address@example.com' }),
    );
    const team = await on.team(organization, {}, [anna]);
    const ids = [bert.id, anna.id, outsider.id, known.id, 'user-none'];
    const found = await on.read((tx) => tx.memberships.ofUsers(organization.id, ids));
    const listed = await on.read((tx) => tx.memberships.page(organization.id, { number: 1, size: 10 }));
    expect(found).toEqual(listed.items);
    expect(found.map(({ userId }) => userId)).toEqual([known.id, anna.id, bert.id]);
    expect(found[0]?.user).toEqual({ id: known.id, username: null, email: 'a-address@example.com' });
    expect(found[1]?.teams.map(({ id }) => id)).toEqual([team.id]);
    expect(await on.read((tx) => tx.memberships.ofUsers(organization.id, []))).toEqual([]);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await on.read((tx) => tx.memberships.ofUsers(organization.id, ids))).toEqual([]);
  });
});
