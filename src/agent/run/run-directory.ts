import { createHash } from 'node:crypto';
import { chmod, chown, lchown, lstat, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type RunUser, runAs } from '../programs/run-user.js';
import { taken } from '../programs/taken.js';
import type { Job } from '../service/job.js';

/** What the directories of this host's agents begin with; the process's number follows. */
export const prefix = `gatehouse-run-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

/** In the directory, what is executed there: phase and run, one a line. */
export const labelFile = 'run';

/** In the directory, the MD5 of the state that the service has; missing where it has none. */
export const knownStateFile = 'known-state';

/** The state of a run in its directory: where terraform looks for that of a workspace of this name. */
export const stateFileOf = (workspace: string): readonly string[] =>
  workspace === 'default' ? ['state', 'terraform.tfstate'] : ['state', workspace, 'terraform.tfstate'];

/** What the programs of a run write to. */
const ofPrograms = ['configuration', 'home', 'state', 'out'];
/** What the agent alone writes to. Programs read the files there that they are given. */
const ofAgent = ['plan', 'policies', 'variables'];

/** The beginning of the names of directories for temporary files, which the process's number follows. */
export const temporaryPrefix = prefix.replace('run', 'tmp');

/** Where a path is short enough for sockets, if that of the run's directory is not. */
export const shortPlace = '/tmp';

/** macOS takes 103 bytes for the path of a socket, Linux 107. Providers call it `plugin`, and up to ten digits. */
const longestTemporary = 103 - '/plugin1234567890'.length;

/**
 * Where one run is executed. Nobody but the agent and the user of its programs may read it: it holds a state, variables
 * and a plan.
 *
 * An agent that is root does not trust what another user may write to: links there would lead it to files of its own. So
 * everything is prepared while that user cannot enter the directory, and afterwards the agent writes only into its own
 * directories, reads what programs left by `taken` alone, and has the user remove its files itself.
 */
export class RunDirectory {
  private kept = false;

  private constructor(
    readonly path: string,
    /** For temporary files of programs. */
    readonly temporary: string,
    private readonly user: RunUser | undefined,
  ) {}

  static async create(workDirectory: string, { phase, run }: Job, user?: RunUser): Promise<RunDirectory> {
    await mkdir(workDirectory, { recursive: true });
    // mkdtemp makes it for this user alone.
    const path = await mkdtemp(join(workDirectory, `${prefix}${process.pid}-`));
    const directory = new RunDirectory(path, await temporaryFor(path), user);
    await writeFile(directory.at(labelFile), `${phase}\n${run.id}\n`, { mode: 0o600 });
    for (const name of [...ofPrograms, ...ofAgent]) await mkdir(directory.at(name), { mode: 0o700 });
    return directory;
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** From here on the user of the programs can enter it. */
  async open(): Promise<void> {
    if (this.user === undefined) return;
    const { uid, gid } = this.user;
    for (const path of [...ofPrograms.map((name) => this.at(name)), this.temporary]) await own(path, this.user);
    for (const path of [...ofAgent.map((name) => this.at(name)), this.path]) {
      await chown(path, process.geteuid?.() ?? uid, gid);
      await chmod(path, 0o710);
    }
  }

  /** Lets programs read a file in a directory of the agent's. */
  async give(file: string): Promise<void> {
    if (this.user !== undefined) await lchown(file, this.user.uid, this.user.gid);
  }

  /** A file that programs left: see `taken`. `name` is that of its copy, in a directory of the agent's. */
  taken(file: string, ...name: readonly string[]): Promise<string | undefined> {
    return taken(file, this.user?.uid, this.at(...name));
  }

  /** It has the only record of something. */
  keep(): void {
    this.kept = true;
  }

  async remove(): Promise<void> {
    try {
      await removeTree(this.temporary);
    } finally {
      if (!this.kept) await removeTree(this.path);
    }
  }
}

async function temporaryFor(path: string): Promise<string> {
  const inside = join(path, 'tmp');
  if (Buffer.byteLength(inside) > longestTemporary) {
    const short = await mkdtemp(join(shortPlace, `${temporaryPrefix}${process.pid}-`)).catch(() => undefined);
    if (short !== undefined) return short;
  }
  await mkdir(inside, { mode: 0o700 });
  return inside;
}

/** Gives a tree to a user who cannot reach it yet. */
async function own(path: string, user: RunUser): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await own(join(path, name), user);
  await lchown(path, user.uid, user.gid);
}

/** With what programs left there that nobody may write to, as caches often are, or that belongs to another user. */
export async function removeTree(path: string): Promise<void> {
  const ownUid = process.geteuid?.();
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (ownUid !== undefined && found.uid !== ownUid) return removeAs(found, path);
  const entries = found.isDirectory() ? await readdir(path).catch(() => []) : [];
  for (const name of entries) {
    const entry = await lstat(join(path, name));
    if (ownUid !== undefined && entry.isDirectory() && entry.uid !== ownUid) await removeAs(entry, join(path, name));
  }
  // A program that does not want to die may still be writing.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  await remove().catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') await openAll(path);
    await remove();
  });
}

/** What a directory of another user holds is removed as that user: a link in it leads to nothing that user may not remove. */
async function removeAs(user: RunUser, path: string): Promise<void> {
  await runAs(user, 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"; :', path);
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function openAll(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await openAll(join(directory, entry.name));
}
