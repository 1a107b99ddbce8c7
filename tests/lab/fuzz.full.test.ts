import { describe, expect, it } from '@jest/globals';
import { textOfFinding, type WalkOptions, walk } from '../../lab/fuzz/walk.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const walked = (options: Pick<WalkOptions, 'seed' | 'requests' | 'environment'>) => {
  process.stdout.write(`${options.requests} requests with the seed ${options.seed}\n`);
  return walk({ ...options, rows: new RowsInMemory() });
};

const statusesIn = ({ counts }: Awaited<ReturnType<typeof walked>>): ReadonlySet<number> =>
  new Set([...counts.values()].flatMap((byStatus) => [...byStatus.keys()]));

describe('generated requests', () => {
  it('are answered as described, and leave no object in an undefined state', async () => {
    const found = await walked({ seed: Date.now() % 1_000_000, requests: 5_000 });
    expect(found.findings.map(textOfFinding)).toEqual([]);
  });

  it('have everything done that can be asked for', async () => {
    const found = await walked({ seed: 20, requests: 6_500 });
    expect(found.findings.map(textOfFinding)).toEqual([]);
    expect(found.unanswered).toEqual([]);
    expect([...statusesIn(found)]).toEqual(
      expect.arrayContaining([200, 201, 202, 204, 302, 400, 401, 404, 405, 409, 414, 415, 422]),
    );
  });

  it('are refused as described where there are too many', async () => {
    const found = await walked({ seed: 7, requests: 300, environment: { RATE_LIMIT_PER_SECOND: '5' } });
    expect(found.findings.map(textOfFinding)).toEqual([]);
    expect(statusesIn(found)).toContain(429);
  });
});
