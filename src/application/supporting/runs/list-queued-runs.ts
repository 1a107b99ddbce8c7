import { type Actor, authorizedView, workspaceVisibility } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownRun, showingQueued } from './show-run.js';

/** GET /organizations/:name/runs/queue: executing runs, then waiting ones, of the workspaces the caller may read. */
export class ListQueuedRuns {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'runs' | 'taskStages' | 'runComments'>) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<ShownRun>> {
    return this.unitOfWork.read(async (tx) => {
      const organization = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const visibility = workspaceVisibility(organization.standing);
      const found = await tx.runs.queue(organization.subject.id, organization.standing, visibility, page);
      return { ...found, items: await showingQueued(tx, found.items) };
    });
  }
}
