import { type Actor, authorizedView, type WithStanding, type Workspace } from '../../../domain/index.js';
import type { WorkspaceActivity } from '../../ports/repositories/run-repository.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { activityOf, noActivity } from '../runs/workspace-activity.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** A workspace with the related data a document shows. */
export interface ShownWorkspace extends WithStanding<Workspace> {
  readonly activity: WorkspaceActivity;
}

export async function showingWorkspaces(
  tx: Transaction<'runs'>,
  workspaces: readonly WithStanding<Workspace>[],
): Promise<readonly ShownWorkspace[]> {
  const activities = await tx.runs.activityOf(workspaces.map(({ subject }) => subject.id));
  return workspaces.map((seen) => ({ ...seen, activity: activities.get(seen.subject.id) ?? noActivity }));
}

export const showingWorkspace = async (
  tx: Transaction<'runs'>,
  seen: WithStanding<Workspace>,
): Promise<ShownWorkspace> => ({
  ...seen,
  activity: await activityOf(tx, seen.subject.id),
});

/** GET /workspaces/:id and GET /organizations/:name/workspaces/:name. */
export class ShowWorkspace {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs'>) {}

  execute(actor: Actor, reference: WorkspaceReference): Promise<ShownWorkspace> {
    return this.unitOfWork.read(async (tx) =>
      showingWorkspace(tx, authorizedView(await findWorkspace(tx, actor, reference), 'workspaces/read')),
    );
  }
}
