import { type Actor, authorizedView, type ProjectId, projectAccessVisibility } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { endsBy } from './access-ends.js';

export interface ProjectAccessQuery {
  readonly projectId: ProjectId;
  /** Limits the list to access that ends within this number of days, if set. */
  readonly endsWithinDays: number | undefined;
}

/** GET /team-projects?filter[project][id]=… */
export class ListProjectAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<'projectAccess' | 'projects'>,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    { projectId, endsWithinDays }: ProjectAccessQuery,
    page: PageRequest,
  ): Promise<Page<TeamProjectView>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = authorizedView(await tx.projects.findFor(actor, projectId), 'projects/read');
      const visibility = projectAccessVisibility(standing);
      return tx.projectAccess.page({ projectId, visibility, endsBy: endsBy(this.clock, endsWithinDays) }, page);
    });
  }
}
