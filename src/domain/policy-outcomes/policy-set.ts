import { DomainError, invalidAttribute } from '../shared/domain-error.js';
import type { Instant, OrganizationId, PolicySetId, WorkspaceId } from '../shared/id.js';
import { checkName } from '../shared/name.js';

export const enforcementLevels = ['advisory', 'mandatory'] as const;

export type EnforcementLevel = (typeof enforcementLevels)[number];

export const policyKinds = ['opa', 'sentinel'] as const;

export type PolicyKind = (typeof policyKinds)[number];

/** What is known of a policy: everything but its code. */
export interface Policy {
  /** Unique in its set. */
  readonly name: string;
  readonly description: string;
  /** The rule to ask, for OPA; null for Sentinel. */
  readonly query: string | null;
  readonly enforcementLevel: EnforcementLevel;
}

export interface PolicySetSettings {
  readonly name: string;
  readonly description: string | null;
  readonly kind: PolicyKind;
  /** Whether it applies to every workspace of its organization. */
  readonly global: boolean;
  /** Whether who holds `manage-policy-overrides` may let a run pass in spite of it. */
  readonly overridable: boolean;
  readonly policies: readonly Policy[];
}

/** The policies that runs of some workspaces are held to. */
export interface PolicySet extends PolicySetSettings {
  readonly id: PolicySetId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** Those it is attached to by name; a global one applies to the others too. */
  readonly workspaceIds: readonly WorkspaceId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a name that is not well formed, and for two policies of one name. */
export function checkPolicySet<Settings extends Partial<PolicySetSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  const names = (settings.policies ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidAttribute('policies', 'Policies must differ in their names');
  return settings;
}

/** A set as it was when a run was created: later changes do not reach runs that wait. */
export type AppliedPolicySet = Pick<PolicySet, 'id' | 'name' | 'description' | 'overridable' | 'policies'>;

export const asApplied = ({ id, name, description, overridable, policies }: PolicySet): AppliedPolicySet => ({
  id,
  name,
  description,
  overridable,
  policies,
});

export const invalidReport = (sentence: string, pointer: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { pointer });
