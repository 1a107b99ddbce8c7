import { type Actor, authorizedView, type ProjectId, projectAccessVisibility } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /team-projects?filter[project][id]=… */
export class ListProjectAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'projectAccess' | 'projects'>) {}

  execute(actor: Actor, projectId: ProjectId, page: PageRequest): Promise<Page<TeamProjectView>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = authorizedView(await tx.projects.findFor(actor, projectId), 'projects/read');
      return tx.projectAccess.page(projectId, projectAccessVisibility(standing), page);
    });
  }
}
