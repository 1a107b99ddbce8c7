import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { BundleStore, ByteRange } from '../../application/ports/bundle-store.js';
import { type BundleKey, DomainError } from '../../domain/index.js';
import { checkKey, isKey } from './bundle-key.js';

const readChunkBytes = 64 * 1024;

/**
 * One file per bundle: below `incoming` until it is settled, below `kept` from then on. Both must lie in one file
 * system, and nobody else may write to the directory.
 */
export class FileBundleStore implements BundleStore {
  private readonly incoming: string;
  private readonly kept: string;
  /** Is there only while the store is being copied. */
  private readonly setAside: string;
  /** What was set aside, while it is removed. */
  private readonly forgotten: string;

  constructor(directory: string) {
    this.incoming = resolve(directory, 'incoming');
    this.kept = resolve(directory, 'kept');
    this.setAside = resolve(directory, 'set-aside');
    this.forgotten = resolve(directory, 'set-aside-gone');
  }

  async write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.incomingPath(key);
    let file: FileHandle | undefined;
    let named: Promise<unknown> = Promise.resolve();
    try {
      file = await inDirectory(this.incoming, () => open(path, 'wx', 0o600));
      // While the bytes arrive, so that nothing but the bytes is waited for at the end.
      named = Promise.all([flush(this.incoming), makeDirectory(dirname(this.keptPath(key)))]);
      named.catch(() => undefined);
      await writeFile(file, bytes);
      await file.sync();
      await file.close();
      await named;
    } catch (error) {
      await file?.close().catch(() => undefined);
      if (file !== undefined) await rm(path, { force: true }).catch(() => undefined);
      await named.catch(() => undefined);
      throw faultOf(error);
    }
  }

  async keep(key: BundleKey): Promise<void> {
    const [from, to] = [this.incomingPath(key), this.keptPath(key)];
    // Not forced to disk: should the move be lost, the bundle is unsettled again and the sweep keeps it.
    await unlessMissing(inDirectory(dirname(to), () => rename(from, to)));
  }

  async discard(key: BundleKey): Promise<void> {
    // In the order in which a `keep` at the same time moves it.
    for (const path of [this.incomingPath(key), this.keptPath(key)]) {
      await unlessMissing(rename(path, join(this.setAside, checkKey(key))));
      await rm(path, { force: true });
    }
  }

  async read(key: BundleKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const found = await this.find(key, (path) => stat(path));
    if (found === undefined) return undefined;
    const begin = async () => {
      const file = await this.find(key, open);
      if (file === undefined) throw new Error(`bundle ${key} was discarded before it was read`);
      return file;
    };
    return new FileReading(begin, range?.start ?? 0, Math.min(range?.end ?? found.size, found.size - 1));
  }

  async temporaryUrl(): Promise<undefined> {
    return undefined;
  }

  /** By when the file was made or, where the file system does not know, when it was last written to. */
  async unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    const before = Date.now() - olderThanSeconds * 1000;
    const keys: BundleKey[] = [];
    for (const name of (await unlessMissing(readdir(this.incoming))) ?? []) {
      const file = isKey(name) ? await unlessMissing(stat(join(this.incoming, name))) : undefined;
      if (file !== undefined && (file.birthtimeMs || file.mtimeMs) < before) keys.push(name);
    }
    return keys;
  }

  /**
   * Keeps the bundle in another store too: as the same file where both lie in one file system, else as a copy that is
   * forced to disk. False when there is no such bundle.
   */
  async shareWith(other: FileBundleStore, key: BundleKey): Promise<boolean> {
    const path = other.keptPath(key);
    await makeDirectory(dirname(path));
    const found =
      (await this.find(key, (from) => share(from, path))) ??
      (await unlessMissing(share(join(this.setAside, checkKey(key)), path)));
    return found ?? false;
  }

  /**
   * From now on, and until `forgetSetAside`, `shareWith` finds what is discarded too, whichever process discards it. For
   * one caller at a time.
   */
  async setDiscardedAside(): Promise<void> {
    await this.forgetSetAside();
    await makeDirectory(this.setAside);
  }

  /** Moved out of the way first: a directory that others still move files into cannot be removed. */
  async forgetSetAside(): Promise<void> {
    await removeDirectory(this.forgotten);
    await unlessMissing(rename(this.setAside, this.forgotten));
    await removeDirectory(this.forgotten);
  }

  /** Looks among the kept ones twice: it may be moved there between the first look and the second. */
  private async find<Found>(key: BundleKey, look: (path: string) => Promise<Found>): Promise<Found | undefined> {
    const [incoming, kept] = [this.incomingPath(key), this.keptPath(key)];
    for (const path of [kept, incoming, kept]) {
      const found = await unlessMissing(look(path));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private incomingPath(key: BundleKey): string {
    return join(this.incoming, checkKey(key));
  }

  /** Spread by the end of the key, the part that differs. */
  private keptPath(key: BundleKey): string {
    return join(this.kept, checkKey(key).slice(-2), key);
  }
}

/** A range of a file, opened when the first byte is asked for. */
class FileReading extends Readable {
  private file: Promise<FileHandle> | undefined;

  constructor(
    private readonly open: () => Promise<FileHandle>,
    private at: number,
    private readonly end: number,
  ) {
    super({ highWaterMark: readChunkBytes });
  }

  override _read(): void {
    this.next().then(
      (chunk) => this.push(chunk),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const closed = this.file?.then((file) => file.close());
    const end = () => done(error);
    if (closed === undefined) end();
    else closed.then(end, end);
  }

  private async next(): Promise<Buffer | null> {
    this.file ??= this.open();
    const file = await this.file;
    const length = Math.min(readChunkBytes, this.end - this.at + 1);
    if (length <= 0) return null;
    const chunk = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await file.read(chunk, 0, length, this.at);
    this.at += bytesRead;
    return bytesRead === 0 ? null : chunk.subarray(0, bytesRead);
  }
}

const removeDirectory = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });

async function share(from: string, to: string): Promise<true> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EXDEV' || code === 'EPERM') await copy(from, to);
    else if (code !== 'EEXIST') throw error;
  }
  return true;
}

async function copy(from: string, to: string): Promise<void> {
  const draft = `${to}.draft`;
  await copyFile(from, draft);
  const file = await open(draft, 'r+');
  await file.sync().finally(() => file.close());
  await rename(draft, to);
}

/** What the disk cannot do at the moment, in words for callers; any other error as it is. */
function faultOf(error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new DomainError('service/storage-full', 'there is no space left for archives', {}, error);
    case 'EIO':
    case 'EROFS':
    case 'EMFILE':
    case 'ENFILE':
      return new DomainError('service/unavailable', 'archives cannot be stored at the moment', {}, error);
    default:
      return error;
  }
}

/** Undefined when there is no such file. */
async function unlessMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the directory, and tries again, where `operation` finds something missing. */
async function inDirectory<Result>(directory: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await makeDirectory(directory);
  return operation();
}

/** Makes the directory and those above it, if need be, and sees to it that a crash does not unmake them. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flush(dirname(made));
}

/** Of a directory: which names it holds. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
