import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { Way } from '../support/database-way.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { until } from '../support/service-steps.js';

/** A busy machine causes fewer, never more. */
const watchedSeconds = 10;

(skipPostgres ? it.skip : it)(
  'an instance that is asked nothing asks its database at most once a second, and performs what is ordered without being asked',
  async () => {
    const { url, drop } = await freshDatabase();
    const way = await Way.open(new URL(url));
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory, DATABASE_URL: way.url });
      try {
        const workspaceId = await service.provision();
        const before = await service.newVersion(workspaceId);
        const body = new Uint8Array(await archiveOf({ 'main.tf': '# nothing' }));
        expect((await fetch(before.uploadUrl, { method: 'PUT', body })).status).toBe(200);
        await until('its run is queued', async () => {
          const { json } = await service.api('GET', `/workspaces/${workspaceId}/runs`);
          return json.data.length === 1;
        });
        // Work after requests, such as recording the use of a token, ends within seconds.
        await pause(3_000);
        way.roundTrips = 0;
        await pause(watchedSeconds * 1_000);
        expect(way.roundTrips).toBeGreaterThan(0);
        expect(way.roundTrips).toBeLessThanOrEqual(watchedSeconds);
      } finally {
        await service.end();
        await way.close();
        await drop();
      }
    });
  },
);
