import type { AgentPoolId, DomainError, MembershipId, OrganizationId, TeamId, UserId } from '../../../domain/index.js';

/** What others hang on, and what can be removed. */
export type Holdable =
  | { readonly kind: 'organization' | 'auditor'; readonly id: OrganizationId }
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'membership'; readonly id: MembershipId }
  | { readonly kind: 'agent-pool'; readonly id: AgentPoolId };

/**
 * Keeps a removal and what would forbid it from passing each other unseen. A hold ends with its transaction. Both
 * answer whether there is anything to hold: what was removed, or is being removed by somebody quicker, is not.
 */
export interface Holds {
  /** Whoever removes it waits. Any number may share it; whatever is given to it for the first time shares it anyway. */
  share(what: Holdable): Promise<boolean>;
  /** For whoever removes it, before they look at what hangs on it: waits for those who share it, and holds up others. */
  take(what: Holdable): Promise<boolean>;
  /**
   * Waits for the change that made another attempt stale, and keeps further ones waiting until this transaction ends.
   * Does nothing for a refusal that names no row.
   */
  takeStale(refusal: DomainError): Promise<void>;
}
