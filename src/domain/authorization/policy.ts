import { DomainError, notFound } from '../shared/domain-error.js';
import type { TeamId } from '../shared/id.js';
import { type Grant, impliedBy, permissionsOf } from '../team-access/access-level.js';
import {
  type OrganizationAccess,
  type OrganizationPermission,
  organizationPermissions,
} from './organization-permissions.js';
import { nothing, reaches, strongest, type WorkspacePermissions } from './workspace-permissions.js';

/** One of the caller's teams and its rights on the subject. */
export interface TeamStanding {
  readonly teamId: TeamId;
  readonly owners: boolean;
  readonly access: OrganizationAccess;
  /** The team's grant on the workspace in question; absent without a grant or without a workspace. */
  readonly grant?: Grant;
}

/** The team in question, if any. */
export interface TeamInQuestion {
  readonly teamId: TeamId;
  readonly owners: boolean;
  readonly secret: boolean;
  readonly membersManageToken: boolean;
  readonly access: OrganizationAccess;
}

/** The agent pool in question, if any. */
export interface PoolInQuestion {
  /** Whether a workspace or the organization's default references the pool. */
  readonly named: boolean;
  /** Whether any workspace references the pool or uses it by default. */
  readonly serving: boolean;
  /** Whether the pool serves a workspace on which the caller lacks `admin` access. */
  readonly servingElsewhere: boolean;
}

/** All facts about the caller and the subject that the policy evaluates. A port loads them. */
export interface Standing {
  readonly actor: 'user' | 'team' | 'organization' | 'auditor';
  readonly siteAdministrator: boolean;
  /** A member of the organization in question, one of its teams, or its own token. */
  readonly member: boolean;
  readonly teams: readonly TeamStanding[];
  readonly team?: TeamInQuestion;
  readonly pool?: PoolInQuestion;
  /** Whether the subject is the caller's own user or token. */
  readonly own?: boolean;
  /** Whether the caller is the audit token of the organization in question. An audit token is never a member. */
  readonly audits?: boolean;
}

const everything: OrganizationAccess = new Set(organizationPermissions);

export const isOwner = (standing: Standing): boolean => standing.teams.some((team) => team.owners);

/** The union over the caller's teams. An owner holds every organization-level permission. */
export const organizationAccessOf = (standing: Standing): OrganizationAccess =>
  isOwner(standing) ? everything : new Set(standing.teams.flatMap((team) => [...team.access]));

/** The workspace permissions that an organization-level permission implies on every workspace. */
const impliedOnWorkspaces: readonly (readonly [OrganizationPermission, WorkspacePermissions])[] = [
  ['manage-workspaces', impliedBy.admin],
  ['read-workspaces', impliedBy.read],
  ['manage-policies', { ...nothing, runs: 'read' }],
  ['manage-policy-overrides', { ...nothing, runs: 'read' }],
];

const impliedByAccess = (access: OrganizationAccess): readonly WorkspacePermissions[] =>
  access.size === 0
    ? []
    : impliedOnWorkspaces.flatMap(([permission, implied]) => (access.has(permission) ? implied : []));

const union = (held: readonly WorkspacePermissions[]): WorkspacePermissions =>
  held.length === 0 ? nothing : held.reduce(strongest);

const ownersPermissions = union(impliedByAccess(everything));

/** The caller's permissions on the workspace: the highest level from all grants and organization-level permissions. */
export const effectivePermissions = (standing: Standing): WorkspacePermissions =>
  isOwner(standing)
    ? ownersPermissions
    : union([
        ...impliedByAccess(organizationAccessOf(standing)),
        ...standing.teams.flatMap((team) => (team.grant ? permissionsOf(team.grant) : [])),
      ]);

const administers = (standing: Standing): boolean =>
  organizationAccessOf(standing).has('manage-workspaces') ||
  standing.teams.some((team) => team.grant?.access === 'admin');

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
  'audit token': (s: Standing) => s.audits === true,
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
  'manage-workspaces': holds('manage-workspaces'),
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
    s.pool?.serving === true && (holds('manage-workspaces')(s) || !s.pool.servingElsewhere),
  'can see the team': (s: Standing) =>
    s.team !== undefined &&
    (inTeam(s) || (s.member && !s.team.secret) || holds('access-secret-teams')(s) || byOrganizationToken(s)),
  'team member': inTeam,
  'members can manage its token': (s: Standing) => s.team?.membersManageToken === true,
  'not the owners team': (s: Standing) => s.team !== undefined && !s.team.owners,
  // Delegated rights never cover the owners team, and a caller cannot gain rights through a team that it lacks itself.
  // An organization token holds no organization-level permission.
  "team without permissions beyond the caller's": (s: Standing) =>
    s.team !== undefined &&
    (isOwner(s) || (!s.team.owners && [...s.team.access].every((permission) => holds(permission)(s)))),
} as const satisfies Record<string, (standing: Standing) => boolean>;

