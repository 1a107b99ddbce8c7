import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Settings, SettingsError, tokenSchema } from './settings.js';

const standardInput = '/dev/stdin';

/**
 * The agent's token, removed from everything that exposes the process: its environment, command line and descriptors.
 * Throws `SettingsError`. Does not return if the token was in the environment: the program is then executed again.
 */
export function tokenOf({ AGENT_TOKEN: token, AGENT_TOKEN_FILE: file }: Settings): string {
  if (file !== undefined) return tokenIn(file);
  if (token === undefined) throw new SettingsError(['AGENT_TOKEN_FILE: must be set']);
  // Windows does not expose the environment of other processes.
  if (process.platform !== 'win32') beginWithout(token);
  return token;
}

/**
 * Replaces the process by a new instance of this program. The kernel exposes the environment a process was started
 * with: deleting a variable does not change it. The token is passed on standard input, in an unnamed file.
 */
function beginWithout(token: string): void {
  try {
    const path = join(tmpdir(), `gatehouse-agent-${randomUUID()}`);
    closeSync(0);
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    // A replaced process keeps only the three standard descriptors. The lowest free descriptor is used.
    if (file !== 0) throw new Error('standard input is in use');
    writeSync(file, token, 0);
  } catch (error) {
    const why = (error as Error).message;
    throw new SettingsError([
      `AGENT_TOKEN: cannot be removed from the environment: ${why}. Set AGENT_TOKEN_FILE instead`,
    ]);
  }
  const { AGENT_TOKEN: _, ...environment } = process.env;
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, words, { ...environment, AGENT_TOKEN_FILE: standardInput });
}

function tokenIn(path: string): string {
  const fault = (why: string) => new SettingsError([`AGENT_TOKEN_FILE: ${why}`]);
  let descriptor: number;
  try {
    descriptor = path === standardInput ? 0 : openSync(path, 'r');
  } catch (error) {
    throw fault((error as Error).message);
  }
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() || found.isFIFO()) {
      if ((found.mode & 0o077) !== 0) throw fault(`${path} is readable by other users. Set its mode to 0600`);
      const own = process.geteuid?.();
      if (own !== undefined && found.uid !== own) {
        throw fault(`${path} belongs to the user ${found.uid}. Change its owner: chown ${own} ${path}`);
      }
    }
    const token = tokenSchema.safeParse(readFileSync(descriptor, 'utf8').trim());
    if (token.success) return token.data;
    throw fault(`its content ${token.error.issues.map((issue) => issue.message).join('; ')}`);
  } finally {
    closeSync(descriptor);
    // Otherwise the next file or connection would become standard input.
    if (descriptor === 0) openSync('/dev/null', 'r');
  }
}
