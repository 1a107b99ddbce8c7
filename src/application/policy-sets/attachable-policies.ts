import { checkKinds, checkNames, DomainError, type PolicyId, type PolicySet } from '../../domain/index.js';
import type { Transaction } from '../ports/unit-of-work.js';

/**
 * What the set has with these added to what it had, each once. Throws `attribute/invalid`, with a pointer to where the
 * request named them, when one of them is no policy of the organization, is of another kind, or has a taken name.
 */
export async function withPolicies(
  tx: Transaction,
  policySet: PolicySet,
  added: readonly PolicyId[],
  pointer: string,
): Promise<readonly PolicyId[]> {
  const wanted = [...new Set([...policySet.policyIds, ...added])];
  if (wanted.length === 0) return [];
  const found = await tx.policies.allOf(policySet.organizationId, wanted);
  const ids = found.map(({ id }) => id);
  if (added.some((id) => !ids.includes(id))) {
    throw new DomainError('attribute/invalid', 'Policies must be policies of the organization', { pointer });
  }
  checkKinds(policySet, found, { pointer });
  checkNames(policySet, found, { pointer });
  return ids.sort();
}
