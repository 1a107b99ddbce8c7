import { type AtFault, DomainError, invalidAttribute } from '../shared/domain-error.js';
import type { Instant, OrganizationId, PolicyId, PolicySetId, WorkspaceId } from '../shared/id.js';
import { checkName } from '../shared/name.js';
import type { ManagedPolicy, Policy, PolicyKind } from './policy.js';

export interface PolicySetSettings {
  readonly name: string;
  readonly description: string | null;
  readonly kind: PolicyKind;
  /** Whether it applies to every workspace of its organization. */
  readonly global: boolean;
  /** Whether a holder of `manage-policy-overrides` may override a failure. */
  readonly overridable: boolean;
  /** The policies defined inside the set; managed policies are attached by id. */
  readonly policies: readonly Policy[];
}

/** The policies that apply to the runs of some workspaces. */
export interface PolicySet extends PolicySetSettings {
  readonly id: PolicySetId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The attached workspaces; a global set also applies to all others. */
  readonly workspaceIds: readonly WorkspaceId[];
  /** The attached policies. */
  readonly policyIds: readonly PolicyId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a malformed name, and for two policies with the same name. */
export function checkPolicySet<Settings extends Partial<PolicySetSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  const names = (settings.policies ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidAttribute('policies', 'Policies must have different names');
  return settings;
}

/** The maximum an agent's report can cover. */
export const mostPoliciesOfSet = 1000;

/** Throws `attribute/invalid`, at `where`, for a policy whose kind differs from the set's. */
export function checkKinds(
  { kind }: Pick<PolicySet, 'kind'>,
  attached: readonly ManagedPolicy[],
  where: AtFault,
): void {
  if (attached.every((policy) => policy.kind === kind)) return;
  throw new DomainError('attribute/invalid', 'A policy set and its policies must be of the same kind', where);
}

/**
 * Throws `attribute/invalid`, at `where`, for two policies with the same name and for more policies than an agent can
 * report.
 */
export function checkNames(
  { policies }: Pick<PolicySet, 'policies'>,
  attached: readonly ManagedPolicy[],
  where: AtFault,
): void {
  const names = [...policies, ...attached].map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new DomainError('attribute/invalid', 'Policies must have different names', where);
  }
  if (names.length > mostPoliciesOfSet) {
    throw new DomainError('attribute/invalid', `A policy set can have at most ${mostPoliciesOfSet} policies`, where);
  }
}

/** A set with its attached policies, ordered by name. */
export interface ApplyingPolicySet extends PolicySet {
  readonly attached: readonly ManagedPolicy[];
}

/** A snapshot of a policy, taken when a run was created. */
export interface AppliedPolicy extends Policy {
  /** The SHA-256 of its code, in hexadecimal; null if the service does not store the code. */
  readonly code: string | null;
}

/** A snapshot of a set, taken when a run was created: later changes do not affect waiting runs. */
export interface AppliedPolicySet extends Pick<PolicySet, 'id' | 'name' | 'description' | 'overridable'> {
  readonly policies: readonly AppliedPolicy[];
}

const appliedPolicy = (
  { name, description, query, enforcementLevel }: Policy,
  code: AppliedPolicy['code'],
): AppliedPolicy => ({ name, description, query, enforcementLevel, code });

/** The policies defined in the set come first, in their order, followed by the attached ones. */
export const asApplied = (set: ApplyingPolicySet): AppliedPolicySet => ({
  id: set.id,
  name: set.name,
  description: set.description,
  overridable: set.overridable,
  policies: [
    ...set.policies.map((policy) => appliedPolicy(policy, null)),
    ...set.attached.map((policy) => appliedPolicy(policy, policy.code)),
  ],
});

export const invalidReport = (sentence: string, member: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { member });
