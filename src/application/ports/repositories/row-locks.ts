import type {
  AgentPoolId,
  DomainError,
  MembershipId,
  OrganizationId,
  ProjectId,
  TeamId,
  UserId,
} from '../../../domain/index.js';

/** The resources that others depend on and that can be removed. */
export type Lockable =
  | { readonly kind: 'organization' | 'auditor'; readonly id: OrganizationId }
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'project'; readonly id: ProjectId }
  | { readonly kind: 'membership'; readonly id: MembershipId }
  | { readonly kind: 'agent-pool'; readonly id: AgentPoolId };

/**
 * Locks that serialize a removal with operations that would forbid it. A lock ends with its transaction. Both methods
 * return false if the resource is already removed, or a concurrent transaction is removing it.
 */
export interface RowLocks {
  /**
   * Blocks its removal. Any number of transactions may share it; adding a row that refers to it shares it implicitly.
   */
  share(what: Lockable): Promise<boolean>;
  /** For its removal, before dependents are checked: waits for the transactions that share it, and blocks others. */
  take(what: Lockable): Promise<boolean>;
  /**
   * Waits for the change that made another attempt stale, and blocks further ones until this transaction ends. Does
   * nothing for a refusal that names no row.
   */
  takeStale(refusal: DomainError): Promise<void>;
}
