import { DomainError, type PolicyId, type PolicySet } from '../../../domain/index.js';
import type { AtFault } from '../../../domain/shared/domain-error.js';
import { checkKinds, checkNames } from '../../../domain/supporting/policies/policy-set.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * The ids of the set's policies including the new ones, without duplicates. Throws `attribute/invalid`, at `where`, if
 * one of them is not a policy of the organization, is of another kind, or has a duplicate name.
 */
export async function withPolicies(
  tx: Transaction<'policies'>,
  policySet: PolicySet,
  added: readonly PolicyId[],
  where: AtFault,
): Promise<readonly PolicyId[]> {
  const wanted = [...new Set([...policySet.policyIds, ...added])];
  if (wanted.length === 0) return [];
  const found = await tx.policies.allOf(policySet.organizationId, wanted);
  const ids = found.map(({ id }) => id);
  if (added.some((id) => !ids.includes(id))) {
    throw new DomainError('attribute/invalid', 'Policies must belong to the organization', where);
  }
  checkKinds(policySet, found, where);
  checkNames(policySet, found, where);
  return ids.sort();
}
