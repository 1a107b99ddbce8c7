import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';

/** Sends `bytes` in pieces with pauses, so that a kill can happen anywhere. */
const dribble = async function* (bytes: Buffer, pieces: number, pause: number) {
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    yield new Uint8Array(bytes.subarray(at, at + size));
    if (pause > 0) await wait(pause);
  }
};

const storedFiles = async (directory: string): Promise<readonly string[]> => {
  const bundles = join(directory, 'bundles');
  if (!existsSync(bundles)) return [];
  const entries = await readdir(bundles, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};

/** Kills the service `kills` times during an upload, and checks each time what is left. */
async function killInUploads(kills: number): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    let service = await ServiceProcess.start({ DATA_DIR: directory });
    try {
      const workspaceId = await service.provision();
      const outcomes = { pending: 0, uploaded: 0 };
      const versions: { id: string; bytes: Buffer; status: string }[] = [];
      for (let round = 0; round < kills; round += 1) {
        const bytes = await archiveOf({
          'main.tf': '# nothing',
          'noise.bin': randomBytes(200_000).toString('base64'),
        });
        const { id, uploadUrl } = await service.newVersion(workspaceId);
        // Half of the rounds are killed while bytes arrive, half around the moment of the commit.
        const slow = round % 2 === 0;
        const upload = fetch(uploadUrl, {
          method: 'PUT',
          body: ReadableStream.from(dribble(bytes, slow ? 20 : 2, slow ? 2 : 0)),
          duplex: 'half',
        } as RequestInit).then(
          (response) => response.status,
          () => undefined,
        );
        // The last round is killed right after its acknowledgement, which must hold.
        await (round === kills - 1 ? upload : wait(Math.random() * (slow ? 50 : 25)));
        await service.end('SIGKILL');
        const acknowledged = await upload;
        service = await ServiceProcess.start({ DATA_DIR: directory });

        const status = await service.statusOf(id);
        if (acknowledged === 200) expect(status).toBe('uploaded');
        expect(['pending', 'uploaded']).toContain(status);
        outcomes[status as keyof typeof outcomes] += 1;
        versions.push({ id, bytes, status });
        if (status === 'uploaded') expect((await service.download(id)).equals(bytes)).toBe(true);
        expect(await storedFiles(directory)).toHaveLength(outcomes.uploaded);
      }
      expect(outcomes.pending).toBeGreaterThan(0);
      expect(outcomes.uploaded).toBeGreaterThan(0);
      for (const { id, bytes, status } of versions) {
        expect(await service.statusOf(id)).toBe(status);
        if (status === 'uploaded') expect((await service.download(id)).equals(bytes)).toBe(true);
      }
      // The version is still pending and takes the same upload now.
      const { id, uploadUrl } = await service.newVersion(workspaceId);
      const again = await archiveOf({ 'main.tf': '# again' });
      expect((await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(again) })).status).toBe(200);
      expect((await service.download(id)).equals(again)).toBe(true);
    } finally {
      await service.end();
    }
  });
}

describe('a service killed many times in the middle of an upload', () => {
  it('comes back with the version pending and nothing stored, or uploaded with exactly the bytes', () =>
    killInUploads(24));
});
