import { invalidAttribute } from '../shared/domain-error.js';
import type { Instant, OrganizationId, PolicyId, PolicySetId } from '../shared/id.js';
import { checkName } from '../shared/name.js';

export const enforcementLevels = ['advisory', 'mandatory'] as const;

export type EnforcementLevel = (typeof enforcementLevels)[number];

export const policyKinds = ['opa', 'sentinel'] as const;

export type PolicyKind = (typeof policyKinds)[number];

/** What a set asks. One that is written into a set is known without its code; see `ManagedPolicy` for those with one. */
export interface Policy {
  /** Unique in its set. */
  readonly name: string;
  readonly description: string;
  /** The rule to ask, for OPA; null for Sentinel. */
  readonly query: string | null;
  readonly enforcementLevel: EnforcementLevel;
}

/** What may be said of a policy when it is created. */
export interface PolicySettings extends Policy {
  readonly kind: PolicyKind;
}

/** What of it may change. Its name and kind stay: sets rely on them. */
export type PolicyChange = Partial<Omit<PolicySettings, 'name' | 'kind'>>;

/** A policy on its own, with code, that may be attached to any number of sets. */
export interface ManagedPolicy extends PolicySettings {
  readonly id: PolicyId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The SHA-256 of the code that was uploaded last, in hexadecimal digits; null before the first. */
  readonly code: string | null;
  /** The sets it is attached to. */
  readonly policySetIds: readonly PolicySetId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a name that is not well formed, and for a query where there must be one, or none. */
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
