import { describe, expect, it } from '@jest/globals';
import { everyDay, firstOfDays, partsOf, sumOf, totalOf } from '../../web/console/pages/outcomes/counts.js';

const sums = { failed: 1, errored: 0, overridden: 249, passed: 750 };

describe('a bar of outcomes', () => {
  it('has the failures at its base, where even one of many can be seen', () => {
    const [failed, overridden, passed, ...others] = partsOf(sums, 1_000);
    expect(failed).toEqual({ outcome: 'failed', start: 0, length: 1.5 });
    expect(overridden).toMatchObject({ outcome: 'overridden', start: 1.5 });
    expect(passed?.outcome).toBe('passed');
    expect(others).toEqual([]);
  });

  it('stays within the plot', () => {
    const [, , , last] = partsOf({ failed: 1, errored: 1, overridden: 1, passed: 997 }, 1_000);
    expect((last?.start ?? 0) + (last?.length ?? 0)).toBeLessThanOrEqual(100);
    expect(partsOf({ failed: 0, errored: 0, overridden: 0, passed: 0 }, 0)).toEqual([]);
  });
});

describe('the days of a period', () => {
  it('are all there, also those without outcomes', () => {
    const days = everyDay('2030-02-27', '2030-03-02', [{ day: '2030-03-01', sums }]);
    expect(days.map(({ day, sums: of }) => [day, totalOf(of)])).toEqual([
      ['2030-02-27', 0],
      ['2030-02-28', 0],
      ['2030-03-01', 1_000],
      ['2030-03-02', 0],
    ]);
    expect(sumOf(days.map((one) => one.sums))).toEqual(sums);
  });

  it('begin in UTC, and include the present one', () => {
    expect(firstOfDays(7, Date.parse('2030-03-02T23:59:59Z'))).toBe('2030-02-24');
  });
});
