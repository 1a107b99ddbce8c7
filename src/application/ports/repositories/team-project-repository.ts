import type {
  Actor,
  Instant,
  ProjectAccessVisibility,
  ProjectId,
  TeamId,
  TeamProject,
  TeamProjectId,
  WithStanding,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** As `TeamWorkspaceRepository`, of grants on projects. */
export interface TeamProjectRepository {
  /** The standing is the caller's on the project, with the team in question. */
  findFor(actor: Actor, id: TeamProjectId): Promise<WithStanding<TeamProjectView> | undefined>;
  /** Throws `attribute/taken` if the team already has a grant on the project. */
  add(teamProject: TeamProject): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed. */
  save(teamProject: TeamProject): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed, or the row is gone. */
  remove(teamProject: TeamProject): Promise<void>;
  due(limit: number): Promise<readonly TeamProjectId[]>;
  findDue(
    row: { readonly id: TeamProjectId } | { readonly teamId: TeamId; readonly projectId: ProjectId },
  ): Promise<TeamProjectView | undefined>;
  /** Ordered by team name. */
  page(filter: ProjectAccessFilter, page: PageRequest): Promise<Page<TeamProjectView>>;
}

/** The rows of a project to list. */
export interface ProjectAccessFilter {
  readonly projectId: ProjectId;
  readonly visibility: ProjectAccessVisibility;
  /** Limits the list to access that ends at this instant or before. */
  readonly endsBy?: Instant | undefined;
}

/** A team's rights on a project, with the place of its audit events. */
export interface TeamProjectView {
  /** With the grant that is in force; from `findDue`, as it is stored. */
  readonly teamProject: TeamProject;
  /** Whether the stored grant has ended, which has not been recorded yet. */
  readonly isDue?: boolean;
  readonly organizationId: string;
}
