import { describe, expect, it } from '@jest/globals';
import { alternate, median, ratios, summary } from '../../lab/bench/alternate.js';

describe('the median', () => {
  it.each([
    [[3], 3],
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('leaves what it is given in its order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('measuring in turn', () => {
  it('goes through all, and back again in the next round', async () => {
    const order: string[] = [];
    let value = 0;
    const measure = (name: string) => async () => {
      order.push(name);
      value += 1;
      return value;
    };
    const measured = await alternate(3, { ours: measure('ours'), bare: measure('bare'), equal: measure('equal') });
    expect(order).toEqual(['ours', 'bare', 'equal', 'equal', 'bare', 'ours', 'ours', 'bare', 'equal']);
    expect(measured).toEqual({ ours: [1, 6, 7], bare: [2, 5, 8], equal: [3, 4, 9] });
  });

  it('ends with the first that fails', async () => {
    const failing = async () => {
      throw new Error('refused');
    };
    await expect(alternate(2, { ours: async () => 1, bare: failing })).rejects.toThrow('refused');
  });
});

it('compares within a round', () => {
  expect(ratios([10, 30], [20, 20])).toEqual([0.5, 1.5]);
});

it('says the middle and the ends', () => {
  expect(summary([0.5, 0.4, 0.9])).toEqual({ measured: 0.5, spread: [0.4, 0.9] });
});
