import type { Instant } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { Effect, PendingEffect } from '../ports/effect-outbox.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { EffectPerformers } from './effect-performers.js';

/**
 * What waits for others, or takes long, is performed apart, so that it holds up nothing else; `atOnce` of it go on side
 * by side.
 */
export const lanes = {
  quick: { kinds: ['queue-run', 'discard-bundle', 'purge-backing-data', 'archive-version'], batch: 20, atOnce: 1 },
  slow: { kinds: ['fetch-commit', 'fetch-run-files', 'remove-rows'], batch: 4, atOnce: 4 },
} as const satisfies Record<
  string,
  { readonly kinds: readonly Effect['kind'][]; readonly batch: number; readonly atOnce: number }
>;

export type Lane = keyof typeof lanes;

const longestWaitSeconds = 600;

/** What became of the effects that were due. */
export interface Performed {
  readonly done: number;
  readonly failures: readonly { readonly effect: PendingEffect; readonly error: unknown }[];
}

/**
 * Performs what transitions ordered. What an effect changes in the database is kept together with the record that it
 * was performed, and so happens once; what it does outside is done before that, and may be done again.
 */
export class PerformEffects {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly performers: EffectPerformers,
  ) {}

  /** Performs one batch of what is due in a lane. A failed effect waits, ever longer, and holds up only its own subject. */
  async execute(lane: Lane): Promise<Performed> {
    const { kinds, batch, atOnce } = lanes[lane];
    const due = await this.unitOfWork.read((tx) => tx.effects.due(this.clock.now(), kinds, batch));
    const failures: { effect: PendingEffect; error: unknown }[] = [];
    for (let next = 0; next < due.length; next += atOnce) {
      const attempts = due.slice(next, next + atOnce).map(async (effect) => {
        const error = await this.attempt(effect);
        if (error !== undefined) failures.push({ effect, error });
      });
      // All of them, or what still goes on would be begun again beside itself.
      const ended = await Promise.allSettled(attempts);
      const unrecorded = ended.find((attempt) => attempt.status === 'rejected');
      if (unrecorded !== undefined) throw unrecorded.reason;
    }
    return { done: due.length - failures.length, failures };
  }

  /** Answers why it failed, recorded already. */
  private async attempt(pending: PendingEffect): Promise<unknown> {
    try {
      await this.perform(pending);
      return undefined;
    } catch (error) {
      const notBefore = this.later(Math.min(2 ** pending.attempts, longestWaitSeconds));
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

  private later(seconds: number): Instant {
    return new Date(Date.parse(this.clock.now()) + seconds * 1000).toISOString();
  }
}
