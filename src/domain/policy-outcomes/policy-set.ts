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
  /** Whether who holds `manage-policy-overrides` may let a run pass in spite of it. */
  readonly overridable: boolean;
  /** Those that are written into it; others are attached. */
  readonly policies: readonly Policy[];
}

/** The policies that runs of some workspaces are held to. */
export interface PolicySet extends PolicySetSettings {
  readonly id: PolicySetId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** Those it is attached to by name; a global one applies to the others too. */
  readonly workspaceIds: readonly WorkspaceId[];
  /** Those that are attached to it. */
  readonly policyIds: readonly PolicyId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a name that is not well formed, and for two policies of one name. */
export function checkPolicySet<Settings extends Partial<PolicySetSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  const names = (settings.policies ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidAttribute('policies', 'Policies must have different names');
  return settings;
}

/** As many as a report of an agent may speak of. */
export const mostPoliciesOfSet = 1000;

/** Throws `attribute/invalid`, at `where`, for a policy of another kind than the set's. */
export function checkKinds(
  { kind }: Pick<PolicySet, 'kind'>,
  attached: readonly ManagedPolicy[],
  where: AtFault,
): void {
  if (attached.every((policy) => policy.kind === kind)) return;
  throw new DomainError('attribute/invalid', 'A policy set and its policies must be of the same kind', where);
}

/** Throws `attribute/invalid`, at `where`, for two policies of one name, and for more than an agent can report on. */
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

/** A set with what is attached to it, in order of name. */
export interface ApplyingPolicySet extends PolicySet {
  readonly attached: readonly ManagedPolicy[];
}

/** A policy as it was when a run was created. */
export interface AppliedPolicy extends Policy {
  /** The SHA-256 of its code, in hexadecimal digits; null where the service knows none. */
  readonly code: string | null;
}

/** A set as it was when a run was created: later changes do not reach runs that wait. */
export interface AppliedPolicySet extends Pick<PolicySet, 'id' | 'name' | 'description' | 'overridable'> {
  readonly policies: readonly AppliedPolicy[];
}

const appliedPolicy = (
  { name, description, query, enforcementLevel }: Policy,
  code: AppliedPolicy['code'],
): AppliedPolicy => ({ name, description, query, enforcementLevel, code });

/** What is written into the set comes first, in its order, and then what is attached. */
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
