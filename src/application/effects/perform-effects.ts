import type { Instant } from '../../domain/index.js';
import type { BundleStore } from '../ports/bundle-store.js';
import type { Clock } from '../ports/clock.js';
import type { Effect, PendingEffect } from '../ports/effect-outbox.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

const batchSize = 20;
const rowsPerRemoval = 200;
const longestWaitSeconds = 600;

type Performers = { readonly [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => Promise<void> };

/** What became of the effects that were due. */
export interface Performed {
  readonly done: number;
  readonly failures: readonly { readonly effect: PendingEffect; readonly error: unknown }[];
}

/** Performs what transitions ordered. Every performer may be run twice: the record of an effect goes after its work. */
export class PerformEffects {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly store: BundleStore,
  ) {}

  private readonly performers: Performers = {
    'discard-bundle': ({ bundleKey }) => this.store.discard(bundleKey),
    'remove-rows': async ({ target }) => {
      for (let finished = false; !finished; ) {
        finished = await this.unitOfWork.run(async (tx) => {
          const batch = await tx.removals.removeBatch(target, rowsPerRemoval);
          const discards = batch.bundleKeys.map((bundleKey) => ({ kind: 'discard-bundle', bundleKey }) as const);
          for (const discard of discards) await tx.effects.enqueue(discard.bundleKey, [discard]);
          return batch.finished;
        });
      }
    },
  };

  /** Performs one batch of what is due. A failed effect waits, ever longer, and holds up only its own subject. */
  async execute(): Promise<Performed> {
    const due = await this.unitOfWork.read((tx) => tx.effects.due(this.clock.now(), batchSize));
    const failures: { effect: PendingEffect; error: unknown }[] = [];
    for (const pending of due) {
      try {
        await this.perform(pending.effect);
        await this.unitOfWork.run((tx) => tx.effects.done(pending.id));
      } catch (error) {
        failures.push({ effect: pending, error });
        const notBefore = this.later(Math.min(2 ** pending.attempts, longestWaitSeconds));
        await this.unitOfWork.run((tx) => tx.effects.failed(pending.id, String(error), notBefore));
      }
    }
    return { done: due.length - failures.length, failures };
  }

  private perform<Kind extends Effect['kind']>(effect: Extract<Effect, { kind: Kind }>): Promise<void> {
    return (this.performers[effect.kind as Kind] as (given: typeof effect) => Promise<void>)(effect);
  }

  private later(seconds: number): Instant {
    return new Date(Date.parse(this.clock.now()) + seconds * 1000).toISOString();
  }
}
