import type { Transaction, UnitOfWork } from '../../application/index.js';
import type { Meters, Work } from './meters.js';

/** Measures each unit of work of another. */
export class MeteredUnitOfWork implements UnitOfWork {
  private readonly transactions: Work;
  private readonly reads: Work;

  constructor(
    private readonly inner: UnitOfWork,
    meters: Meters,
  ) {
    this.transactions = meters.database('transaction');
    this.reads = meters.database('read');
  }

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.transactions.measure(performance.now(), this.inner.run(work));
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.reads.measure(performance.now(), this.inner.read(work));
  }
}
