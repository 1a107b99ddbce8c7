import type { Transaction, UnitOfWork } from '../../application/index.js';
import type { Meters } from './meters.js';

/** Measures each unit of work of another. */
export class MeteredUnitOfWork implements UnitOfWork {
  constructor(
    private readonly inner: UnitOfWork,
    private readonly meters: Meters,
  ) {}

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.meters.database.transaction.measure(performance.now(), this.inner.run(work));
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.meters.database.read.measure(performance.now(), this.inner.read(work));
  }
}
