import { createHash } from 'node:crypto';
import { chmod, chown, lchown, lstat, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { taken } from '../programs/taken.js';
import { type RunUser, runAs } from '../run-user.js';
import type { Job } from '../service/job.js';

/** The prefix of this host's run directories; the process id follows. */
export const prefix = `gatehouse-run-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

/** A file in the directory with its phase and run id, one per line. */
export const labelFile = 'run';

/** A file in the directory with the MD5 of the state that the service has; missing if it has none. */
export const knownStateFile = 'known-state';

/** The path of a run's state in its directory, where terraform expects it for a workspace of this name. */
export const stateFileOf = (workspace: string): readonly string[] =>
  workspace === 'default' ? ['state', 'terraform.tfstate'] : ['state', workspace, 'terraform.tfstate'];

/** The directories that programs write to. */
const ofPrograms = ['configuration', 'home', 'state', 'out'];
/** The directories that only the agent writes to. Programs may read the files they are given there. */
const ofAgent = ['plan', 'policies', 'variables'];

/** The prefix of temporary directories, which the process id follows. */
export const temporaryPrefix = prefix.replace('run', 'tmp');

/** A short path for sockets, used if the run directory's path is too long. */
export const shortPlace = '/tmp';

/**
 * The path of a socket is limited to 103 bytes on macOS and 107 on Linux. Providers name it `plugin` plus up to ten
 * digits.
 */
const longestTemporary = 103 - '/plugin1234567890'.length;

/**
 * The directory in which one run is executed. Only the agent and the user of its programs can read it: it contains a
 * state, variables and a plan.
 *
 * An agent running as root does not trust directories another user can write to, where links could lead to its own
 * files. So it prepares everything while that user cannot enter the directory, afterwards writes only to its own
 * directories, reads files of programs only through `taken`, and lets the user remove its own files.
 */
export class RunDirectory {
  private kept = false;

  private constructor(
    readonly path: string,
    /** For temporary files of programs. */
    readonly temporary: string,
    private readonly user: RunUser | undefined,
  ) {}

  static async create(
    workDirectory: string,
    { phase, run }: { readonly phase: string; readonly run: Pick<Job['run'], 'id'> },
    user?: RunUser,
  ): Promise<RunDirectory> {
    await mkdir(workDirectory, { recursive: true });
    // mkdtemp creates it for this user only.
    const path = await mkdtemp(join(workDirectory, `${prefix}${process.pid}-`));
    const directory = new RunDirectory(path, await temporaryFor(path), user);
    await writeFile(directory.at(labelFile), `${phase}\n${run.id}\n`, { mode: 0o600 });
    for (const name of [...ofPrograms, ...ofAgent]) await mkdir(directory.at(name), { mode: 0o700 });
    return directory;
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Lets the user of the programs enter it. */
  async open(): Promise<void> {
    if (this.user === undefined) return;
    const { uid, gid } = this.user;
    for (const path of [...ofPrograms.map((name) => this.at(name)), this.temporary]) await own(path, this.user);
    for (const path of [...ofAgent.map((name) => this.at(name)), this.path]) {
      await chown(path, process.geteuid?.() ?? uid, gid);
      await chmod(path, 0o710);
    }
  }

  /** Lets programs read a file in one of the agent's directories. */
  async give(file: string): Promise<void> {
    if (this.user !== undefined) await lchown(file, this.user.uid, this.user.gid);
  }

  /** Lets programs read some files of a tree in one of the agent's directories. */
  async giveTree(root: string, files: readonly string[]): Promise<void> {
    if (this.user === undefined) return;
    const { uid, gid } = this.user;
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const directories = entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const path of [root, ...directories]) {
      await chown(path, process.geteuid?.() ?? uid, gid);
      await chmod(path, 0o710);
    }
    for (const file of files) await this.give(file);
  }

  /** A file that programs created: see `taken`. `name` is the path of its copy in one of the agent's directories. */
  taken(file: string, ...name: readonly string[]): Promise<string | undefined> {
    return taken(file, this.user?.uid, this.at(...name));
  }

  /** Preserves the directory, as the only record of a state. */
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

/** Gives a tree to a user who cannot access it yet. */
async function own(path: string, user: RunUser): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await own(join(path, name), user);
  await lchown(path, user.uid, user.gid);
}

/** Also removes read-only files and directories, which caches often contain, and those of another user. */
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
  // A program that resists being killed may still be writing.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  await remove().catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') await openAll(path);
    await remove();
  });
}

/** Another user's directory is removed as that user: a link in it leads to nothing that user could not remove. */
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
