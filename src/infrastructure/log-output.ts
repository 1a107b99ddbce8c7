import { write } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The maximum of characters waiting to be written before lines are dropped. */
const maxWaiting = 1024 * 1024;

const writeSome = promisify(write);

async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray((await writeSome(fd, rest)).bytesWritten);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await pause(100);
    }
  }
}

/**
 * The maximum time a line waits to be written together with others, in milliseconds. Unbatched, log writes took a tenth
 * of the time of small requests.
 */
const batchInterval = 5;

/**
 * The destination of log lines. A full disk, or a reader that is gone or does not read, costs lines only: the service
 * neither waits for its log nor exits because of it.
 */
export function logOutput(fd: number): { write(line: string): void } {
  let waiting = '';
  let writing = false;
  const writeOn = async (): Promise<void> => {
    writing = true;
    while (waiting !== '') {
      const bytes = Buffer.from(waiting);
      waiting = '';
      await writeAll(fd, bytes).catch(() => undefined);
      await pause(batchInterval);
    }
    writing = false;
  };
  return {
    write: (line) => {
      if (waiting.length < maxWaiting) waiting += line;
      if (!writing) void writeOn();
    },
  };
}
