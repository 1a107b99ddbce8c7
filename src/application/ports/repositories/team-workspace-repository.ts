import type {
  Actor,
  Seen,
  TeamId,
  TeamVisibility,
  TeamWorkspace,
  TeamWorkspaceId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest, Place, Slice } from './page.js';

/** A team's rights on a workspace with what a document says of both. */
export interface TeamWorkspaceView extends TeamWorkspace {
  readonly organizationName: string;
  readonly workspaceName: string;
}

/** Which rows of a workspace a list holds. */
export interface TeamAccessFilter {
  readonly workspaceId: WorkspaceId;
  /** Only this team's, when given. */
  readonly teamId: TeamId | undefined;
  readonly visibility: TeamVisibility;
}

/** The grants of teams on workspaces. What hangs on a deleted team, workspace or organization is missing. */
export interface TeamWorkspaceRepository {
  /** The standing is the caller's on the workspace, with the team in question. */
  findFor(actor: Actor, id: TeamWorkspaceId): Promise<Seen<TeamWorkspaceView> | undefined>;
  /** Throws `attribute/taken` when the team has a grant on the workspace already. */
  add(teamWorkspace: TeamWorkspace): Promise<void>;
  /** Throws `shared/stale-revision` when the stored revision moved on. */
  save(teamWorkspace: TeamWorkspace): Promise<void>;
  /** Whether there was one. */
  remove(id: TeamWorkspaceId): Promise<boolean>;
  /** By team name. */
  page(filter: TeamAccessFilter, page: PageRequest): Promise<Page<TeamWorkspaceView>>;
  /** In the same order, at most so many: those after a place, or the first. */
  slice(filter: TeamAccessFilter, after: Place | undefined, limit: number): Promise<Slice<TeamWorkspaceView>>;
}
