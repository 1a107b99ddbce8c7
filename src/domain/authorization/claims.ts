import { impliedBy, permissionsOf } from '../team-access/access-level.js';
import {
  administersWorkspaces,
  type ProjectGrant,
  type ProjectPermissions,
  permissionsInProject,
  projectScaleNames,
  reachesInProject,
} from '../team-access/project-access-level.js';
import { nothing, reaches, strongest, type WorkspacePermissions } from '../team-access/workspace-permissions.js';
import {
  type OrganizationAccess,
  type OrganizationPermission,
  organizationPermissions,
} from './organization-permissions.js';
import type { Standing } from './standing.js';

const everything: OrganizationAccess = new Set(organizationPermissions);

export const isOwner = (standing: Standing): boolean => standing.teams.some((team) => team.owners);

/** Evaluates each standing once: a document asks the policy up to thirty times about one. */
export const oncePerStanding = <Result extends object>(
  evaluate: (standing: Standing) => Result,
): ((standing: Standing) => Result) => {
  const known = new WeakMap<Standing, Result>();
  return (standing) => {
    let result = known.get(standing);
    if (result === undefined) {
      result = evaluate(standing);
      known.set(standing, result);
    }
    return result;
  };
};

/** The union over the caller's teams. An owner holds every organization-level permission. */
export const organizationAccessOf = oncePerStanding(
  (standing): OrganizationAccess =>
    isOwner(standing) ? everything : new Set(standing.teams.flatMap((team) => [...team.access])),
);

/** The workspace permissions that an organization-level permission implies on every workspace. */
const impliedOnWorkspaces: readonly (readonly [OrganizationPermission, WorkspacePermissions])[] = [
  ['manage-workspaces', impliedBy.admin],
  ['manage-projects', impliedBy.admin],
  ['read-workspaces', impliedBy.read],
  ['read-projects', impliedBy.read],
  ['manage-policies', { ...nothing, runs: 'read' }],
  ['manage-policy-overrides', { ...nothing, runs: 'read' }],
];

const impliedByAccess = (access: OrganizationAccess): readonly WorkspacePermissions[] =>
  impliedOnWorkspaces.flatMap(([permission, implied]) => (access.has(permission) ? implied : []));

const union = (held: readonly WorkspacePermissions[]): WorkspacePermissions =>
  held.length === 0 ? nothing : held.reduce(strongest);

const ownersPermissions = union(impliedByAccess(everything));

/** The caller's permissions on the workspace: the highest level from all grants and organization-level permissions. */
export const effectivePermissions = oncePerStanding(
  (standing): WorkspacePermissions =>
    isOwner(standing)
      ? ownersPermissions
      : union([
          ...impliedByAccess(organizationAccessOf(standing)),
          ...standing.teams.flatMap(({ grant, projectGrant }) => [
            ...(grant ? [permissionsOf(grant)] : []),
            ...(projectGrant ? [permissionsInProject(projectGrant).workspaces] : []),
          ]),
        ]),
);

const administersAll = (standing: Standing): boolean => {
  const access = organizationAccessOf(standing);
  return access.has('manage-workspaces') || access.has('manage-projects');
};

const administers = (standing: Standing): boolean =>
  administersAll(standing) ||
  standing.teams.some(
    ({ grant, projectGrant }) =>
      grant?.access === 'admin' || (projectGrant !== undefined && administersWorkspaces(projectGrant)),
  );

const mayInProject = (needed: Partial<ProjectPermissions>) => (standing: Standing) =>
  organizationAccessOf(standing).has('manage-projects') ||
  standing.teams.some(
    ({ projectGrant }) => projectGrant && reachesInProject(permissionsInProject(projectGrant).project, needed),
  );

const inTeam = ({ team, teams }: Standing): boolean => teams.some(({ teamId }) => teamId === team?.teamId);

const holds = (permission: OrganizationPermission) => (standing: Standing) =>
  organizationAccessOf(standing).has(permission);

const mayAtLeast = (needed: Partial<WorkspacePermissions>) => (standing: Standing) =>
  reaches(effectivePermissions(standing), needed);

const byOrganizationToken = (standing: Standing): boolean => standing.actor === 'organization' && standing.member;

