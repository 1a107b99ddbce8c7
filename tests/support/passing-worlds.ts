import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import type { UnitOfWork } from '../../src/application/index.js';

/** Stands for one world after another: what was done in those before is gone. */
export class PassingWorlds implements UnitOfWork {
  private current: UnitOfWork = new MemoryUnitOfWork();
  readonly run: UnitOfWork['run'] = (work) => this.current.run(work);
  readonly read: UnitOfWork['read'] = (work) => this.current.read(work);

  begin(world: UnitOfWork = new MemoryUnitOfWork()): void {
    this.current = world;
  }
}
