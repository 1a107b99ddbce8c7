import type {
  OrganizationId,
  ProjectId,
  TeamId,
  TeamInQuestion,
  TeamStanding,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

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

/** Who has access to what in an organization. */
export interface AccessHolders {
  /** All teams of the organization, by name. One statement. */
  teamsAt(place: AccessPlace): Promise<readonly TeamAtPlace[]>;
  /**
   * The people who, for one of the alternatives, are in a team of each of its lists, by name; all people for an alternative
   * without lists, and none without alternatives.
   */
  people(
    organizationId: OrganizationId,
    alternatives: readonly (readonly (readonly TeamId[])[])[],
    page: PageRequest,
  ): Promise<Page<PersonAtPlace>>;
}
