import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../service/job.js';

/**
 * What the directories of this host's agents begin with; the process's number follows. It is short: sockets are made
 * below it, and their paths have room for about a hundred characters.
 */
export const prefix = `gatehouse-run-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

/** In the directory, what is executed there: phase and run, one a line. */
export const labelFile = 'run';

/** In the directory, the MD5 of the state that the service has; missing where it has none. */
export const knownStateFile = 'known-state';

/** The state of a run in its directory: where terraform looks for that of a workspace of this name. */
export const stateFileOf = (workspace: string): readonly string[] =>
  workspace === 'default' ? ['state', 'terraform.tfstate'] : ['state', workspace, 'terraform.tfstate'];

/** Where one run is executed. Nobody but this user may read it: it holds a state, variables and a plan. */
export class RunDirectory {
  private kept = false;

  private constructor(readonly path: string) {}

  static async create(workDirectory: string, { phase, run }: Job): Promise<RunDirectory> {
    await mkdir(workDirectory, { recursive: true });
    // mkdtemp makes it for this user alone.
    const directory = new RunDirectory(await mkdtemp(join(workDirectory, `${prefix}${process.pid}-`)));
    await writeFile(directory.at(labelFile), `${phase}\n${run.id}\n`, { mode: 0o600 });
    for (const name of ['configuration', 'home', 'tmp', 'state', 'plan', 'policies', 'variables']) {
      await mkdir(directory.at(name), { mode: 0o700 });
    }
    return directory;
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** It has the only record of something. */
  keep(): void {
    this.kept = true;
  }

  async remove(): Promise<void> {
    if (this.kept) return;
    await removeTree(this.path);
  }
}

/** With what programs left there that nobody may write to, as caches often are. */
export async function removeTree(path: string): Promise<void> {
  // A program that does not want to die may still be writing.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  await remove().catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') await openAll(path);
    await remove();
  });
}

async function openAll(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await openAll(join(directory, entry.name));
}
