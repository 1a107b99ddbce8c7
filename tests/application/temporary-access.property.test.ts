import { describe, expect, it } from '@jest/globals';
import {
  type AccessLevel,
  type Actor,
  accessLevels,
  isDomainError,
  later,
  type ProjectAccessLevel,
  projectAccessLevels,
  type Team,
  type TeamProjectState,
  type TeamWorkspaceState,
  type Workspace,
} from '../../src/domain/index.js';
import { includesGrant } from '../../src/domain/team-access/access-level.js';
import { includesProjectGrant } from '../../src/domain/team-access/project-access-level.js';
import { type Member, World } from '../support/application.js';
import { fc, runs } from '../support/properties.js';

const page = { number: 1, size: 100 };
const hour = 3_600;
const nothing = { project: {}, workspaces: {} };

interface Ground {
  readonly world: World;
  readonly teams: readonly Team[];
  readonly members: readonly Member[];
  readonly workspaces: readonly Workspace[];
  readonly projects: readonly string[];
}

/** Three teams with a member each, and a workspace in each of two projects. */
async function aGround(): Promise<Ground> {
  const world = await World.create();
  const { useCases, owner } = world;
  const teams = [await world.newTeam('a'), await world.newTeam('b'), await world.newTeam('c')];
  const members: Member[] = [];
  for (const team of teams) members.push(await world.join(`of-${team.name}`, team.id));
  const { id } = (await useCases.createProject.execute(owner, 'acme', { name: 'other', description: '' })).subject;
  const other = await useCases.createWorkspace.execute(owner, 'acme', { name: 'other', projectId: id });
  const { workspace } = world;
  return { world, teams, members, workspaces: [workspace, other.subject], projects: [workspace.projectId, id] };
}

interface Act {
  readonly by: number;
  readonly kind:
    | 'add'
    | 'change'
    | 'remove'
    | 'add-in-project'
    | 'change-in-project'
    | 'token'
    | 'move'
    | 'agent'
    | 'wait';
  readonly team: number;
  readonly place: number;
  readonly level: AccessLevel;
  readonly projectLevel: ProjectAccessLevel;
  readonly hours: number | null | undefined;
  readonly fallback: 'none' | 'previous' | undefined;
}

const anAct: fc.Arbitrary<Act> = fc.record({
  by: fc.nat(2),
  kind: fc.constantFrom(
    'add',
    'add',
    'change',
    'change',
    'change',
    'remove',
    'add-in-project',
    'change-in-project',
    'token',
    'move',
    'agent',
    'wait',
  ),
  team: fc.nat(2),
  place: fc.nat(1),
  level: fc.constantFrom(...accessLevels),
  projectLevel: fc.constantFrom(...projectAccessLevels),
  hours: fc.option(fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), { nil: null }),
  fallback: fc.constantFrom(undefined, undefined, 'none', 'previous'),
});

const stored = ({ world, workspaces, projects }: Ground) =>
  world.unitOfWork.read(async (tx) => {
    const access: TeamWorkspaceState[] = [];
    for (const { id: workspaceId } of workspaces) {
      const filter = { workspaceId, teamId: undefined, visibility: 'all' } as const;
      access.push(...(await tx.teamAccess.page(filter, page)).items.map((view) => view.teamWorkspace));
    }
    const inProjects: TeamProjectState[] = [];
    for (const projectId of projects) {
      const found = await tx.projectAccess.page({ projectId, visibility: 'all' }, page);
      inProjects.push(...found.items.map((view) => view.teamProject.state));
    }
    return { access, inProjects };
  });

/** The ids of all memberships and tokens. */
const others = ({ world }: Ground) =>
  ['api_tokens', 'agent_tokens', 'team_members', 'organization_memberships'].map((table) =>
    world.unitOfWork.select(`select count(*) as count from ${table}`),
  );

/** Returns whether the service did it. */
async function perform(
  { world, teams, members, workspaces, projects }: Ground,
  act: Act,
  actor?: Actor,
): Promise<boolean> {
  const { useCases } = world;
  const by = actor ?? (members[act.by] as Member);
  const [team, workspace, projectId] = [
    teams[act.team] as Team,
    workspaces[act.place] as Workspace,
    projects[act.place] as string,
  ];
  const expiresAt = act.hours == null ? act.hours : later(world.clock.now(), act.hours * hour);
  const end = { expiresAt, fallback: act.fallback };
  const rows = await stored({ world, teams, members, workspaces, projects });
  const row =
    rows.access.find(({ teamId, workspaceId }) => teamId === team.id && workspaceId === workspace.id)?.id ?? '';
  const inProject = rows.inProjects.find((one) => one.teamId === team.id && one.projectId === projectId)?.id ?? '';
  const acts: Readonly<Record<Act['kind'], () => Promise<unknown>>> = {
    add: () =>
      useCases.addTeamAccess.execute(by, {
        ...{ teamId: team.id, workspaceId: workspace.id, access: act.level, permissions: {} },
        ...end,
      }),
    change: () =>
      useCases.updateTeamAccess.execute(by, row, { access: act.level, permissions: {}, unnamed: 'as-implied', ...end }),
    remove: () => useCases.removeTeamAccess.execute(by, row),
    'add-in-project': () =>
      useCases.addProjectAccess.execute(by, {
        ...{ teamId: team.id, projectId, access: act.projectLevel, permissions: nothing },
        ...end,
      }),
    'change-in-project': () =>
      useCases.updateProjectAccess.execute(by, inProject, {
        ...{ access: act.projectLevel, permissions: nothing, unnamed: 'as-implied' as const },
        ...end,
      }),
    token: () => useCases.issueTeamToken.execute(by, { teamId: team.id, expiresAt: null }),
    move: () =>
      useCases.updateWorkspace.execute(by, { id: workspace.id }, { projectId: projects[1 - act.place] as string }),
    agent: async () => {
      const [pool] = world.unitOfWork.select<{ id: string }>('select id from agent_pools');
      await useCases.issueAgentToken.execute(by, { id: pool?.id ?? '', of: 'organization' }, '');
    },
    wait: async () => world.clock.advance(hour),
  };
  return acts[act.kind]().then(
    () => true,
    (error: unknown) => {
      if (isDomainError(error)) return false;
      throw error;
    },
  );
}