/** The claims that policy rows refer to. A claim about a team is false if no team is in question. */
export const claims = {
  'site administrator': (s: Standing) => s.siteAdministrator,
  'its own': (s: Standing) => s.own === true,
  owner: isOwner,
  member: (s: Standing) => s.member,
  'organization token': byOrganizationToken,
  'audit token': (s: Standing) => s.isAuditor === true,
  'run of a workspace that it shares its state with': (s: Standing) => s.sharesState === true,
  'runs: read': mayAtLeast({ runs: 'read' }),
  'runs: plan': mayAtLeast({ runs: 'plan' }),
  'runs: apply': mayAtLeast({ runs: 'apply' }),
  'state-versions: read-outputs': mayAtLeast({ stateVersions: 'read-outputs' }),
  'state-versions: read': mayAtLeast({ stateVersions: 'read' }),
  'state-versions: write': mayAtLeast({ stateVersions: 'write' }),
  'variables: read': mayAtLeast({ variables: 'read' }),
  'variables: write': mayAtLeast({ variables: 'write' }),
  'workspace locking': mayAtLeast({ workspaceLocking: true }),
  'workspace admin': administers,
  'run tasks': mayAtLeast({ runTasks: true }),
  'access to the project or a workspace of it': (s: Standing) =>
    s.teams.some(({ projectGrant, inProject }) => projectGrant !== undefined || inProject === true),
  'admin of the workspaces of the project': (s: Standing) =>
    administersAll(s) ||
    s.teams.some(({ projectGrant }) => projectGrant !== undefined && administersWorkspaces(projectGrant)),
  'project settings: update': mayInProject({ settings: 'update' }),
  'project settings: delete': mayInProject({ settings: 'delete' }),
  'project teams: read': mayInProject({ teams: 'read' }),
  'project teams: manage': mayInProject({ teams: 'manage' }),
  'project variable sets: read': mayInProject({ variableSets: 'read' }),
  'project variable sets: write': mayInProject({ variableSets: 'write' }),
  'create workspaces in the project': mayInProject({ create: true }),
  'move workspaces to the project': mayInProject({ move: true }),
  'delete workspaces of the project': mayInProject({ delete: true }),
  'manage-workspaces': holds('manage-workspaces'),
  'manage-projects': holds('manage-projects'),
  'manage-vcs-settings': holds('manage-vcs-settings'),
  'manage-policies': holds('manage-policies'),
  'manage-policy-overrides': holds('manage-policy-overrides'),
  // Both through one team: a workspace admin can delegate only to a team that the organization chose for it.
  'policy overrides, through a team with delegate-policy-overrides': (s: Standing) =>
    s.teams.some(
      ({ access, grant }) =>
        access.has('delegate-policy-overrides') && grant !== undefined && permissionsOf(grant).policyOverrides,
    ),
  'manage-run-tasks': holds('manage-run-tasks'),
  'manage-agent-pools': holds('manage-agent-pools'),
  'manage-membership': holds('manage-membership'),
  'manage-teams': holds('manage-teams'),
  'manage-organization-access': holds('manage-organization-access'),
  'pool not in use': (s: Standing) => s.pool?.named === false,
  'admin of every workspace that the pool serves': (s: Standing) =>
    s.pool?.serving === true && (administersAll(s) || !s.pool.servingElsewhere),
  'can see the team': (s: Standing) =>
    s.team !== undefined &&
    (inTeam(s) || (s.member && !s.team.secret) || holds('access-secret-teams')(s) || byOrganizationToken(s)),
  'team member': inTeam,
  'members can manage its token': (s: Standing) => s.team?.membersManageToken === true,
  'team with access to the workspace': (s: Standing) => s.team?.grantOn === 'workspace',
  'team with access to the project': (s: Standing) => s.team?.grantOn === 'project',
  'not the owners team': (s: Standing) => s.team !== undefined && !s.team.owners,
  // Delegated rights never cover the owners team, and a caller cannot gain rights through a team that it lacks itself.
  // An organization token holds no organization-level permission.
  "team without permissions beyond the caller's": (s: Standing) =>
    s.team !== undefined &&
    (isOwner(s) || (!s.team.owners && [...s.team.access].every((permission) => holds(permission)(s)))),
} as const satisfies Record<string, (standing: Standing) => boolean>;

export type Claim = keyof typeof claims;

/** Whether the caller has everything in the project that the grant gives. */
export const covers = (standing: Standing, grant: ProjectGrant): boolean => {
  if (byOrganizationToken(standing)) return true;
  const { project, workspaces } = permissionsInProject(grant);
  return (
    projectScaleNames.every((scale) => mayInProject({ [scale]: project[scale] })(standing)) &&
    mayAtLeast(workspaces)(standing) &&
    (!administersWorkspaces(grant) || administers(standing))
  );
};
