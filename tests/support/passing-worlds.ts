import type { UnitOfWork } from '../../src/application/index.js';
import { RowsInMemory } from './rows-in-memory.js';

/** Stands for one world after another: what was done in those before is gone. */
export class PassingWorlds implements UnitOfWork {
  private current: UnitOfWork = new RowsInMemory();
  readonly run: UnitOfWork['run'] = (work) => this.current.run(work);
  readonly read: UnitOfWork['read'] = (work) => this.current.read(work);

  begin(world: UnitOfWork = new RowsInMemory()): void {
    this.current = world;
  }
}
