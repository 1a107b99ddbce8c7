import { later } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Effect, PendingEffect } from '../ports/repositories/effect-outbox.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { EffectPerformers } from './effect-performers.js';

/**
 * What waits for others, or takes long, is performed apart, so that it holds up nothing else: by so many `loops` of each
 * process at once, each of which takes `batch` effects at a time.
 */
export const lanes = {
  quick: { kinds: ['queue-run', 'purge-backing-data', 'archive-version'], batch: 20, loops: 1 },
  discards: { kinds: ['discard-bundle'], batch: 5, loops: 2 },
  slow: { kinds: ['fetch-commit', 'fetch-run-files', 'read-state-outputs', 'remove-rows'], batch: 1, loops: 4 },
} as const satisfies Record<string, Share & { readonly loops: number }>;

export type Lane = keyof typeof lanes;

export const laneOf = (kind: Effect['kind']): Lane =>
  (Object.keys(lanes) as Lane[]).find((lane) => (lanes[lane].kinds as readonly string[]).includes(kind)) ?? 'slow';

/** Effects of which kinds, and how many at a time. */
export interface Share {
  readonly kinds: readonly Effect['kind'][];
  readonly batch: number;
}

/** After how long of silence others take over what a process had in hand. */
export const effectLeaseSeconds = 30;
const longestWaitSeconds = 600;

/** After how long one that has failed so often before is tried again. */
export const secondsUntilRetry = ({ attempts }: Pick<PendingEffect, 'attempts'>): number =>
  Math.min(2 ** attempts, longestWaitSeconds);

/** Where as many are due, there may be more in any lane. */
const mostLookedAt = 100;

/** What became of the effects that were due. */
export interface Performed {
  readonly done: number;
  readonly failures: readonly { readonly effect: PendingEffect; readonly error: unknown }[];
}

/**
 * Performs what transitions ordered, beside any number of others who do. What an effect changes in the database is kept
 * together with the record that it was performed, and so happens once; what it does outside is done before that, and
 * may be done again.
 */
export class PerformEffects {
  private readonly inHand = new Set<number>();
  private halted = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly performers: EffectPerformers,
  ) {}

  /** Performs one batch of what is due in a lane, or in a share of one's own. A failed effect waits, ever longer, and holds up only its own subject. */
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
      for (const effect of claimed) {
        if (this.halted) break;
        const error = await this.attempt(effect);
        this.inHand.delete(effect.id);
        if (error === undefined) done += 1;
        else failures.push({ effect, error });
      }
      return { done, failures };
    } finally {
      // What is left of a batch that broke off is due again when its lease has ended.
      for (const id of ids) this.inHand.delete(id);
    }
  }

  /** The lanes in which something is due, or may be: one statement for all of them. */
  async lanesDue(): Promise<readonly Lane[]> {
    const all = Object.keys(lanes) as Lane[];
    const kinds = all.flatMap((lane): readonly Effect['kind'][] => lanes[lane].kinds);
    const due = await this.unitOfWork.read((tx) => tx.effects.due(this.clock.now(), kinds, mostLookedAt));
    if (due.length === mostLookedAt) return all;
    return all.filter((lane) => due.some(({ effect }) => laneOf(effect.kind) === lane));
  }

  /** Keeps what is in hand from others, for effects that take longer than their lease. To be called well within one. */
  async renew(): Promise<void> {
    if (this.inHand.size === 0) return;
    await this.unitOfWork.run((tx) => tx.effects.renew([...this.inHand], later(this.clock.now(), effectLeaseSeconds)));
  }

  /** Takes up nothing more of the batches in hand. */
  halt(): void {
    this.halted = true;
  }

  /** For the start of a process beside which no other performs anything: what a killed one had in hand is due at once. */
  async takeOver(): Promise<void> {
    await this.unitOfWork.run((tx) => tx.effects.free());
  }

  /** Answers why it failed, recorded already. */
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
