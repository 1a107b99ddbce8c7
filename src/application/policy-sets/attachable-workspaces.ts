import { DomainError, type OrganizationId, type WorkspaceId } from '../../domain/index.js';
import type { Transaction } from '../ports/unit-of-work.js';

/**
 * The same ids, each once. Throws `attribute/invalid`, with a pointer to where the request named them, when one of them
 * is no workspace of the organization.
 */
export async function attachable(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly WorkspaceId[],
  pointer: string,
): Promise<readonly WorkspaceId[]> {
  const wanted = [...new Set(ids)];
  const found = wanted.length === 0 ? [] : await tx.workspaces.visibleAmong(organizationId, wanted, 'all');
  if (found.length < wanted.length) {
    throw new DomainError('attribute/invalid', 'Workspaces must be workspaces of the organization', { pointer });
  }
  return wanted.sort();
}
