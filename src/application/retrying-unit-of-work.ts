import { isDomainError } from '../domain/index.js';
import type { RepositoryName, Transaction, UnitOfWork } from './ports/repositories/unit-of-work.js';

const attempts = 5;

/**
 * Decides again on fresh facts when a save was stale, a few times, with the row that was changed locked, so that the next
 * attempt is not stale for the same reason; the last refusal is passed on. Nothing else is tried again: of a change whose commit nobody heard of, nobody knows whether it was kept.
 */
export class RetryingUnitOfWork<Names extends RepositoryName = RepositoryName> implements UnitOfWork<Names> {
  constructor(
    private readonly inner: UnitOfWork<NoInfer<Names> | 'holds'>,
    /** Where many change one thing at once most of them lose every time, unless they wait for a random moment. */
    private readonly pauseAfter: (attempt: number) => Promise<void> = async () => undefined,
  ) {}

  async run<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result> {
    let again: (tx: Transaction<Names | 'holds'>) => Promise<Result> = work;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inner.run(again);
      } catch (error) {
        const stale = isDomainError(error) && error.code === 'shared/stale-revision';
        if (!stale || attempt === attempts) throw error;
        await this.pauseAfter(attempt);
        again = async (tx) => {
          await tx.holds.takeStale(error);
          return work(tx);
        };
      }
    }
  }

  read<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result> {
    return this.inner.read(work);
  }
}
