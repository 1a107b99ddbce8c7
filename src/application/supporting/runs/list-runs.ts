import { type Actor, seenBy, type WorkspaceId } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownRun, showingAll } from './show-run.js';

/** GET /workspaces/:id/runs: newest first. */
export class ListRuns {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'taskStages'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ShownRun>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = seenBy(await tx.workspaces.findIdFor(actor, workspaceId), 'runs/read');
      const found = await tx.runs.page(workspaceId, page);
      return { ...found, items: await showingAll(tx, found.items, standing) };
    });
  }
}
