import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Ending, Grant, Organization, ProjectGrant, Team, Workspace } from '../../src/domain/index.js';
import { asOrganization, asTeam, aTeamProject, aTeamWorkspace, aWorkspace } from '../support/builders.js';
import { anAgentPool } from '../support/policy-builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const past = '2020-01-01T00:00:00.000Z';
const future = '2999-01-01T00:00:00.000Z';
const page = { number: 1, size: 20 };

const ending = <Given>(at: string, fallback: Given | null): { readonly ends: Ending<Given> } => ({
  ends: { at, fallback },
});

onEveryBackend('temporary access', (on: Ground) => {
  let organization: Organization;
  let workspace: Workspace;

  beforeAll(async () => {
    organization = await on.organization();
    workspace = await on.workspace(organization);
  });

  const give = async (grant: Grant & { readonly ends?: Ending<Grant> }, to = workspace, given?: Team) => {
    const team = given ?? (await on.team(organization));
    const row = aTeamWorkspace(team.id, to.id, { grant });
    await on.run((tx) => tx.teamAccess.add(row));
    return { team, actor: asTeam(team), row: row.state };
  };

  const giveProject = async (grant: ProjectGrant & { readonly ends?: Ending<ProjectGrant> }) => {
    const team = await on.team(organization);
    const row = aTeamProject(team.id, workspace.projectId, { grant });
    await on.run((tx) => tx.projectAccess.add(row));
    return { team, actor: asTeam(team), row: row.state };
  };

  /** The grant of a team wherever its standing is read, and the workspaces and projects of its lists. */
  const seen = ({ team, actor }: { readonly team: Team; readonly actor: ReturnType<typeof asTeam> }) =>
    on.read(async (tx) => {
      const visibility = { throughTeams: [team.id] };
      const own = await tx.organizations.findFor(actor, organization.name);
      const standing = own?.standing ?? { actor: 'team', siteAdministrator: false, member: true, teams: [] };
      const alone = await tx.workspaces.findIdFor(actor, workspace.id);
      const listed = await tx.workspaces.page(organization.id, standing, visibility, page);
      const among = await tx.workspaces.visibleWithStanding(organization.id, standing, visibility, [workspace.id]);
      const projects = await tx.projects.page(organization.id, standing, visibility, page);
      const project = await tx.projects.findFor(actor, workspace.projectId);
      const [first] = alone?.standing.teams ?? [];
      const [again] = among[0]?.standing.teams ?? [];
      expect([again?.grant, again?.projectGrant]).toEqual(
        among.length === 0 ? [undefined, undefined] : [first?.grant, first?.projectGrant],
      );
      return {
        grant: first?.grant,
        projectGrant: first?.projectGrant,
        listed: listed.items.length,
        total: listed.total,
        projects: projects.items.length,
        inProject: project?.standing.teams[0]?.inProject,
      };
    });

  const none = { grant: undefined, projectGrant: undefined, listed: 0, total: 0, projects: 0, inProject: undefined };
  const some = { ...none, listed: 1, total: 1, projects: 1 };

  it('is in force before its end, with the end', async () => {
    const grant = { access: 'write', ...ending<Grant>(future, { access: 'read' }) } as const;
    const given = await give(grant);
    expect(await seen(given)).toEqual({ ...some, grant, inProject: true });
    const projectGrant = { access: 'maintain', ...ending<ProjectGrant>(future, null) } as const;
    expect(await seen(await giveProject(projectGrant))).toEqual({ ...some, projectGrant });
  });

  it('is nothing after its end, or what it falls back to', async () => {
    expect(await seen(await give({ access: 'admin', ...ending<Grant>(past, null) }))).toEqual(none);
    const fallback = { access: 'plan' } as const;
    const left = await give({ access: 'admin', ...ending<Grant>(past, fallback) });
    expect(await seen(left)).toEqual({ ...some, grant: fallback, inProject: true });
    expect(await seen(await giveProject({ access: 'admin', ...ending<ProjectGrant>(past, null) }))).toEqual(none);
    const inProject = await giveProject({ access: 'admin', ...ending<ProjectGrant>(past, { access: 'write' }) });
    expect(await seen(inProject)).toEqual({ ...some, projectGrant: { access: 'write' } });
  });

  it('is listed and found as it is in force, and as it is stored where its end is recorded', async () => {
    const to = await on.workspace(organization);
    const gone = await give({ access: 'admin', ...ending<Grant>(past, null) }, to);
    const left = await give({ access: 'admin', ...ending<Grant>(past, { access: 'plan' }) }, to);
    const soon = await give({ access: 'read', ...ending<Grant>('2900-01-01T00:00:00.000Z', null) }, to);
    const later = await give({ access: 'read', ...ending<Grant>(future, null) }, to);
    await give({ access: 'read' }, to);
    const filter = { workspaceId: to.id, teamId: undefined, visibility: 'all' } as const;
    const ids = async (more: object = {}) => {
      const { total, items } = await on.read((tx) => tx.teamAccess.page({ ...filter, ...more }, page));
      const slice = await on.read((tx) => tx.teamAccess.slice({ ...filter, ...more }, undefined, 10));
      expect(slice.items).toEqual(items);
      expect(total).toBe(items.length);
      return items.map(({ teamWorkspace }) => teamWorkspace.id);
    };
    expect(await ids()).toHaveLength(4);
    expect(await ids({ endsBy: '2900-01-01T00:00:00.000Z' })).toEqual([soon.row.id]);
    expect(new Set(await ids({ endsBy: future }))).toEqual(new Set([soon.row.id, later.row.id]));
    const actor = asOrganization(organization);
    const found = (id: string) => on.read((tx) => tx.teamAccess.findFor(actor, id));
    expect(await found(gone.row.id)).toBeUndefined();
    expect((await found(left.row.id))?.subject).toMatchObject({
      teamWorkspace: { grant: { access: 'plan' } },
      isDue: true,
    });
    expect((await found(soon.row.id))?.subject.isDue).toBeUndefined();

    const due = await on.read((tx) => tx.teamAccess.due(100));
    expect(due).toEqual(expect.arrayContaining([gone.row.id, left.row.id]));
    expect(due).not.toContain(soon.row.id);
    expect(await on.read((tx) => tx.teamAccess.due(1))).toHaveLength(1);
    const stored = await on.run((tx) => tx.teamAccess.findDue({ id: left.row.id }));
    expect(stored?.state).toEqual(left.row);
    const byPlace = await on.run((tx) => tx.teamAccess.findDue({ teamId: gone.team.id, workspaceId: to.id }));
    expect(byPlace?.state).toEqual(gone.row);
    expect(await on.run((tx) => tx.teamAccess.findDue({ id: soon.row.id }))).toBeUndefined();
  });

  it('to a project is listed and found so too', async () => {
    const gone = await giveProject({ access: 'admin', ...ending<ProjectGrant>(past, null) });
    const soon = await giveProject({ access: 'read', ...ending<ProjectGrant>('2900-01-01T00:00:00.000Z', null) });
    const { projectId } = workspace;
    const listed = async (endsBy?: string) => {
      const found = await on.read((tx) =>
        tx.projectAccess.page({ projectId, visibility: 'all', endsBy }, { number: 1, size: 100 }),
      );
      expect(found.total).toBe(found.items.length);
      return found.items.map(({ teamProject }) => teamProject.state.id);
    };
    expect(await listed()).not.toContain(gone.row.id);
    expect(await listed('2900-01-01T00:00:00.000Z')).toEqual([soon.row.id]);
    expect(await on.read((tx) => tx.projectAccess.due(100))).toContain(gone.row.id);
    const { teamId } = gone.row;
    expect((await on.run((tx) => tx.projectAccess.findDue({ teamId, projectId })))?.teamProject.state).toEqual(
      gone.row,
    );
    expect(await on.run((tx) => tx.projectAccess.findDue({ id: soon.row.id }))).toBeUndefined();
  });

  it('does not count for the pool that serves the workspace', async () => {
    const pool = anAgentPool(organization);
    await on.run((tx) => tx.agentPools.add(pool));
    const served = aWorkspace(organization, { executionMode: 'agent', agentPoolId: pool.id });
    await on.run((tx) => tx.workspaces.add(served));
    const elsewhere = async (grant: Parameters<typeof give>[0]) => {
      const { actor } = await give(grant, served);
      return (await on.read((tx) => tx.agentPools.findFor(actor, pool.id)))?.standing.pool?.servingElsewhere;
    };
    expect(await elsewhere({ access: 'admin' })).toBe(false);
    expect(await elsewhere({ access: 'admin', ...ending<Grant>(future, null) })).toBe(true);
    expect(await elsewhere({ access: 'read', ...ending<Grant>(past, { access: 'admin' }) })).toBe(false);
  });
});

describe('the present', () => {
  it('never goes back within a process', async () => {
    const { Present } = await import('../../src/adapters/persistence/knex/engine/present.js');
    let clock = '2030-01-01T00:00:02.000Z';
    const present = new Present(() => clock);
    expect(present.soFar()).toBe(clock);
    clock = '2030-01-01T00:00:01.000Z';
    expect(present.soFar()).toBe('2030-01-01T00:00:02.000Z');
    present.reached('2030-01-01T00:00:03.000Z');
    expect(present.soFar()).toBe('2030-01-01T00:00:03.000Z');
  });
});
