import { type Actor, type RunId, type Seen, seenBy, type Workspace } from '../../../domain/index.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';

/** A workspace with the related data a document shows. */
export interface ShownWorkspace extends Seen<Workspace> {
  /** The run that holds it, or else the longest waiting one; null if there is none, undefined if not loaded. */
  readonly currentRunId?: RunId | null;
}

export async function showingWorkspaces(
  tx: Transaction<'runs'>,
  workspaces: readonly Seen<Workspace>[],
): Promise<readonly ShownWorkspace[]> {
  const current = await tx.runs.currentOf(workspaces.map(({ subject }) => subject.id));
  return workspaces.map((seen) => ({ ...seen, currentRunId: current.get(seen.subject.id) ?? null }));
}

export async function showingWorkspace(tx: Transaction<'runs'>, seen: Seen<Workspace>): Promise<ShownWorkspace> {
  const current = await tx.runs.currentOf([seen.subject.id]);
  return { ...seen, currentRunId: current.get(seen.subject.id) ?? null };
}

/** GET /workspaces/:id and GET /organizations/:name/workspaces/:name. */
export class ShowWorkspace {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs'>) {}

  execute(actor: Actor, reference: WorkspaceReference): Promise<ShownWorkspace> {
    return this.unitOfWork.read(async (tx) =>
      showingWorkspace(tx, seenBy(await findWorkspace(tx, actor, reference), 'workspaces/read')),
    );
  }
}
