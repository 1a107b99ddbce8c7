import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { noteEnvironment, noteSecretsOf, watchLog } from './secrets-in-logs.js';

/** The built command line. */
export const program = fileURLToPath(new URL('../../dist/infrastructure/cli/gatehouse.js', import.meta.url));

/** The output and exit code of a command. */
export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** The JSON it printed; undefined if it printed nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  readonly json: any;
}

/** Runs it in a pipe. Its standard error is a log: no secret may be in it. */
export async function gatehouse(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  noteEnvironment(environment);
  noteSecretsOf(out);
  watchLog(() => err);
  return { status, out, err, json: out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : undefined };
}
