import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { randomText } from '../../src/adapters/system/random-ids.js';
import type { BenchGroup, Finding } from './finding.js';
import { type Seeded, type Size, seedPostgres, seedSqlite } from './seed-rows.js';
import { postgresUrl, Server } from './servers.js';

const leastPerSecond = 200;
/** In milliseconds. */
const longestHold = 50;

/** Workspaces with three versions each, two thirds of them with two runs. */
const sizeWith = (workspaces: number): Size => ({
  versions: 3,
  runs: 2,
  runsInEach: 2,
  accesses: 2,
  workspaces,
  versionsInEach: 3,
  teams: 1_000,
  users: 100,
  outcomes: 1,
  someOutcomes: 1,
  evaluations: 1,
  others: 10,
});

interface Removal {
  readonly seconds: number;
  /** The longest wait for an answer that needs no database, in milliseconds. */
  readonly hold: number;
}

async function remove({ url }: Server, { owner, admin }: Seeded): Promise<Removal> {
  const ask = (path: string, secret: string, method = 'GET') =>
    fetch(`${url}/api/v2${path}`, { method, headers: { Authorization: `Bearer ${secret}` } });
  const began = performance.now();
  const deleted = await ask('/organizations/acme', owner, 'DELETE');
  if (!deleted.ok) throw new Error(`the deletion was answered ${deleted.status}`);
  let hold = 0;
  for (let turn = 1; ; turn += 1) {
    const asked = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    hold = Math.max(hold, performance.now() - asked);
    await pause(2);
    if (turn % 100 > 0) continue;
    const { data } = (await (await ask('/admin/removals', admin)).json()) as { readonly data: readonly object[] };
    if (data.length === 0) return { seconds: (performance.now() - began) / 1_000, hold };
  }
}

async function* findingsOf(
  engine: string,
  server: Server,
  seeded: Seeded,
  { workspaces }: Size,
): AsyncIterable<Finding> {
  const { seconds, hold } = await remove(server, seeded);
  const once = (measured: number) => ({ measured, spread: [measured, measured] as const });
  const name = `${engine}: an organization with ${workspaces.toLocaleString('en')} workspaces`;
  yield {
    name: `${name} is removed`,
    unit: '/s',
    ...once(workspaces / seconds),
    target: { atLeast: leastPerSecond },
    note: `${seconds.toFixed(0)} s from the request until no row is left`,
  };
  yield {
    name: `${name} is removed, longest wait of other requests`,
    unit: 'ms',
    ...once(hold),
    target: { atMost: longestHold },
    note: 'for an answer that needs no database',
  };
}

export const removals: BenchGroup = {
  name: 'removals',
  title: 'Deleting an organization, while nothing else waits',
  async *run({ quick, directory, print }) {
    const size = sizeWith(quick ? 1_000 : 10_000);
    const data = join(directory, 'removals');
    const seeded = await seedSqlite(join(data, 'gatehouse.sqlite'), size);
    const server = await Server.service(data);
    yield* findingsOf('SQLite', server, seeded, size);
    await server.stop();

    const url = await postgresUrl();
    if (url === undefined) return print('  no Postgres for this machine: what needs one is left out');
    const name = `gatehouse_bench_${process.pid}_removals`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    try {
      const rows = await seedPostgres(own, size);
      const place = join(directory, 'removals-postgres');
      await mkdir(place, { recursive: true });
      const service = await Server.service(place, { DATABASE_URL: own, SIGNING_SECRET: randomText(48) });
      yield* findingsOf('Postgres', service, rows, size);
      await service.stop();
    } finally {
      await client.query(`drop database ${name} with (force)`);
      await client.end();
    }
  },
};
