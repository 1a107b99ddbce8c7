import { expect, it } from '@jest/globals';
import type { Place } from '../../src/application/index.js';
import { actingFor } from '../../src/domain/authorization/actor.js';
import {
  type Grant,
  type ProjectGrant,
  type Team,
  type TeamStanding,
  teamInQuestion,
  type Workspace,
} from '../../src/domain/index.js';
import { defaultProjectId } from '../../src/domain/supporting/projects/project.js';
import { aCustomGrant, aMembership, giveGrant, giveProjectGrant, noon } from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

const held = (team: Team, given: { grant?: Grant; projectGrant?: ProjectGrant } = {}): TeamStanding => ({
  teamId: team.id,
  owners: team.owners,
  access: team.access,
  ...given,
});

const named = (...teams: readonly Team[]) =>
  new Map(teams.map((team) => [team.id, { ...teamInQuestion(team), name: team.name }]));

onEveryBackend('what a user or a team has on a workspace', (on) => {
  const aPlace = async () => {
    const organization = await on.organization();
    const [user, workspace] = [await on.member(organization), await on.workspace(organization)];
    const find = (kind: 'user' | 'team', id: string, workspaceId = workspace.id) =>
      on.read((tx) => tx.teamAccess.holder({ kind, id }, workspaceId));
    return { organization, user, workspace, find };
  };

  it('is the name, the project, and for a user every team of the organization with its grants', async () => {
    const { organization, user, workspace, find } = await aPlace();
    const elsewhere = await on.organization();
    const [granted, bare] = [
      await on.team(organization, { visibility: 'organization', membersManageToken: false }, [user]),
      await on.team(organization, { access: new Set(['manage-policies']) }, [user]),
    ];
    await on.team(organization);
    await on.membership(elsewhere, user);
    await on.team(elsewhere, { owners: true }, [user]);
    const [grant, projectGrant] = [aCustomGrant({ runs: 'plan' }), { access: 'write' } as const];
    await on.grant(granted, workspace, grant);
    await on.run((tx) => giveProjectGrant(tx, granted.id, workspace.projectId, projectGrant));
    const found = await find('user', user.id);
    expect(found?.subject).toEqual({
      name: user.username,
      invited: false,
      projectId: defaultProjectId(organization.id),
      teams: named(granted, bare),
    });
    const { teams = [], ...standing } = found?.standing ?? {};
    expect(standing).toEqual({ actor: 'user', siteAdministrator: false, member: true });
    expect(new Map(teams.map((team) => [team.teamId, team]))).toEqual(
      new Map([
        [granted.id, held(granted, { grant, projectGrant })],
        [bare.id, held(bare)],
      ]),
    );
    const seen = await on.read((tx) => tx.workspaces.findFor(actingFor({ kind: 'user', id: user.id }), workspace.id));
    const byId = (all: readonly TeamStanding[] = []) => all.toSorted((a, b) => (a.teamId < b.teamId ? -1 : 1));
    expect(byId(seen?.standing.teams)).toEqual(byId(teams));
  });

  it('is for a team its own name and grants, and nothing of its members', async () => {
    const { organization, user, workspace, find } = await aPlace();
    const team = await on.team(organization, {}, [user]);
    await on.team(organization, { owners: true }, [user]);
    await on.grant(team, workspace, { access: 'admin' });
    expect(await find('team', team.id)).toEqual({
      subject: { name: team.name, invited: false, projectId: workspace.projectId, teams: named(team) },
      standing: {
        actor: 'team',
        siteAdministrator: false,
        member: true,
        teams: [held(team, { grant: { access: 'admin' } })],
      },
    });
  });

  it('is a membership without teams, or nothing while the user is suspended', async () => {
    const { organization, user, find } = await aPlace();
    const standing = { actor: 'user', siteAdministrator: false, member: true, teams: [] };
    expect((await find('user', user.id))?.standing).toEqual(standing);
    await on.team(organization, { owners: true }, [user]);
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await find('user', user.id)).toMatchObject({
      subject: { name: user.username, teams: new Map() },
      standing: { ...standing, member: false },
    });
  });

  it('of an open invitation is the one that it will give, under the invited address', async () => {
    const { organization, workspace, find } = await aPlace();
    const [team, invited] = [await on.team(organization), await on.user()];
    await on.run(async (tx) => {
      await tx.memberships.add(aMembership(organization, invited, { invitedEmail: invited.email }));
      await tx.teams.addMembers(team, [invited.id]);
      await giveGrant(tx, team.id, workspace.id, { access: 'read' });
    });
    expect(await find('user', invited.id)).toMatchObject({
      subject: { name: invited.email, invited: true },
      standing: { member: true, teams: [{ teamId: team.id, grant: { access: 'read' } }] },
    });
  });

  it('is missing for those who do not belong to the organization, and where there is no workspace', async () => {
    const { organization, user, workspace, find } = await aPlace();
    const elsewhere = await on.organization();
    const [team, foreign] = [await on.team(organization), await on.team(elsewhere)];
    const stranger = await on.member(elsewhere);
    expect(await find('user', stranger.id)).toBeUndefined();
    expect(await find('user', 'user-nothing')).toBeUndefined();
    expect(await find('user', team.id)).toBeUndefined();
    expect(await find('team', foreign.id)).toBeUndefined();
    expect(await find('team', user.id)).toBeUndefined();
    expect(await find('user', user.id, 'ws-nothing')).toBeUndefined();
    await on.run((tx) => tx.teams.remove(team.id, noon));
    expect(await find('team', team.id)).toBeUndefined();
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await find('user', user.id)).toBeUndefined();
  });

  it('is for all teams of an organization what each has in a place, and lists the people of some of them', async () => {
    const { organization, user, workspace } = await aPlace();
    const [both, none, gone] = [
      await on.team(organization, { name: 'a' }, [user]),
      await on.team(organization, { name: 'b' }),
      await on.team(organization),
    ];
    const [grant, projectGrant] = [aCustomGrant({ runs: 'plan' }), { access: 'write' } as const];
    await on.grant(both, workspace, grant);
    await on.run((tx) => giveProjectGrant(tx, both.id, workspace.projectId, projectGrant));
    await on.run((tx) => tx.teams.remove(gone.id, noon));
    const organizationId = organization.id;
    const teamsAt = async (place: object, among?: 'with access') => {
      const found = await on.read((tx) => tx.accessHolders.teamsAt({ organizationId, ...place }, among));
      return found.map(({ name, standing }) => [name, standing]);
    };
    expect(await teamsAt({ on: { workspaceId: workspace.id } })).toEqual([
      ['a', held(both, { grant, projectGrant })],
      ['b', held(none)],
    ]);
    const { projectId } = workspace;
    expect(await teamsAt({ on: { projectId } })).toEqual([
      ['a', { ...held(both, { projectGrant }), inProject: true }],
      ['b', held(none)],
    ]);
    expect(await teamsAt({})).toEqual([
      ['a', held(both)],
      ['b', held(none)],
    ]);
    const permitted = await on.team(organization, { name: 'c', access: new Set(['manage-workspaces']) });
    const withAccess = async (place: object) => (await teamsAt(place, 'with access')).map(([name]) => name);
    expect(await withAccess({ on: { workspaceId: workspace.id } })).toEqual(['a', permitted.name]);
    expect(await withAccess({ on: { projectId } })).toEqual(['a', permitted.name]);
    expect(await withAccess({})).toEqual([permitted.name]);
    const elsewhere = await on.team(await on.organization());
    const among = [none.id, elsewhere.id];
    const some = await on.read((tx) => tx.accessHolders.teamsAt({ organizationId }, among));
    expect(some.map(({ name }) => name)).toEqual(['b']);

    const other = await on.member(organization);
    await on.run((tx) => tx.teams.addMembers(none, [other.id, user.id]));
    await on.run((tx) => tx.teams.addMembers(none, []));
    await on.member(organization, { suspended: true });
    const people = async (...alternatives: readonly (readonly (readonly string[])[])[]) => {
      const found = await on.read((tx) =>
        tx.accessHolders.people(organizationId, alternatives, { number: 1, size: 20 }),
      );
      expect(found.total).toBe(found.items.length);
      return found.items.map(({ userId }) => userId).sort();
    };
    expect(await people()).toEqual([]);
    expect(await people([])).toEqual([other.id, user.id].sort());
    expect(await people([[both.id]])).toEqual([user.id]);
    expect(await people([[both.id], [none.id]])).toEqual([user.id]);
    expect(await people([[both.id]], [[none.id]])).toEqual([other.id, user.id].sort());
    const { items } = await on.read((tx) =>
      tx.accessHolders.people(organizationId, [[[both.id]]], { number: 1, size: 1 }),
    );
    expect(items).toEqual([
      { userId: user.id, name: user.username, invited: false, teamIds: expect.arrayContaining([both.id, none.id]) },
    ]);
  });

  it('is for a report each person with their teams, and each grant of a team that is in force, slice by slice', async () => {
    const { organization, user, workspace } = await aPlace();
    const other = await on.member(organization);
    await on.member(organization, { suspended: true });
    const [team, gone] = [
      await on.team(organization, { access: new Set(['manage-policies']) }, [user]),
      await on.team(organization, {}, [user]),
    ];
    await on.run((tx) => tx.teams.remove(gone.id, noon));
    const people = (after: Place | undefined, limit: number) =>
      on.read((tx) => tx.accessHolders.peopleAfter(organization.id, after, limit));
    const all = (await people(undefined, 3)).items;
    expect(all.map(({ userId }) => userId).sort()).toEqual([other.id, user.id].sort());
    expect(all.find(({ userId }) => userId === user.id)).toEqual({
      userId: user.id,
      name: user.username,
      invited: false,
      since: noon,
      teams: [
        {
          teamId: team.id,
          name: team.name,
          owners: false,
          access: team.access,
          joinedAt: expect.any(String),
          accessChangedAt: expect.any(String),
        },
      ],
    });
    const first = await people(undefined, 1);
    const second = await people(first.last, 1);
    expect([...first.items, ...second.items]).toEqual(all);
    expect(await people(second.last, 1)).toEqual({ items: [], last: undefined });

    const workspaces = [workspace, await on.workspace(organization), await on.workspace(organization)];
    const [ending, fallsBack, endless] = workspaces.sort((a, b) => (a.id < b.id ? -1 : 1)) as [
      Workspace,
      Workspace,
      Workspace,
    ];
    const deleted = await on.workspace(organization);
    const at = '2030-01-01T00:00:00.000Z';
    const [read, write] = [{ access: 'read' }, { access: 'write' }] as const;
    await on.run(async (tx) => {
      await giveGrant(tx, team.id, ending.id, { ...write, ends: { at, fallback: null } });
      await giveGrant(tx, team.id, fallsBack.id, { ...write, ends: { at, fallback: read } });
      await giveGrant(tx, team.id, endless.id, read);
      await giveGrant(tx, team.id, deleted.id, read);
      await tx.workspaces.remove(deleted.id, noon);
      await giveProjectGrant(tx, team.id, workspace.projectId, { access: 'maintain' });
    });
    const grants = (now: string, after: string | undefined, limit: number) =>
      on.read((tx) => tx.accessHolders.workspaceGrants(team.id, now, after, limit));
    const since = expect.any(String);
    const place = ({ id, name }: Workspace) => ({ placeId: id, placeName: name });
    expect(await grants(at, undefined, 4)).toEqual({
      items: [
        { ...place(fallsBack), grant: read, since: at },
        { ...place(endless), grant: read, since },
      ],
      last: undefined,
    });
    expect(await grants('2029-12-31T00:00:00.000Z', undefined, 1)).toEqual({
      items: [{ ...place(ending), grant: { access: 'write', ends: { at, fallback: null } }, since }],
      last: ending.id,
    });
    expect(await grants(at, ending.id, 1)).toMatchObject({ items: [place(fallsBack)], last: fallsBack.id });
    const inProjects = await on.read((tx) => tx.accessHolders.projectGrants(team.id, at, undefined, 10));
    expect(inProjects.items).toMatchObject([{ placeId: workspace.projectId, grant: { access: 'maintain' } }]);
    expect(await on.read((tx) => tx.accessHolders.now())).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});
