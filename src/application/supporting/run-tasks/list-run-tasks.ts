import { type Actor, authorized, type RunTask } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/tasks, by name. */
export class ListRunTasks {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'runTasks'>) {}

  execute(actor: Actor, organizationName: string, page: PageRequest, search?: string): Promise<Page<RunTask>> {
    return this.unitOfWork.read(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'run-tasks/manage');
      return tx.runTasks.page(organization.id, page, search);
    });
  }
}
