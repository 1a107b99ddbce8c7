import {
  type Action,
  auditorStanding,
  type Grant,
  organizationPermissions,
  type ProjectPermissions,
  permissionsWithoutEffect,
  type Standing,
  type TeamInQuestion,
  type TeamStanding,
} from '../src/domain/index.js';
import {
  administersWorkspaces,
  customProjectDefaults,
  fixedProjectLevels,
} from '../src/domain/team-access/project-access-level.js';
import { nothing } from '../src/domain/team-access/workspace-permissions.js';

/** One kind of caller, by the name that heads its column in the printed matrix. */
export interface ActorKind {
  readonly name: string;
  readonly standing: Standing;
}

export interface ActorGroup {
  readonly name: string;
  readonly actors: readonly ActorKind[];
}

const team = (given: Partial<TeamStanding> = {}): TeamStanding => ({
  teamId: 'team-own',
  owners: false,
  access: new Set(),
  ...given,
});

const caller = (given: Partial<Standing> = {}): Standing => ({
  actor: 'user',
  siteAdministrator: false,
  member: true,
  teams: [],
  ...given,
});

const memberThrough = (name: string, given: Partial<TeamStanding>): ActorKind => ({
  name,
  standing: caller({ teams: [team(given)] }),
});

const memberWithCustom = (name: string, permission: Partial<typeof nothing>): ActorKind => {
  const grant: Grant = { access: 'custom', permissions: { ...nothing, ...permission } };
  return memberThrough(name, { grant });
};

const memberWithCustomProject = (
  name: string,
  onProject: Partial<ProjectPermissions>,
  onWorkspaces: Partial<typeof nothing> = {},
): ActorKind => {
  const { project, workspaces } = customProjectDefaults;
  const permissions = { project: { ...project, ...onProject }, workspaces: { ...workspaces, ...onWorkspaces } };
  return memberThrough(name, { projectGrant: { access: 'custom', permissions } });
};

const withoutEffect: ReadonlySet<string> = new Set(permissionsWithoutEffect);

/** Every kind of caller the printed matrix shows. Members hold what their name says through one team, and no more. */
export const actorGroups: readonly ActorGroup[] = [
  {
    name: 'People and tokens',
    actors: [
      { name: 'site administrator', standing: caller({ member: false, siteAdministrator: true }) },
      { name: 'outsider', standing: caller({ member: false }) },
      { name: 'member without a team', standing: caller() },
      { name: 'owner', standing: caller({ teams: [team({ owners: true })] }) },
      { name: 'owners team token', standing: caller({ actor: 'team', teams: [team({ owners: true })] }) },
      { name: 'organization token', standing: caller({ actor: 'organization' }) },
      { name: 'audit token', standing: auditorStanding(true) },
      { name: 'token of a team without access', standing: caller({ actor: 'team', teams: [team()] }) },
      {
        name: 'token of a team with write access',
        standing: caller({ actor: 'team', teams: [team({ grant: { access: 'write' } })] }),
      },
    ],
  },
  {
    name: 'Members with a fixed access level on the workspace',
    actors: (['read', 'plan', 'write', 'admin'] as const).map((access) => memberThrough(access, { grant: { access } })),
  },
  {
    name: 'Members with one custom permission on the workspace',
    actors: [
      memberWithCustom('nothing', {}),
      memberWithCustom('runs: read', { runs: 'read' }),
      memberWithCustom('runs: plan', { runs: 'plan' }),
      memberWithCustom('runs: apply', { runs: 'apply' }),
      memberWithCustom('variables: read', { variables: 'read' }),
      memberWithCustom('variables: write', { variables: 'write' }),
      memberWithCustom('state versions: read-outputs', { stateVersions: 'read-outputs' }),
      memberWithCustom('state versions: read', { stateVersions: 'read' }),
      memberWithCustom('state versions: write', { stateVersions: 'write' }),
      memberWithCustom('policy mocks: read', { policyMocks: 'read' }),
      memberWithCustom('workspace locking', { workspaceLocking: true }),
      memberWithCustom('run tasks', { runTasks: true }),
      memberWithCustom('policy overrides', { policyOverrides: true }),
    ],
  },
  {
    name: 'Members with access to the project',
    actors: [
      ...fixedProjectLevels.map((access) => memberThrough(`project: ${access}`, { projectGrant: { access } })),
      memberWithCustomProject('project settings: update', { settings: 'update' }),
      memberWithCustomProject('project settings: delete', { settings: 'delete' }),
      memberWithCustomProject('project teams: read', { teams: 'read' }),
      memberWithCustomProject('project teams: manage', { teams: 'manage' }),
      memberWithCustomProject('create workspaces', { create: true }),
      memberWithCustomProject('move workspaces', { move: true }),
      memberWithCustomProject('move workspaces, with runs: plan', { move: true }, { runs: 'plan' }),
      memberWithCustomProject('delete workspaces', { delete: true }),
    ],
  },
  {
    name: 'Members with one organization-level permission',
    actors: [
      ...organizationPermissions
        .filter((permission) => !withoutEffect.has(permission))
        .map((permission) => memberThrough(permission, { access: new Set([permission]) })),
      memberThrough('policy overrides, with delegate-policy-overrides', {
        access: new Set(['delegate-policy-overrides']),
        grant: { access: 'custom', permissions: { ...nothing, policyOverrides: true } },
      }),
    ],
  },
];

