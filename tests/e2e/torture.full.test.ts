import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { torture } from '../../lab/torture/torture.js';
import { skipPostgres } from '../support/databases.js';
import { whyNoPair } from '../support/postgres-pair.js';

const tortured = skipPostgres ? it.skip : it;
const reason = whyNoPair === undefined ? '' : ` (failovers skipped: ${whyNoPair})`;

// Needs a Postgres: three instances share it, while each is killed and cut off from it and from the store.
tortured(
  `three instances lose nothing while they are killed and cut off, and while the database fails over${reason}`,
  async () => {
    const seed = Date.now() % 1_000_000;
    const evidence = join(tmpdir(), `gatehouse-torture-${seed}`);
    const { violations, figures } = await torture({
      seed,
      seconds: 20,
      short: true,
      cluster: { standby: whyNoPair === undefined ? 'synchronous' : undefined },
      print: () => undefined,
      evidence,
    });
    const told = violations.map(({ rule, what }) => `seed ${seed}: ${rule}: ${what} (evidence in ${evidence})`);
    expect(told).toEqual([]);
    expect(figures.operations).toMatchObject({ unknown: expect.any(Number) });
    if (whyNoPair === undefined) expect(figures.faults).toHaveProperty('primary lost');
  },
);

const paired = skipPostgres || whyNoPair !== undefined ? it.skip : it;

paired(`the checker finds what a failover loses to a standby that is not synchronous${reason}`, async () => {
  const seed = 29;
  const evidence = join(tmpdir(), `gatehouse-torture-${seed}-lost`);
  const { violations } = await torture({
    seed,
    seconds: 15,
    short: true,
    only: 'primary lost',
    cluster: { standby: 'left behind' },
    print: () => undefined,
    evidence,
  });
  await rm(evidence, { recursive: true, force: true });
  expect(violations.map(({ rule }) => rule)).toContain('acknowledged changes are there');
});
