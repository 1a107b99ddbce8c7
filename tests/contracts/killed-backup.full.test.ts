import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { takeLock } from '../../src/adapters/persistence/knex/engine/sqlite-lock.js';
import { openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { backUp, dataDirectory, forgetKilledBackup } from '../../src/infrastructure/backup.js';
import { inTemporaryDirectory } from '../support/process.js';

it('gives up what a killed backup set aside, but not what a living one did', async () => {
  await inTemporaryDirectory(async (dataDir) => {
    const { database: file, backupLock } = dataDirectory(dataDir);
    const database = openSqlite(file);
    await database.migrate();
    await database.close();
    const setAside = join(dataDir, 'bundles/set-aside');
    await mkdir(setAside, { recursive: true });
    await writeFile(join(setAside, 'bundle-1'), 'bytes');

    const release = takeLock(backupLock);
    await forgetKilledBackup(dataDir);
    expect(existsSync(join(setAside, 'bundle-1'))).toBe(true);
    await expect(backUp(dataDir, join(dataDir, 'backup'))).rejects.toThrow('another backup');
    release?.();
    await forgetKilledBackup(dataDir);
    expect(existsSync(setAside)).toBe(false);

    // Killed while it gave up what it had set aside.
    await mkdir(`${setAside}-gone`);
    await writeFile(join(`${setAside}-gone`, 'bundle-1'), 'bytes');
    await forgetKilledBackup(dataDir);
    expect(await readdir(join(dataDir, 'bundles'))).toEqual([]);
    expect(await backUp(dataDir, join(dataDir, 'backup'))).toBe(0);
  });
});
