import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  type KnexDatabase,
  openPostgres,
  type PostgresOptions,
} from '../../src/adapters/persistence/knex/knex-database.js';
import { RetryingUnitOfWork, type UnitOfWork } from '../../src/application/index.js';
import { isDomainError } from '../../src/domain/index.js';
import { aUser } from '../support/builders.js';
import { Way } from '../support/database-way.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';
import { refusal } from './on-every-backend.js';

(skipPostgres ? describe.skip : describe)('a Postgres that fails', () => {
  let drop: () => Promise<void>;
  let straight: pg.Client;
  let way: Way;
  let url: string;
  let database: KnexDatabase;
  let unitOfWork: UnitOfWork;

  const away = refusal('service/unavailable', { cause: expect.anything() });
  const addUser = () => {
    const user = aUser();
    return unitOfWork.run((tx) => tx.users.add(user)).then(() => user.id);
  };
  const countUsers = async () => {
    const { rows } = await straight.query('select count(*)::int as count from users');
    return rows[0].count as number;
  };

  beforeEach(async () => {
    const schema = await freshSchema();
    drop = schema.drop;
    straight = new pg.Client({ connectionString: schema.url });
    await straight.connect();
    way = await Way.open(new URL(schema.url));
    const { rows } = await straight.query('select current_schema as schema');
    const to = new URL(way.url);
    to.searchParams.set('application_name', rows[0].schema);
    url = to.href;
    open({ poolSize: 4 });
    await database.migrate();
  });

  const open = (options: PostgresOptions) => {
    database = openPostgres(url, options);
    unitOfWork = new RetryingUnitOfWork(database.unitOfWork);
  };
  /** Opens one connection with just enough timeout to connect on a busy machine. */
  const openImpatiently = async (options: PostgresOptions = {}) => {
    await database.close();
    open({ poolSize: 1, timeout: 3_000, ...options });
    await addUser();
  };

  afterEach(async () => {
    await database.close();
    await way.close();
    await straight.end();
    await drop();
  });

  it('is away while connections are killed under load, loses nothing it acknowledged, and recovers automatically', async () => {
    const acknowledged: string[] = [];
    let refused = 0;
    let ended = false;
    const work = async () => {
      while (!ended) {
        try {
          acknowledged.push(await addUser());
          await unitOfWork.read((tx) => tx.users.page({ number: 1, size: 1 }));
        } catch (error) {
          expect(error).toEqual(away);
          refused += 1;
        }
      }
    };
    const working = Promise.all(Array.from({ length: 8 }, work));
    for (let kills = 0; kills < 5 || refused === 0; kills += 1) {
      await pause(60);
      await straight.query(
        'select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = current_schema',
      );
    }
    ended = true;
    await working;
    for (let n = 0; n < 20; n += 1) acknowledged.push(await addUser());
    const { rows } = await straight.query('select id from users');
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });

  it.each([
    ['cut before it is sent', 0],
    ['cut before it is answered', 1],
  ] as const)('leaves open whether a commit was made that is %s, and is not retried', async (moment, kept) => {
    await addUser();
    way.atCommit = moment;
    let times = 0;
    const work = unitOfWork.run(async (tx) => {
      times += 1;
      await tx.users.add(aUser());
    });
    await expect(work).rejects.toEqual(away);
    expect(times).toBe(1);
    way.atCommit = undefined;
    await until('the server has ended it', async () => (await countUsers()) === 1 + kept);
    await addUser();
    expect(await countUsers()).toBe(2 + kept);
  });

  it('is away when the network swallows everything, for a limited time, and leaves no lock behind', async () => {
    await openImpatiently({ silence: 2_000 });
    const began = performance.now();
    const stalling = unitOfWork.run(async (tx) => {
      await tx.users.add(aUser());
      way.stalled = true;
      await tx.users.any();
    });
    await expect(stalling).rejects.toEqual(away);
    await expect(database.ping()).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(20_000);
    way.stalled = false;
    way.cut();
    await until('a connection is had again', () => unitOfWork.read((tx) => tx.users.any()).catch(() => false));
    await addUser();
    await database.ping();
    expect(await countUsers()).toBe(2);
  });

  it('sends notifications again after their connection has fallen silent', async () => {
    await openImpatiently({ silence: 2_000 });
    let begun = 0;
    database.onChange({ ordered: (kinds) => (begun += kinds === undefined ? 1 : 0), changed: () => undefined });
    const listensAgain = async (times: number) => until('it listens', async () => begun === times);
    await listensAgain(1);
    way.stalled = true;
    // Nothing is asked meanwhile, so that only the silence can end the connection.
    await pause(4_000);
    way.stalled = false;
    await listensAgain(2);
  });

  it('says what ended a transaction, and not only that undoing it failed as well', async () => {
    const causes: unknown[] = [];
    // The server's last message is sometimes lost with its connection.
    for (let attempt = 0; attempt < 5 && !causes.includes('57P01'); attempt += 1) {
      const ended = unitOfWork.run(async (tx) => {
        await tx.users.any();
        const mine = "application_name = current_setting('application_name') and pid <> pg_backend_pid()";
        await straight.query(`set application_name to '${new URL(url).searchParams.get('application_name')}'`);
        await straight.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${mine}`);
        await tx.users.any();
      });
      causes.push(await ended.catch(({ cause }) => cause?.code));
    }
    expect(causes).toContain('57P01');
  });

  it('is away when nothing listens there', async () => {
    await addUser();
    await way.close();
    await expect(addUser()).rejects.toEqual(away);
    await expect(unitOfWork.read((tx) => tx.users.any())).rejects.toEqual(away);
    await expect(database.ping()).rejects.toThrow();
  });

  it('is away when all connections are taken for too long', async () => {
    await openImpatiently();
    let release: () => void = () => {};
    const taken = new Promise<void>((resolve) => {
      release = resolve;
    });
    const taking = unitOfWork.run(() => taken);
    await expect(addUser()).rejects.toEqual(away);
    release();
    await taking;
    await addUser();
  });

  it('does not commit what took too long', async () => {
    await database.close();
    open({ longest: 2_000 });
    const slow = unitOfWork.run(async (tx) => {
      await tx.users.add(aUser());
      await pause(2_100);
    });
    await expect(slow).rejects.toEqual(refusal('service/unavailable'));
    expect(await countUsers()).toBe(0);
    await addUser();
    expect(await countUsers()).toBe(1);
  });

  it('refuses what does not fit on its disk, and what is our own fault stays a fault', async () => {
    await straight.query(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no' using errcode = new.email; end $$`);
    await straight.query('create trigger fail before insert on users for each row execute function fail()');
    const failing = (code: string) => unitOfWork.run((tx) => tx.users.add(aUser({ email: code })));
    await expect(failing('53100')).rejects.toEqual(refusal('service/storage-full'));
    for (const code of ['08006', '28000', '28P01', '3D000', '53200', '57014', '57P04', '58030']) {
      await expect(failing(code)).rejects.toEqual(away);
    }
    const fault = failing('22003').catch((error: unknown) => error);
    expect(isDomainError(await fault)).toBe(false);
  });

  it('is away for a read that waits for a lock too long, and a write that does is decided again', async () => {
    const locked = new pg.Client({ connectionString: url });
    await locked.connect();
    await locked.query('begin; lock table users in access exclusive mode');
    await expect(unitOfWork.read((tx) => tx.users.any())).rejects.toEqual(away);
    const write = addUser();
    // Its first attempt waits for five seconds.
    await pause(5_500);
    await locked.query('rollback');
    await locked.end();
    await write;
    expect(await countUsers()).toBe(1);
  });

  it('ends statements that take too long', async () => {
    const settings = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'];
    await straight.query(`create table seen (name text, value text)`);
    const noting = settings.map((name) => `insert into seen values ('${name}', current_setting('${name}'));`).join(' ');
    await straight.query(`create function note() returns trigger language plpgsql as
      $$ begin ${noting} return new; end $$`);
    await straight.query('create trigger note before insert on users for each row execute function note()');
    await addUser();
    const { rows } = await straight.query('select name, value from seen');
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({
      lock_timeout: '5s',
      statement_timeout: '15s',
      idle_in_transaction_session_timeout: '15s',
    });
  });
});
