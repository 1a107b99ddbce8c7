import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { archiveOf } from '../support/archives.js';
import { FillingClient } from '../support/full-disk.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';

const present = process.platform === 'linux';
const reason = present ? '' : ' (skipped: needs prlimit and /dev/full, which only Linux has)';

/** In units of 512 bytes, as for `ulimit -f`: no file grows beyond two MiB. */
const limit = 4096;

const noise = (bytes: number): Promise<Buffer> => archiveOf({ noise: randomBytes(bytes).toString('base64') });

describe(`a service whose files cannot grow${reason}`, () => {
  (present ? it : it.skip)('says so, keeps what it acknowledged, and goes on when they can', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory }, `ulimit -S -f ${limit}`);
      try {
        const client = new FillingClient(service, directory, await service.provision());
        const [small, big] = [await noise(20_000), await noise(3_000_000)];
        expect(await client.upload(small)).toBe(200);
        expect(await client.upload(big)).toBe(507);
        await service.prints('EFBIG: file too large');

        // While another process reads, the write-ahead log cannot restart, and fills up before the file does.
        const reader = new Database(join(directory, 'gatehouse.sqlite'), { readonly: true });
        reader.exec('begin; select count(*) from users');
        let refused: number | undefined;
        for (let made = 0; refused === undefined && made < 400; made += 1) {
          const version = await client.create();
          if (typeof version === 'number') refused = version;
        }
        expect(refused).toBe(503);
        expect(await client.create()).toBe(503);
        await service.prints('SqliteError: disk I/O error');
        const { status, headers } = await service.api('POST', '/organizations', {
          data: { type: 'organizations', attributes: { name: 'other', email: 'ops@example.com' } },
        });
        expect([status, headers.get('retry-after')]).toEqual([503, '2']);
        await client.expectEverything();
        reader.close();

        execFileSync('prlimit', ['--pid', String(service.child.pid), '--fsize=unlimited:']);
        expect(await client.upload(big)).toBe(200);
        await client.expectEverything();
        expect(await service.end()).toBe(0);
        client.expectSoundFile();
      } finally {
        await service.end();
      }
    });
  });
});

describe(`a service whose log cannot be written${reason}`, () => {
  (present ? it : it.skip)('serves without one, and stops on SIGTERM', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory }, 'exec >/dev/full');
      try {
        await service.provision();
        expect((await service.api('GET', '/account/details')).status).toBe(200);
        expect(await service.end()).toBe(0);
      } finally {
        await service.end('SIGKILL');
      }
    });
  });
});
