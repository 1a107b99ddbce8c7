import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import Database from 'better-sqlite3';
import type { ServiceProcess } from './process.js';

const put = (url: string, bytes: Buffer): Promise<Response> =>
  fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });

/** A client of a service whose disk fills up: it knows what was acknowledged, and what therefore must be there. */
export class FillingClient {
  private readonly uploaded = new Map<string, Buffer>();
  private readonly created = new Set<string>();

  constructor(
    private service: ServiceProcess,
    private readonly directory: string,
    private readonly workspaceId: string,
  ) {}

  /** Goes on with another process on the same files. */
  moveTo(service: ServiceProcess): void {
    this.service = service;
  }

  /** The status of the answer: 200, or that of the refusal that came first. */
  async upload(bytes: Buffer): Promise<number> {
    const version = await this.create();
    if (typeof version === 'number') return version;
    const answer = await put(version.url, bytes);
    if (answer.status === 200) {
      this.uploaded.set(version.id, bytes);
      return 200;
    }
    expect(await answer.json()).toMatchObject({ errors: [{ status: String(answer.status) }] });
    expect(await this.service.statusOf(version.id)).toBe('pending');
    return answer.status;
  }

  /** A new version, or the status of the refusal. */
  async create(): Promise<{ readonly id: string; readonly url: string } | number> {
    const path = `/workspaces/${this.workspaceId}/configuration-versions`;
    const { status, json } = await this.service.api('POST', path, { data: { attributes: { speculative: true } } });
    if (status !== 201) return status;
    this.created.add(json.data.id);
    return { id: json.data.id, url: json.data.attributes['upload-url'] };
  }

  /** Everything acknowledged can be read, and what was refused left nothing in the store. */
  async expectEverything(): Promise<void> {
    for (const [id, bytes] of this.uploaded) {
      expect((await this.service.download(id)).equals(bytes)).toBe(true);
    }
    for (const id of this.created) expect(['pending', 'uploaded']).toContain(await this.service.statusOf(id));
    expect(await this.stored()).toHaveLength(this.uploaded.size);
  }

  /** Once the service has ended: the file is whole, and has what was acknowledged and no more. */
  expectSoundFile(): void {
    const database = new Database(join(this.directory, 'gatehouse.sqlite'), { readonly: true });
    try {
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      const ids = database.prepare('select id from configuration_versions').pluck().all();
      expect(new Set(ids)).toEqual(this.created);
    } finally {
      database.close();
    }
  }

  private async stored(): Promise<readonly string[]> {
    const entries = await readdir(join(this.directory, 'bundles'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }
}
