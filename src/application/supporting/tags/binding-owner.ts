import { type Actor, authorized, type Project, type TagBindingOwner, type Workspace } from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The workspace or the project, if the caller may read or update it. Throws `resource/not-found` otherwise. */
export const findOwner = async (
  tx: Transaction<'workspaces' | 'projects'>,
  actor: Actor,
  { kind, id }: TagBindingOwner,
  right: 'read' | 'update',
): Promise<Workspace | Project> =>
  kind === 'workspace'
    ? authorized(await tx.workspaces.findFor(actor, id), `workspaces/${right}`)
    : authorized(await tx.projects.findFor(actor, id), `projects/${right}`);
