import { invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, PolicyId, PolicySetId } from '../../shared/id.js';
import { checkName } from '../../shared/name.js';

export const enforcementLevels = ['advisory', 'mandatory'] as const;

/** The level of an outcome. */
export type EnforcementLevel = (typeof enforcementLevels)[number];

export const policyKinds = ['opa', 'sentinel'] as const;

export type PolicyKind = (typeof policyKinds)[number];

/** The levels of stored policies. */
export const policyLevels = {
  opa: enforcementLevels,
  sentinel: ['advisory', 'soft-mandatory', 'hard-mandatory'],
} as const satisfies Record<PolicyKind, readonly string[]>;

export type PolicyLevel = (typeof policyLevels)[PolicyKind][number];

/** The level of a policy's outcome. */
export const outcomeLevel = (level: PolicyLevel): EnforcementLevel => (level === 'advisory' ? level : 'mandatory');

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
export interface PolicySettings extends Omit<Policy, 'enforcementLevel'> {
  readonly kind: PolicyKind;
  readonly enforcementLevel: PolicyLevel;
}

/** The settings that a change names. */
export type PolicyChange = Partial<PolicySettings>;

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

/** Sets rely on both. Throws `attribute/invalid` for another value. */
export function checkFixedSettings(policy: PolicySettings, change: PolicyChange): void {
  for (const name of ['name', 'kind'] as const) {
    if (change[name] === undefined || change[name] === policy[name]) continue;
    const sentence = `The ${name} of a policy cannot change: create another policy`;
    throw invalidAttribute(name, sentence);
  }
}

/**
 * The settings to store. Throws `attribute/invalid` for a malformed name, for a missing query, and for a level that the kind
 * does not allow.
 */
export function checkPolicy<Settings extends PolicySettings>(settings: Settings): Settings {
  checkName(settings.name);
  if (settings.kind === 'opa' && settings.query === null) {
    throw invalidAttribute('query', 'Query is required for policies of kind opa');
  }
  const levels: readonly PolicyLevel[] = policyLevels[settings.kind];
  if (!levels.includes(settings.enforcementLevel)) {
    const sentence = `Enforcement level must be one of ${levels.join(', ')} for policies of kind ${settings.kind}`;
    throw invalidAttribute('enforcementLevel', sentence);
  }
  // Clients send the query of either kind.
  return settings.kind === 'sentinel' ? { ...settings, query: null } : settings;
}
