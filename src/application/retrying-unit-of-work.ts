import { isStale, unavailableIfStale } from '../domain/shared/domain-error.js';
import type { RepositoryName, Transaction, UnitOfWork } from './ports/repositories/unit-of-work.js';

const attempts = 5;

/**
 * Retries with fresh facts, a few times, if a save was stale. The next attempt first waits for the lock of the changed row,
 * so that it is not stale for the same reason. The last refusal is passed on. Nothing else is retried: a lost commit response does
 * not show whether the change was committed.
 */
export class RetryingUnitOfWork<Names extends RepositoryName = RepositoryName> implements UnitOfWork<Names> {
  constructor(
    private readonly inner: UnitOfWork<NoInfer<Names> | 'rowLocks'>,
    /** For refusals that name no row: under contention most attempts fail again unless they wait for a random time. */
    private readonly pauseAfter: (attempt: number) => Promise<void> = async () => undefined,
  ) {}

  async run<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result> {
    let again: (tx: Transaction<Names | 'rowLocks'>) => Promise<Result> = work;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inner.run(again);
      } catch (error) {
        if (!isStale(error) || attempt === attempts) throw error;
        if (error.details.table === undefined) await this.pauseAfter(attempt);
        again = async (tx) => {
          await tx.rowLocks.takeStale(error);
          return work(tx);
        };
      }
    }
  }

  async read<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result> {
    try {
      return await this.inner.read(work);
    } catch (error) {
      throw unavailableIfStale(error);
    }
  }
}