/** The responses to the members, wherever rights decide. */
const seenBy = async ({ world, members, workspaces, projects }: Ground) => {
  const { useCases } = world;
  const orNothing = <Seen>(seen: Promise<Seen>) =>
    seen.catch((error: unknown) => (isDomainError(error) ? error.code : error));
  return Promise.all(
    members.map(async (actor) => ({
      listed: await useCases.listWorkspaces.execute(actor, 'acme', page, {}),
      projects: await useCases.listProjects.execute(actor, 'acme', page, {}),
      runs: await orNothing(useCases.listOrganizationRuns.execute(actor, 'acme', page)),
      each: await Promise.all(
        workspaces.flatMap(({ id: workspaceId }) => [
          orNothing(useCases.showWorkspace.execute(actor, { id: workspaceId })),
          orNothing(useCases.showEffectiveAccess.execute(actor, workspaceId, { kind: 'user', id: actor.userId })),
          orNothing(
            useCases.listTeamAccess.execute(actor, { workspaceId, teamId: undefined, endsWithinDays: undefined }, page),
          ),
        ]),
      ),
      eachProject: await Promise.all(
        projects.flatMap((id) => [
          orNothing(useCases.showProject.execute(actor, id)),
          orNothing(useCases.listProjectAccess.execute(actor, { projectId: id, endsWithinDays: undefined }, page)),
        ]),
      ),
    })),
  );
};

const withoutMarks = (seen: unknown): string =>
  JSON.stringify(seen, (name, value) => (name === 'isDue' || name === 'revision' ? undefined : value));

describe('temporary access', () => {
  it('is seen nowhere after its end, whatever the worker does', async () => {
    const acts = fc.array(anAct, { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(acts, fc.integer({ min: 0, max: 9 }), async (given, hours) => {
        const ground = await aGround();
        for (const act of given) await perform(ground, { ...act, hours: act.hours ?? 1 }, ground.world.owner);
        ground.world.clock.advance(hours * hour);
        const before = withoutMarks(await seenBy(ground));
        await ground.world.useCases.expireTeamAccess.execute();
        expect(withoutMarks(await seenBy(ground))).toBe(before);
      }),
      { numRuns: runs(160) },
    );
  });

  it('leaves no access, membership or token behind that its holders could not have made without it', async () => {
    const acts = fc.array(anAct, { minLength: 6, maxLength: 20 });
    const start = fc.array(
      fc.tuple(fc.nat(2), fc.nat(1), fc.constantFrom('read', 'plan', 'write') as fc.Arbitrary<AccessLevel>),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(start, acts, async (permanent, given) => {
        const ground = await aGround();
        const { world } = ground;
        const pool = await world.useCases.createAgentPool.execute(world.owner, 'acme', 'pool');
        const execution = { executionMode: 'agent', agentPoolId: pool.id } as const;
        const [{ id }] = ground.workspaces as readonly [Workspace];
        await world.useCases.updateWorkspace.execute(world.owner, { id }, { execution });
        for (const [team, place, level] of permanent) {
          const act = {
            by: 0,
            kind: 'add',
            team,
            place,
            level,
            projectLevel: 'read',
            hours: undefined,
            fallback: undefined,
          } as const;
          await perform(ground, act, world.owner);
        }
        const before = await stored(ground);
        const counted = others(ground);
        const temporary = { by: 0, projectLevel: 'admin', level: 'admin', hours: 5, fallback: undefined } as const;
        for (const [team, place] of [
          [0, 0],
          [1, 1],
        ] as const) {
          await perform(ground, { ...temporary, kind: 'add', team, place }, world.owner);
          await perform(ground, { ...temporary, kind: 'change', team, place }, world.owner);
          await perform(ground, { ...temporary, kind: 'add-in-project', team, place: 1 - place }, world.owner);
        }
        for (const act of given) await perform(ground, act);
        world.clock.advance(40 * hour);
        for (let more = true; more; ) more = (await world.useCases.expireTeamAccess.execute()).length > 0;
        const after = await stored(ground);
        for (const { teamId, workspaceId, grant } of after.access) {
          const own = before.access.find((one) => one.teamId === teamId && one.workspaceId === workspaceId);
          expect(own !== undefined && includesGrant(own.grant, grant)).toBe(true);
        }
        for (const { teamId, projectId, grant } of after.inProjects) {
          const own = before.inProjects.find((one) => one.teamId === teamId && one.projectId === projectId);
          expect(own !== undefined && includesProjectGrant(own.grant, grant)).toBe(true);
        }
        // A team's members issue its token without any access.
        expect(others(ground).slice(1)).toEqual(counted.slice(1));
        for (const { id, projectId } of ground.workspaces) {
          const { subject } = await world.useCases.showWorkspace.execute(world.owner, { id });
          expect(subject.projectId).toBe(projectId);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
