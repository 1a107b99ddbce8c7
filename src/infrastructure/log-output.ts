import { write } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** How much may wait to be written before lines are dropped, in characters. */
const mostWaiting = 1024 * 1024;

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
 * How long a line may wait for others to be written with, in milliseconds. One by one, they took a tenth of the time of
 * small requests.
 */
const patience = 5;

/**
 * Where log lines go. A disk that is full, or a reader that is gone or does not read, costs lines and nothing else: the
 * service neither waits for its log nor ends because of it.
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
      await pause(patience);
    }
    writing = false;
  };
  return {
    write: (line) => {
      if (waiting.length < mostWaiting) waiting += line;
      if (!writing) void writeOn();
    },
  };
}
