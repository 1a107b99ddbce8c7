import { DomainError, notFound } from '../shared/domain-error.js';
import { type Claim, claims, isOwner, oncePerStanding } from './claims.js';
import { barred } from './entry.js';
import type { Standing } from './standing.js';

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
  'organizations/set-retention': [['owner']],
  'organizations/delete': [['owner']],
  // A group can be the group of people elsewhere: no owner takes it for their own.
  'organizations/give-groups': [['site administrator']],
  'organization-tokens/manage': [['owner']],
  'memberships/read': [['member']],
  'token-ttl-policies/read': [['member']],
  'token-ttl-policies/manage': [['owner']],
  'memberships/manage': [['manage-membership'], ['organization token']],
  'users/manage': [['site administrator']],
  'user-tokens/manage': [['its own']],
  'sessions/manage': [['its own']],
  'identities/manage': [['its own']],
  'workspaces/read': [['runs: read'], ['organization token']],
  'projects/read': [['runs: read'], ['access to the project or a workspace of it'], ['organization token']],
  'projects/create': [['manage-projects'], ['organization token']],
  'projects/update': [['project settings: update'], ['organization token']],
  // As for each of its workspaces: the agents of its pool can read their variables and states.
  'projects/set-execution': [['project settings: update', 'admin of the workspaces of the project']],
  // The runs it leads to are created on the caller's behalf, as in a workspace.
  'projects/schedule-destroy': [['project settings: update', 'admin of the workspaces of the project']],
  'projects/delete': [['project settings: delete'], ['organization token']],
  // The workspace's own side is `workspaces/update`. Its admins keep its runs, which get the variables of the project. To
  // create one there takes less, because it gives its creator nothing beyond what they have in the project.
  'projects/move-workspaces': [['move workspaces to the project', 'runs: plan'], ['organization token']],
  'workspaces/create': [['manage-workspaces'], ['create workspaces in the project'], ['organization token']],
  'workspaces/update': [['workspace admin'], ['organization token']],
  'workspaces/set-execution': [['workspace admin']],
  // The run it leads to is created on the caller's behalf, and an organization token creates none.
  'workspaces/schedule-destroy': [['workspace admin']],
  'workspaces/set-retention': [['workspace admin']],
  'workspaces/link-repository': [['workspace admin', 'manage-vcs-settings']],
  'workspaces/delete': [['workspace admin'], ['delete workspaces of the project'], ['organization token']],
  'workspaces/force-delete': [['owner']],
  'workspaces/lock': [['workspace locking']],
  'workspaces/force-unlock': [['workspace admin']],
  'tags/delete': [['manage-workspaces'], ['manage-projects'], ['organization token']],
  'variables/read': [['variables: read'], ['organization token']],
  'variables/manage': [['variables: write'], ['organization token']],
  'variable-sets/manage': [['manage-workspaces']],
  // A set of the project changes what the runs of its workspaces receive.
  'variable-sets/manage-in-project': [['project variable sets: write', 'variables: write']],
  'variable-sets/list-in-project': [['manage-workspaces'], ['project variable sets: read', 'variables: read']],
  'variable-sets/list': [['manage-workspaces'], ['manage-projects']],
  'teams/read': [['can see the team']],
  'teams/create': [['manage-teams'], ['organization token']],
  'teams/update': delegated('manage-teams', 'not the owners team'),
  // The people of the group become members when they sign in.
  'teams/map-group': [['owner']],
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
  // The rights of other people are for owners alone: they show the teams that people are members of.
  'effective-access/read': [
    ['its own', 'runs: read'],
    ['owner'],
    ['workspace admin', 'team with access to the workspace'],
    ['workspace admin', 'team with access to the project', 'can see the team'],
    ['workspace admin', 'team with access to the project', 'project teams: manage'],
  ],
  // Workspace admins get the teams that they may read.
  'effective-access/list': [['organization token'], ['workspace admin']],
  'effective-access/list-all': [['owner'], ['organization token']],
  // It names every person and what all of their teams give.
  'access-report/read': [['owner'], ['audit token']],
  // Other members see the access of their own teams.
  'project-access/read': [
    ['team member'],
    ['project teams: read', 'can see the team'],
    ['project teams: manage'],
    ['organization token'],
  ],
  'project-access/manage': [['project teams: manage'], ['organization token']],
  'runs/read': [['runs: read'], ['organization token']],
  'runs/queue': [['runs: plan']],
  'runs/comment': [['runs: plan']],
  'runs/apply': [['runs: apply']],
  'runs/force-cancel': [['workspace admin']],
  'runs/force-execute': [['runs: apply']],
  'plans/read-json-output': [['workspace admin']],
  'state-versions/read': [['state-versions: read'], ['organization token']],
  'state-versions/create': [['state-versions: write']],
  'state-versions/read-shared': [['run of a workspace that it shares its state with']],
  'state-version-outputs/read': [['state-versions: read-outputs'], ['organization token']],
  'policy-outcomes/read': [['runs: read'], ['organization token']],
  'policy-outcomes/override': [
    ['manage-policy-overrides'],
    ['policy overrides, through a team with delegate-policy-overrides'],
  ],
  'run-tasks/manage': [['manage-run-tasks']],
  'workspace-tasks/read': [['runs: read'], ['organization token']],
  'workspace-tasks/manage': [['run tasks']],
  // They show and call addresses that may be secrets themselves.
  'notification-configurations/manage': [['workspace admin'], ['organization token']],
  // The receivers of a project are notified of the runs of all its workspaces.
  'notification-configurations/manage-of-project': [['project settings: update', 'runs: read'], ['organization token']],
  'notification-configurations/manage-of-team': delegated('manage-teams', 'not the owners team'),
  'run-triggers/read': [['runs: read'], ['organization token']],
  // They queue runs on behalf of the caller, and an organization token creates none.
  'run-triggers/manage': [['workspace admin']],
  'policy-sets/manage': [['manage-policies']],
  'policy-sets/link-repository': [['manage-policies', 'manage-vcs-settings']],
  'policies/manage': [['manage-policies']],
  'policy-trials/manage': [['manage-policies']],
  'policy-trials/cancel': [['manage-policies', 'its own'], ['owner']],
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
  'effects/retry': [['site administrator']],
  'audit-events/read': [['owner'], ['audit token']],
  'audit-events/read-site': [['site administrator']],
  'audit-trails/read': [['audit token'], ['organization token']],
  'configuration-versions/read': [['runs: read'], ['organization token']],
  'configuration-versions/create': [['runs: plan']],
  'configuration-versions/archive': [['runs: plan'], ['organization token']],
  'configuration-versions/manage-backing-data': [['workspace admin'], ['organization token']],
} as const satisfies Record<string, Requirement>;

