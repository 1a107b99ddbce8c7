import type {
  Actor,
  Instant,
  OrganizationId,
  Project,
  ProjectId,
  ProjectVisibility,
  Standing,
  WithStanding,
} from '../../../domain/index.js';
import type { ProjectFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

/** The default project of an organization comes and goes with it: nothing adds or removes it here. */
export interface ProjectRepository {
  findFor(actor: Actor, id: ProjectId): Promise<WithStanding<Project> | undefined>;
  /** The existing ones of these ids, in no particular order. */
  among(ids: readonly ProjectId[]): Promise<readonly Project[]>;
  /** Throws `attribute/taken` if a project of the organization has the name. */
  add(project: Project): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed, `attribute/taken` if another has the name. */
  save(project: Project): Promise<void>;
  /** For a project without workspaces. Also removes the access of teams to it, and the variable sets that it owns. */
  remove(id: ProjectId): Promise<void>;
  /** Projects whose workspaces may be due for their scheduled destruction at `now`. One indexed statement. */
  withDestructionDue(now: Instant, limit: number): Promise<readonly Project[]>;
  /** Sets the time of the next check of a project unless it has changed since the project was read. */
  postponeDestructionCheck(project: Project, at: Instant): Promise<void>;
  hasWorkspaces(id: ProjectId): Promise<boolean>;
  /** `standing` is the caller's on the organization; each item gets it with the access of its teams to that project. */
  page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: ProjectVisibility,
    page: PageRequest,
    filter?: ProjectFilter,
  ): Promise<Page<WithStanding<Project>>>;
}
