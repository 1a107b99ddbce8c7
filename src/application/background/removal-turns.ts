import { discard } from '../files/discard.js';
import type { RemovalTarget } from '../ports/repositories/effect.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { Begun } from './begun.js';

const rowsPerBatch = 200;

/** After this many, an attempt ends; the removal continues behind what others in its lane have ordered meanwhile. */
const batchesPerAttempt = 25;

/**
 * Removes deleted rows batch by batch, one batch at a time in this process: several together would hold up requests on
 * SQLite, whose transactions share one connection, and take the database from them on Postgres.
 */
export class RemovalTurns {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Each batch that is committed stays removed, so an attempt that never ends loses no progress. */
  async begin(target: RemovalTarget): Promise<Begun> {
    for (let batches = 0; batches < batchesPerAttempt; batches += 1) {
      if (await this.inTurn(() => this.removeBatch(target))) return {};
    }
    return { keep: (tx) => tx.effects.enqueue(target.id, [{ kind: 'remove-rows', target }]) };
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const made = this.last.then(work, work);
    this.last = made;
    return made;
  }

  private removeBatch(target: RemovalTarget): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const { bundleKeys, finished } = await tx.removals.removeBatch(target, rowsPerBatch);
      await discard(tx, bundleKeys);
      return finished;
    });
  }
}
