import type { BundleKey, Instant, OrganizationId } from '../../../domain/index.js';
import type { Effect, RemovalTarget } from './effect.js';
import type { Lane } from './effect-lanes.js';
import type { Page, PageRequest } from './page.js';

/** An effect waiting to be performed. */
export interface PendingEffect {
  readonly id: number;
  readonly effect: Effect;
  /** The number of failed attempts. */
  readonly attempts: number;
  readonly lastError: string | null;
}

/** The organization of effects that belong to none. */
export const noOrganization = '-';

/** An effect that is leased to the caller. */
export interface ClaimedEffect extends PendingEffect {
  /** The organization of the resource that the effect is about. */
  readonly organizationId: OrganizationId | typeof noOrganization;
  /** The number of attempts in a row that began and have not ended: the ones that never will, and this one. */
  readonly begun: number;
}

/** A claim of a process for one of its loops. */
export interface Claim {
  readonly now: Instant;
  /** The end of the lease. */
  readonly until: Instant;
  readonly lane: Lane;
  /** Only these kinds; all of the lane's by default. */
  readonly kinds?: readonly Effect['kind'][] | undefined;
  readonly limit: number;
  /** The organization that had the last turn; empty for none. */
  readonly after: string;
  /** The organizations that get nothing now. */
  readonly except: readonly string[];
}

/** An effect that failed and is retried, or that was put aside, for operators. */
export interface FailingEffect {
  readonly id: number;
  readonly subject: string;
  readonly kind: Effect['kind'];
  /** The number of attempts that ended with an error. */
  readonly attempts: number;
  readonly lastError: string;
  /** The time of the next retry; null for an effect that was put aside or is due at an operator's request. */
  readonly notBefore: Instant | null;
  readonly status: 'retrying' | 'put_aside';
}

/** The state of an effect: due, leased by a process, scheduled for later, waiting to be retried, or put aside. */
export type EffectState = 'due' | 'in-hand' | 'later' | 'failing' | 'aside';

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
  /** The same for effects of many subjects, due at once. */
  enqueueEach(orders: readonly { readonly subject: string; readonly effect: Effect }[]): Promise<void>;
  /**
   * Leases to the caller effects of the lane that are due, unleased and the oldest of their subject. Organizations take
   * turns, in the order of their ids; those with more than one get the rest of the batch one claim after the other.
   * Within an organization the oldest comes first, and one that failed after those that waited then. Writes that an
   * attempt has begun. Concurrent callers do not block each other, and no effect is leased twice.
   */
  claim(claim: Claim): Promise<readonly ClaimedEffect[]>;
  /** The effects of these kinds that could be claimed, without leasing them. */
  due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]>;
  /** The lanes with effects that could be claimed. */
  lanesDue(now: Instant): Promise<readonly Lane[]>;
  /** Extends the leases of these effects, as far as they still exist. */
  renew(ids: readonly number[], until: Instant): Promise<void>;
  /** Ends these leases as if the attempts had not begun. No effect that was claimed again since is changed. */
  giveBack(claimed: readonly Pick<ClaimedEffect, 'id' | 'begun'>[]): Promise<void>;
  /** Ends every lease. Its attempts never ended. */
  free(): Promise<void>;
  /** Returns whether the effect still existed: of two processes that performed it, only one gets true. */
  done(id: number): Promise<boolean>;
  /** Records that the attempt ended with an error, and ends the lease; the effect is not due again before `notBefore`. */
  failed(id: number, error: string, notBefore: Instant): Promise<void>;
  /** The effect is never due, and nothing waits behind it. Returns whether it still existed. */
  putAside(id: number, reason: string): Promise<boolean>;
  /**
   * Makes an effect that failed or was put aside due at once, as if no attempt had begun, and returns it so; one that is
   * leased stays so. Undefined if there is no such effect.
   */
  retry(id: number): Promise<FailingEffect | undefined>;
  /** Effects that failed at least once or were put aside, oldest first. */
  failing(page: PageRequest): Promise<Page<FailingEffect>>;
  /** The number of effects that were put aside. */
  countAside(): Promise<number>;
  /**
   * Counts the oldest `max` effects. An effect that waits behind another of its subject is counted by its own state.
   */
  backlog(now: Instant, max: number): Promise<readonly Backlog[]>;
}

/** A deleted organization whose data is not removed yet. */
export interface OrganizationRemoval {
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly begunAt: Instant;
  /** At most `maxCounted`. */
  readonly workspacesLeft: number;
}

/** Removes the data of deleted resources, in batches that keep transactions short. */
export interface Removals {
  /** Deleted organizations, the one deleted first at the beginning; counts at most `maxCounted` workspaces of each. */
  organizations(page: PageRequest, maxCounted: number): Promise<Page<OrganizationRemoval>>;
  /** The number of workspaces in deleted organizations, at most `max`. */
  countWorkspaces(max: number): Promise<number>;
  /**
   * Removes at most `limit` versions, fewer rows that may be large, and a bounded number of all others. No row refers to
   * the returned bundles any more.
   */
  removeBatch(
    target: RemovalTarget,
    limit: number,
  ): Promise<{ readonly bundleKeys: readonly BundleKey[]; readonly finished: boolean }>;
}
