import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { randomText } from '../../src/adapters/system/random-ids.js';
import type { BenchOptions, Finding } from './finding.js';
import type { World } from './growth-cases.js';
import { type Size, seedPostgres, seedSqlite } from './seed-rows.js';
import { postgresUrl, Server } from './servers.js';

export async function readThrough(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: 1 << 20 }));
}

/** A service on a seeded database. */
async function onSqlite(directory: string, size: Size): Promise<World> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'gatehouse.sqlite');
  const seeded = await seedSqlite(file, size);
  const server = await Server.service(directory);
  const reader = new Database(file, { readonly: true });
  return {
    size,
    seeded,
    server,
    warm: () => readThrough(file),
    column: async (sql) => reader.prepare(sql).pluck().all() as readonly string[],
    close: async () => {
      reader.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function onPostgres(directory: string, size: Size, url: string): Promise<World> {
  const name = `growth_${randomText(8).toLowerCase()}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const seeded = await seedPostgres(own.href, size);
  await mkdir(directory, { recursive: true });
  const service = await Server.service(directory, { DATABASE_URL: own.href, SIGNING_SECRET: randomText(48) });
  const reader = new pg.Client({ connectionString: own.href });
  await reader.connect();
  return {
    size,
    seeded,
    server: service,
    // Seeding filled its own buffers and the system's cache.
    warm: async () => {},
    column: async (sql) => (await reader.query({ text: sql, rowMode: 'array' })).rows.map(([first]) => first as string),
    close: async () => {
      await reader.end();
      await service.stop();
      await server.query(`drop database ${name}`);
      await server.end();
    },
  };
}

const describe = ({ versions, workspaces, versionsInEach, teams }: Size): string =>
  [
    `${(versions + workspaces * versionsInEach).toLocaleString('en')} configuration versions`,
    `${workspaces.toLocaleString('en')} workspaces`,
    `${teams.toLocaleString('en')} teams`,
  ].join(', ');

interface Sizes {
  readonly full: Size;
  readonly small: Size;
}

/** Yields the results of `compare` for two services, of which the first has the larger database: on each engine in turn. */
export async function* onBothEngines(
  { directory, print }: BenchOptions,
  name: string,
  { sqlite, postgres }: Readonly<Record<'sqlite' | 'postgres', Sizes>>,
  compare: (full: World, small: World, engine: string) => AsyncIterable<Finding>,
): AsyncIterable<Finding> {
  const compared = async function* (
    engine: string,
    sizes: Sizes,
    open: (place: string, size: Size) => Promise<World>,
  ): AsyncIterable<Finding> {
    const opened: World[] = [];
    try {
      const small = await open(join(directory, `${name}-${engine}-small`), sizes.small);
      opened.push(small);
      const full = await open(join(directory, `${name}-${engine}-full`), sizes.full);
      opened.push(full);
      print(
        `  ${engine}: ${describe(full.size)}, seeded in ${full.seeded.seconds.toFixed(0)} s; small: ${describe(small.size)}`,
      );
      yield* compare(full, small, engine);
    } finally {
      for (const each of opened) await each.close();
    }
  };
  yield* compared('SQLite', sqlite, onSqlite);
  const url = await postgresUrl();
  if (url === undefined) return print('  no Postgres for this machine: what needs one is left out');
  yield* compared('Postgres', postgres, (place, size) => onPostgres(place, size, url));
}
