import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { Switches } from '../../src/adapters/persistence/knex/engine/switches.js';
import { archiveOf } from '../support/archives.js';
import { freshDatabase, makeMigrated, skipPostgres } from '../support/databases.js';
import { column, plantedFiles, wrongRows } from '../support/planted-files.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

// A request may wait two seconds for a machine that is busy with something else; it does not do so twice.
jest.retryTimes(1);

const rows = Number(process.env.UPGRADE_ROWS ?? 100_000);
const workspaces = 20;

/** The release before: this one, which does not know the planted migrations either, or the built tree that is named. */
const before = process.env.RELEASE_BEFORE;

const plant = { NODE_OPTIONS: `--import ${new URL('../support/plant-migrations.mjs', import.meta.url).href}` };

const columns = `id, workspace_id, sequence, status, origin, source, auto_queue_runs, speculative, provisional,
  status_timestamps, created_at, revision, bundle_key, bundle_bytes, bundle_sha256`;

/** Half of them have a bundle. `at` is the SQL for the number of a row. */
const values = (at: string, id: string, workspace: string) =>
  `${id}, ${workspace}, ${at} + 1000, case when ${at} % 2 = 0 then 'uploaded' else 'pending' end, 'api', 'tfe-api', false, false, true,
   '{}', '2026-01-01T00:00:00.000Z', 0, case when ${at} % 2 = 0 then 'bundle-' || ${at} end,
   case when ${at} % 2 = 0 then 10 end, case when ${at} % 2 = 0 then 'sha' end`;

const report = async (name: string, figures: object): Promise<void> => {
  if (process.env.UPGRADE_REPORT !== undefined) {
    await writeFile(process.env.UPGRADE_REPORT, `${name} ${JSON.stringify(figures)}\n`, { flag: 'a' });
  }
};

interface Answer {
  readonly path: string;
  readonly at: number;
  readonly milliseconds: number;
  readonly status: number;
}

/** Uses a service until `end`, and notes each answer. */
class Load {
  readonly answers: Answer[] = [];
  private over = false;

  constructor(private readonly service: ServiceProcess) {}

  async ask(method: string, path: string, body?: object) {
    const at = performance.now();
    const answer = await this.service.api(method, path, body);
    this.answers.push({ path, at, milliseconds: performance.now() - at, status: answer.status });
    return answer;
  }

  async repeat(step: () => Promise<unknown>, between: number): Promise<void> {
    while (!this.over) {
      await step();
      await pause(between);
    }
  }

  end(): void {
    this.over = true;
  }
}

const figuresOf = (answers: readonly Answer[]) => {
  const took = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)] ?? 0);
  return { requests: took.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
};

/** In the order in which they end what a test began, also if it fails. */
let endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  const all = endings.toReversed();
  endings = [];
  for (const end of all) await end();
});

async function start(...given: Parameters<typeof ServiceProcess.start>): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(...given);
  endings.push(() => service.end('SIGKILL'));
  return service;
}

