import { chmod, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that has the state an apply left; undefined where there is none. */
export async function stateLeftIn(workingDirectory: string, stateFile: string): Promise<string | undefined> {
  // Where terraform itself could not write a state to its place, it leaves it here.
  for (const file of [join(workingDirectory, 'errored.tfstate'), stateFile]) {
    const found = await stat(file).catch(() => undefined);
    // Terraform makes an empty file first: one that was killed right then, or had no room, has nothing to keep in it.
    if (found !== undefined && found.size > 0) return file;
  }
  return undefined;
}

/** Moves a state to where nothing removes it, which needs no room on a full disk. Answers the file's new path. */
export async function putAside(file: string, runId: string, workDirectory: string): Promise<string> {
  const directory = join(workDirectory, 'lost-state');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${runId}.tfstate`);
  await rename(file, path);
  await chmod(path, 0o600);
  return path;
}
