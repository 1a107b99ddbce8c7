import { expect } from '@jest/globals';
import { Attack, type Fates, type Wave } from './attack.js';
import { type Arrivals, Neighbours } from './neighbours.js';
import type { Report } from './report.js';
import { Watch } from './watch.js';
import { attacked, type World } from './world.js';

/** An attack, and the settings of the service during it. */
export interface Case {
  readonly attack: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called before the attack. */
  readonly prepare?: (world: World, url: string) => Promise<void>;
  /** `addresses` is the number of addresses that they come from. */
  readonly waves: (addresses: number) => Promise<readonly Wave[]>;
}

export const manyAddresses = 64;

/** Each case from one address, and from many. */
export const fromOneAndMany = (cases: readonly Case[]): readonly (Case & { readonly addresses: number })[] =>
  cases.flatMap((one) => [1, manyAddresses].map((addresses) => ({ ...one, addresses })));

const megabytes = 160;
export const promised = { residentMiB: 320, healthMilliseconds: 1_000, timely: 99, stateSeconds: 60, organizations: 8 };

/** How many requests of all waves had each fate. */
function sumOf(fates: readonly Fates[]): string {
  const all: Record<string, number> = {};
  for (const [fate, count] of fates.flatMap((one) => Object.entries(one))) all[fate] = (all[fate] ?? 0) + count;
  return Object.entries(all)
    .map(([fate, count]) => `${count} ${fate}`)
    .join(', ');
}

/** Attacks the service, and expects that it stands and serves the neighbours as promised. */
export async function expectToStand(
  world: World,
  { attack: name, environment, prepare, waves, addresses }: Case & { readonly addresses: number },
  report: Report,
): Promise<void> {
  const neighbours = new Neighbours(world);
  const requests = await waves(addresses);
  const service = await attacked(world, megabytes, environment);
  await prepare?.(world, service.url);
  const watch = new Watch(service);
  let attack: Attack | undefined;
  try {
    attack = await Attack.begin(service.url, requests);
    const arrivals: Arrivals = await neighbours.live(service.url);
    const fates = await attack.end();
    const seen = await watch.stop();
    report.add({
      attack: name,
      addresses,
      'RSS MiB': seen.residentMiB,
      '/healthz ms': seen.healthMilliseconds,
      'of 100 in 2 s': arrivals.withinTwoSeconds,
      'at once': arrivals.atFirst,
      'state of 12 MiB s': arrivals.stateSeconds.toFixed(1),
      'of 8 organizations': arrivals.organizations,
      'fates of the attackers': sumOf(fates),
    });
    expect(seen).toMatchObject({ ended: undefined });
    expect(seen.residentMiB).toBeLessThan(promised.residentMiB);
    expect(seen.healthMilliseconds).toBeLessThan(promised.healthMilliseconds);
    expect(arrivals.withinTwoSeconds).toBeGreaterThanOrEqual(promised.timely);
    expect(arrivals.stateSeconds).toBeLessThan(promised.stateSeconds);
    expect(arrivals).toMatchObject({ organizations: promised.organizations });
  } finally {
    attack?.stop();
    await watch.stop();
    await service.end('SIGKILL');
  }
}