(skipPostgres ? describe.skip : describe)('an upgrade of a Postgres in use', () => {
  it(`makes no request of the release before wait or fail, and no filter wrong, over ${rows} rows`, async () => {
    const { url, drop } = await freshDatabase();
    const shared = { DATABASE_URL: url, SIGNING_SECRET: 's'.repeat(40) };
    const database = new pg.Pool({ connectionString: url });
    database.on('error', () => undefined);
    endings.push(drop, () => database.end());
    const query = async (sql: string, ...bound: readonly unknown[]) => (await database.query(sql, [...bound])).rows;
    await inTemporaryDirectory(async (directory) => {
      if (before !== undefined) await query('drop schema public cascade; create schema public');
      const old = await start({ ...shared, DATA_DIR: join(directory, 'old') }, ':', before);
      const steps = new ServiceSteps(old);
      const running = await old.provision();
      const agent = steps.agent(await steps.agentToken());
      await steps.uploaded(running, await archiveOf({ 'main.tf': '# nothing' }));
      const job = await agent.claimed();
      const ids: string[] = [];
      for (let n = 0; n < workspaces; n += 1) ids.push(await steps.workspace(`large-${n}`));

      await query('alter table configuration_versions disable trigger user');
      await query(
        `insert into configuration_versions (${columns})
         select ${values('n', `'cv-' || md5(n::text)`, `($1::text[])[1 + n % ${workspaces}]`)} from generate_series(1, ${rows}) n`,
        ids,
      );
      await query('alter table configuration_versions enable trigger user');
      await query('vacuum analyze configuration_versions');

      const load = new Load(old);
      let turn = 0;
      const next = (): string => ids[(turn++ * 7) % workspaces] as string;
      const create = async () => {
        const path = `/workspaces/${next()}/configuration-versions`;
        const body = {
          data: { type: 'configuration-version', attributes: { 'auto-queue-runs': false, provisional: true } },
        };
        const { json } = await load.ask('POST', path, body);
        await load.ask('GET', `/configuration-versions/${json.data.id}`);
      };
      const list = () => load.ask('GET', `/workspaces/${next()}/configuration-versions`);
      let changes = 0;
      /** Rows of before, each once, all over the table. */
      const change = async () => {
        const number = 2 * (1 + ((changes++ * 7_919) % (rows / 2)));
        const [row] = await query(`select 'cv-' || md5('${number}') as id, 'cv-' || md5('${number - 1}') as neighbour`);
        await load.ask('POST', `/api/v2/configuration-versions/${row?.id}/actions/soft_delete_backing_data`);
        await load.ask('GET', `/configuration-versions/${row?.neighbour}`);
        if (changes % 2 === 0) {
          await load.ask('POST', `/api/v2/configuration-versions/${row?.id}/actions/restore_backing_data`);
        }
      };
      const beats: number[] = [];
      const heartbeat = async () => {
        beats.push((await job.heartbeat()).status);
      };

      const wrong: unknown[] = [];
      const filled = 'select name from fills where filled';
      const names = [column.name];
      const switches = new Switches(
        names,
        async () => (await query(filled).catch(() => [])).map(({ name }) => name as string),
        200,
      );
      let filtered = 0;
      const filter = async () => {
        await switches.due();
        if (!switches.has(column.name)) return;
        filtered += 1;
        const [counts] = await query(
          `select (select count(*) from configuration_versions v where workspace_id = $1 and is_kept) as now,
             (select count(*) from configuration_versions v where workspace_id = $1 and ${column.value('v')}) as before`,
          next(),
        );
        if (counts?.now !== counts?.before) wrong.push(counts);
      };

      const lives = [
        ...[create, create, change, change, list, list].map((step) => load.repeat(step, 40)),
        load.repeat(heartbeat, 2_000),
        load.repeat(filter, 100),
      ];
      await pause(5_000);
      const began = performance.now();
      const quiet = load.answers.length;
      const newer = await start({ ...shared, ...plant, DATA_DIR: join(directory, 'new') });
      const migrated = performance.now();
      await until(
        'the fills are complete',
        async () => {
          await pause(200);
          const [row] = await query('select count(*) as left from fills where not filled');
          return Number(row?.left) === 0;
        },
        1_200_000,
      );
      const done = performance.now();
      // Rows that the release before changes after the switch.
      await pause(8_000);
      load.end();
      await Promise.all(lives);
      const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;
      await report('Postgres', {
        rows,
        before: figuresOf(load.answers.slice(0, quiet)),
        'while migrations ran': figuresOf(load.answers.filter(({ at }) => at >= began && at < migrated)),
        'while rows were filled': figuresOf(load.answers.filter(({ at }) => at >= migrated && at < done)),
        'seconds until the new instance served': seconds(began, migrated),
        'seconds of filling': seconds(migrated, done),
        migrations: newer.printed
          .split('\n')
          .filter((line) => /migrated the database|migration of the database waits/.test(line)),
        heartbeats: beats.length,
        filtered,
      });

      expect(newer.printed).toContain('rows from before the migration are filled while the service runs');
      expect(load.answers.filter(({ status }) => status >= 400).slice(0, 9)).toEqual([]);
      expect(load.answers.filter(({ milliseconds }) => milliseconds > 2_000).slice(0, 9)).toEqual([]);
      expect(new Set(beats)).toEqual(new Set([200]));
      expect((await job.planned(false)).status).toBe(200);
      expect([wrong, filtered > 0]).toEqual([[], true]);
      expect((await query(wrongRows))[0]).toEqual({ wrong: '0' });
      const applied = (await query('select name from knex_migrations')).map(({ name }) => name);
      expect(applied).toEqual(expect.arrayContaining(Object.keys(plantedFiles)));
      expect((await newer.api('GET', `/workspaces/${ids[0]}`)).status).toBe(200);
      expect([await old.end(), await newer.end()]).toEqual([0, 0]);
    });
  }, 1_800_000);
});

describe('an upgrade of a SQLite file', () => {
  it(`migrates at its start, and fills ${rows} rows without holding up requests`, async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'gatehouse.sqlite');
      await makeMigrated(file);
      const old = await start({ DATA_DIR: directory });
      const workspaceId = await old.provision();
      await old.end();
      const connection = new Database(file);
      connection.exec(`
        create temporary table triggers as select sql from sqlite_schema where type = 'trigger'
          and tbl_name = 'configuration_versions'`);
      const triggers = connection.prepare('select sql from triggers').pluck().all() as string[];
      for (const sql of triggers) connection.exec(`drop trigger ${/create trigger (\w+)/i.exec(sql)?.[1]}`);
      connection.exec(`insert into configuration_versions (${columns})
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
        select ${values('n', `'cv-' || lower(hex(randomblob(8)))`, `'${workspaceId}'`)} from numbers`);
      for (const sql of triggers) connection.exec(sql);
      connection.close();

      const began = performance.now();
      const service = await start({ ...plant, DATA_DIR: directory });
      const started = performance.now();
      const load = new Load(service);
      const life = load.repeat(() => load.ask('GET', '/healthz'), 5);
      await until(
        'the fills are complete',
        async () => {
          await pause(200);
          return service.printed.split('rows from before the migration are filled"').length - 1 === 2;
        },
        1_200_000,
      );
      const done = performance.now();
      load.end();
      await life;
      const reader = new Database(file, { readonly: true });
      const wrong = reader.prepare(wrongRows).pluck().get();
      reader.close();
      await report('SQLite', {
        rows,
        'seconds until it served': Math.round((started - began) / 100) / 10,
        'seconds of filling': Math.round((done - started) / 100) / 10,
        'health checks meanwhile': figuresOf(load.answers),
        migrations: service.printed.split('\n').filter((line) => line.includes('migrated the database')),
      });
      expect(wrong).toBe(0);
      expect(await service.end()).toBe(0);
    });
  }, 1_800_000);
});
