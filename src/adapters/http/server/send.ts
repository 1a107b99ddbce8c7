import type { Response } from 'express';
import { freeBytes } from '../routing/free-bytes.js';

/**
 * Writes and ends the response, making each part once the system has taken the one before. `waits` is called for a part
 * that the client does not take at once, and returns what to call when it has. Stops without an error when the client
 * disconnects. Throws when there are fewer bytes than the response head announces. Frees the memory of the bytes: the
 * caller must not use it again.
 */
export const send = async (
  parts: AsyncIterable<Uint8Array | string>,
  response: Response,
  waits: (bytes: number) => () => void,
  length?: number,
  onSent: (bytes: number) => void = () => {},
): Promise<void> => {
  let sent = 0;
  let leave = () => {};
  response.once('close', () => leave());
  for await (const part of parts) {
    const written = await new Promise<boolean>((resolve) => {
      let done = false;
      let taken = () => {};
      leave = () => resolve(false);
      response.write(part, (error) => {
        done = true;
        taken();
        resolve(!error);
      });
      // Node passes the part on in the next tick.
      process.nextTick(() => {
        if (!done && response.writableLength > 0) taken = waits(part.length);
      });
    });
    if (!written) return;
    if (typeof part === 'string') continue;
    sent += part.byteLength;
    onSent(part.byteLength);
    freeBytes(part);
  }
  // Ending it now would have the next response on this connection read as the rest of it.
  if (length !== undefined && sent < length) throw new Error(`${sent} bytes were sent, but ${length} were announced`);
  response.end();
};
