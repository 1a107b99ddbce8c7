import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Chores, EffectWorker } from '../../src/infrastructure/effect-worker.js';
import { World } from '../support/application.js';

const hourly = [
  'sweepBundles',
  'archiveOldVersions',
  'discardPolicyArchives',
  'applyDataRetention',
  'forgetAuditEvents',
] as const;

describe('hourly work', () => {
  const silent = { info: () => undefined, error: () => undefined };
  const meter = { performed: () => undefined, choreFailed: () => undefined };
  let world: World;
  let workers: EffectWorker[];

  beforeEach(async () => {
    world = await World.create();
    workers = [];
  });
  afterEach(() => {
    for (const worker of workers) worker.halt();
  });

  /** A worker that has just started, and the seconds after which each piece of work ran. */
  function started(random: number) {
    const ran = Object.fromEntries(hourly.map((name) => [name, [] as number[]])) as Record<
      (typeof hourly)[number],
      number[]
    >;
    let seconds = 0;
    let waiting: { readonly at: number; readonly work: () => void }[] = [];
    const after = (delay: number, work: () => void) => {
      waiting.push({ at: seconds + delay, work });
      return setTimeout(() => undefined).unref();
    };
    const noted = hourly.map((name) => {
      const useCase = world.useCases[name] as { execute(...given: unknown[]): Promise<unknown> };
      const execute = (...given: unknown[]) => {
        ran[name].push(seconds);
        return useCase.execute(...given);
      };
      return [name, Object.assign(Object.create(useCase), { execute })];
    });
    const rates = { settle: async () => undefined };
    const chores = { ...world.useCases, ...Object.fromEntries(noted), rates, abandonedAfterSeconds: 0 } as Chores;
    const worker = new EffectWorker(chores, silent, meter, { random: () => random, after });
    workers.push(worker);
    worker.start();
    const pass = async (until: number) => {
      for (;;) {
        // Work under way orders its next time when it ends.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        const next = waiting.toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined || next.at > until) break;
        waiting = waiting.filter((one) => one !== next);
        seconds = next.at;
        next.work();
      }
      seconds = until;
    };
    return { ran, pass };
  }

  it.each([0, 0.5, 0.999])(
    'first runs within five minutes of a start, one after the other (random %d)',
    async (random) => {
      const { ran, pass } = started(random);
      await pass(300);
      const firsts = hourly.map((name) => ran[name][0]);
      expect(firsts.map((first) => first !== undefined)).toEqual(hourly.map(() => true));
      expect(new Set(firsts).size).toBe(hourly.length);
    },
  );

  it('first runs at another time in each instance, and then once an hour', async () => {
    const [early, late] = [started(0.1), started(0.9)];
    await early.pass(300);
    await late.pass(300);
    for (const name of hourly) expect(late.ran[name][0]).not.toBe(early.ran[name][0]);
    await early.pass(3_600);
    for (const name of hourly) expect(early.ran[name]).toHaveLength(1);
    await early.pass(3_900);
    for (const name of hourly) expect(early.ran[name]).toHaveLength(2);
  });
});
