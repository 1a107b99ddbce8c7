import type { BundleStore, UnitOfWork } from '../../src/application/index.js';
import type { Standing } from '../../src/domain/index.js';
import { RowsInMemory } from './rows-in-memory.js';
import { makeSmallWorld, type Scene, type SmallWorld } from './small-world.js';

/** Stands for one world after another: what was done in those before is gone, unless the caller keeps it. */
export class PassingWorlds implements UnitOfWork {
  private own = new RowsInMemory();
  private current: UnitOfWork = this.own;
  readonly run: UnitOfWork['run'] = (work) => this.current.run(work);
  readonly read: UnitOfWork['read'] = (work) => this.current.read(work);

  async begin(world?: UnitOfWork): Promise<void> {
    const { own } = this;
    this.own = new RowsInMemory();
    this.current = world ?? this.own;
    await own.close();
  }

  /** The same world, seen through another one. */
  seeThrough(seen: UnitOfWork): void {
    this.current = seen;
  }

  /** Begins with the small world of the standing and the scene. */
  async beginSmall(
    standing: Standing,
    scene?: Scene,
    store?: BundleStore,
  ): Promise<SmallWorld & { rows: RowsInMemory }> {
    await this.begin();
    const { own: rows } = this;
    const kind = JSON.stringify([standing, scene], (_, value) => (value instanceof Set ? [...value] : value));
    return { ...(await rows.beginAs(kind, () => makeSmallWorld(rows, standing, scene, store))), rows };
  }
}
