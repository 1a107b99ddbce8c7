import type { Instant, TeamId } from '../shared/id.js';
import type { AccessLevel, Grant } from '../team-access/access-level.js';
import type { ProjectAccessLevel, ProjectGrant } from '../team-access/project-access-level.js';
import type { Timed } from '../team-access/timed-grant.js';
import { type Claim, claims } from './claims.js';
import { endOf } from './future.js';
import type { OrganizationPermission } from './organization-permissions.js';
import { type Action, may, policy, type Requirement } from './policy.js';
import type { Standing, TeamInQuestion, TeamStanding } from './standing.js';

/** The areas whose actions are about one workspace or what belongs to it. */
const areas = [
  'workspaces',
  'variables',
  'team-access',
  'runs',
  'plans',
  'state-versions',
  'state-version-outputs',
  'policy-outcomes',
  'configuration-versions',
] as const;

/** Actions of these areas about a project, about one team, and of a run. */
const others = ['workspaces/create', 'team-access/read', 'state-versions/read-shared'] as const;

/** A right that a user or a team can have on a workspace. */
export type WorkspaceAction = Exclude<Extract<Action, `${(typeof areas)[number]}/${string}`>, (typeof others)[number]>;

export const workspaceActions = (Object.keys(policy) as Action[]).filter((action): action is WorkspaceAction => {
  const [area] = action.split('/');
  return areas.some((known) => known === area) && !others.some((other) => other === action);
});

/** Rights that a user or a team can have on a project. */
export const projectActions = [
  'projects/read',
  'projects/update',
  'projects/delete',
  'projects/move-workspaces',
  'project-access/manage',
  'variable-sets/list-in-project',
  'variable-sets/manage-in-project',
  'workspaces/create',
] as const satisfies readonly Action[];

/** Rights that a user or a team can have on an organization. */
export const organizationActions = [
  'organizations/update',
  'organizations/delete',
  'organization-tokens/manage',
  'token-ttl-policies/manage',
  'memberships/manage',
  'teams/create',
  'teams/map-group',
  'projects/create',
  'workspaces/create',
  'tags/delete',
  'variable-sets/list',
  'variable-sets/manage',
  'run-tasks/manage',
  'policies/manage',
  'policy-sets/manage',
  'policy-sets/link-repository',
  'agent-pools/list',
  'agent-pools/create',
  'audit-events/read',
  'access-report/read',
] as const satisfies readonly Action[];

const claimsIn = (rights: readonly Action[]): readonly Claim[] => [
  ...new Set(rights.flatMap((right) => (policy[right] as Requirement).flat())),
];

const claimsOfRights = claimsIn(workspaceActions);

/** Something that a team gives its members, or the membership itself. */
export type AccessPart =
  | { readonly kind: 'membership' }
  | { readonly kind: 'owners-team' }
  | { readonly kind: 'organization-permission'; readonly permission: OrganizationPermission }
  | ({ readonly kind: 'team-access'; readonly level: AccessLevel } & Ends)
  | ({ readonly kind: 'project-access'; readonly level: ProjectAccessLevel } & Ends);

interface Ends {
  /** When it ends; absent for what has no end. */
  readonly until?: Instant;
}

/** A claim of the policy that is true, and one way in which it is: more than one part only if all of them are needed. */
export interface GivenClaim {
  readonly claim: Claim;
  /** Null for the membership. */
  readonly teamId: TeamId | null;
  readonly through: readonly AccessPart[];
}

export interface EffectiveRight<Right extends Action = WorkspaceAction> extends Ends {
  readonly right: Right;
  readonly held: boolean;
  readonly requires: Requirement;
  /** Every claim that `requires` names and that is true, also if the right needs more. */
  readonly claims: readonly GivenClaim[];
}

/** The action that reads the part in its own place. */
const reading: Readonly<Record<AccessPart['kind'], Action>> = {
  membership: 'memberships/read',
  'owners-team': 'teams/read',
  'organization-permission': 'teams/read',
  'team-access': 'team-access/read',
  'project-access': 'project-access/read',
};

interface PartOfTeam {
  readonly part: AccessPart;
  readonly given: Partial<TeamStanding>;
  /** Parts of the same key give the same. */
  readonly key: string;
}

const partsOf = ({ owners, access, grant, projectGrant }: TeamStanding): readonly PartOfTeam[] => [
  ...(owners ? [{ part: { kind: 'owners-team' }, given: { owners }, key: 'owners' } as const] : []),
  ...(grant
    ? [
        {
          part: { kind: 'team-access', level: grant.access, ...untilOf(grant) },
          given: { grant },
          key: keyOf(grant),
        } as const,
      ]
    : []),
  ...(projectGrant
    ? [
        {
          part: { kind: 'project-access', level: projectGrant.access, ...untilOf(projectGrant) },
          given: { projectGrant },
          key: `project ${keyOf(projectGrant)}`,
        } as const,
      ]
    : []),
  ...[...access].map((permission) => ({
    part: { kind: 'organization-permission', permission } as const,
    given: { access: new Set([permission]) },
    key: permission,
  })),
];

