import {
  type Actor,
  authorizedView,
  type Project,
  projectVisibility,
  type WithStanding,
} from '../../../domain/index.js';
import type { ProjectFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/projects: those in which the caller has access to anything. */
export class ListProjects {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'projects'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: ProjectFilter = {},
  ): Promise<Page<WithStanding<Project>>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      return tx.projects.page(subject.id, standing, projectVisibility(standing), page, filter);
    });
  }
}