export type Claim = keyof typeof claims;

/** A list of alternatives; one is enough, and every claim in it must hold. */
export type Requirement = readonly (readonly Claim[])[];

/** `reach` applies to the organization token. */
const delegated = (permission: Claim, reach: Claim): Requirement => [
  [permission, 'can see the team', "team without permissions beyond the caller's"],
  ['organization token', reach],
];

/** The access policy. An owner satisfies every claim about workspaces and organization-level permissions. */
export const policy = {
  'organizations/create': [['site administrator']],
  'organizations/read': [['member']],
  'organizations/update': [['owner']],
  'organizations/delete': [['owner']],
  'organization-tokens/manage': [['owner']],
  'memberships/read': [['member']],
  'memberships/manage': [['manage-membership'], ['organization token']],
  'users/manage': [['site administrator']],
  'user-tokens/manage': [['its own']],
  'workspaces/read': [['runs: read'], ['organization token']],
  'workspaces/create': [['manage-workspaces'], ['organization token']],
  'workspaces/update': [['workspace admin'], ['organization token']],
  'workspaces/set-execution': [['workspace admin']],
  'workspaces/link-repository': [['workspace admin', 'manage-vcs-settings']],
  'workspaces/delete': [['workspace admin'], ['organization token']],
  'workspaces/lock': [['workspace locking']],
  'workspaces/force-unlock': [['workspace admin']],
  'variables/read': [['variables: read'], ['organization token']],
  'variables/manage': [['variables: write'], ['organization token']],
  'teams/read': [['can see the team']],
  'teams/create': [['manage-teams'], ['organization token']],
  'teams/update': delegated('manage-teams', 'not the owners team'),
  'teams/delete': delegated('manage-teams', 'not the owners team'),
  'teams/set-organization-access': [
    ['manage-organization-access', 'can see the team', "team without permissions beyond the caller's"],
  ],
  'team-members/manage': delegated('manage-membership', "team without permissions beyond the caller's"),
  'team-tokens/manage': [
    ...delegated('manage-teams', "team without permissions beyond the caller's"),
    ['team member', 'members can manage its token'],
  ],
  'team-access/list': [['member']],
  'team-access/read': [['can see the team'], ['workspace admin'], ['organization token']],
  'team-access/manage': [['workspace admin'], ['organization token']],
  'runs/read': [['runs: read'], ['organization token']],
  'runs/queue': [['runs: plan']],
  'runs/apply': [['runs: apply']],
  'plans/read-json-output': [['workspace admin']],
  'state-versions/read': [['state-versions: read'], ['organization token']],
  'state-versions/create': [['state-versions: write']],
  'state-version-outputs/read': [['state-versions: read-outputs'], ['organization token']],
  'policy-outcomes/read': [['runs: read'], ['organization token']],
  'policy-outcomes/override': [
    ['manage-policy-overrides'],
    ['policy overrides, through a team with delegate-policy-overrides'],
  ],
  'run-tasks/manage': [['manage-run-tasks']],
  'workspace-tasks/read': [['runs: read'], ['organization token']],
  'workspace-tasks/manage': [['run tasks']],
  'policy-sets/manage': [['manage-policies']],
  'policies/manage': [['manage-policies']],
  'agent-pools/read': [
    ['manage-agent-pools'],
    ['organization token'],
    ['admin of every workspace that the pool serves'],
  ],
  'agent-pools/list': [['manage-agent-pools'], ['organization token']],
  'agent-pools/create': [['manage-agent-pools'], ['organization token']],
  // The agents of a pool in use can read the variables and states of the workspaces it serves.
  'agent-pools/manage': [
    ['manage-agent-pools', 'pool not in use'],
    ['organization token', 'pool not in use'],
    ['owner'],
    ['admin of every workspace that the pool serves'],
  ],
  'site-agent-pools/manage': [['site administrator']],
  'effects/read': [['site administrator']],
  'audit-events/read': [['owner'], ['audit token']],
  'audit-events/read-site': [['site administrator']],
  'audit-trails/read': [['audit token']],
  'configuration-versions/read': [['runs: read'], ['organization token']],
  'configuration-versions/create': [['runs: plan']],
  'configuration-versions/archive': [['runs: plan'], ['organization token']],
  'configuration-versions/manage-backing-data': [['workspace admin'], ['organization token']],
} as const satisfies Record<string, Requirement>;

