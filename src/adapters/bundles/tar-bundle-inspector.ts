import { createHash } from 'node:crypto';
import { createGunzip } from 'node:zlib';
import type { BundleFacts, BundleInspector, Inspection } from '../../application/ports/bundle-inspector.js';
import { ArchiveTree } from './archive-tree.js';
import { malformed, overLimit } from './bundle-faults.js';
import { TarHeaders } from './tar-headers.js';

export interface ArchiveLimits {
  readonly maxArchiveBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxArchiveEntries: number;
}

const quarterMebibyte = 256 * 1024;
/** How much is unpacked at a time, and how much may wait for it. */
const unpacking = { chunkSize: quarterMebibyte, highWaterMark: quarterMebibyte };

export class TarBundleInspector implements BundleInspector {
  constructor(private readonly limits: ArchiveLimits) {}

  inspect(bytes: AsyncIterable<Uint8Array>): Inspection {
    const tally = new Tally(this.limits);
    let facts: BundleFacts | undefined;
    const finish = () => {
      facts = tally.facts();
    };
    return {
      bytes: checked(bytes, tally, this.limits, finish),
      facts: () => {
        if (facts === undefined) throw new Error('the bundle was not read to its end');
        return facts;
      },
    };
  }

  async digest(bytes: AsyncIterable<Uint8Array>): Promise<BundleFacts> {
    const tally = new Tally(this.limits);
    for await (const chunk of bytes) tally.add(chunk);
    return tally.facts();
  }
}

async function* checked(
  bytes: AsyncIterable<Uint8Array>,
  tally: Tally,
  limits: ArchiveLimits,
  finish: () => void,
): AsyncGenerator<Uint8Array> {
  const contents = new ContentsCheck(limits);
  try {
    for await (const chunk of bytes) {
      tally.add(chunk);
      await contents.write(chunk);
      // Whoever asked for the chunk stores it while it is unpacked.
      yield chunk;
    }
    await contents.end();
    finish();
  } finally {
    contents.stop();
  }
}

/** Counts and hashes. */
class Tally {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  constructor(private readonly limits: ArchiveLimits) {}

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength;
    const { maxArchiveBytes } = this.limits;
    if (this.bytes > maxArchiveBytes) throw overLimit('the archive is larger', 'MAX_ARCHIVE_BYTES', maxArchiveBytes);
    this.hash.update(chunk);
  }

  facts(): BundleFacts {
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

/** Unpacks in the thread pool, and keeps nothing but what waits to be unpacked and the first fault. */
class ContentsCheck {
  private readonly gunzip = createGunzip(unpacking);
  private readonly tree = new ArchiveTree();
  private readonly headers: TarHeaders;
  private packed = 0;
  private unpacked = 0;
  private entries = 0;
  private fault: unknown;
  private resume: () => void = () => undefined;

  constructor(private readonly limits: ArchiveLimits) {
    this.headers = new TarHeaders((entry) => {
      this.entries += 1;
      const { maxArchiveEntries } = limits;
      if (this.entries > maxArchiveEntries) {
        throw overLimit('the archive has more entries', 'MAX_ARCHIVE_ENTRIES', maxArchiveEntries);
      }
      this.tree.add(entry);
    });
    this.gunzip.on('data', (chunk: Buffer) => this.look(chunk));
    // Zeros after the end are the one kind of garbage that unpacking passes over in silence.
    this.gunzip.on('end', () => {
      if (this.gunzip.bytesWritten < this.packed) this.fail(malformed('the archive goes on after its gzip data'));
    });
    this.gunzip.on('error', ({ message }) => {
      this.fail(malformed(`the archive is not gzip, or is damaged (${message})`));
    });
    this.gunzip.on('drain', () => this.resume());
    this.gunzip.on('close', () => this.resume());
  }

  /** Throws the first fault found so far, not only in this chunk. */
  async write(chunk: Uint8Array): Promise<void> {
    this.packed += chunk.byteLength;
    await this.unlessStopped(() => this.gunzip.write(chunk));
  }

  async end(): Promise<void> {
    await this.unlessStopped(() => {
      this.gunzip.end();
      return false;
    });
    this.headers.end();
  }

  stop(): void {
    this.gunzip.destroy();
  }

  /** When `step` says no, waits until the stream takes more or closes. */
  private async unlessStopped(step: () => boolean): Promise<void> {
    if (this.fault === undefined && !step()) {
      await new Promise<void>((resolve) => {
        this.resume = resolve;
      });
    }
    if (this.fault !== undefined) throw this.fault;
  }

  private look(chunk: Buffer): void {
    try {
      this.unpacked += chunk.length;
      const { maxUnpackedBytes } = this.limits;
      if (this.unpacked > maxUnpackedBytes) {
        throw overLimit('the archive unpacks to more', 'MAX_UNPACKED_BYTES', maxUnpackedBytes);
      }
      this.headers.push(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(fault: unknown): void {
    this.fault ??= fault;
    this.stop();
  }
}
