import type {
  Actor,
  ProjectAccessVisibility,
  ProjectId,
  TeamProject,
  TeamProjectId,
  WithStanding,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** The grants of teams on projects. Those of a deleted team, project or organization are missing. */
export interface TeamProjectRepository {
  /** The standing is the caller's on the project, with the team in question. */
  findFor(actor: Actor, id: TeamProjectId): Promise<WithStanding<TeamProjectView> | undefined>;
  /** Throws `attribute/taken` if the team already has a grant on the project. */
  add(teamProject: TeamProject): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed. */
  save(teamProject: TeamProject): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed, or the row is gone. */
  remove(teamProject: TeamProject): Promise<void>;
  /** Ordered by team name. */
  page(projectId: ProjectId, visibility: ProjectAccessVisibility, page: PageRequest): Promise<Page<TeamProjectView>>;
}

/** A team's rights on a project, with the place of its audit events. */
export interface TeamProjectView {
  readonly teamProject: TeamProject;
  readonly organizationId: string;
}