const untilOf = ({ ends }: Timed<Grant | ProjectGrant>): Ends => (ends === undefined ? {} : { until: ends.at });

const keyOf = (grant: Grant | ProjectGrant): string =>
  grant.access === 'custom' ? JSON.stringify(grant.permissions) : grant.access;

/** The standing of a caller who has nothing but these parts of one team. */
const throughAlone = (standing: Standing, parts: readonly PartOfTeam[]): Standing => {
  const given = parts.map((part) => part.given);
  const access = new Set(given.flatMap((one) => [...(one.access ?? [])]));
  const team: TeamStanding = Object.assign({ teamId: '', owners: false }, ...given, { access });
  return { ...standing, member: false, teams: [team] };
};

type Sufficing = (parts: readonly PartOfTeam[]) => boolean;

/** Evaluates the claim once for parts that give the same: a user may have hundreds of teams alike. */
const sufficingFor = (standing: Standing, claim: Claim): Sufficing => {
  const known = new Map<string, boolean>();
  return (parts) => {
    const key = parts.map((part) => part.key).join();
    const suffices = known.get(key) ?? claims[claim](throughAlone(standing, parts));
    known.set(key, suffices);
    return suffices;
  };
};

/** The parts of a team that are enough alone, and those that are only together. */
function waysThrough(parts: readonly PartOfTeam[], suffice: Sufficing): readonly (readonly PartOfTeam[])[] {
  const alone = parts.filter((part) => suffice([part]));
  const rest = parts.filter((part) => !alone.includes(part));
  if (!suffice(rest)) return alone.map((part) => [part]);
  const together = rest.reduce((needed, part) => {
    const fewer = needed.filter((one) => one !== part);
    return suffice(fewer) ? fewer : needed;
  }, rest);
  return [...alone.map((part) => [part]), together];
}

function waysTo(standing: Standing, claim: Claim): readonly GivenClaim[] {
  const member = { ...standing, teams: [] };
  const suffice = sufficingFor(standing, claim);
  return [
    ...(claims[claim](member) ? [{ claim, teamId: null, through: [{ kind: 'membership' } as const] }] : []),
    ...standing.teams.flatMap((team) =>
      waysThrough(partsOf(team), suffice).map((parts) => ({
        claim,
        teamId: team.teamId,
        through: parts.map(({ part }) => part),
      })),
    ),
  ];
}

function explained<Right extends Action>(
  standing: Standing,
  right: Right,
  ways: (claim: Claim) => readonly GivenClaim[],
): EffectiveRight<Right> {
  const held = may(standing, right);
  const until = held ? endOf(standing, (future) => may(future, right)) : null;
  const claimed = claimsIn([right]).flatMap(ways);
  return { right, held, ...(until !== null && { until }), requires: policy[right], claims: claimed };
}

/**
 * Each right that a user or a team can have on a workspace, and what gives it. `standing` is theirs on the workspace. The
 * claims are those that `may` evaluates, each asked about one team at a time: no claim of these rights needs two.
 */
export function effectiveAccess(standing: Standing): readonly EffectiveRight[] {
  const ways = new Map(claimsOfRights.map((claim) => [claim, waysTo(standing, claim)]));
  return workspaceActions.map((right) => explained(standing, right, (claim) => ways.get(claim) ?? []));
}

/** The same for one right in its place. */
export const effectiveRight = (standing: Standing, right: Action): EffectiveRight<Action> =>
  explained(standing, right, (claim) => waysTo(standing, claim));

/**
 * The teams of which one or more are needed for a right: a member holds it who, for one of the alternatives, is in a team
 * of each list. No team is needed where an alternative has no list. `members` is the standing of a member, and the teams
 * are theirs if they are in all.
 */
export function teamsNeededFor(members: Standing, right: Action): readonly (readonly (readonly TeamId[])[])[] {
  const nothing = { ...members, teams: [] };
  const giving = (claim: Claim): readonly TeamId[] =>
    members.teams.filter((team) => claims[claim]({ ...nothing, teams: [team] })).map(({ teamId }) => teamId);
  return (policy[right] as Requirement)
    .map((alternative) => alternative.filter((claim) => !claims[claim](nothing)).map(giving))
    .filter((lists) => lists.every((teams) => teams.length > 0));
}

/**
 * The rights without the claims that show a part which the caller may not read where it is kept. `asker` is the caller's
 * standing on the workspace, `teams` has every team that the claims name.
 */
export const visibleRights = <Right extends Action>(
  asker: Standing,
  teams: ReadonlyMap<TeamId, TeamInQuestion>,
  rights: readonly EffectiveRight<Right>[],
): readonly EffectiveRight<Right>[] => {
  const isShown = ({ teamId, through }: GivenClaim): boolean => {
    const team = teamId === null ? undefined : teams.get(teamId);
    const towards = { ...asker, ...(team && { team }) };
    return through.every(({ kind }) => may(towards, reading[kind]));
  };
  return rights.map((right) => ({ ...right, claims: right.claims.filter(isShown) }));
};
