import { invalidAttribute } from '../shared/domain-error.js';
import type { Instant, OrganizationId, PolicyId, PolicySetId } from '../shared/id.js';
import { checkName } from '../shared/name.js';

export const enforcementLevels = ['advisory', 'mandatory'] as const;

export type EnforcementLevel = (typeof enforcementLevels)[number];

export const policyKinds = ['opa', 'sentinel'] as const;

export type PolicyKind = (typeof policyKinds)[number];

/** A policy of a set. A policy defined inside a set has no stored code; see `ManagedPolicy` for those that have. */
export interface Policy {
  /** Unique within its set. */
  readonly name: string;
  readonly description: string;
  /** The OPA rule to query; null for Sentinel. */
  readonly query: string | null;
  readonly enforcementLevel: EnforcementLevel;
}

/** The settings accepted when a policy is created. */
export interface PolicySettings extends Policy {
  readonly kind: PolicyKind;
}

/** The settings that may change. Name and kind are fixed: sets rely on them. */
export type PolicyChange = Partial<Omit<PolicySettings, 'name' | 'kind'>>;

/** A standalone policy with code, which any number of sets may use. */
export interface ManagedPolicy extends PolicySettings {
  readonly id: PolicyId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The SHA-256 of the latest uploaded code, in hexadecimal; null before the first upload. */
  readonly code: string | null;
  /** The sets it is attached to. */
  readonly policySetIds: readonly PolicySetId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a malformed name, and for a query that is missing or not allowed. */
export function checkPolicy<Settings extends PolicySettings>(settings: Settings): Settings {
  checkName(settings.name);
  if (settings.kind === 'opa' && settings.query === null) {
    throw invalidAttribute('query', 'Query is required for policies of kind opa');
  }
  if (settings.kind === 'sentinel' && settings.query !== null) {
    throw invalidAttribute('query', 'Query must be absent for policies of kind sentinel');
  }
  return settings;
}
