import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

const prefix = `gatehouse-run-${hostname().replace(/[^\w.-]/g, '')}-`;

/** Where one run is executed. Nobody but this user may read it: it holds a state, variables and a plan. */
export class RunDirectory {
  private constructor(readonly path: string) {}

  static async create(workDirectory: string): Promise<RunDirectory> {
    await mkdir(workDirectory, { recursive: true });
    // mkdtemp makes it for this user alone.
    const directory = new RunDirectory(await mkdtemp(join(workDirectory, `${prefix}${process.pid}-`)));
    for (const name of ['configuration', 'home', 'tmp', 'state', 'plan', 'policies', 'variables']) {
      await mkdir(directory.at(name), { mode: 0o700 });
    }
    return directory;
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  async remove(): Promise<void> {
    // A program that does not want to die may still be writing.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Takes away what agents of this machine left that were killed. */
export async function removeLeftovers(workDirectory: string): Promise<void> {
  for (const name of await readdir(workDirectory).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || (pid !== process.pid && lives(pid))) continue;
    await rm(join(workDirectory, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
