import { isDomainError } from '../domain/index.js';
import type { Transaction, UnitOfWork } from './ports/unit-of-work.js';

const attempts = 5;

/** Decides again on fresh facts when a save was stale, a few times; the last refusal is passed on. */
export class RetryingUnitOfWork implements UnitOfWork {
  constructor(private readonly inner: UnitOfWork) {}

  async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inner.run(work);
      } catch (error) {
        const stale = isDomainError(error) && error.code === 'shared/stale-revision';
        if (!stale || attempt === attempts) throw error;
      }
    }
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.read(work);
  }
}
