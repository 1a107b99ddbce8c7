import { DomainError, type OrganizationId, type WorkspaceId } from '../../../domain/index.js';
import type { AtFault } from '../../../domain/shared/domain-error.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * The ids without duplicates. Throws `attribute/invalid`, at `where`, if one of them is not a workspace of the
 * organization.
 */
export async function attachable(
  tx: Transaction<'workspaces'>,
  organizationId: OrganizationId,
  ids: readonly WorkspaceId[],
  where: AtFault,
): Promise<readonly WorkspaceId[]> {
  const wanted = [...new Set(ids)];
  const found = wanted.length === 0 ? [] : await tx.workspaces.visibleAmong(organizationId, wanted, 'all');
  if (found.length < wanted.length) {
    throw new DomainError('attribute/invalid', 'Workspaces must belong to the organization', where);
  }
  return wanted.sort();
}
