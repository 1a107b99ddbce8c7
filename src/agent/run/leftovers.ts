import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcessesOf } from '../programs/process-group.js';
import type { Settings } from '../settings.js';
import { digestOf } from './configuration.js';
import { putAside, stateLeftIn } from './lost-state.js';
import { planned } from './plan-phase.js';
import { knownStateFile, labelFile, prefix, removeTree, stateFileOf } from './run-directory.js';

/** Takes away what agents of this machine left that were killed, but for the states of applies. */
export async function removeLeftovers(
  { AGENT_WORK_DIR, AGENT_CANCEL_SECONDS }: Pick<Settings, 'AGENT_WORK_DIR' | 'AGENT_CANCEL_SECONDS'>,
  { say, killing }: { readonly say: (line: string) => void; readonly killing: AbortSignal },
): Promise<void> {
  for (const name of await readdir(AGENT_WORK_DIR).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || (pid !== process.pid && lives(pid))) continue;
    const path = join(AGENT_WORK_DIR, name);
    try {
      const [phase, runId = ''] = (await textOf(join(path, labelFile))).split('\n');
      const applied = phase === 'apply';
      await endProcessesOf(join(path, 'home'), applied ? AGENT_CANCEL_SECONDS : 0, killing);
      if (applied) {
        const [directory, workspace] = await Promise.all(
          [planned.workingDirectory, planned.workspace].map((name) => textOf(join(path, 'plan', name))),
        );
        const stateFile = join(path, ...stateFileOf(workspace ?? ''));
        const state = await stateLeftIn(join(path, 'configuration', directory ?? ''), stateFile);
        const known = await textOf(join(path, knownStateFile));
        const isNew = state !== undefined && (await digestOf(state, 'md5')) !== known;
        const kept = isNew ? await putAside(state, runId, AGENT_WORK_DIR) : undefined;
        say(`${runId}: an agent was killed while it applied${kept === undefined ? '' : `; the state is in ${kept}`}`);
      }
      await removeTree(path);
    } catch (error) {
      say(`${path}, which an agent left that was killed, stays: ${(error as Error).message}`);
    }
  }
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
