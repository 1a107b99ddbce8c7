import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type RunUser, runAs } from '../run-user.js';
import { type Settings, SettingsError } from '../settings.js';
import { processesAs } from './process-group.js';

/** Throws `SettingsError` if programs of another user could not work, or could replace files of the agent. */
export async function checkRunUser(settings: Settings): Promise<void> {
  const { AGENT_RUN_AS: user, AGENT_WORK_DIR: work, AGENT_TF_CLI_CONFIG_FILE: configFile } = settings;
  if (user === undefined) return;
  const faults: string[] = [];
  const may = (script: string, path: string) =>
    runAs(user, script, path).then(
      () => true,
      () => false,
    );
  await mkdir(work, { recursive: true });
  const real = await realpath(work);
  for (const path of withParents(real)) {
    if (await isUnder(user, path)) {
      faults.push(
        `AGENT_WORK_DIR: the user of AGENT_RUN_AS can write to ${path}. Remove that permission, or choose another directory`,
      );
    }
  }
  if (!(await may('cd -- "$1"', real))) {
    faults.push(
      `AGENT_WORK_DIR: the user of AGENT_RUN_AS cannot enter ${work}. Grant it execute permission (x) on each directory of that path`,
    );
  }
  if (configFile !== undefined && !(await may('exec < "$1"', configFile))) {
    faults.push(
      `AGENT_TF_CLI_CONFIG_FILE: the user of AGENT_RUN_AS cannot read ${configFile}. Grant it read permission`,
    );
  }
  if (faults.length > 0) throw new SettingsError(faults);
}

/** Throws `SettingsError` if the user already runs a process: it would be killed with the first program. */
export function refuseSharedUser({ AGENT_RUN_AS: user }: Settings): void {
  const [pid] = user === undefined ? [] : processesAs(user);
  if (pid === undefined) return;
  throw new SettingsError([`AGENT_RUN_AS: the process ${pid} runs as that user. Choose a user that runs nothing else`]);
}

const withParents = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...withParents(dirname(path))];

/** Whether this user may rename entries of a directory. In a sticky one, such as /tmp, only its own entries. */
async function isUnder({ uid, gid }: RunUser, directory: string): Promise<boolean> {
  const found = await stat(directory);
  if (found.uid === uid) return true;
  const writable = (found.mode & 0o002) !== 0 || (found.gid === gid && (found.mode & 0o020) !== 0);
  return writable && (found.mode & 0o1000) === 0;
}
