import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** More than the service accepts for a state or a plan. */
const maxBytes = 1024 * 1024 * 1024;
const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO']);

/**
 * A file that programs created; undefined if it is missing or empty. If they ran as another user, the file is accepted
 * only if it belongs to that user, whatever links lead to it, and the result is a copy that the user cannot change.
 */
export async function taken(path: string, uid: number | undefined, copy: string): Promise<string | undefined> {
  const file = await opened(path);
  try {
    const found = await file?.stat();
    if (file === undefined || !found?.isFile() || found.size === 0) return undefined;
    if (uid === undefined) return path;
    if (found.uid !== uid) return undefined;
    if (found.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    const bytes = file.createReadStream({ start: 0, end: maxBytes - 1, autoClose: false });
    await pipeline(bytes, createWriteStream(copy, { mode: 0o600 }));
    return copy;
  } finally {
    await file?.close();
  }
}

/** Without blocking on another program, as opening a pipe would. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return await open(await realpath(path), O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
