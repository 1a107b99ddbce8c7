import type { Actor, WithStanding, Workspace, WorkspaceId } from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The two references to a workspace in the API. */
export type WorkspaceReference =
  | { readonly id: WorkspaceId }
  | { readonly organizationName: string; readonly name: string };

export const findWorkspace = (
  tx: Transaction<'workspaces'>,
  actor: Actor,
  reference: WorkspaceReference,
): Promise<WithStanding<Workspace> | undefined> =>
  'id' in reference
    ? tx.workspaces.findFor(actor, reference.id)
    : tx.workspaces.findByNameFor(actor, reference.organizationName, reference.name);
