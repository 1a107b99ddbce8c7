import type {
  BundleKey,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  RunId,
  StateVersionId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { CommitRequest } from '../outside/commit-fetcher.js';
import type { Page, PageRequest } from './page.js';

/** What is left to take away after a deletion: rows and bundles nobody can reach any more. */
export type RemovalTarget =
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'user'; readonly id: UserId };

/** Work to do once the change that ordered it is kept. */
export type Effect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'remove-rows'; readonly target: RemovalTarget }
  | { readonly kind: 'queue-run'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'purge-backing-data'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'archive-version'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'fetch-commit'; readonly versionId: ConfigurationVersionId; readonly request: CommitRequest }
  | { readonly kind: 'fetch-run-files'; readonly runId: RunId }
  | { readonly kind: 'read-state-outputs'; readonly stateVersionId: StateVersionId };

/** An effect on its way. */
export interface PendingEffect {
  readonly id: number;
  readonly effect: Effect;
  /** How often it was tried and failed. */
  readonly attempts: number;
  readonly lastError: string | null;
}

/** An effect that did not succeed yet, for people to look at. */
export interface FailingEffect {
  readonly id: number;
  readonly subject: string;
  readonly kind: Effect['kind'];
  readonly attempts: number;
  readonly lastError: string;
  /** When it is tried again. */
  readonly notBefore: Instant;
}

/** How far effects have come: to be taken up, in somebody's hands, ordered for later, or waiting after a failure. */
export type EffectState = 'due' | 'in-hand' | 'later' | 'failing';

/** Effects of one kind that have come as far. */
export interface Backlog {
  readonly kind: Effect['kind'];
  readonly state: EffectState;
  readonly count: number;
  /** The id of the one that was ordered first. */
  readonly oldest: number;
}

/**
 * Effects are kept in the transaction that orders them, and performed after it: at least once, and in order per subject,
 * as long as those who order for one subject wait for each other.
 */
export interface EffectOutbox {
  /** Not due before `notBefore`, when it is given; and those of the same subject behind it wait with it. */
  enqueue(subject: string, effects: readonly Effect[], notBefore?: Instant): Promise<void>;
  /**
   * Leases to the caller, until `until`, the oldest of each subject that may be performed by now, if it is of one of
   * these kinds and leased to nobody else. Of those who ask at once nobody waits, and no two are given the same.
   */
  claim(
    now: Instant,
    kinds: readonly Effect['kind'][],
    limit: number,
    until: Instant,
  ): Promise<readonly PendingEffect[]>;
  /** Those that `claim` would lease, left as they are. */
  due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]>;
  /** Leases what of these is still there for longer. */
  renew(ids: readonly number[], until: Instant): Promise<void>;
  /** Ends every lease. */
  free(): Promise<void>;
  /** Whether it was still there: of two that performed it at once, one is told so. */
  done(id: number): Promise<boolean>;
  /** Records the failure and ends the lease; it is not due again before `notBefore`. */
  failed(id: number, error: string, notBefore: Instant): Promise<void>;
  /** Those that failed at least once, the oldest first. */
  failing(page: PageRequest): Promise<Page<FailingEffect>>;
  /** Of the oldest so many. What waits behind another of its subject is counted as if it did not. */
  backlog(now: Instant, most: number): Promise<readonly Backlog[]>;
}

/** Takes the remains of what was deleted away, in batches that leave no transaction open for long. */
export interface Removals {
  /** At most `limit` versions' worth. Bundles it names are no longer referred to by any row. */
  removeBatch(
    target: RemovalTarget,
    limit: number,
  ): Promise<{ readonly bundleKeys: readonly BundleKey[]; readonly finished: boolean }>;
}