export type Action = keyof typeof policy;

export const actions = Object.keys(policy) as readonly Action[];

const decisionsOn = oncePerStanding(() => new Map<Action, boolean>());

export const may = (standing: Standing, action: Action): boolean => {
  const decisions = decisionsOn(standing);
  let decision = decisions.get(action);
  if (decision === undefined) {
    decision = policy[action].some((alternative: readonly Claim[]) =>
      alternative.every((claim) => claims[claim](standing)),
    );
    decisions.set(action, decision);
  }
  return decision;
};

/** The actions whose area has no `read`, and the one that shows their subject. */
const shownBy: Partial<Record<Action, Action>> = {
  'policy-sets/link-repository': 'policy-sets/manage',
  'policy-trials/cancel': 'policy-trials/manage',
};

/** The action that decides whether a caller can see the subject of `action`. */
const seeing = (action: Action): Action | undefined => {
  if (shownBy[action] !== undefined) return shownBy[action];
  const read = `${action.split('/')[0]}/read`;
  return actions.find((known) => known === read);
};

const canSee = (standing: Standing, action: Action): boolean => {
  const read = seeing(action);
  return read !== undefined && may(standing, read);
};

const inWords = (requirement: Requirement): string =>
  requirement.map((alternative) => alternative.join(', ')).join('; or ');

/**
 * Throws `resource/not-found` if the policy denies the action. A caller who cannot see the resource gets the same
 * sentence as for a missing one; a caller who can gets the missing permission. Throws `actor/unauthenticated` for a caller
 * who can see it and whose token or session the organization refuses.
 */
export function authorize(standing: Standing, action: Action): void {
  const allowed = may(standing, action);
  if (!allowed && !canSee(standing, action)) throw notFound();
  if (standing.bar !== undefined) throw barred(standing.bar);
  if (allowed) return;
  throw new DomainError('resource/not-found', `not authorized: requires ${inWords(policy[action])}`);
}

/** A subject loaded through a port, with the caller's standing towards it. */
export interface WithStanding<Subject> {
  readonly subject: Subject;
  readonly standing: Standing;
}

/** The subject, if it exists and the caller may perform `action` on it. Throws `resource/not-found` otherwise. */
export function authorizedView<Subject>(
  seen: WithStanding<Subject> | undefined,
  action: Action,
): WithStanding<Subject> {
  if (seen === undefined) throw notFound();
  authorize(seen.standing, action);
  return seen;
}

/** Like `authorizedView`, also for an owner whose token or session the organization refuses, who can then change what it accepts. */
export function authorizedViewOfOwner<Subject>(
  seen: WithStanding<Subject> | undefined,
  action: Action,
): WithStanding<Subject> {
  if (seen === undefined || !isOwner(seen.standing)) return authorizedView(seen, action);
  const { bar: _, ...standing } = seen.standing;
  return authorizedView({ ...seen, standing }, action);
}

/** Like `authorizedView`, but returns the subject only. */
export const authorized = <Subject>(seen: WithStanding<Subject> | undefined, action: Action): Subject =>
  authorizedView(seen, action).subject;
