import type {
  Actor,
  Instant,
  ProjectId,
  TeamId,
  TeamInQuestion,
  TeamVisibility,
  TeamWorkspace,
  TeamWorkspaceId,
  TeamWorkspaceState,
  TokenOwner,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest, Place, Slice } from './page.js';

/** A team's rights on a workspace, with the names that a document shows. */
export interface TeamWorkspaceView {
  /** With the grant that is in force. */
  readonly teamWorkspace: TeamWorkspaceState;
  /** Whether the stored grant has ended, which has not been recorded yet. */
  readonly isDue?: boolean;
  readonly organizationName: string;
  readonly workspaceName: string;
}

/** The rows of a workspace to list. */
export interface TeamAccessFilter {
  readonly workspaceId: WorkspaceId;
  /** Limits the list to one team, if set. */
  readonly teamId: TeamId | undefined;
  readonly visibility: TeamVisibility;
  /** Limits the list to access that ends at this instant or before. */
  readonly endsBy?: Instant | undefined;
}

/** A user or team whose access to a workspace is asked for. */
export type AccessHolder = Extract<TokenOwner, { readonly kind: 'user' | 'team' }>;

/** A member or a team of the workspace's organization. */
export interface HolderView {
  /** The username, the address of an invited person, or the name of the team. */
  readonly name: string;
  /** Whether the invitation is open. It does not say whether there is such a user. */
  readonly invited: boolean;
  readonly projectId: ProjectId;
  /** Those of the standing. */
  readonly teams: ReadonlyMap<TeamId, TeamInQuestion & { readonly name: string }>;
}

/**
 * The grants of teams on workspaces. Those of a deleted team, workspace or organization are missing, and so is a row of
 * which nothing is in force, except where a method is about these.
 */
export interface TeamWorkspaceRepository {
  /**
   * The standing is the caller's on the workspace, with the team in question. In a transaction, other changes of the row
   * wait until it ends.
   */
  findFor(actor: Actor, id: TeamWorkspaceId): Promise<WithStanding<TeamWorkspaceView> | undefined>;
  /**
   * The standing is the holder's on the workspace, for an open invitation the one that it will give; a suspended user has
   * none. Undefined for a user who is not a member, and for a team of another organization. One indexed statement.
   */
  holder(holder: AccessHolder, workspaceId: WorkspaceId): Promise<WithStanding<HolderView> | undefined>;
  /** Throws `attribute/taken` if the team already has a grant on the workspace. */
  add(teamWorkspace: TeamWorkspace): Promise<void>;
  /** For a row that was found in the same transaction. Throws `shared/stale-revision` if the stored revision has changed. */
  save(teamWorkspace: TeamWorkspace): Promise<void>;
  /** Returns whether it existed. */
  remove(id: TeamWorkspaceId): Promise<boolean>;
  /** Rows whose stored grant has ended, the oldest end first. */
  due(limit: number): Promise<readonly TeamWorkspaceId[]>;
  /**
   * The row as it is stored, if its grant has ended. In a transaction, other changes of the row wait until it ends.
   */
  findDue(
    row: { readonly id: TeamWorkspaceId } | { readonly teamId: TeamId; readonly workspaceId: WorkspaceId },
  ): Promise<TeamWorkspace | undefined>;
  /** Ordered by team name. */
  page(filter: TeamAccessFilter, page: PageRequest): Promise<Page<TeamWorkspaceView>>;
  /** In the same order, at most `limit` rows: those after a place, or the first. */
  slice(filter: TeamAccessFilter, after: Place | undefined, limit: number): Promise<Slice<TeamWorkspaceView>>;
}
