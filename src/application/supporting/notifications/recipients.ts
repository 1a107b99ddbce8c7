import { DomainError, type OrganizationId, type UserId } from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** Throws `attribute/invalid` for a user who is not a member of the organization. */
export async function checkRecipients(
  tx: Transaction<'memberships'>,
  organizationId: OrganizationId,
  userIds: readonly UserId[],
): Promise<void> {
  if (userIds.length === 0) return;
  const members = await tx.memberships.idsOf(organizationId, userIds);
  if (userIds.every((id) => members.has(id))) return;
  const where = { relationship: 'users' } as const;
  throw new DomainError('attribute/invalid', 'Users must be members of the organization', where);
}
