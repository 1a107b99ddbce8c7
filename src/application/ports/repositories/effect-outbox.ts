import type {
  BundleKey,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  RunId,
  StateVersionId,
  TaskResultId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { CommitRequest } from '../outside/commit-fetcher.js';
import type { Page, PageRequest } from './page.js';

/** The rows and bundles to remove after a deletion, which are no longer reachable. */
export type RemovalTarget =
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'user'; readonly id: UserId };

/** Work to perform after the change that ordered it is committed. */
export type Effect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'remove-rows'; readonly target: RemovalTarget }
  | { readonly kind: 'queue-run'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'purge-backing-data'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'archive-version'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'fetch-commit'; readonly versionId: ConfigurationVersionId; readonly request: CommitRequest }
  | { readonly kind: 'fetch-run-files'; readonly runId: RunId }
  | { readonly kind: 'call-run-task'; readonly resultId: TaskResultId }
  | { readonly kind: 'read-state-outputs'; readonly stateVersionId: StateVersionId };

/** An effect waiting to be performed. */
export interface PendingEffect {
  readonly id: number;
  readonly effect: Effect;
  /** The number of failed attempts. */
  readonly attempts: number;
  readonly lastError: string | null;
}

/** A failed effect that is retried, for operators. */
export interface FailingEffect {
  readonly id: number;
  readonly subject: string;
  readonly kind: Effect['kind'];
  readonly attempts: number;
  readonly lastError: string;
  /** The time of the next retry. */
  readonly notBefore: Instant;
}

/** The state of an effect: due, leased by a process, scheduled for later, or waiting to be retried. */
export type EffectState = 'due' | 'in-hand' | 'later' | 'failing';

/** The effects of one kind in the same state. */
export interface Backlog {
  readonly kind: Effect['kind'];
  readonly state: EffectState;
  readonly count: number;
  /** The id of the effect ordered first. */
  readonly oldest: number;
}

/**
 * Effects are stored in the transaction that orders them, and performed after it: at least once, and in order per
 * subject, provided that transactions that order effects for one subject wait for each other.
 */
export interface EffectOutbox {
  /** With `notBefore`, the effects are not due earlier, and later effects of the same subject wait for them. */
  enqueue(subject: string, effects: readonly Effect[], notBefore?: Instant): Promise<void>;
  /**
   * Leases to the caller, until `until`, the oldest effect of each subject if it is due, unleased and of one of these
   * kinds. Concurrent callers do not block each other, and no effect is leased twice.
   */
  claim(
    now: Instant,
    kinds: readonly Effect['kind'][],
    limit: number,
    until: Instant,
  ): Promise<readonly PendingEffect[]>;
  /** The effects that `claim` would lease, without leasing them. */
  due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]>;
  /** Extends the leases of these effects, as far as they still exist. */
  renew(ids: readonly number[], until: Instant): Promise<void>;
  /** Ends every lease. */
  free(): Promise<void>;
  /** Returns whether the effect still existed: of two processes that performed it, only one gets true. */
  done(id: number): Promise<boolean>;
  /** Records the failure and ends the lease; the effect is not due again before `notBefore`. */
  failed(id: number, error: string, notBefore: Instant): Promise<void>;
  /** Effects that failed at least once, oldest first. */
  failing(page: PageRequest): Promise<Page<FailingEffect>>;
  /**
   * Counts the oldest `most` effects. An effect that waits behind another of its subject is counted by its own state.
   */
  backlog(now: Instant, most: number): Promise<readonly Backlog[]>;
}

/** Removes the data of deleted resources, in batches that keep transactions short. */
export interface Removals {
  /** Removes the data of at most `limit` versions. No row refers to the returned bundles any more. */
  removeBatch(
    target: RemovalTarget,
    limit: number,
  ): Promise<{ readonly bundleKeys: readonly BundleKey[]; readonly finished: boolean }>;
}
