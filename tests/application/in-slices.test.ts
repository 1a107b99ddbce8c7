import { describe, expect, it } from '@jest/globals';
import { inSlices, inTurns, longestSlice } from '../../src/application/files/in-slices.js';

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size, size);
}

describe('bytes in slices', () => {
  it.each([
    ['one long chunk', [10 * longestSlice + 1]],
    ['many short ones', Array<number>(1000).fill(1000)],
    ['chunks of any size', [1, longestSlice, 0, longestSlice - 1, 3 * longestSlice, 7]],
  ])('give the event loop a turn after each slice: %s', async (_, sizes) => {
    let sinceTurn = 0;
    let longest = 0;
    const parts: Uint8Array[] = [];
    const turn = async () => {
      sinceTurn = 0;
    };
    for await (const slice of inSlices(chunks(...sizes), turn)) {
      sinceTurn += slice.length;
      longest = Math.max(longest, sinceTurn);
      parts.push(slice);
    }
    expect(longest).toBeLessThanOrEqual(longestSlice);
    const whole = Buffer.concat(sizes.map((size) => Buffer.alloc(size, size)));
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it('let timers run', async () => {
    let isOver = false;
    setImmediate(() => {
      isOver = true;
    });
    for await (const _ of inSlices(chunks(3 * longestSlice)));
    expect(isOver).toBe(true);
  });
});

describe('items in turns', () => {
  it('give the event loop a turn once they cost as much as a slice', async () => {
    const passed: (number | 'turn')[] = [];
    const turn = async () => {
      passed.push('turn');
    };
    for await (const item of inTurns([1, 2, 3, 4, 5], (n) => (n === 2 ? longestSlice : longestSlice / 2), turn)) {
      passed.push(item);
    }
    expect(passed).toEqual([1, 2, 'turn', 3, 4, 'turn', 5]);
  });
});
