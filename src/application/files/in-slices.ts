/** In bytes. All work on a slice of this length takes a millisecond, and ten in a process that has just begun. */
export const longestSlice = 16 * 1024;

export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Passes bytes on, and gives the event loop a turn after each slice: bytes that are at hand already arrive without one. A
 * longer chunk is divided.
 */
export async function* inSlices(
  bytes: AsyncIterable<Uint8Array>,
  turn: () => Promise<void> = nextTurn,
): AsyncGenerator<Uint8Array> {
  let left = longestSlice;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        await turn();
        left = longestSlice;
      }
      const slice = at === 0 && chunk.length <= left ? chunk : chunk.subarray(at, at + left);
      yield slice;
      at += slice.length;
      left -= slice.length;
    }
  }
}

/** The same for items, each of which costs as much as `costOf` bytes. */
export async function* inTurns<Item>(
  items: Iterable<Item>,
  costOf: (item: Item) => number,
  turn: () => Promise<void> = nextTurn,
): AsyncGenerator<Item> {
  let left = longestSlice;
  for (const item of items) {
    if (left <= 0) {
      await turn();
      left = longestSlice;
    }
    left -= costOf(item);
    yield item;
  }
}
