import { later } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Effect, PendingEffect } from '../ports/repositories/effect-outbox.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { EffectPerformers } from './effect-performers.js';

/**
 * Slow effects, and those that wait for other systems, have lanes of their own so that they do not block others: each
 * process runs `loops` at once per lane, each of which claims `batch` effects at a time.
 */
export const lanes = {
  quick: { kinds: ['queue-run', 'purge-backing-data', 'archive-version'], batch: 20, loops: 1 },
  discards: { kinds: ['discard-bundle'], batch: 5, loops: 2 },
  calls: { kinds: ['call-run-task'], batch: 1, loops: 8 },
  slow: { kinds: ['fetch-commit', 'fetch-run-files', 'read-state-outputs', 'remove-rows'], batch: 1, loops: 4 },
} as const satisfies Record<string, Share & { readonly loops: number }>;

export type Lane = keyof typeof lanes;

export const laneOf = (kind: Effect['kind']): Lane =>
  (Object.keys(lanes) as Lane[]).find((lane) => (lanes[lane].kinds as readonly string[]).includes(kind)) ?? 'slow';

/** The kinds of effects to perform, and how many at a time. */
export interface Share {
  readonly kinds: readonly Effect['kind'][];
  readonly batch: number;
}

/** The lease of claimed effects in seconds; other processes claim them after it expires. */
export const effectLeaseSeconds = 30;
const longestWaitSeconds = 600;

/** The retry delay, which grows with the number of failures. */
export const secondsUntilRetry = ({ attempts }: Pick<PendingEffect, 'attempts'>): number =>
  Math.min(2 ** attempts, longestWaitSeconds);

/** With this many due effects, any lane may have more. */
const mostLookedAt = 100;

/** The results of the due effects. */
export interface Performed {
  readonly done: number;
  readonly failures: readonly { readonly effect: PendingEffect; readonly error: unknown }[];
}

/**
 * Performs the effects that transitions ordered; any number of processes may do so concurrently. The database changes
 * of an effect are committed together with its completion, and so happen once; its outside work is done before, and may
 * be repeated.
 */
export class PerformEffects {
  private readonly inHand = new Set<number>();
  private halted = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly performers: EffectPerformers,
  ) {}

  /**
   * Performs one batch of the due effects of a lane or a custom share. A failed effect is retried with growing delays,
   * and blocks only its own subject.
   */
  async execute(share: Lane | Share): Promise<Performed> {
    const { kinds, batch } = typeof share === 'string' ? lanes[share] : share;
    const claimed = await this.unitOfWork.run((tx) =>
      tx.effects.claim(this.clock.now(), kinds, batch, later(this.clock.now(), effectLeaseSeconds)),
    );
    const ids = claimed.map(({ id }) => id);
    for (const id of ids) this.inHand.add(id);
    try {
      const failures: { effect: PendingEffect; error: unknown }[] = [];
      let done = 0;
      for (const [index, effect] of claimed.entries()) {
        if (this.halted) {
          await this.giveBack(ids.slice(index));
          break;
        }
        const error = await this.attempt(effect);
        this.inHand.delete(effect.id);
        if (error === undefined) done += 1;
        else failures.push({ effect, error });
      }
      return { done, failures };
    } finally {
      for (const id of ids) this.inHand.delete(id);
    }
  }

  /** The lanes that may have due effects, found with one statement. */
  async lanesDue(): Promise<readonly Lane[]> {
    const all = Object.keys(lanes) as Lane[];
    const kinds = all.flatMap((lane): readonly Effect['kind'][] => lanes[lane].kinds);
    const due = await this.unitOfWork.read((tx) => tx.effects.due(this.clock.now(), kinds, mostLookedAt));
    if (due.length === mostLookedAt) return all;
    return all.filter((lane) => due.some(({ effect }) => laneOf(effect.kind) === lane));
  }

  /** Renews the leases of effects in hand. Must be called well within a lease. */
  async renew(): Promise<void> {
    if (this.inHand.size === 0) return;
    await this.unitOfWork.run((tx) => tx.effects.renew([...this.inHand], later(this.clock.now(), effectLeaseSeconds)));
  }

  /** Stops the batches in hand after their current effect. */
  halt(): void {
    this.halted = true;
  }

  /** Ends all leases at the start of the only process: effects in hand of a killed process are due at once. */
  async takeOver(): Promise<void> {
    await this.unitOfWork.run((tx) => tx.effects.free());
  }

  /** Ends the leases of effects that were claimed and not begun, so that another process need not wait for their end. */
  private giveBack(ids: readonly number[]): Promise<void> {
    return this.unitOfWork.run((tx) => tx.effects.renew(ids, this.clock.now()));
  }

  /** Returns the error of a failed effect, which is already recorded. */
  private async attempt(pending: PendingEffect): Promise<unknown> {
    try {
      await this.perform(pending);
      return undefined;
    } catch (error) {
      const notBefore = later(this.clock.now(), secondsUntilRetry(pending));
      await this.unitOfWork.run((tx) => tx.effects.failed(pending.id, String(error), notBefore));
      return error ?? new Error('failed without an error');
    }
  }

  private async perform({ id, effect }: PendingEffect): Promise<void> {
    const { keep, afterwards } = await this.performers.begin(effect);
    const kept = await this.unitOfWork.run(async (tx) => {
      const first = await tx.effects.done(id);
      if (first) await keep?.(tx);
      return first;
    });
    await afterwards?.(kept);
  }
}
