import * as fs from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { BundleFound, BundleStore, ByteRange } from '../../application/ports/outside/bundle-store.js';
import type { BundleKey } from '../../domain/index.js';
import { diskFault, goneSince } from './bundle-faults.js';
import { checkKey, isKey } from './bundle-key.js';

const readChunkBytes = 64 * 1024;

/**
 * For files by descriptor: `closeSync` saves a small upload or download a call to the thread pool. On a local file
 * system it does not block where a file was flushed or only read.
 */
const numbered = {
  open: promisify(fs.open),
  read: promisify(fs.read),
  write: promisify(fs.write),
  sync: promisify(fs.fsync),
  close: promisify(fs.close),
};

/**
 * One file per bundle: under `incoming` until it is settled, then under `kept`. Both directories must be on the same
 * file system, and no other program may write to them.
 */
export class FileBundleStore implements BundleStore {
  private readonly incoming: string;
  private readonly kept: string;
  /** The directories under `kept` that exist or are being made. */
  private readonly made = new Map<string, Promise<void>>();
  /** Exists only while the store is being copied. */
  private readonly setAside: string;
  /** Bundles set aside, while they are removed. */
  private readonly forgotten: string;

  constructor(
    directory: string,
    private readonly now: () => number = Date.now,
  ) {
    this.incoming = resolve(directory, 'incoming');
    this.kept = resolve(directory, 'kept');
    this.setAside = resolve(directory, 'set-aside');
    this.forgotten = resolve(directory, 'set-aside-gone');
  }

