import type {
  Grant,
  Instant,
  OrganizationAccess,
  OrganizationId,
  ProjectGrant,
  ProjectId,
  TeamId,
  TeamInQuestion,
  TeamStanding,
  Timed,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest, Place, Slice } from './page.js';

/** The organization, or a project or workspace of it. */
export interface AccessPlace {
  readonly organizationId: OrganizationId;
  readonly on?: { readonly workspaceId: WorkspaceId } | { readonly projectId: ProjectId };
}

/** A team, with what it has in the place. */
export interface TeamAtPlace {
  readonly name: string;
  readonly team: TeamInQuestion;
  readonly standing: TeamStanding;
}

/** A member of the organization who is not suspended. */
export interface PersonAtPlace {
  readonly userId: UserId;
  /** The username, or the address of an invited person. */
  readonly name: string;
  readonly invited: boolean;
  readonly teamIds: readonly TeamId[];
}

/** A member who is not suspended, with what they have in the organization itself. */
export interface ReportedPerson extends Omit<PersonAtPlace, 'teamIds'> {
  /** When the membership began. */
  readonly since: Instant;
  /** By name. */
  readonly teams: readonly ReportedTeam[];
}

export interface ReportedTeam {
  readonly teamId: TeamId;
  readonly name: string;
  readonly owners: boolean;
  readonly access: OrganizationAccess;
  /** When the person joined; null if that was before it was recorded. */
  readonly joinedAt: Instant | null;
  /** When the organization-level permissions were last changed; null if that was before it was recorded. */
  readonly accessChangedAt: Instant | null;
}

/** A grant of a team on a workspace or a project. */
export interface ReportedGrant<Given = Grant | ProjectGrant> {
  readonly placeId: WorkspaceId | ProjectId;
  readonly placeName: string;
  /** The part that is in force. */
  readonly grant: Timed<Given>;
  /** When it was given or last changed, or came into force; null if that was before it was recorded. */
  readonly since: Instant | null;
}

/** Grants in the order of the ids of their places. */
export interface GrantSlice<Given> {
  readonly items: readonly ReportedGrant<Given>[];
  /** The id of the last place; undefined at the end. */
  readonly last: string | undefined;
}

/** Who has access to what in an organization. */
export interface AccessHolders {
  /**
   * The teams of the organization, by name, in one statement: all, those of these ids, or those `with access`, which leaves
   * out teams with neither a grant here nor a permission in the organization.
   */
  teamsAt(place: AccessPlace, among?: readonly TeamId[] | 'with access'): Promise<readonly TeamAtPlace[]>;
  /**
   * The people who, for one of the alternatives, are in a team of each of its lists, by name; all people for an alternative
   * without lists, and none without alternatives.
   */
  people(
    organizationId: OrganizationId,
    alternatives: readonly (readonly (readonly TeamId[])[])[],
    page: PageRequest,
  ): Promise<Page<PersonAtPlace>>;
  /** The instant that decides which grants have ended. */
  now(): Promise<Instant>;
  /** Members who are not suspended, by name, with their teams. Two statements, at any size of the organization. */
  peopleAfter(organizationId: OrganizationId, after: Place | undefined, limit: number): Promise<Slice<ReportedPerson>>;
  /** The grants of a team that are in force at an instant. The cost does not depend on the number of others. */
  workspaceGrants(teamId: TeamId, at: Instant, after: string | undefined, limit: number): Promise<GrantSlice<Grant>>;
  projectGrants(
    teamId: TeamId,
    at: Instant,
    after: string | undefined,
    limit: number,
  ): Promise<GrantSlice<ProjectGrant>>;
}
