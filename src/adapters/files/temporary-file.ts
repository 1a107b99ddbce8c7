import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from './bundle-faults.js';

const sliceBytes = 64 * 1024;

/** Bytes in a file that has no name: it ends with the process at the latest. */
export class TemporaryFile {
  private written = 0;

  private constructor(private readonly file: FileHandle) {}

  /** Throws `service/storage-full` and `service/unavailable`, as `append` does. */
  static async make(directory: string): Promise<TemporaryFile> {
    const path = join(directory, `gatehouse-body-${randomUUID()}`);
    try {
      const file = await open(path, 'wx+', 0o600);
      await unlink(path);
      return new TemporaryFile(file);
    } catch (error) {
      throw diskFault(error, 'request bodies');
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.byteLength; ) {
        const { bytesWritten } = await this.file.write(bytes, at, bytes.byteLength - at, this.written);
        at += bytesWritten;
        this.written += bytesWritten;
      }
    } catch (error) {
      throw diskFault(error, 'request bodies');
    }
  }

  /** Each slice is valid until the next one is asked for. */
  async *slices(): AsyncGenerator<Uint8Array> {
    const slice = Buffer.allocUnsafeSlow(sliceBytes);
    for (let at = 0; at < this.written; ) {
      const { bytesRead } = await this.file.read(slice, 0, sliceBytes, at);
      if (bytesRead === 0) throw new Error(`a temporary file ended at ${at} of ${this.written} bytes`);
      at += bytesRead;
      yield slice.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
