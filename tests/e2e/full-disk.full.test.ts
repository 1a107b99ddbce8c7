import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { FillingClient } from '../support/full-disk.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';

const MiB = 1024 * 1024;

const mount = (directory: string): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory], { stdio: 'ignore' });
};
const unmount = (directory: string): void => {
  execFileSync('umount', [directory], { stdio: 'ignore' });
};

/** A disk of 16 MiB in memory. */
const onSmallDisk = (test: (directory: string) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    mount(directory);
    try {
      await test(directory);
    } finally {
      unmount(directory);
    }
  });

const present = await inTemporaryDirectory(async (directory) => {
  mount(directory);
  unmount(directory);
}).then(
  () => true,
  () => false,
);
const reason = present ? '' : ' (skipped: mounting a tmpfs is refused here)';

const noise = (bytes: number): Promise<Buffer> => archiveOf({ noise: randomBytes(bytes).toString('base64') });

/** Fills the disk completely. Returns a function that frees it. */
async function fillUp(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'ballast');
  const free = async () => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  };
  for (let bytes = await free(); bytes > 0; bytes = await free()) {
    await writeFile(path, Buffer.alloc(bytes), { flag: 'a' }).catch(() => undefined);
  }
  return () => rm(path);
}

describe(`a service on a small disk${reason}`, () => {
  (present ? it : it.skip)('refuses what does not fit, loses nothing, and goes on once there is space', async () => {
    await onSmallDisk(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory });
      try {
        const client = new FillingClient(service, directory, await service.provision());
        const archive = await noise(4 * MiB);
        let status = 200;
        for (let uploads = 0; status === 200 && uploads < 20; uploads += 1) status = await client.upload(archive);
        expect(status).toBe(507);
        await client.expectEverything();
        expect(await client.upload(await noise(20_000))).toBe(200);

        const untilRefused = async (): Promise<number | undefined> => {
          for (let made = 0; made < 1000; made += 1) {
            const version = await client.create();
            if (typeof version === 'number') return version;
          }
          return undefined;
        };
        const giveBack = await fillUp(directory);
        expect(await untilRefused()).toBe(507);
        expect((await service.api('GET', '/readyz')).status).toBe(200);
        await client.expectEverything();
        await giveBack();
        expect(await client.upload(await noise(20_000))).toBe(200);

        const giveBackAgain = await fillUp(directory);
        expect(await untilRefused()).toBe(507);
        expect(await service.end('SIGKILL')).toBe(null);
        await giveBackAgain();
        const again = await ServiceProcess.start({ DATA_DIR: directory });
        try {
          client.moveTo(again);
          await client.expectEverything();
          expect(await client.upload(await noise(20_000))).toBe(200);
          await client.expectEverything();
          expect(await again.end()).toBe(0);
        } finally {
          await again.end();
        }
        client.expectSoundFile();
      } finally {
        await service.end();
      }
    });
  });
});