export type Action = keyof typeof policy;

export const actions = Object.keys(policy) as readonly Action[];

export const may = (standing: Standing, action: Action): boolean =>
  policy[action].some((alternative: readonly Claim[]) => alternative.every((claim) => claims[claim](standing)));

/** The action that decides whether a caller can see the subject of `action`. */
const seeing = (action: Action): Action | undefined => {
  const read = `${action.split('/')[0]}/read`;
  return actions.find((known) => known === read);
};

const inWords = (requirement: Requirement): string =>
  requirement.map((alternative) => alternative.join(', ')).join('; or ');

/**
 * Throws `resource/not-found` if the policy denies the action. A caller who cannot see the resource gets the same
 * sentence as for a missing one; a caller who can gets the missing permission.
 */
export function authorize(standing: Standing, action: Action): void {
  if (may(standing, action)) return;
  const read = seeing(action);
  if (read === undefined || !may(standing, read)) throw notFound();
  throw new DomainError('resource/not-found', `not authorized: requires ${inWords(policy[action])}`);
}

/** A subject loaded through a port, with the caller's standing towards it. */
export interface WithStanding<Subject> {
  readonly subject: Subject;
  readonly standing: Standing;
}

/** The subject, if it exists and the caller may perform `action` on it. Throws `resource/not-found` otherwise. */
export function seenBy<Subject>(seen: WithStanding<Subject> | undefined, action: Action): WithStanding<Subject> {
  if (seen === undefined) throw notFound();
  authorize(seen.standing, action);
  return seen;
}

/** Like `seenBy`, but returns the subject only. */
export const authorized = <Subject>(seen: WithStanding<Subject> | undefined, action: Action): Subject =>
  seenBy(seen, action).subject;

/** The workspaces of an organization that a list may include: all, or those on which one of these teams has a grant. */
export type WorkspaceVisibility = 'all' | { readonly throughTeams: readonly TeamId[] };

/** `standing` is the caller's on the organization. Every grant includes `runs: read`, so any grant is enough. */
export const workspaceVisibility = (standing: Standing): WorkspaceVisibility =>
  may(standing, 'workspaces/read') ? 'all' : { throughTeams: standing.teams.map(({ teamId }) => teamId) };

/** The teams of an organization that a list may include: all, or the visible ones and these. */
export type TeamVisibility = 'all' | { readonly visibleAnd: readonly TeamId[] };

/** A team unrelated to the caller, to check the caller's rights on any such team. */
const stranger = (secret: boolean, access: OrganizationAccess = new Set()): TeamInQuestion => ({
  teamId: '',
  owners: false,
  secret,
  membersManageToken: false,
  access,
});

const visibleFor =
  (action: Action) =>
  (standing: Standing): TeamVisibility =>
    may({ ...standing, team: stranger(true) }, action)
      ? 'all'
      : { visibleAnd: standing.teams.map(({ teamId }) => teamId) };

/** `standing` is the caller's on the organization. A caller who may see other secret teams sees every team. */
export const teamVisibility = visibleFor('teams/read');

/** Like `teamVisibility`, for the team access of a workspace; `standing` is the caller's on the workspace. */
export const teamAccessVisibility = visibleFor('team-access/read');

/** The teams whose tokens a list may include: all, or some of the caller's own teams and some visible ones. */
export type TeamTokenVisibility =
  | 'all'
  | {
      /** The caller's teams whose members manage the team token. */
      readonly own: readonly TeamId[];
      /** Teams other than the owners that hold none of the `lacking` permissions; undefined for none. */
      readonly delegated:
        | { readonly seen: TeamVisibility; readonly lacking: readonly OrganizationPermission[] }
        | undefined;
    };

/** `standing` is the caller's on the organization. */
export const teamTokenVisibility = (standing: Standing): TeamTokenVisibility => {
  const manages = (team: TeamInQuestion) => may({ ...standing, team }, 'team-tokens/manage');
  if (manages({ ...stranger(false), owners: true })) return 'all';
  const lacking = organizationPermissions.filter((permission) => !manages(stranger(false, new Set([permission]))));
  return {
    own: standing.teams.map(({ teamId }) => teamId),
    delegated: manages(stranger(false)) ? { seen: teamVisibility(standing), lacking } : undefined,
  };
};
