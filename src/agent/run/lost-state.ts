import { chmod, lstat, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the state is that an apply left; undefined where there is none. `take` is told of each place it may be in. */
export async function stateLeftIn(
  workingDirectory: string,
  stateFile: string,
  take: (file: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  // Where terraform itself could not write a state to its place, it leaves it here. It makes an empty file first: one that
  // was killed right then, or had no room, has nothing to keep in it.
  return (await take(join(workingDirectory, 'errored.tfstate'))) ?? (await take(stateFile));
}

/** Moves a state to where nothing removes it, which needs no room on a full disk. Answers the file's new path. */
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