/** A subject on which a permission depends: its name in words, and how it changes the standing of the caller. */
export interface Subject {
  readonly name: string;
  readonly of: (standing: Standing) => Standing;
}

const about =
  (given: Partial<TeamInQuestion>) =>
  (standing: Standing): Standing => ({
    ...standing,
    team: {
      teamId: 'team-other',
      owners: false,
      secret: false,
      membersManageToken: true,
      access: new Set(),
      ...given,
    },
  });

const aboutItsOwn =
  (membersManageToken: boolean) =>
  (standing: Standing): Standing => {
    const [own] = standing.teams;
    return own === undefined ? standing : about({ ...own, secret: true, membersManageToken })(standing);
  };

const itself: Subject = {
  name: 'itself',
  of: (standing) => ({ ...standing, own: standing.actor === 'user' }),
};

const users: readonly Subject[] = [itself, { name: 'another', of: (standing) => ({ ...standing, own: false }) }];

const holders: readonly Subject[] = [
  { name: 'itself', of: (standing) => ({ ...standing, own: standing.actor === 'user' || standing.actor === 'team' }) },
  { name: 'another user', of: (standing) => ({ ...standing, own: false }) },
  { name: 'a secret team with access to the workspace', of: about({ secret: true, grantOn: 'workspace' }) },
  { name: 'a visible team with access to the project', of: about({ grantOn: 'project' }) },
  { name: 'a secret team with access to the project', of: about({ secret: true, grantOn: 'project' }) },
  { name: 'a visible team without access', of: about({}) },
];

const teams: readonly Subject[] = [
  { name: 'a visible team', of: about({}) },
  { name: 'a secret team', of: about({ secret: true }) },
  { name: 'a team with `manage-workspaces`', of: about({ access: new Set(['manage-workspaces']) }) },
  { name: 'the owners team', of: about({ owners: true }) },
  { name: 'its own team', of: aboutItsOwn(true) },
  { name: 'its own team, whose token members cannot manage', of: aboutItsOwn(false) },
];

const pools: readonly Subject[] = [
  {
    name: 'a pool that is not in use',
    of: (standing) => ({ ...standing, pool: { named: false, serving: false, servingElsewhere: false } }),
  },
  {
    name: 'a pool that the workspace uses',
    of: (standing) => {
      const admin = standing.teams.some(
        ({ grant, projectGrant }) =>
          grant?.access === 'admin' || (projectGrant !== undefined && administersWorkspaces(projectGrant)),
      );
      return { ...standing, pool: { named: true, serving: true, servingElsewhere: !admin } };
    },
  },
  {
    name: 'a pool that other workspaces use too',
    of: (standing) => ({ ...standing, pool: { named: true, serving: true, servingElsewhere: true } }),
  },
  {
    name: 'a default pool that serves no workspace',
    of: (standing) => ({ ...standing, pool: { named: true, serving: false, servingElsewhere: false } }),
  },
];

const inProject =
  (seen: boolean) =>
  (standing: Standing): Standing => ({
    ...standing,
    teams: standing.teams.map(({ grant, projectGrant, ...team }) => ({
      ...team,
      ...(seen && projectGrant && { projectGrant }),
      ...(seen && grant && { inProject: true }),
    })),
  });

const projects: readonly Subject[] = [
  { name: 'the project of the workspace', of: inProject(true) },
  { name: 'another project', of: inProject(false) },
];

const trials: readonly Subject[] = [
  { name: 'a trial that the caller asked for', of: (standing) => ({ ...standing, own: true }) },
  { name: 'another trial', of: (standing) => ({ ...standing, own: false }) },
];

const subjectsByAction: Partial<Record<Action, readonly Subject[]>> = {
  'user-tokens/manage': users,
  'policy-trials/cancel': trials,
  'sessions/manage': [itself],
  'identities/manage': [itself],
  'projects/read': projects,
  'teams/read': teams,
  'teams/update': teams,
  'teams/delete': teams,
  'notification-configurations/manage-of-team': teams,
  'teams/set-organization-access': teams,
  'team-members/manage': teams,
  'team-tokens/manage': teams,
  'team-access/read': teams,
  'effective-access/read': holders,
  'project-access/read': teams,
  'agent-pools/read': pools,
  'agent-pools/manage': pools,
};

/** Empty where it makes no difference which one of its kind an action is about. */
export const subjectsOf = (action: Action): readonly Subject[] => subjectsByAction[action] ?? [];
