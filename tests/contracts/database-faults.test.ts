import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { withMappedFaults } from '../../src/adapters/persistence/knex/engine/sqlite-faults.js';
import {
  type KnexDatabase,
  openOnConnection,
  openPostgres,
  openSqlite,
} from '../../src/adapters/persistence/knex/knex-database.js';
import { isDomainError } from '../../src/domain/index.js';
import { aUser } from '../support/builders.js';
import { freshDatabase, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { refusal } from './on-every-backend.js';

const unavailable = (message: string) => refusal('service/unavailable', { message, cause: expect.anything() });
const readOnly = unavailable('the database is read-only');

(skipPostgres ? describe.skip : describe)('a Postgres that refuses work', () => {
  let url: string;
  let drop: () => Promise<void>;
  let database: KnexDatabase;

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase());
    database = openPostgres(url, { poolSize: 1, timeout: 3_000 });
  });

  afterEach(async () => {
    await database.close();
    await drop();
  });

  const write = () => database.unitOfWork.run((tx) => tx.users.add(aUser()));
  const read = () => database.unitOfWork.read((tx) => tx.users.any());
  const nameOf = () => new URL(url).pathname.slice(1);

  it('is unavailable for writes while it is read-only, serves reads, and says so when it is asked', async () => {
    await write();
    await onPostgres(`alter database ${nameOf()} set default_transaction_read_only = on`);
    // Waits until they have ended.
    const replaced = 'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1';
    const client = new pg.Client({ connectionString: url.replace(nameOf(), 'postgres') });
    await client.connect();
    await client.query(replaced, [nameOf()]);
    await client.end();
    // The pool notices a closed connection when it is used.
    await read().catch(() => undefined);

    await expect(write()).rejects.toEqual(readOnly);
    expect(await read()).toBe(true);
    await expect(database.ping()).rejects.toEqual(readOnly);
    expect(await database.readOnly()).toBe(true);

    // The connections to it are closed: the next ones reach whichever server takes its place.
    await onPostgres(`alter database ${nameOf()} reset default_transaction_read_only`);
    await expect(write().catch(write)).resolves.toBeUndefined();
    await database.ping();
    expect(await database.readOnly()).toBe(false);
  });

  it.each([
    ['40001', 'the database did not finish in time'],
    ['40P01', 'the database did not finish in time'],
    ['55P03', 'the database did not finish in time'],
    ['57014', 'the database did not finish in time'],
    ['53300', 'the database has no free connection'],
    ['25006', 'the database is read-only'],
  ])('is unavailable for a read that fails with %s, and never stale', async (code, message) => {
    await write();
    await onPostgres(
      `create function failing() returns boolean language plpgsql as
        $$ begin raise exception 'no' using errcode = '${code}'; end $$;
      alter table users rename to users_kept;
      create view users as select * from users_kept where failing()`,
      url,
    );
    await expect(read()).rejects.toEqual(unavailable(message));
    await expect(database.unitOfWork.read((tx) => tx.users.page({ number: 1, size: 1 }))).rejects.toEqual(
      unavailable(message),
    );
  });

  it('is stale for a write that loses against another, which may be decided again', async () => {
    await onPostgres(
      `create function failing() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = new.email; end $$;
      create trigger failing before insert on users for each row execute function failing()`,
      url,
    );
    for (const email of ['40001', '40P01', '55P03', '23503']) {
      const lost = database.unitOfWork.run((tx) => tx.users.add(aUser({ email })));
      await expect(lost).rejects.toEqual(refusal('shared/stale-revision'));
    }
  });

  it('is unavailable while it has no connection left for this service', async () => {
    await database.close();
    await onPostgres(`alter database ${nameOf()} connection limit 0`);
    // A superuser may connect nevertheless, so the limit is that of a role without any right.
    const role = `${nameOf()}_role`;
    await onPostgres(`create role ${role} login connection limit 0 password 'secret'`);
    try {
      const other = new URL(url);
      other.username = role;
      other.password = 'secret';
      database = openPostgres(other.href, { poolSize: 1, timeout: 3_000 });
      for (const asked of [read(), write(), database.ping()]) {
        await expect(asked).rejects.toEqual(unavailable('the database has no free connection'));
      }
    } finally {
      await onPostgres(`drop role ${role}`);
    }
  });

  it('is unavailable while all connections of the pool are in use', async () => {
    await database.close();
    database = openPostgres(url, { poolSize: 1, timeout: 200 });
    await read().catch(() => undefined);
    let release: () => void = () => {};
    const inUse = new Promise<void>((resolve) => {
      release = resolve;
    });
    const using = database.unitOfWork.run(() => inUse);
    for (const asked of [read, write]) {
      await expect(asked()).rejects.toEqual(unavailable('the database has no free connection'));
    }
    await expect(database.ping()).rejects.toEqual(refusal('service/unavailable'));
    await expect(database.readOnly()).rejects.toEqual(refusal('service/unavailable'));
    release();
    await using;
  });
});

