import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Effect, UnitOfWork } from '../../src/application/index.js';
import { afterNoon, unique } from '../support/builders.js';
import { freshDatabase, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';

const discard: Effect = { kind: 'discard-bundle', bundleKey: 'bundle-1' };
const purge: Effect = { kind: 'purge-backing-data', versionId: 'cv-1' };

type Heard = (readonly string[] | undefined)[];

const hearing = (database: KnexDatabase): Heard => {
  const heard: Heard = [];
  database.hearOrders((kinds) => heard.push(kinds));
  return heard;
};

const order = ({ unitOfWork }: { unitOfWork: UnitOfWork }, notBefore?: string, ...effects: readonly Effect[]) =>
  unitOfWork.run((tx) => tx.effects.enqueue(unique('subject'), effects, notBefore));

/** Asserts that the listener is notified of committed effects that are due, and of nothing else. */
async function tellsWhatIsCommitted(database: KnexDatabase, heard: Heard): Promise<void> {
  await order(database, undefined, discard, purge, discard);
  expect(heard).toEqual([['discard-bundle', 'purge-backing-data']]);
  await order(database, afterNoon(1), purge);
  const refused = database.unitOfWork.run(async (tx) => {
    await tx.effects.enqueue('subject', [discard]);
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  await database.unitOfWork.run((tx) => tx.users.any());
  expect(heard).toHaveLength(1);
}

describe('orders on SQLite', () => {
  let directory: string;
  let database: KnexDatabase;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const file = join(directory, 'test.sqlite');
    await makeMigrated(file);
    database = openSqlite(file);
  });

  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  it('notify when they are committed', () => tellsWhatIsCommitted(database, hearing(database)));
});

(skipPostgres ? describe.skip : describe)('orders on Postgres', () => {
  let url: string;
  let drop: () => Promise<void>;
  let databases: KnexDatabase[];

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase());
    databases = [];
  });

  afterEach(async () => {
    for (const database of databases) await database.close();
    await drop();
  });

  const open = (): KnexDatabase => {
    const database = openPostgres(url, { poolSize: 2 });
    databases.push(database);
    return database;
  };
  /** Once its own connection listens, it reports that orders may have been missed. */
  const listening = async (heard: Heard): Promise<void> => {
    await until('it listens', async () => heard.includes(undefined));
    heard.length = 0;
  };

  it('notify their own process as soon as they are committed', async () => {
    const database = open();
    const heard = hearing(database);
    await listening(heard);
    await tellsWhatIsCommitted(database, heard);
  });

  it('notify other processes, once, and the ordering process not a second time', async () => {
    const [one, other] = [open(), open()];
    const [heard, heardThere] = [hearing(one), hearing(other)];
    await listening(heard);
    await listening(heardThere);
    await order(one, undefined, discard, purge);
    await until('the other is notified', async () => heardThere.length > 0);
    await order(other, undefined, purge);
    await until('the first is notified', async () => heard.length > 1);
    expect(heardThere).toEqual([['discard-bundle', 'purge-backing-data'], ['purge-backing-data']]);
    expect(heard).toEqual([['discard-bundle', 'purge-backing-data'], ['purge-backing-data']]);
  });

  it('are looked for again after the connection that listens was lost', async () => {
    const database = open();
    const heard = hearing(database);
    await listening(heard);
    await onPostgres(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'",
      url,
    );
    await listening(heard);
    const other = open();
    const heardThere = hearing(other);
    await listening(heardThere);
    await order(other, undefined, discard);
    await until('it has heard', async () => heard.length > 0);
    expect(heard).toEqual([['discard-bundle']]);
  });

  it('take no connection of the pool', async () => {
    const database = open();
    await listening(hearing(database));
    expect(database.connections?.()).toEqual({ inUse: 0, idle: 0, waiting: 0 });
  });
});
