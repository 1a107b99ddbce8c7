import { expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import {
  type Actor,
  type Organization,
  type ProjectAccessVisibility,
  type ProjectGrant,
  type Standing,
  type Team,
  type TeamProject,
  teamInQuestion,
  workspaceVisibility,
} from '../../src/domain/index.js';
import { customProjectDefaults } from '../../src/domain/team-access/project-access-level.js';
import {
  aProject,
  asOrganization,
  asTeam,
  aTeam,
  aTeamProject,
  giveGrant,
  giveProjectGrant,
  noon,
  unbounded,
} from '../support/builders.js';
import { onEveryBackend, refusal, taken } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const page = { number: 1, size: 100 };

const custom: ProjectGrant = {
  access: 'custom',
  permissions: {
    project: { settings: 'update', teams: 'read', variableSets: 'write', create: true, move: false, delete: true },
    workspaces: { ...customProjectDefaults.workspaces, runs: 'plan', workspaceLocking: true },
  },
};

onEveryBackend('access of teams to projects', (on) => {
  const aPlace = async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const team = await on.team(organization);
    return { organization, project, team };
  };
  const add = async (team: Team, projectId: string, grant: ProjectGrant): Promise<TeamProject> => {
    const row = aTeamProject(team.id, projectId, { grant });
    await on.run((tx) => tx.projectAccess.add(row));
    return row;
  };
  const findFor = (actor: Actor, id: string) => on.read((tx) => tx.projectAccess.findFor(actor, id));
  const standingIn = async (organization: Organization, team: Team): Promise<Standing> => {
    const seen = await on.read((tx) => tx.organizations.findFor(asTeam(team), organization.name));
    if (seen === undefined) throw new Error('no organization');
    return seen.standing;
  };

  it('comes back as it was added and saved, with the standing of the caller', async () => {
    const { organization, project, team } = await aPlace();
    const row = await add(team, project.id, custom);
    const seen = await findFor(asTeam(team), row.state.id);
    expect(seen?.subject).toEqual({ teamProject: row, organizationId: organization.id });
    const held = { teamId: team.id, owners: false, access: team.access };
    expect(seen?.standing).toEqual({
      actor: 'team',
      siteAdministrator: false,
      member: true,
      teams: [{ ...held, projectGrant: custom }],
      team: teamInQuestion(team),
    });
    const next = row.change(
      { access: 'maintain', permissions: { project: {}, workspaces: {} }, unnamed: 'default' },
      unbounded,
    );
    await on.run((tx) => tx.projectAccess.save(next));
    expect((await findFor(asTeam(team), row.state.id))?.subject).toEqual({
      teamProject: next,
      organizationId: organization.id,
    });
    await expect(on.run((tx) => tx.projectAccess.save(next))).rejects.toMatchObject(stale);
    expect(await findFor(asTeam(team), 'tprj-nothing')).toBeUndefined();
  });

  it('is one for each team and project', async () => {
    const { project, team } = await aPlace();
    await add(team, project.id, custom);
    await expect(add(team, project.id, { access: 'read' })).rejects.toMatchObject(taken('team'));
  });

  it('is gone with itself, its project, its team and its organization', async () => {
    const removals: readonly ((tx: Transaction, row: TeamProject, of: Organization) => Promise<unknown>)[] = [
      (tx, row) => tx.projectAccess.remove(row),
      (tx, row) => tx.projects.remove(row.state.projectId),
      (tx, row) => tx.teams.remove(row.state.teamId, noon),
      (tx, _, { id }) => tx.organizations.remove(id, noon),
    ];
    for (const remove of removals) {
      const { organization, project, team } = await aPlace();
      const row = await add(team, project.id, { access: 'read' });
      await on.run((tx) => remove(tx, row, organization));
      expect(await findFor(asOrganization(organization), row.state.id)).toBeUndefined();
      expect(
        (await on.read((tx) => tx.projectAccess.page({ projectId: project.id, visibility: 'all' }, page))).total,
      ).toBe(0);
    }
  });

  it('is removed only as it was read', async () => {
    const { organization, project, team } = await aPlace();
    const row = await add(team, project.id, { access: 'read' });
    const next = row.change(
      { access: 'admin', permissions: { project: {}, workspaces: {} }, unnamed: 'default' },
      unbounded,
    );
    await on.run((tx) => tx.projectAccess.save(next));
    await expect(on.run((tx) => tx.projectAccess.remove(row))).rejects.toMatchObject(stale);
    expect((await findFor(asTeam(team), row.state.id))?.subject).toEqual({
      teamProject: next,
      organizationId: organization.id,
    });
    await on.run((tx) => tx.projectAccess.remove(next));
    expect(await findFor(asTeam(team), row.state.id)).toBeUndefined();
    await expect(on.run((tx) => tx.projectAccess.remove(next))).rejects.toMatchObject(stale);
  });

  it('is removed with the rows of its team and of its organization', async () => {
    const { organization, project, team } = await aPlace();
    const other = await on.team(organization);
    for (const one of [team, other]) await add(one, project.id, custom);
    for (const target of [
      { kind: 'team', id: team.id },
      { kind: 'organization', id: organization.id },
    ] as const) {
      expect(await on.run((tx) => tx.removals.removeBatch(target, 100))).toEqual({ bundleKeys: [], finished: true });
    }
    expect(await on.read((tx) => tx.projects.among([project.id]))).toEqual([]);
  });

  it('is listed by team name, as far as the caller may see it', async () => {
    const { organization, project } = await aPlace();
    const teams = [
      await on.team(organization, { name: 'beta', visibility: 'organization' }),
      await on.team(organization, { name: 'Alpha', visibility: 'secret' }),
      await on.team(organization, { name: 'gamma', visibility: 'secret' }),
    ];
    for (const team of teams) await add(team, project.id, { access: 'read' });
    const [beta, alpha, gamma] = teams.map(({ id }) => id);
    const listed = async (visibility: ProjectAccessVisibility, wanted = page) => {
      const { total, items } = await on.read((tx) =>
        tx.projectAccess.page({ projectId: project.id, visibility }, wanted),
      );
      return [total, items.map(({ teamProject }) => teamProject.state.teamId)];
    };
    expect(await listed('all')).toEqual([3, [alpha, beta, gamma]]);
    expect(await listed('all', { number: 2, size: 2 })).toEqual([3, [gamma]]);
    expect(await listed({ own: [gamma ?? ''], visible: true })).toEqual([2, [beta, gamma]]);
    expect(await listed({ own: [gamma ?? ''], visible: false })).toEqual([1, [gamma]]);
    expect(await listed({ own: [], visible: false })).toEqual([0, []]);
  });

  it('is in the standing on the project, on its workspaces, and on what they hold', async () => {
    const { organization, project, team } = await aPlace();
    const workspace = await on.workspace(organization, { projectId: project.id });
    const outside = await on.workspace(organization);
    const version = await on.version(workspace);
    await on.run((tx) => giveProjectGrant(tx, team.id, project.id, custom));
    await on.run((tx) => giveGrant(tx, team.id, workspace.id, { access: 'plan' }));
    const actor = asTeam(team);
    const standing = await standingIn(organization, team);
    const held = { teamId: team.id, owners: false, access: team.access };
    const both = { ...held, grant: { access: 'plan' }, projectGrant: custom };
    const found = await on.read(async (tx) => ({
      project: (await tx.projects.findFor(actor, project.id))?.standing.teams,
      byId: (await tx.workspaces.findFor(actor, workspace.id))?.standing.teams,
      byName: (await tx.workspaces.findByNameFor(actor, organization.name, workspace.name))?.standing.teams,
      version: (await tx.configurationVersions.findFor(actor, version.state.id))?.standing.teams,
      outside: (await tx.workspaces.findFor(actor, outside.id))?.standing.teams,
      listed: (await tx.workspaces.page(organization.id, standing, 'all', page)).items.map(({ subject, standing }) => [
        subject.id,
        standing.teams,
      ]),
      projects: (await tx.projects.page(organization.id, standing, 'all', page, { names: [project.name] })).items.map(
        (one) => one.standing.teams,
      ),
    }));
    expect(found).toEqual({
      project: [{ ...held, projectGrant: custom, inProject: true }],
      byId: [both],
      byName: [both],
      version: [both],
      outside: [held],
      listed: expect.arrayContaining([
        [workspace.id, [both]],
        [outside.id, [held]],
      ]),
      projects: [[{ ...held, projectGrant: custom }]],
    });
  });

  it('lets lists hold the project and its workspaces', async () => {
    const { organization, project, team } = await aPlace();
    const workspace = await on.workspace(organization, { projectId: project.id });
    await on.workspace(organization);
    await on.run((tx) => giveProjectGrant(tx, team.id, project.id, { access: 'read' }));
    const standing = await standingIn(organization, team);
    const visibility = workspaceVisibility(standing);
    const ids = async (
      work: (tx: Transaction) => Promise<{ readonly items: readonly { subject: { id: string } }[] }>,
    ) => (await on.read(work)).items.map(({ subject }) => subject.id);
    expect(await ids((tx) => tx.workspaces.page(organization.id, standing, visibility, page))).toEqual([workspace.id]);
    expect(await ids((tx) => tx.projects.page(organization.id, standing, visibility, page))).toEqual([project.id]);
    const other = aTeam(organization);
    expect(await ids((tx) => tx.projects.page(organization.id, standing, { throughTeams: [other.id] }, page))).toEqual(
      [],
    );
    const among = await on.read((tx) => tx.workspaces.visibleAmong(organization.id, [workspace.id], visibility));
    expect(among).toEqual([workspace.id]);
  });
});
