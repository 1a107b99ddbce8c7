import type { UnitOfWork } from '../../src/application/index.js';
import { RowsInMemory } from './rows-in-memory.js';

/** Stands for one world after another: what was done in those before is gone, unless the caller keeps it. */
export class PassingWorlds implements UnitOfWork {
  private own = new RowsInMemory();
  private current: UnitOfWork = this.own;
  readonly run: UnitOfWork['run'] = (work) => this.current.run(work);
  readonly read: UnitOfWork['read'] = (work) => this.current.read(work);

  begin(world?: UnitOfWork): void {
    this.own.close();
    this.own = new RowsInMemory();
    this.current = world ?? this.own;
  }
}
