import { expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import type { Grant, Organization, Team, TeamVisibility, Workspace } from '../../src/domain/index.js';
import { aCustomGrant, asOrganization, asTeam, asUser, noon, unique } from '../support/builders.js';
import { onEveryBackend, refusal } from './on-every-backend.js';

onEveryBackend('team access', (on) => {
  const add = async (team: Team, workspace: Workspace, grant: Grant = { access: 'read' }) => {
    const row = { id: unique('tws'), teamId: team.id, workspaceId: workspace.id, grant, revision: 0 };
    await on.run((tx) => tx.teamAccess.add(row));
    return row;
  };

  const page = async (
    workspaceId: string,
    visibility: TeamVisibility = 'all',
    teamId?: string,
    request?: { readonly number: number; readonly size: number },
  ) => {
    const found = await on.read((tx) => tx.teamAccess.page({ workspaceId, visibility, teamId }, request));
    return { ...found, items: found.items.map(({ id }) => id) };
  };

  const seen = (team: Team, id: string) => on.read((tx) => tx.teamAccess.findFor(asTeam(team), id));

  it('gives back a row as it was added, with the names of where it is', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const grants: Grant[] = [{ access: 'admin' }, aCustomGrant({ runs: 'plan', stateVersions: 'read-outputs' })];
    for (const grant of grants) {
      const row = await add(team, workspace, grant);
      expect((await seen(team, row.id))?.subject).toEqual({
        ...row,
        organizationName: organization.name,
        workspaceName: workspace.name,
      });
      await on.run((tx) => tx.teamAccess.remove(row.id));
    }
    expect(await seen(team, 'tws-nobody')).toBeUndefined();
  });

  it('has one row for a team on a workspace', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    await add(team, workspace);
    const taken = refusal('attribute/taken', {
      details: { attribute: 'team' },
      message: 'Team has already been taken',
    });
    await expect(add(team, workspace, { access: 'admin' })).rejects.toEqual(taken);
    await add(team, await on.workspace(organization));
    await add(await on.team(organization), workspace);
  });

  it('keeps a change, and refuses one of what moved on', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const row = await add(team, workspace);
    const next = { ...row, grant: aCustomGrant({ runs: 'apply', runTasks: true }), revision: 1 };
    await on.run((tx) => tx.teamAccess.save(next));
    expect((await seen(team, row.id))?.subject).toMatchObject(next);
    const stale = on.run((tx) => tx.teamAccess.save({ ...row, grant: { access: 'admin' }, revision: 1 }));
    await expect(stale).rejects.toEqual(refusal('shared/stale-revision'));
    const back = { ...next, grant: { access: 'plan' } as const, revision: 2 };
    await on.run((tx) => tx.teamAccess.save(back));
    expect((await seen(team, row.id))?.subject.grant).toEqual({ access: 'plan' });
  });

  it('removes a row once', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const { id } = await add(team, workspace);
    expect(await on.run((tx) => tx.teamAccess.remove(id))).toBe(true);
    expect(await on.run((tx) => tx.teamAccess.remove(id))).toBe(false);
    expect(await seen(team, id)).toBeUndefined();
  });

  it('is found with what the caller holds on the workspace, and the team in question', async () => {
    const organization = await on.organization();
    const [user, outsider] = [await on.member(organization), await on.user()];
    const own = await on.team(organization, { access: new Set(['manage-teams']) }, [user]);
    const other = await on.team(organization, { membersManageToken: false, access: new Set(['read-workspaces']) });
    const workspace = await on.workspace(organization);
    await on.grant(own, workspace, { access: 'admin' });
    const { id } = await add(other, workspace, { access: 'plan' });
    const team = {
      teamId: other.id,
      owners: false,
      secret: true,
      membersManageToken: false,
      access: new Set(['read-workspaces']),
    };
    const standing = async (actor: Parameters<typeof asUser>[0]) =>
      (await on.read((tx) => tx.teamAccess.findFor(asUser(actor), id)))?.standing;
    const holding = { teamId: own.id, owners: false, access: own.access, grant: { access: 'admin' } };
    expect(await standing(user)).toMatchObject({ member: true, teams: [holding], team });
    expect(await standing(outsider)).toMatchObject({ member: false, teams: [], team });
    const itself = await seen(other, id);
    expect(itself?.standing).toMatchObject({ teams: [{ teamId: other.id, grant: { access: 'plan' } }], team });
    const token = await on.read((tx) => tx.teamAccess.findFor(asOrganization(organization), id));
    expect(token?.standing).toMatchObject({ actor: 'organization', member: true, teams: [], team });
  });

  it('lists the rows of a workspace by team name, whole or in pages, as far as they are visible', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const named = (name: string, visibility: Team['visibility']) => on.team(organization, { name, visibility });
    const c = await named('c', 'organization');
    const b = await named('B', 'secret');
    const a = await named('a', 'secret');
    const rows = { c: (await add(c, workspace)).id, b: (await add(b, workspace)).id, a: (await add(a, workspace)).id };
    await add(a, await on.workspace(organization));

    const { a: first, b: second, c: third } = rows;
    expect(await page(workspace.id)).toMatchObject({ number: 1, total: 3, items: [first, second, third] });
    const two = { number: 1, size: 2 };
    expect(await page(workspace.id, 'all', undefined, two)).toEqual({ ...two, total: 3, items: [first, second] });
    const rest = { number: 2, size: 2 };
    expect(await page(workspace.id, 'all', undefined, rest)).toEqual({ ...rest, total: 3, items: [third] });
    for (const request of [undefined, { number: 1, size: 20 }]) {
      const items = async (visibility: TeamVisibility, teamId?: string) => {
        const found = await page(workspace.id, visibility, teamId, request);
        expect(found.total).toBe(found.items.length);
        return found.items;
      };
      expect(await items({ visibleAnd: [] })).toEqual([third]);
      expect(await items({ visibleAnd: [b.id, c.id] })).toEqual([second, third]);
      expect(await items('all', b.id)).toEqual([second]);
      expect(await items({ visibleAnd: [] }, b.id)).toEqual([]);
      expect(await items({ visibleAnd: [] }, 'team-nobody')).toEqual([]);
    }
    expect(await page('ws-nobody')).toMatchObject({ total: 0, items: [] });
  });

  type Place = { readonly organization: Organization; readonly team: Team; readonly workspace: Workspace };
  const removals: readonly ((tx: Transaction, of: Place) => Promise<void>)[] = [
    (tx, { team }) => tx.teams.remove(team.id, noon),
    (tx, { workspace }) => tx.workspaces.remove(workspace.id, noon),
    (tx, { organization }) => tx.organizations.remove(organization.id, noon),
  ];

  it('is hidden with its team, its workspace and its organization', async () => {
    for (const remove of removals) {
      const organization = await on.organization();
      const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
      const { id } = await add(team, workspace);
      await on.run((tx) => remove(tx, { organization, team, workspace }));
      expect(await seen(team, id)).toBeUndefined();
      const asToken = await on.read((tx) => tx.teamAccess.findFor(asOrganization(organization), id));
      expect(asToken).toBeUndefined();
      expect(await page(workspace.id)).toMatchObject({ total: 0, items: [] });
      expect(await page(workspace.id, 'all', team.id, { number: 1, size: 5 })).toMatchObject({ total: 0, items: [] });
    }
  });
});
