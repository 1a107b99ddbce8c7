import { describe, expect, it } from '@jest/globals';
import { RateLimits } from '../../src/adapters/http/server/rate-limit.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomIds } from '../../src/adapters/system/random-ids.js';
import { ExchangeRequestRates } from '../../src/application/background/exchange-request-rates.js';
import type { UnitOfWork } from '../../src/application/index.js';
import { fc, runs } from '../support/properties.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const limit = 30;
const step = 10;

interface Instance {
  /** Requests per second, at a moment in milliseconds. */
  readonly asked: (at: number) => number;
  /** When within each second it exchanges counts, in milliseconds. */
  readonly phase: number;
}

/** Instances on one database with a simulated clock. Returns what they admit together, second by second. */
async function passed(instances: readonly Instance[], seconds: number, unitOfWork: UnitOfWork): Promise<number[]> {
  let at = 0;
  const clock = new FixedClock();
  const running = instances.map(({ asked, phase }) => {
    const exchange = new ExchangeRequestRates(unitOfWork, clock, new RandomIds('secret'));
    const rates = new RateLimits(
      (demand) => exchange.execute(demand),
      () => at,
    );
    return { asked, phase, rates, count: rates.limit('caller', limit), due: 0 };
  });
  const sums = Array.from({ length: seconds }, () => 0);
  for (; at < seconds * 1000; at += step, clock.advance(step / 1000)) {
    for (const instance of running) {
      if (at % 1000 === instance.phase) await instance.rates.settle().catch(() => undefined);
      instance.due += (instance.asked(at) * step) / 1000;
      for (; instance.due >= 1; instance.due -= 1) {
        try {
          instance.count('token');
          sums[Math.floor(at / 1000)] = (sums[Math.floor(at / 1000)] ?? 0) + 1;
        } catch {}
      }
    }
  }
  return sums;
}

const phase = fc.integer({ min: 0, max: 1000 / step - 1 }).map((tenths) => tenths * step);
const steady = (largest: number) =>
  fc.record({ rate: fc.integer({ min: 0, max: largest }), phase }).map(({ rate, phase }) => ({
    rate,
    phase,
    asked: () => rate,
  }));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('the rate limit of several instances', () => {
  it('holds for them together from the fourth second on, but for a tenth of it each; before, each keeps it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steady(200), { minLength: 1, maxLength: 8 }), async (instances) => {
        const seconds = await passed(instances, 13, new RowsInMemory());
        for (const second of seconds.slice(0, 3)) expect(second).toBeLessThanOrEqual(limit * instances.length);
        // Seconds are counted from a caller's first request, so ten of the clock's overlap eleven of them.
        const together = sum(seconds.slice(3));
        expect(together).toBeLessThanOrEqual(11 * (limit + (instances.length * limit) / 10));
        const asked = sum(instances.map(({ rate }) => rate));
        expect(together).toBeGreaterThanOrEqual(10 * Math.min(asked, limit) - 10 * instances.length);
      }),
      { numRuns: runs(30) },
    );
  });

  it('lets everybody pass who asks evenly for less than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steady(limit / 3 - 1), { minLength: 1, maxLength: 3 }), async (instances) => {
        const seconds = await passed(instances, 8, new RowsInMemory());
        const asked = sum(instances.map(({ rate }) => rate));
        expect(sum(seconds)).toBeGreaterThanOrEqual(8 * asked - instances.length);
      }),
      { numRuns: 20 },
    );
  });

  it('is shared by what is asked of each', async () => {
    const all = [100, 50].map((rate, index) => ({ asked: () => rate, phase: index * 500 }));
    expect((await passed(all, 10, new RowsInMemory())).slice(3)).toEqual(Array(7).fill(limit));
  });

  it('goes to the one a caller moves to', async () => {
    const moving = (from: number, to: number) => (at: number) => (at >= from && at < to ? 100 : 0);
    const instances = [
      { asked: moving(0, 5000), phase: 100 },
      { asked: moving(5000, 10_000), phase: 600 },
    ];
    const seconds = await passed(instances, 10, new RowsInMemory());
    expect(seconds.slice(0, 5)).toEqual(Array(5).fill(limit));
    expect(seconds.slice(8)).toEqual(Array(2).fill(limit));
  });

  it('is each one’s own while the database does not answer', async () => {
    const away: UnitOfWork = {
      run: () => Promise.reject(new Error('away')),
      read: () => Promise.reject(new Error('away')),
    };
    const instances = [0, 500].map((phase) => ({ asked: () => 100, phase }));
    expect(sum((await passed(instances, 5, away)).slice(1))).toBeGreaterThanOrEqual(4 * 2 * limit - 2);
  });

  it('does not pass on names that only a caller who invents them could have', async () => {
    const told: object[] = [];
    const rates = new RateLimits(async (demand) => {
      told.push(demand);
      return {};
    });
    const count = rates.limit('webhook', limit);
    for (const name of ['address ::1 webhook hook-1', 'x'.repeat(10_000)]) {
      for (let asked = 0; asked < limit; asked += 1) count(name);
    }
    await rates.settle();
    expect(told).toEqual([{ 'webhook address ::1 webhook hook-1': limit }]);
  });

  it('costs the database nothing for callers who ask for less than a tenth of it', async () => {
    let statements = 0;
    const memory = new RowsInMemory();
    const counting: UnitOfWork = {
      run: (work) => {
        statements += 1;
        return memory.run(work);
      },
      read: (work) => {
        statements += 1;
        return memory.read(work);
      },
    };
    const quiet = { asked: () => limit / 10 - 1, phase: 0 };
    await passed([quiet, quiet], 5, counting);
    expect(statements).toBe(0);
    await passed([{ asked: () => 100, phase: 0 }], 5, counting);
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(2 * 5);
  });
});
