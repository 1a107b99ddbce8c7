import type { Response } from 'express';
import { giveBack } from './fast.js';

/**
 * Writes and ends the answer, of which a part is made once the system has the one before; leaves off when the client
 * goes away, which is no fault of the service. Throws when there are fewer bytes than its head says. The memory of bytes
 * is given back: nobody else may use it.
 */
export const send = async (
  parts: AsyncIterable<Uint8Array | string>,
  response: Response,
  length?: number,
  onSent: (bytes: number) => void = () => {},
): Promise<void> => {
  let sent = 0;
  let leave = () => {};
  response.once('close', () => leave());
  for await (const part of parts) {
    const written = await new Promise<boolean>((resolve) => {
      leave = () => resolve(false);
      response.write(part, (error) => resolve(!error));
    });
    if (!written) return;
    if (typeof part === 'string') continue;
    const { byteLength, buffer } = part;
    sent += byteLength;
    onSent(byteLength);
    if (byteLength === buffer.byteLength) giveBack(buffer);
  }
  // To end it now would have the next answer on this connection taken for the rest of it.
  if (length !== undefined && sent < length) throw new Error(`there are ${sent} bytes where ${length} were announced`);
  response.end();
};
