import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Call before anything is written: files this process makes are 0600 and directories 0700, SQLite's and git's too. */
export const keepFilesPrivate = (): void => {
  process.umask(0o077);
};

/** The files and folders the service keeps in a data directory. SQLite adds `-wal`, `-shm` and `-journal`. */
const kept = /^(gatehouse\.sqlite|service\.lock|backup\.lock|signing-secret|admin-token)([.-].*)?$|^(bundles|tmp)$/;

/**
 * Takes from other users what a copy or a restored backup left open to them. The data directory itself
 * stays as the operator made it, and so does what belongs to another user.
 */
export async function closeToOthers(dataDir: string): Promise<void> {
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    if (!kept.test(entry.name) || !(entry.isFile() || entry.isDirectory())) continue;
    await chmod(join(dataDir, entry.name), entry.isDirectory() ? 0o700 : 0o600).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPERM' && error.code !== 'EROFS' && error.code !== 'ENOENT') throw error;
      },
    );
  }
}
