import { type Actor, authorizedView, may, type RunTask, workspaceVisibility } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { showingWorkspaces } from '../supporting/workspaces/show-workspace.js';
import { type Related, related } from './related.js';

export type RunTaskInclude = 'workspace-tasks' | 'workspaces';

/** Resources to include with run tasks of one organization that the caller may manage: those of workspaces it may read. */
export class ShowRelatedToRunTasks {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'workspaceTasks' | 'runs'>) {}

  execute(actor: Actor, tasks: readonly RunTask[], include: ReadonlySet<RunTaskInclude>): Promise<readonly Related[]> {
    const [first] = tasks;
    if (first === undefined || include.size === 0) return Promise.resolve([]);
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, first.organizationName),
        'run-tasks/manage',
      );
      const attached = await tx.workspaceTasks.ofTasks(tasks.map(({ id }) => id));
      const ids = [...new Set(attached.map(({ workspaceId }) => workspaceId))];
      const visibility = workspaceVisibility(standing);
      const found = await tx.workspaces.visibleWithStanding(subject.id, standing, visibility, ids);
      const readable = found.filter((workspace) => may(workspace.standing, 'workspace-tasks/read'));
      const seen = new Set(readable.map((workspace) => workspace.subject.id));
      return [
        ...attached.filter(({ workspaceId }) => seen.has(workspaceId)).map(related('workspace-task')),
        ...(include.has('workspaces') ? (await showingWorkspaces(tx, readable)).map(related('workspace')) : []),
      ];
    });
  }
}
