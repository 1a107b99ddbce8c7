import { write } from 'node:fs';
import { Writable } from 'node:stream';
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
 * Where log lines go. A disk that is full, or a reader that is gone or does not read, costs lines and nothing else: the
 * service neither waits for its log nor ends because of it.
 */
export function logOutput(fd: number): { write(line: string): void } {
  const waiting = new Writable({
    decodeStrings: false,
    writev: (lines, done) => {
      const text = lines.map(({ chunk }) => chunk as string).join('');
      writeAll(fd, Buffer.from(text)).then(
        () => done(),
        () => done(),
      );
    },
  });
  return {
    write: (line) => {
      if (waiting.writableLength < mostWaiting) waiting.write(line);
    },
  };
}
