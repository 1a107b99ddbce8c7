import type { TeamId } from '../shared/id.js';
import type { Grant } from '../team-access/access-level.js';
import type { ProjectGrant } from '../team-access/project-access-level.js';
import type { Timed } from '../team-access/timed-grant.js';
import type { Bar } from './entry.js';
import type { OrganizationAccess } from './organization-permissions.js';

/** One of the caller's teams and its rights on the subject. */
export interface TeamStanding {
  readonly teamId: TeamId;
  readonly owners: boolean;
  readonly access: OrganizationAccess;
  /** The team's grant on the workspace in question; absent without a grant or without a workspace. */
  readonly grant?: Timed<Grant>;
  /** The team's grant on the project in question, or on that of the workspace in question. */
  readonly projectGrant?: Timed<ProjectGrant>;
  /** Whether the team has access to a workspace of the project in question. */
  readonly inProject?: boolean;
}

/** The team in question, if any. */
export interface TeamInQuestion {
  readonly teamId: TeamId;
  readonly owners: boolean;
  readonly secret: boolean;
  readonly membersManageToken: boolean;
  readonly access: OrganizationAccess;
  /** The place of the team's grant, if the question is about a workspace: the workspace itself if it has one there. */
  readonly grantOn?: 'workspace' | 'project';
}

/** The agent pool in question, if any. */
export interface PoolInQuestion {
  /** Whether a workspace, or the default of a project or the organization, references the pool. */
  readonly named: boolean;
  /** Whether any workspace references the pool or uses it by default. */
  readonly serving: boolean;
  /** Whether the pool serves a workspace on which the caller lacks `admin` access. */
  readonly servingElsewhere: boolean;
}

/** All facts about the caller and the subject that the policy evaluates. A port loads them. */
export interface Standing {
  readonly actor: 'user' | 'team' | 'organization' | 'auditor' | 'run';
  readonly siteAdministrator: boolean;
  /** A member of the organization in question, one of its teams, or its own token. */
  readonly member: boolean;
  readonly teams: readonly TeamStanding[];
  /** Why the organization refuses the token or session of the caller, who is a member. */
  readonly bar?: Bar;
  readonly team?: TeamInQuestion;
  readonly pool?: PoolInQuestion;
  /** Whether the subject is the caller's own user, team or token. */
  readonly own?: boolean;
  /** Whether the workspace in question shares its state with that of the run that asks. A run is never a member. */
  readonly sharesState?: boolean;
  /** Whether the caller is the audit token of the organization in question. An audit token is never a member. */
  readonly isAuditor?: boolean;
}

/** The standing of a member, a team or the token of the organization, with these teams. */
export const memberWith = (actor: 'user' | 'team' | 'organization', teams: readonly TeamStanding[]): Standing => ({
  actor,
  siteAdministrator: false,
  member: true,
  teams,
});

/** A standing on a workspace after its move to the project that `target` is the standing on. */
export const movedTo = (target: Standing, standing: Standing): Standing => ({
  ...standing,
  teams: standing.teams.map(({ projectGrant: _, ...team }) => {
    const projectGrant = target.teams.find(({ teamId }) => teamId === team.teamId)?.projectGrant;
    return { ...team, ...(projectGrant && { projectGrant }) };
  }),
});
