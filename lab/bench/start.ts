import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { summary } from './alternate.js';
import type { BenchGroup } from './finding.js';
import { seedSqlite, sizeOf } from './seed-rows.js';
import { Server } from './servers.js';
import { readThrough } from './worlds.js';

/** In milliseconds. */
const longest = 1_000;

export const start: BenchGroup = {
  name: 'start',
  title: 'Start: from the command to the first answer of the API',
  async *run({ quick, directory, print }) {
    const data = join(directory, 'start');
    const file = join(data, 'gatehouse.sqlite');
    const scale = quick ? 0.01 : 0.1;
    const size = sizeOf(scale);
    const seeded = await seedSqlite(file, size);
    const versions = size.versions + size.workspaces * size.versionsInEach;
    print(`seeded ${versions.toLocaleString('en')} configuration versions in ${seeded.seconds.toFixed(0)} s`);
    const took: number[] = [];
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      await readThrough(file);
      const began = performance.now();
      const server = await Server.service(data);
      const response = await fetch(`${server.url}/api/v2/workspaces/${seeded.workspaceId}/configuration-versions`, {
        headers: { Authorization: `Bearer ${seeded.owner}` },
      });
      await response.arrayBuffer();
      took.push(performance.now() - began);
      await server.stop();
      if (!response.ok) throw new Error(`the first request was answered ${response.status}`);
    }
    yield {
      name: `SQLite with ${versions.toLocaleString('en')} configuration versions`,
      unit: 'ms',
      ...summary(took),
      target: { atMost: longest },
      note: 'the file in the system’s cache; the first page of the largest workspace is asked for',
    };
  },
};
