import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { PolicyFiles } from '../../domain/index.js';
import { configurationFiles, isRego } from '../../domain/policy-outcomes/policy-files.js';
import { malformed } from './bundle-faults.js';

const longestConfiguration = 256 * 1024;
const wanted: readonly string[] = Object.values(configurationFiles);

/**
 * Reads the files of a policy set out of an archive while it passes. Expects an archive that is checked at the same time, and
 * reports nothing of its structure.
 */
export class PolicyFilesReader {
  private readonly gunzip = createGunzip();
  private readonly tar = extract();
  private readonly configurations = new Map<string, string>();
  private regoFiles = 0;
  private fault: unknown;
  private readonly read: Promise<void>;

  constructor() {
    // Each ends with the other, or a writer would wait without end.
    this.gunzip.on('error', (error) => this.tar.destroy(error));
    this.tar.on('close', () => this.gunzip.destroy());
    this.tar.on('error', () => undefined);
    this.gunzip.pipe(this.tar);
    this.read = this.readEntries();
  }

  /** The chunk must not change until it resolves. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.fault !== undefined || this.gunzip.destroyed) return;
    await new Promise<void>((resolve) => {
      this.gunzip.once('close', resolve);
      this.gunzip.write(chunk, () => {
        this.gunzip.off('close', resolve);
        resolve();
      });
    });
  }

  /** Throws `bundle/malformed` for a configuration that is too long, no text, or there twice. */
  async end(): Promise<PolicyFiles> {
    if (!this.gunzip.destroyed) this.gunzip.end();
    await this.read;
    if (this.fault !== undefined) throw this.fault;
    return { configurations: this.configurations, regoFiles: this.regoFiles };
  }

  stop(): void {
    this.gunzip.destroy();
    this.tar.destroy();
  }

  private async readEntries(): Promise<void> {
    try {
      for await (const entry of this.tar) {
        const name = entry.header.name
          .split('/')
          .filter((segment) => segment !== '' && segment !== '.')
          .join('/');
        const isFile = entry.header.type === 'file' || entry.header.type === 'contiguous-file';
        if (isFile && isRego(name)) this.regoFiles += 1;
        if (isFile && wanted.includes(name) && this.fault === undefined) await this.keep(name, entry);
        else entry.resume();
      }
    } catch (error) {
      this.fault ??= malformed(`the archive could not be read (${error instanceof Error ? error.message : error})`);
    }
  }

  private async keep(name: string, content: AsyncIterable<unknown>): Promise<void> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const part of content) {
      const chunk = part as Uint8Array;
      length += chunk.length;
      if (length <= longestConfiguration) chunks.push(chunk);
    }
    if (length > longestConfiguration) this.fault = malformed(`${name} is longer than ${longestConfiguration} bytes`);
    else if (this.configurations.has(name)) this.fault = malformed(`${name} is in the archive twice`);
    else this.configurations.set(name, this.textOf(name, Buffer.concat(chunks)));
  }

  private textOf(name: string, bytes: Uint8Array): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      this.fault = malformed(`${name} is not UTF-8 text`);
      return '';
    }
  }
}