  async write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.incomingPath(key);
    try {
      const file = await inDirectory(this.incoming, () => numbered.open(path, 'wx', 0o600));
      // While the bytes arrive, so that nothing but the bytes is waited for at the end.
      const named = Promise.all([flush(this.incoming), this.makePlaceOf(key)]);
      let durable = false;
      try {
        named.catch(() => undefined);
        for await (const chunk of bytes) {
          for (let at = 0; at < chunk.byteLength; ) at += (await numbered.write(file, chunk, at)).bytesWritten;
        }
        await numbered.sync(file);
        await named;
        durable = true;
      } finally {
        if (durable) {
          fs.closeSync(file);
        } else {
          await numbered.close(file).catch(() => undefined);
          await rm(path, { force: true }).catch(() => undefined);
          await named.catch(() => undefined);
        }
      }
    } catch (error) {
      throw diskFault(error, 'archives');
    }
  }

  async keep(key: BundleKey): Promise<void> {
    const [from, to] = [this.incomingPath(key), this.keptPath(key)];
    // Not forced to disk: if the move is lost, the bundle is unsettled again and the sweep keeps it.
    await undefinedIfMissing(inDirectory(dirname(to), () => rename(from, to)));
  }

  async discard(key: BundleKey): Promise<void> {
    // In the order in which a `keep` at the same time moves it.
    for (const path of [this.incomingPath(key), this.keptPath(key)]) {
      await undefinedIfMissing(rename(path, join(this.setAside, checkKey(key))));
      await rm(path, { force: true });
    }
  }

  async read(key: BundleKey, range?: ByteRange, size?: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const length = range === undefined ? size : range.end - range.start + 1;
    if (length !== undefined && length <= readChunkBytes) return this.readAtOnce(key, range?.start ?? 0, length);
    const found = await this.find(key, (path) => stat(path));
    if (found === undefined) return undefined;
    const begin = async () => {
      const file = await this.find(key, open);
      if (file === undefined) throw goneSince(key);
      return file;
    };
    return new FileReading(begin, range?.start ?? 0, Math.min(range?.end ?? found.size, found.size - 1));
  }

  async temporaryUrl(): Promise<undefined> {
    return undefined;
  }

  async unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    const before = this.now() - olderThanSeconds * 1000;
    const keys: BundleKey[] = [];
    for (const name of (await undefinedIfMissing(readdir(this.incoming))) ?? []) {
      const file = isKey(name) ? await undefinedIfMissing(stat(join(this.incoming, name))) : undefined;
      if (file !== undefined && begunAt(file) < before) keys.push(name);
    }
    return keys;
  }

  async *all(): AsyncGenerator<BundleFound> {
    yield* bundlesIn(this.incoming, this.now());
    for (const end of (await undefinedIfMissing(readdir(this.kept))) ?? [])
      yield* bundlesIn(join(this.kept, end), this.now());
  }

  /**
   * Keeps the bundle in another store too: as the same file if both are on one file system, otherwise as a copy that is
   * forced to disk. False when there is no such bundle.
   */
  async shareWith(other: FileBundleStore, key: BundleKey): Promise<boolean> {
    const path = other.keptPath(key);
    await makeDirectory(dirname(path));
    const found =
      (await this.find(key, (from) => share(from, path))) ??
      (await undefinedIfMissing(share(join(this.setAside, checkKey(key)), path)));
    return found ?? false;
  }

  /**
   * Until `forgetSetAside`, `shareWith` also finds bundles that any process discards from now on. For one caller at a
   * time.
   */
  async setDiscardedAside(): Promise<void> {
    await this.forgetSetAside();
    await makeDirectory(this.setAside);
  }

  /** Moved out of the way first: a directory that others still move files into cannot be removed. */
  async forgetSetAside(): Promise<void> {
    await removeDirectory(this.forgotten);
    await undefinedIfMissing(rename(this.setAside, this.forgotten));
    await removeDirectory(this.forgotten);
  }

  /** Looks among the kept bundles twice: it may be moved there between the two looks. */
  private async find<Found>(key: BundleKey, look: (path: string) => Promise<Found>): Promise<Found | undefined> {
    const [incoming, kept] = [this.incomingPath(key), this.keptPath(key)];
    for (const path of [kept, incoming, kept]) {
      const found = await undefinedIfMissing(look(path));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Opened, read and closed by the time the promise resolves. */
  private async readAtOnce(key: BundleKey, at: number, length: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = await this.find(key, (path) => numbered.open(path, 'r'));
    if (file === undefined) return undefined;
    try {
      const chunk = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      for (let more = true; more && filled < length; ) {
        const { bytesRead } = await numbered.read(file, chunk, filled, length - filled, at + filled);
        filled += bytesRead;
        more = bytesRead > 0;
      }
      return single(chunk.subarray(0, filled));
    } finally {
      fs.closeSync(file);
    }
  }

  /** Makes the directory to keep the bundle in, once per process. */
  private makePlaceOf(key: BundleKey): Promise<void> {
    const path = dirname(this.keptPath(key));
    let made = this.made.get(path);
    if (made === undefined) {
      made = makeDirectory(path);
      this.made.set(path, made);
      made.catch(() => this.made.delete(path));
    }
    return made;
  }

  private incomingPath(key: BundleKey): string {
    return join(this.incoming, checkKey(key));
  }

  /** Spread by the end of the key, which is the part that differs. */
  private keptPath(key: BundleKey): string {
    return join(this.kept, checkKey(key).slice(-2), key);
  }
}

/** A range of a file, opened when the first byte is read. */
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

/** When the file was created or, where the file system does not record that, last modified. In milliseconds. */
const begunAt = (file: fs.Stats): number => file.birthtimeMs || file.mtimeMs;

async function* bundlesIn(directory: string, now: number): AsyncGenerator<BundleFound> {
  for (const name of (await undefinedIfMissing(readdir(directory))) ?? []) {
    const file = isKey(name) ? await undefinedIfMissing(stat(join(directory, name))) : undefined;
    if (file?.isFile()) yield { key: name, bytes: file.size, ageSeconds: (now - begunAt(file)) / 1000 };
  }
}

async function* single(chunk: Buffer): AsyncGenerator<Buffer> {
  if (chunk.length > 0) yield chunk;
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

/** Undefined when there is no such file. */
async function undefinedIfMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
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

/** Makes the directory and its parents as needed, and syncs them so that they survive a crash. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flush(dirname(made));
}

/** Syncs a directory's entries to disk. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
