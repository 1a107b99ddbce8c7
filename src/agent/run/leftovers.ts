import { chmod, lstat, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcessesOf } from '../programs/process-group.js';
import { taken } from '../programs/taken.js';
import type { Settings } from '../settings.js';
import { digestOf } from './configuration.js';
import { planned } from './plan-phase.js';
import {
  knownStateFile,
  labelFile,
  prefix,
  removeTree,
  shortPlace,
  stateFileOf,
  temporaryPrefix,
} from './run-directory.js';

/** Removes the directories that killed agents of this machine left, except for states of applies. */
export async function removeLeftovers(
  { AGENT_WORK_DIR, AGENT_CANCEL_SECONDS }: Pick<Settings, 'AGENT_WORK_DIR' | 'AGENT_CANCEL_SECONDS'>,
  { print, killing }: { readonly print: (line: string) => void; readonly killing: AbortSignal },
): Promise<void> {
  const left = async (directory: string, beginning: string) =>
    (await readdir(directory).catch(() => []))
      .filter((name) => isLeft(name, beginning))
      .map((name) => join(directory, name));
  for (const path of await left(AGENT_WORK_DIR, prefix)) {
    try {
      // If other users may write to the directory, any of them could have created it.
      const { uid: maker } = await lstat(path);
      if (maker !== (process.geteuid?.() ?? maker)) continue;
      const [phase, runId = ''] = (await textOf(join(path, labelFile))).split('\n');
      const applied = phase === 'apply';
      const { uid, gid } = await lstat(join(path, 'home')).catch(() => ({ uid: maker, gid: 0 }));
      const user = uid === maker ? undefined : { uid, gid };
      await endProcessesOf({ home: join(path, 'home'), user }, applied ? AGENT_CANCEL_SECONDS : 0, killing);
      if (applied) {
        const [directory, workspace] = await Promise.all(
          [planned.workingDirectory, planned.workspace].map((name) => textOf(join(path, 'plan', name))),
        );
        const stateFile = join(path, ...stateFileOf(workspace ?? ''));
        const take = (file: string) => taken(file, user?.uid, join(path, 'taken-state'));
        const state = await stateLeftIn(join(path, 'configuration', directory ?? ''), stateFile, take);
        const known = await textOf(join(path, knownStateFile));
        const isNew = state !== undefined && (await digestOf(state, 'md5')) !== known;
        const kept = isNew ? await putAside(state, runId, AGENT_WORK_DIR) : undefined;
        print(`${runId}: an agent was killed during the apply${kept === undefined ? '' : `; the state is in ${kept}`}`);
      }
      await removeTree(path);
    } catch (error) {
      print(`${path}, left by a killed agent, was not removed: ${(error as Error).message}`);
    }
  }
  for (const path of await left(shortPlace, temporaryPrefix)) {
    await removeTree(path).catch((error: Error) => print(`${path} could not be removed: ${error.message}`));
  }
}

/** Whether the process whose id is in the name has ended. */
function isLeft(name: string, beginning: string): boolean {
  const pid = name.startsWith(beginning) ? Number.parseInt(name.slice(beginning.length), 10) : Number.NaN;
  return !Number.isNaN(pid) && (pid === process.pid || !lives(pid));
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The state that an apply left; undefined if there is none. `take` is called for each possible path. */
export async function stateLeftIn(
  workingDirectory: string,
  stateFile: string,
  take: (file: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  // Terraform writes a state here if it cannot write it to its path. It creates an empty file first, which remains if
  // it is killed at that moment or the disk is full.
  return (await take(join(workingDirectory, 'errored.tfstate'))) ?? (await take(stateFile));
}

/** Moves a state to a path that is never cleaned up, which needs no space on a full disk. Returns the new path. */
export async function putAside(file: string, runId: string, workDirectory: string): Promise<string> {
  const directory = join(workDirectory, 'lost-state');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid } = await lstat(directory);
  if (uid !== (process.geteuid?.() ?? uid)) throw new Error(`${directory} belongs to another user`);
  const path = join(directory, `${runId}.tfstate`);
  await rename(file, path);
  await chmod(path, 0o600);
  return path;
}
