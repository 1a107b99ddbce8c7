import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { BenchOptions } from './finding.js';
import { type Sample, seed } from './sample.js';
import { postgresUrl, Server } from './servers.js';

/** Shared by all services of one database. */
const signingSecret = 'a-signing-secret-that-all-services-share';

let ownDirectory: Promise<Sample> | undefined;
let ownDatabase: Promise<SeededDatabase | undefined> | undefined;
const databases: string[] = [];

/** A copy, under this name, of a directory that a service filled once. */
export async function seededDirectory(
  { directory }: BenchOptions,
  name: string,
): Promise<{ readonly directory: string; readonly sample: Sample }> {
  const original = join(directory, 'seeded');
  ownDirectory ??= seededBy(Server.service(original, {}, 'any'));
  const sample = await ownDirectory;
  await cp(original, join(directory, name), { recursive: true });
  return { directory: join(directory, name), sample };
}

async function seededBy(starting: Promise<Server>): Promise<Sample> {
  const server = await starting;
  try {
    return await seed(server.url);
  } finally {
    await server.stop();
  }
}

export interface SeededDatabase {
  readonly sample: Sample;
  /** Returns the URL of a copy. */
  readonly copy: (name: string) => Promise<string>;
}

/** A database that a service filled once; reports a missing Postgres and returns undefined. */
export function seededDatabase(options: BenchOptions): Promise<SeededDatabase | undefined> {
  ownDatabase ??= fillDatabase(options);
  return ownDatabase;
}

async function fillDatabase(options: BenchOptions): Promise<SeededDatabase | undefined> {
  const url = await postgresUrl();
  if (url === undefined) {
    options.print('  no Postgres for this machine: what needs one is left out');
    return undefined;
  }
  const template = await newDatabase(url, 'seeded');
  const sample = await seededBy(serviceOnPostgres(options, 'seeding', template, 'any'));
  // As in any database that has been in use for a minute.
  await administer(template, 'vacuum analyze');
  const templateName = new URL(template).pathname.slice(1);
  return { sample, copy: (name) => newDatabase(url, name, templateName) };
}

async function newDatabase(url: string, name: string, template = 'template0'): Promise<string> {
  const full = `gatehouse_bench_${process.pid}_${name.replaceAll('-', '_')}`;
  databases.push(full);
  await administer(url, `create database ${full} template ${template}`);
  const made = new URL(url);
  made.pathname = `/${full}`;
  return made.href;
}

async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Drops only databases created here: the Postgres may be the user's own. */
export async function dropDatabases(): Promise<void> {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined || databases.length === 0) return;
  const drops = databases.splice(0).map((name) => `drop database if exists ${name} with (force)`);
  await administer(url, ...drops).catch(() => undefined);
}

/** A baseline: `bare` or with `equal` work; for writes, `naive` with one commit each, or `together` in groups. */
export type Manner = 'bare' | 'equal' | 'naive' | 'together';

export const bareOnSqlite = (manner: Manner, directory: string, writable = false): Promise<Server> => {
  const file = join(directory, 'gatehouse.sqlite');
  const environment = { DATABASE_FILE: file, MANNER: manner, WRITABLE: String(writable) };
  return Server.bare(manner, 'sqlite.ts', environment, `${directory}.${manner}.log`);
};

export const serviceOnPostgres = (
  { directory }: BenchOptions,
  name: string,
  url: string,
  core?: 'any',
): Promise<Server> =>
  Server.service(join(directory, `${name}-postgres`), { DATABASE_URL: url, SIGNING_SECRET: signingSecret }, core);

export const bareOnPostgres = ({ directory }: BenchOptions, manner: Manner, url: string): Promise<Server> => {
  const environment = { DATABASE_URL: url, MANNER: manner };
  return Server.bare(manner, 'postgres.ts', environment, join(directory, `postgres.${manner}.log`));
};
