import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceBytes = 64 * 1024;

/** Bytes in slices, between which other work runs. */
export async function* inSlices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + sliceBytes);
  }
}
