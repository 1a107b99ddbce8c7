import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const built = (name: string): string =>
  fileURLToPath(new URL(`../../dist/infrastructure/${name}.js`, import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the built programs to its end. */
export const program = (
  name: string,
  words: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Ended> =>
  run(process.execPath, [built(name), ...words], { env: { PATH: process.env.PATH, ...environment } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failure) => failure as Ended,
  );
