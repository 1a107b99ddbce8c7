import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { backUp } from '../../src/infrastructure/backup.js';
import { archiveOf } from '../support/archives.js';
import { gatehouse } from '../support/command-line.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { sha256, UploadLoad } from '../support/upload-load.js';

const bundleFiles = async (dataDir: string): Promise<readonly string[]> => {
  const entries = await readdir(join(dataDir, 'bundles'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

describe('a backup of SQLite and files', () => {
  it('taken under load has every acknowledged version with its bytes, and serves as a data directory', async () => {
    await inTemporaryDirectory(async (directory) => {
      const dataDir = join(directory, 'data');
      const service = await ServiceProcess.start({ DATA_DIR: dataDir });
      try {
        const steps = new ServiceSteps(service);
        const first = await service.provision();
        const load = new UploadLoad(steps, [first, await steps.workspace('second'), await steps.workspace('third')]);
        await until('there is something to lose', async () => load.kept.size > 10);
        const kept = new Map(load.kept);
        const to = join(directory, 'backup');
        await backUp(dataDir, to);
        await until('it goes on', async () => load.kept.size > kept.size + 3);
        await load.stop();
        await service.end();
        await rm(dataDir, { recursive: true });

        const database = new Database(join(to, 'gatehouse.sqlite'));
        expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
        expect(database.pragma('foreign_key_check')).toEqual([]);
        database.close();
        expect(await gatehouse(['verify'], { DATA_DIR: to })).toMatchObject({ status: 0, json: { faults: [] } });
        const restored = await ServiceProcess.start({ DATA_DIR: to });
        for (const [id, digest] of kept) expect(sha256(await restored.download(id))).toBe(digest);
        const again = await restored.newVersion(first);
        const bytes = await archiveOf({ 'main.tf': '# after the restore' });
        const upload = await fetch(again.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
        expect(upload.status).toBe(200);
        expect(await restored.end()).toBe(0);
      } finally {
        await service.end('SIGKILL');
      }
    });
  });

  it('refuses a directory that exists, and leaves nothing when it fails', async () => {
    await inTemporaryDirectory(async (directory) => {
      const dataDir = join(directory, 'data');
      const service = await ServiceProcess.start({ DATA_DIR: dataDir });
      const steps = new ServiceSteps(service);
      const workspaceId = await service.provision();
      const bytes = await archiveOf({ 'main.tf': '# nothing' });
      const ids = await Promise.all([1, 2, 3].map(() => steps.uploaded(workspaceId, bytes)));
      const to = join(directory, 'backup');
      expect(await gatehouse(['backup', to], { DATA_DIR: dataDir })).toMatchObject({
        status: 0,
        json: { directory: to, archives: 3 },
        err: '',
      });
      await expect(backUp(dataDir, to)).rejects.toThrow('already exists');

      const [missing = '', altered = '', unreadable = ''] = await bundleFiles(dataDir);
      await rm(missing);
      await rm(altered);
      await writeFile(altered, 'something else');
      await expect(backUp(dataDir, join(directory, 'second'))).rejects.toThrow(/^the archive of cv-\w+ is missing/);
      await rm(unreadable);
      await mkdir(unreadable);
      const { status, json } = await gatehouse(['verify'], { DATA_DIR: dataDir });
      expect(status).toBe(1);
      expect(json.good).toBe(0);
      const faults: readonly { of: string; what: string; why: string | null }[] = json.faults;
      expect(faults.map(({ of }) => of).sort()).toEqual([...ids].sort());
      expect(Object.fromEntries(faults.map(({ what, why }) => [what, why]))).toEqual({
        missing: null,
        'other bytes': null,
        unreadable: 'EISDIR: illegal operation on a directory, read',
      });
      expect((await readdir(directory)).sort()).toEqual(['backup', 'data']);
      // An earlier backup is not touched by changes to the original.
      expect((await gatehouse(['verify'], { DATA_DIR: to })).status).toBe(0);
      await service.end();
    });
  });

  it('is verified in one sentence when there is no database to ask', async () => {
    await inTemporaryDirectory(async (directory) => {
      const database = createServer().listen(0, '127.0.0.1');
      await once(database, 'listening');
      const { port } = database.address() as AddressInfo;
      await new Promise((resolve) => database.close(resolve));
      const verified = await gatehouse(['verify'], {
        DATA_DIR: directory,
        DATABASE_URL: `postgres://user@127.0.0.1:${port}/gatehouse`,
        SIGNING_SECRET: 'a-signing-secret-that-is-long-enough-for-tests',
      });
      expect(verified.status).toBe(1);
      expect(verified.out).toBe('');
      expect(verified.err).toMatch(/^the database does not respond: .*ECONNREFUSED.*\n$/);
    });
  });
});
