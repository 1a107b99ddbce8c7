import { later } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import { type Lane, laneOf, lanes, neverEnded, type Share } from '../ports/repositories/effect-lanes.js';
import type { ClaimedEffect, PendingEffect } from '../ports/repositories/effect-outbox.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { EffectPerformers } from './effect-performers.js';
import { HeldLoops } from './held-loops.js';

/** The lease of claimed effects in seconds; other processes claim them after it expires. */
export const effectLeaseSeconds = 30;
const longestWaitSeconds = 600;

/** The retry delay, which grows with the number of failures. */
export const secondsUntilRetry = ({ attempts }: Pick<PendingEffect, 'attempts'>): number =>
  Math.min(2 ** attempts, longestWaitSeconds);

const putAsideBecause = `the process ended during ${neverEnded.max} attempts in a row, so it is not attempted again until an operator retries it`;

/** The results of the due effects. */
export interface Performed {
  readonly done: number;
  readonly failures: readonly { readonly effect: PendingEffect; readonly error: unknown }[];
  readonly aside: readonly PendingEffect[];
}

/** The effects that one loop of a lane has in hand. */
export interface Batch {
  readonly lane: Lane;
  readonly effects: readonly ClaimedEffect[];
}

/**
 * Performs the effects that transitions ordered; any number of processes may do so concurrently. The database changes
 * of an effect are committed together with its completion, and so happen once; its outside work is done before, and may
 * be repeated.
 */
export class PerformEffects {
  private readonly inHand = new Map<number, ClaimedEffect>();
  /** Attempts that ended while the database was unavailable, which does not know it yet. */
  private readonly unrecorded = new Map<number, ClaimedEffect>();
  private readonly held = new HeldLoops();
  private halted = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly performers: EffectPerformers,
  ) {}

  /**
   * Performs one batch of the due effects of a lane, or of a custom share in each of its lanes. A failed effect is
   * retried with growing delays, and blocks only its own subject.
   */
  async execute(share: Lane | Share): Promise<Performed> {
    if (typeof share === 'string') return this.perform(await this.claim(share));
    const performed: Performed[] = [];
    for (const lane of new Set(share.kinds.map(laneOf))) {
      performed.push(await this.perform(await this.claim(lane, share)));
    }
    return {
      done: performed.reduce((sum, { done }) => sum + done, 0),
      failures: performed.flatMap(({ failures }) => failures),
      aside: performed.flatMap(({ aside }) => aside),
    };
  }

  /** Takes a batch for one loop of the lane. It must be performed. */
  claim(lane: Lane, share?: Share): Promise<Batch> {
    return this.held.inTurn(lane, async ({ after, except }) => {
      const { kinds, batch: limit } = share ?? { ...lanes[lane], kinds: undefined };
      const ended = [...this.unrecorded.values()];
      const effects = await this.unitOfWork.run(async (tx) => {
        if (ended.length > 0) await tx.effects.giveBack(ended);
        const now = this.clock.now();
        const until = later(now, effectLeaseSeconds);
        return tx.effects.claim({ now, until, lane, kinds, limit, after, except });
      });
      for (const { id } of ended) this.unrecorded.delete(id);
      for (const effect of effects) this.inHand.set(effect.id, effect);
      return { lane, effects, limit };
    });
  }

  async perform(batch: Batch): Promise<Performed> {
    const { effects } = batch;
    try {
      const failures: { effect: PendingEffect; error: unknown }[] = [];
      const aside: PendingEffect[] = [];
      let done = 0;
      for (const [index, effect] of effects.entries()) {
        if (this.halted) {
          await this.giveBack(effects.slice(index));
          break;
        }
        if (effect.begun > neverEnded.max) {
          await this.putAside(effect);
          aside.push(effect);
        } else {
          const error = await this.attempt(effect);
          if (error === undefined) done += 1;
          else failures.push({ effect, error });
        }
        this.inHand.delete(effect.id);
      }
      return { done, failures, aside };
    } finally {
      for (const { id } of effects) this.inHand.delete(id);
      this.held.release(batch);
    }
  }

  /** The lanes that have due effects, found with one statement. */
  lanesDue(): Promise<readonly Lane[]> {
    return this.unitOfWork.run((tx) => tx.effects.lanesDue(this.clock.now()));
  }

  /** Renews the leases of effects in hand. Must be called well within a lease. */
  async renew(): Promise<void> {
    if (this.inHand.size === 0) return;
    const ids = [...this.inHand.keys()];
    await this.unitOfWork.run((tx) => tx.effects.renew(ids, later(this.clock.now(), effectLeaseSeconds)));
  }

  /** Stops the batches in hand after their current effect. */
  halt(): void {
    this.halted = true;
  }

  /** Gives back what is still in hand when the process ends in order: these attempts count as never begun. */
  release(): Promise<void> {
    return this.giveBack([...this.inHand.values(), ...this.unrecorded.values()]);
  }

  /** Ends all leases at the start of the only process: effects in hand of a killed process are due at once. */
  async takeOver(): Promise<void> {
    await this.unitOfWork.run((tx) => tx.effects.free());
  }

  private async giveBack(claimed: readonly ClaimedEffect[]): Promise<void> {
    if (claimed.length > 0) await this.unitOfWork.run((tx) => tx.effects.giveBack(claimed));
  }

  /** Ends what waits for the effect, in the transaction that puts it aside. */
  private async putAside({ id, effect }: ClaimedEffect): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      if (await tx.effects.putAside(id, putAsideBecause)) await this.performers.abandon(tx, effect, putAsideBecause);
    });
  }

  /** Returns the error of a failed effect, which is already recorded. */
  private async attempt(claimed: ClaimedEffect): Promise<unknown> {
    try {
      await this.complete(claimed);
      return undefined;
    } catch (error) {
      const notBefore = later(this.clock.now(), secondsUntilRetry(claimed));
      this.unrecorded.set(claimed.id, claimed);
      await this.unitOfWork.run((tx) => tx.effects.failed(claimed.id, String(error), notBefore));
      this.unrecorded.delete(claimed.id);
      return error ?? new Error('failed without an error');
    }
  }

  private async complete({ id, effect }: ClaimedEffect): Promise<void> {
    const { keep, afterwards } = await this.performers.begin(effect);
    const kept = await this.unitOfWork.run(async (tx) => {
      const first = await tx.effects.done(id);
      if (first) await keep?.(tx);
      return first;
    });
    await afterwards?.(kept);
  }
}
