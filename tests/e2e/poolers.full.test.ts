import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Operation } from '../../lab/torture/journal.js';
import { torture } from '../../lab/torture/torture.js';
import { gatehouse } from '../support/command-line.js';
import { freshDatabase, onPostgres, postgresUrl, skipPostgres } from '../support/databases.js';
import { Pgbouncer, type PoolMode, pgbouncerVersion } from '../support/pgbouncer.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { usable } from '../support/programs.js';

const present = pgbouncerVersion !== undefined;
const suite = !skipPostgres && usable('pgbouncer', present) ? describe : describe.skip;
const reason = present ? '' : ' (skipped: no pgbouncer on PATH or in PGBOUNCER)';
const [major = 0, minor = 0] = pgbouncerVersion ?? [];
/** Whether it can keep prepared statements in transaction mode. */
const keepsStatements = major > 1 || minor >= 21;
const tooOld = keepsStatements ? '' : ` (skipped: pgbouncer ${major}.${minor} has no max_prepared_statements)`;

const seconds = 30;
const enough = 0.7;

/**
 * Both loads run at the same time, so that other work on the machine slows both. If it starves one of them, timeouts end
 * a request, and the next measurement counts.
 */
const measurements = 3;

suite(`a service behind pgbouncer${reason}`, () => {
  let pooler: Pgbouncer | undefined;

  afterEach(async () => {
    await pooler?.stop();
  });

  const load = (size: number, through: { readonly port: number; readonly direct: boolean } | undefined) => {
    const seed = Date.now() % 1_000_000;
    const settings = (DATABASE_DIRECT_URL: string): Record<string, string> =>
      through?.direct ? { DATABASE_DIRECT_URL } : {};
    return torture({
      seed,
      seconds,
      short: true,
      calm: true,
      cluster: { size, poolerPort: through?.port, settings },
      print: () => undefined,
      evidence: join(tmpdir(), `gatehouse-poolers-${seed}`),
    });
  };

  /** Without requests that the client broke off. */
  const answered = (operations: readonly Operation[]) => operations.filter(({ status }) => status > 0).length;

  const rows: readonly (readonly [PoolMode, number, object?])[] = [
    ['transaction', 1],
    ['transaction', 2],
    ['session', 1],
    ['session', 2],
  ];

  const serves = async (mode: PoolMode, size: number, settings = {}): Promise<void> => {
    pooler = await Pgbouncer.start(mode, { default_pool_size: 40, ...settings });
    const measured: {
      readonly ratio: number;
      readonly late: readonly unknown[];
      readonly logged: readonly string[];
    }[] = [];
    const isGood = ({ ratio, late }: (typeof measured)[number]) => ratio >= enough && late.length === 0;
    while (measured.length < measurements && !measured.some(isGood)) {
      const [behind, direct] = await Promise.all([
        load(size, { port: pooler.port, direct: mode === 'transaction' }),
        load(size, undefined),
      ]);
      expect(behind.violations.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([]);
      expect(behind.load.filter(({ status }) => status === 500)).toEqual([]);
      const [first] = behind.load;
      const late = behind.load.filter(({ status, begun }) => status >= 500 && begun > (first?.begun ?? 0) + 1_000);
      const ratio = answered(behind.load) / answered(direct.load);
      measured.push({ ratio, late, logged: late.length > 0 ? behind.logged : [] });
      process.stderr.write(
        `pgbouncer, ${mode} mode, instances: ${size}, of the direct throughput: ${ratio.toFixed(2)}\n`,
      );
    }
    expect(measured).toContainEqual({ ratio: expect.any(Number), late: [], logged: [] });
    expect(measured.filter(isGood)).toHaveLength(1);
  };

  it.each(rows)('in %s mode, on %d instances, answers 30 s of load rightly and nearly as fast', (mode, size) =>
    serves(mode, size),
  );

  (keepsStatements ? it : it.skip)(`in transaction mode with prepared statements does, too${tooOld}`, () =>
    serves('transaction', 2, { max_prepared_statements: 500 }),
  );

  const doctorOf = async (environment: Readonly<Record<string, string>>) => {
    const { json } = await gatehouse(['doctor'], environment);
    return json.findings.filter(({ check }: { check: string }) => check === 'database');
  };

  it('in transaction mode without a direct address migrates nothing, polls, and says both', async () => {
    pooler = await Pgbouncer.start('transaction');
    const { url, drop } = await freshDatabase();
    const empty = new URL(postgresUrl);
    empty.pathname = `/gatehouse_pooled_${process.pid}`;
    const name = empty.pathname.slice(1);
    await onPostgres(`create database ${name}`);
    const shared = { SIGNING_SECRET: 's'.repeat(40), LOG_LEVEL: 'info' };
    try {
      await inTemporaryDirectory(async (DATA_DIR) => {
        const refused = { ...shared, DATA_DIR, DATABASE_URL: pooler?.urlOf(empty.href) ?? '' };
        await expect(ServiceProcess.start(refused)).rejects.toThrow(/pending migrations .*; set DATABASE_DIRECT_URL/);
        expect(await gatehouse(['migrate'], refused)).toMatchObject({
          status: 1,
          err: expect.stringMatching(/pending migrations .*; set DATABASE_DIRECT_URL/),
        });
        expect(await gatehouse(['migrate'], { ...refused, DATABASE_DIRECT_URL: empty.href })).toMatchObject({
          status: 0,
        });

        const environment = { ...shared, DATA_DIR, DATABASE_URL: pooler?.urlOf(url) ?? '' };
        const service = await ServiceProcess.start(environment);
        try {
          const workspace = await service.provision();
          for (let n = 0; n < 5; n += 1) await service.newVersion(workspace);
          const ready = async () => (await service.api('GET', '/readyz')).json.pooler;
          for (const end = performance.now() + 60_000; (await ready()).news !== 'polled' && performance.now() < end; ) {
            await pause(50);
          }
          expect(await ready()).toEqual({ statements: expect.stringMatching(/^(un)?named$/), news: 'polled' });
          await service.prints('connections to Postgres go through a pooler');
        } finally {
          await service.end();
        }
        const found = await doctorOf(environment);
        expect(found).toContainEqual({
          check: 'database',
          state: 'ok',
          found: 'a pooler shares connections between transactions',
          mend: null,
        });
        expect(found).toContainEqual({
          check: 'database',
          state: 'warning',
          found:
            'without a connection of its own the service cannot migrate, and looks for work every five seconds instead of being notified',
          mend: 'set DATABASE_DIRECT_URL to an address of the same database without the pooler',
        });
        const [missing] = found.filter(({ found: text }: { found: string }) =>
          text.startsWith('the role does not set'),
        );
        expect(missing?.mend).toMatch(
          /^run alter role \S+ set lock_timeout = '5s'; .*set jit = 'off'; alter role \S+ set max_parallel_workers_per_gather = '0'; Then let the pooler reconnect$/,
        );
      });
    } finally {
      await drop();
      await pooler.stop();
      await onPostgres(`drop database ${name} with (force)`);
    }
  });

  it('in session mode is migrated and notified as without it', async () => {
    pooler = await Pgbouncer.start('session');
    const { url, drop } = await freshDatabase();
    try {
      await inTemporaryDirectory(async (DATA_DIR) => {
        const environment = { DATA_DIR, DATABASE_URL: pooler?.urlOf(url) ?? '', SIGNING_SECRET: 's'.repeat(40) };
        const service = await ServiceProcess.start(environment);
        await service.provision();
        expect((await service.api('GET', '/readyz')).json).toEqual({
          status: 'ready',
          pooler: { statements: 'named', news: 'pushed' },
        });
        await service.end();
        const found = (await doctorOf(environment)).map(({ found: text }: { found: string }) => text);
        expect(found).toContain('a pooler lends each connection to one client at a time');
      });
    } finally {
      await pooler.stop();
      await drop();
    }
  });
});
