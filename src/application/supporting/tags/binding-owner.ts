import type { Actor, Project, TagBindingOwner, Workspace } from '../../../domain/index.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The workspace or the project, if the caller may read or update it. Throws `resource/not-found` otherwise. */
export const findOwner = async (
  tx: Transaction<'workspaces' | 'projects'>,
  actor: Actor,
  { kind, id }: TagBindingOwner,
  right: 'read' | 'update',
): Promise<Change<Workspace | Project>> =>
  kind === 'workspace'
    ? changing(actor, await tx.workspaces.findFor(actor, id), `workspaces/${right}`)
    : changing(actor, await tx.projects.findFor(actor, id), `projects/${right}`);
