import type { BundleKey, Instant, OrganizationId, TeamId, UserId, WorkspaceId } from '../../domain/index.js';

/** What is left to take away after a deletion: rows and bundles nobody can reach any more. */
export type RemovalTarget =
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'user'; readonly id: UserId };

/** Work to do once the change that ordered it is kept. */
export type Effect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'remove-rows'; readonly target: RemovalTarget };

/** An effect on its way. */
export interface PendingEffect {
  readonly id: number;
  readonly effect: Effect;
  /** How often it was tried and failed. */
  readonly attempts: number;
  readonly lastError: string | null;
}

/** Effects are kept in the transaction that orders them, and performed after it: at least once, in order per subject. */
export interface EffectOutbox {
  enqueue(subject: string, effects: readonly Effect[]): Promise<void>;
  /** The oldest of each subject that may be performed by now. */
  due(now: Instant, limit: number): Promise<readonly PendingEffect[]>;
  done(id: number): Promise<void>;
  /** Records the failure; it is not due again before `notBefore`. */
  failed(id: number, error: string, notBefore: Instant): Promise<void>;
}

/** Takes the remains of what was deleted away, in batches that leave no transaction open for long. */
export interface Removals {
  /** At most `limit` versions' worth. Bundles it names are no longer referred to by any row. */
  removeBatch(
    target: RemovalTarget,
    limit: number,
  ): Promise<{ readonly bundleKeys: readonly BundleKey[]; readonly finished: boolean }>;
}