describe('an SQLite file that refuses work', () => {
  let directory: string;
  let file: string;
  let database: KnexDatabase;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    file = join(directory, 'test.sqlite');
    await makeMigrated(file);
    database = openSqlite(file, { longest: 100 });
  });

  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  it('is unavailable for writes while another process holds its lock, serves reads, and holds up nothing else', async () => {
    const other = new Database(file);
    other.exec('begin immediate');
    let ended = false;
    const write = database.unitOfWork
      .run((tx) => tx.users.add(aUser()))
      .finally(() => {
        ended = true;
      });
    write.catch(() => undefined);
    await turn();
    await turn();
    expect(ended).toBe(false);
    expect(await database.unitOfWork.read((tx) => tx.users.any())).toBe(false);
    const locked = unavailable('the database is locked by another process');
    await expect(write).rejects.toEqual(locked);
    await expect(database.ping()).rejects.toEqual(locked);
    await expect(database.readOnly()).rejects.toEqual(locked);
    other.exec('rollback');
    other.close();
    await database.unitOfWork.run((tx) => tx.users.add(aUser()));
    await database.ping();
  });

  it('is read-only where its connection accepts no writes, serves reads, and says so when it is asked', async () => {
    const connection = new Database(file);
    const served = openOnConnection(connection);
    expect(await served.readOnly()).toBe(false);
    connection.pragma('query_only = on');
    await expect(served.unitOfWork.run((tx) => tx.users.add(aUser()))).rejects.toEqual(readOnly);
    await expect(served.ping()).rejects.toEqual(readOnly);
    expect(await served.readOnly()).toBe(true);
    expect(await served.unitOfWork.read((tx) => tx.users.any())).toBe(false);
    connection.pragma('query_only = off');
    expect(await served.readOnly()).toBe(false);
    await served.close();
    connection.close();
  });

  it('goes on once the other process is done', async () => {
    await database.close();
    database = openSqlite(file);
    const other = new Database(file);
    other.exec('begin immediate');
    const write = database.unitOfWork.run((tx) => tx.users.add(aUser()));
    await turn();
    other.exec('rollback');
    other.close();
    await write;
  });

  it.each([
    ['SQLITE_READONLY_DBMOVED', 'the database is read-only'],
    ['SQLITE_READONLY', 'the database is read-only'],
    ['SQLITE_BUSY', 'the database is locked by another process'],
    ['SQLITE_CANTOPEN', "the database's file cannot be read or written"],
    ['SQLITE_IOERR_WRITE', "the database's file cannot be read or written"],
  ])('is unavailable when it fails with %s', async (code, message) => {
    const failing = withMappedFaults(Promise.reject(Object.assign(new Error('no'), { code })));
    await expect(failing).rejects.toEqual(unavailable(message));
  });

  it('has no room, and what is our own fault stays a fault', async () => {
    const failing = (code: string) => withMappedFaults(Promise.reject(Object.assign(new Error('no'), { code })));
    await expect(failing('SQLITE_FULL')).rejects.toEqual(refusal('service/storage-full'));
    const fault = await failing('SQLITE_ERROR').catch((error: unknown) => error);
    expect(isDomainError(fault)).toBe(false);
  });
});
