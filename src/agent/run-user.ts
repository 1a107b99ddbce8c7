import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The user that programs run as, if not the agent's. */
export interface RunUser {
  readonly uid: number;
  readonly gid: number;
}

const highestId = 2 ** 32 - 2;

/** Parses a user name, a uid or uid:gid. Throws an error with the fault. */
export function runUserFrom(
  text: string,
  ownUid: number | undefined = process.getuid?.(),
  passwd: () => string = () => readFileSync('/etc/passwd', 'utf8'),
): RunUser {
  if (ownUid !== 0)
    throw new Error('requires an agent that runs as root: only root can start programs as another user');
  const user = /^\d+:\d+$/.test(text) ? numbered(text) : listed(text, passwd());
  if (user.uid === 0) throw new Error('must not be root');
  if (user.gid === 0) throw new Error("must not have root's group id");
  if (user.uid > highestId || user.gid > highestId) throw new Error(`must have ids of at most ${highestId}`);
  return user;
}

function numbered(text: string): RunUser {
  const [uid = 0, gid = 0] = text.split(':').map(Number);
  return { uid, gid };
}

function listed(text: string, passwd: string): RunUser {
  const column = /^\d+$/.test(text) ? 2 : 0;
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find((one) => one.length > 3 && one[column] === text);
  if (fields === undefined) throw new Error(`/etc/passwd has no user ${text}. Create the user, or write uid:gid`);
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}

const ofUser = (user: RunUser) => ({ ...user, cwd: '/', env: { PATH: process.env.PATH ?? '/usr/bin:/bin' } });

/** Runs a shell script as this user, in none of the agent's groups. Rejects if it fails. */
export async function runAs(user: RunUser, script: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', script, 'sh', ...args], ofUser(user));
}

/** Kills all processes of this user with one call, so that none started meanwhile is missed. */
export function killAllOf(user: RunUser): void {
  spawnSync('/bin/sh', ['-c', 'kill -9 -1'], { ...ofUser(user), stdio: 'ignore' });
}
