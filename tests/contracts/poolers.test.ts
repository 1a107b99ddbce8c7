import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { roleSettings, sessionKindAt } from '../../src/adapters/persistence/knex/engine/postgres-sessions.js';
import {
  type KnexDatabase,
  openPostgres,
  type PostgresOptions,
} from '../../src/adapters/persistence/knex/knex-database.js';
import { RetryingUnitOfWork, type Transaction } from '../../src/application/index.js';
import { anOrganization, aUser, aWorkspace, unique } from '../support/builders.js';
import { freshDatabase, onPostgres, postgresUrl, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';
import { SmallPooler } from '../support/small-pooler.js';
import { refusal } from './on-every-backend.js';

(skipPostgres ? describe.skip : describe)('Postgres behind a pooler', () => {
  let url: string;
  let drop: () => Promise<void>;
  let pooler: SmallPooler;
  let databases: KnexDatabase[];
  let unnamed: number;

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase());
    databases = [];
    unnamed = 0;
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await pooler.close();
    await drop();
  });

  const open = (options: PostgresOptions = {}): KnexDatabase => {
    const onUnnamed = () => {
      unnamed += 1;
    };
    const database = openPostgres(pooler.url, { poolSize: 4, onUnnamed, ...options });
    databases.push(database);
    return database;
  };

  const order = (tx: Transaction) =>
    tx.effects.enqueue(unique('subject'), [{ kind: 'discard-bundle', bundleKey: 'bundle-1' }]);

  /** Reads and writes, twelve times in turn. Returns the number of units that ran twice; none runs more often. */
  const work = async ({ unitOfWork }: KnexDatabase, { reading = true } = {}): Promise<number> => {
    let repeated = 0;
    for (let n = 0; n < 12; n += 1) {
      const user = aUser();
      let ran = 0;
      await unitOfWork.run(async (tx) => {
        ran += 1;
        await tx.users.any();
        await tx.users.add(user);
        await order(tx);
      });
      if (reading) expect(await unitOfWork.read((tx) => tx.users.find(user.id))).toEqual(user);
      expect(ran).toBeLessThanOrEqual(2);
      repeated += ran - 1;
    }
    return repeated;
  };
  const together = (...at: readonly KnexDatabase[]) => Promise.all(at.map((database) => work(database)));

  const rows = async (table: string): Promise<number> => {
    const [row] = await onPostgres<{ count: number }>(`select count(*)::int as count from ${table}`, url);
    return row?.count ?? 0;
  };

  describe('that shares sessions between transactions', () => {
    beforeEach(async () => {
      pooler = await SmallPooler.open(url, 'transaction');
    });

    it('is served without names from the first unknown one on, and each unit runs at most twice', async () => {
      const database = open({ poolSize: 1 });
      expect(await work(database, { reading: false })).toBeGreaterThan(0);
      expect([await rows('users'), await rows('effects')]).toEqual([12, 12]);
      expect(database.pooler?.()).toEqual({ statements: 'unnamed', news: 'pushed' });
      expect(unnamed).toBe(1);
      pooler.parsed.length = 0;
      expect(await work(database)).toBe(0);
      expect(new Set(pooler.parsed)).toEqual(new Set(['']));
      await database.ping();
      expect(unnamed).toBe(1);
    });

    it('never names a statement for an operator who said so', async () => {
      await work(open({ pooling: 'transaction' }));
      expect(new Set(pooler.parsed)).toEqual(new Set(['']));
    });

    it('keeps its names for an operator who denied it, and repeats every unit that needs it', async () => {
      const database = open({ pooling: 'none' });
      await work(database);
      expect([await rows('users'), unnamed, database.pooler?.()]).toEqual([12, 0, undefined]);
    });

    it('serves several connections of several processes at once', async () => {
      const [one, another] = [open(), open()];
      await together(one, one, one, another, another, another);
      expect([await rows('users'), await rows('effects')]).toEqual([72, 72]);
    });

    it('gets the same name for a statement from every process', async () => {
      await work(open());
      const ofFirst = new Set(pooler.parsed.filter((name) => name !== ''));
      pooler.parsed.length = 0;
      await work(open());
      const named = pooler.parsed.filter((name) => name !== '');
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((name) => !ofFirst.has(name))).toEqual([]);
    });

    it('keeps the moment and the key of a snapshot', async () => {
      const [one, another] = [open(), open()];
      const counting = async function* (tx: Transaction) {
        for (;;) yield (await tx.users.page({ number: 1, size: 1 })).total;
      };
      const counts = await one.snapshots.read('key', counting);
      const before = (await counts.next()).value;
      await another.unitOfWork.run((tx) => tx.users.add(aUser()));
      expect((await counts.next()).value).toBe(before);
      await expect(another.snapshots.read('key', counting)).rejects.toMatchObject({ code: 'snapshots/busy' });
      await counts.return();
      const later = await another.snapshots.read('key', counting);
      expect((await later.next()).value).toBe((before ?? 0) + 1);
      await later.return();
    });

    it('leaves no setting to other clients, and has its own in transactions', async () => {
      const names = [...roleSettings, 'idle_in_transaction_session_timeout', 'plan_cache_mode'];
      const seen = names.map((name) => `insert into seen values ('${name}', current_setting('${name}'));`).join(' ');
      await onPostgres(
        `create table seen (name text primary key, value text);
        create function note() returns trigger language plpgsql as $$ begin ${seen} return new; end $$;
        create trigger note before insert on users for each row execute function note()`,
        url,
      );
      await open().unitOfWork.run((tx) => tx.users.add(aUser()));
      const [unset] = await onPostgres(
        `select current_setting('jit') as jit,
           current_setting('max_parallel_workers_per_gather') as max_parallel_workers_per_gather`,
        url,
      );
      const found = await onPostgres<{ name: string; value: string }>('select * from seen', url);
      expect(Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual({
        jit: 'off',
        max_parallel_workers_per_gather: '0',
        lock_timeout: '5s',
        statement_timeout: '15s',
        idle_in_transaction_session_timeout: '15s',
        plan_cache_mode: 'force_generic_plan',
      });
      // More often than there are sessions.
      for (let n = 0; n < 6; n += 1) {
        const shown = names.map((name) => `current_setting('${name}') as ${name}`).join(', ');
        const [other] = await onPostgres(`select ${shown}`, pooler.url);
        expect(other).toEqual({
          ...unset,
          lock_timeout: '0',
          statement_timeout: '0',
          idle_in_transaction_session_timeout: '0',
          plan_cache_mode: 'auto',
        });
      }
    });

    it('is not migrated through it, and says what to set', async () => {
      const empty = `gatehouse_${process.pid}_${unique('empty').replace('-', '_')}`;
      await onPostgres(`create database ${empty}`);
      const direct = Object.assign(new URL(postgresUrl), { pathname: `/${empty}` }).href;
      const inBetween = await SmallPooler.open(direct, 'transaction');
      try {
        const refused = openPostgres(inBetween.url);
        databases.push(refused);
        await expect(refused.migrate()).rejects.toThrow(
          /pending migrations \(\d+_schema\.ts.*\), which cannot run through .*; set DATABASE_DIRECT_URL/,
        );
        await expect(openPostgres(inBetween.url, { directUrl: url }).migrate()).rejects.toThrow(
          'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases',
        );
        const migrated = openPostgres(inBetween.url, { directUrl: direct });
        databases.push(migrated);
        await migrated.migrate();
        await refused.migrate();
        await work(migrated);
      } finally {
        await Promise.all(databases.splice(0).map((database) => database.close()));
        await inBetween.close();
        await onPostgres(`drop database ${empty} with (force)`);
      }
    });

    it('is polled for news, and passes them on at once over a direct connection', async () => {
      const [polling, listening] = [open(), open({ directUrl: url })];
      const heard: unknown[] = [];
      polling.onChange({ ordered: () => heard.push('polled'), changed: () => {} });
      listening.onChange({ ordered: (kinds) => heard.push(kinds), changed: () => {} });
      await Promise.all([polling, listening].map(({ unitOfWork }) => unitOfWork.read((tx) => tx.users.any())));
      await until('it polls', async () => polling.pooler?.()?.news === 'polled');
      await until('it listens', async () => heard.length > 0);
      expect(heard).toEqual([undefined]);
      expect(listening.pooler?.()?.news).toBe('pushed');
      const other = openPostgres(url);
      databases.push(other);
      const connected: unknown[] = [];
      other.onChange({ ordered: (kinds) => connected.push(kinds), changed: () => {} });
      await until('another process is connected', async () => connected.length > 0);
      await other.unitOfWork.run(order);
      await until('the order arrives', async () => heard.length > 1);
      expect(heard).toEqual([undefined, ['discard-bundle']]);
      await until('the other one polls', async () => heard.includes('polled'));
    });
  });

  describe('that lends each session to one client at a time', () => {
    beforeEach(async () => {
      pooler = await SmallPooler.open(url, 'session', 12);
    });

    it('keeps names, also where another client has prepared the same', async () => {
      await work(open());
      await databases.pop()?.close();
      await until('its sessions are free', async () => !pooler.isUsed);
      pooler.parsed.length = 0;
      const database = open();
      expect(await work(database)).toBeGreaterThan(0);
      expect(await work(database)).toBe(0);
      expect(database.pooler?.()).toEqual({ statements: 'named', news: 'pushed' });
      expect(unnamed).toBe(0);
    });

    it('passes on notifications, of this process only once, and migrations', async () => {
      const database = open();
      await database.migrate();
      const heard: unknown[] = [];
      database.onChange({ ordered: (kinds) => heard.push(kinds), changed: () => {} });
      await until('it listens', async () => heard.length > 0);
      await database.unitOfWork.run(order);
      const other = open();
      const connected: unknown[] = [];
      other.onChange({ ordered: (kinds) => connected.push(kinds), changed: () => {} });
      await until('another process listens', async () => connected.length > 0);
      await other.unitOfWork.run((tx) =>
        tx.effects.enqueue('subject', [{ kind: 'purge-backing-data', versionId: 'cv-1' }]),
      );
      await until('the other order arrives', async () => heard.length > 2);
      expect(heard).toEqual([undefined, ['discard-bundle'], ['purge-backing-data']]);
    });
  });

  it.each([
    ['own', undefined],
    ['lent', 'session'],
    ['shared', 'transaction'],
  ] as const)('finds out that a session is %s', async (kind, mode) => {
    pooler = await SmallPooler.open(url, mode ?? 'session');
    const connectionString = mode === undefined ? url : pooler.url;
    expect(await sessionKindAt({ connectionString }, 'auto')).toBe(kind);
  });

  it('is unavailable for a read in a transaction that waits for a lock, and never stale', async () => {
    pooler = await SmallPooler.open(url, 'session');
    const database = openPostgres(url, { poolSize: 1 });
    databases.push(database);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin; lock table users in access exclusive mode');
    const workspace = aWorkspace(anOrganization());
    const read = new RetryingUnitOfWork(database.unitOfWork).run(async (tx) => {
      await tx.users.any();
      await tx.workspaces.add(workspace);
    });
    await expect(read).rejects.toEqual(refusal('service/unavailable', { cause: expect.anything() }));
    await holder.end();
  });
});
