import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { attemptSeconds } from '../../src/application/index.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { startService } from '../../src/infrastructure/service.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { inTemporaryDirectory } from '../support/process.js';

/** The leftovers of two killed fetches, a recent and an old one, after the service has started. */
async function leftAfterStart(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  let left: readonly string[] = [];
  await inTemporaryDirectory(async (directory) => {
    const longAgo = Date.now() / 1000 - attemptSeconds.abandoned - 60;
    for (const name of ['just-now', 'long-ago']) {
      await mkdir(join(directory, 'tmp', name), { recursive: true });
      await writeFile(join(directory, 'tmp', name, 'pack'), 'bytes');
    }
    await utimes(join(directory, 'tmp', 'long-ago'), longAgo, longAgo);
    const config = loadConfig({ PORT: '0', DATA_DIR: directory, ...settings });
    const service = await startService(config, pino({ level: 'silent' }));
    await service.stop();
    left = await readdir(join(directory, 'tmp'));
  });
  return left;
}

describe('leftover files of fetches in killed processes', () => {
  it('are removed at the start of the only process that may serve from there', async () => {
    expect(await leftAfterStart({})).toEqual([]);
  });

  (skipPostgres ? it.skip : it)(
    'are removed once no process owns them, if other instances may be running',
    async () => {
      const { url, drop } = await freshSchema();
      try {
        const settings = {
          DATABASE_URL: url,
          SIGNING_SECRET: 'a signing secret for tests, long enough'.replaceAll(/\W+/g, '-'),
        };
        expect(await leftAfterStart(settings)).toEqual(['just-now']);
      } finally {
        await drop();
      }
    },
  );
});
