import { type Instant, later } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { Demand } from '../ports/repositories/instances.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Older reports are ignored: an instance that has not reported since has ended. */
const worthSeconds = 3;
const keptSeconds = 60;

/** Exchanges request rates with the other instances on the database. */
export class ExchangeRequestRates {
  private readonly instance: string;
  private told = false;
  private tidiedAt: Instant = '';

  constructor(
    private readonly unitOfWork: UnitOfWork<'requestRates'>,
    private readonly clock: Clock,
    ids: IdGenerator,
  ) {
    this.instance = ids.next('instance');
  }

  /**
   * Returns the total demand of the same callers on the other instances. One statement writes and one reads for all
   * callers; none is executed if there is nothing to report or withdraw.
   */
  async execute(demand: Demand): Promise<Demand> {
    const callers = Object.keys(demand);
    if (callers.length === 0 && !this.told) return {};
    const now = this.clock.now();
    const forgotten = later(now, -keptSeconds);
    this.told = callers.length > 0;
    const tidy = this.tidiedAt <= forgotten;
    await this.unitOfWork.run(async (tx) => {
      await tx.requestRates.note(this.instance, demand, now);
      if (tidy) await tx.requestRates.forget(forgotten);
    });
    if (tidy) this.tidiedAt = now;
    if (!this.told) return {};
    const others = await this.unitOfWork.read((tx) =>
      tx.requestRates.ofOthers(this.instance, later(now, -worthSeconds)),
    );
    const sum = (caller: string) => others.reduce((total, other) => total + (other[caller] ?? 0), 0);
    return Object.fromEntries(callers.map((caller) => [caller, sum(caller)]));
  }
}
