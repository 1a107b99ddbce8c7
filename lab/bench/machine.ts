import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { Machine } from './report.js';
import { pinned, root } from './servers.js';

/** Output of git in the checkout; `unknown` without one. */
const git = (...words: string[]): string => {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
};

const sqliteVersion = (): string => {
  const db = new Database(':memory:');
  const version = db.prepare('select sqlite_version()').pluck().get() as string;
  db.close();
  return version;
};

export async function postgresVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]?.server_version ?? 'unknown';
}

/** Describes the machine and the commit before anything is measured. */
export function machine(): Machine {
  const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: `${availableParallelism()} cores`,
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    sqlite: `${sqliteVersion()} (better-sqlite3 ${dependencies['better-sqlite3']})`,
    pinned: pinned ? 'servers under measurement on core 0, the load and Postgres on core 1' : 'no',
    'load average before': loadavg()
      .map((value) => value.toFixed(2))
      .join(' '),
    commit: git('rev-parse', '--short', 'HEAD') + changed,
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
  };
}
