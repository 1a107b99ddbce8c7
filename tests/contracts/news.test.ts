import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import type { ChangeListener, Effect, Transaction, UnitOfWork } from '../../src/application/index.js';
import { type AuditPlace, inWorkspace } from '../../src/application/ports/repositories/audit-trail.js';
import { doneBySystem } from '../../src/domain/supporting/audit/audit-event.js';
import { aConfigurationVersion, afterNoon, anOrganization, aRun, aWorkspace, unique } from '../support/builders.js';
import { freshDatabase, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';

const discard: Effect = { kind: 'discard-bundle', bundleKey: 'bundle-1' };
const purge: Effect = { kind: 'purge-backing-data', versionId: 'cv-1' };

type Heard = (readonly string[] | undefined)[];

const hearing = (database: KnexDatabase): Heard => {
  const heard: Heard = [];
  database.onChange({ ordered: (kinds) => heard.push(kinds), changed: () => {} });
  return heard;
};

type Listening = Pick<KnexDatabase, 'unitOfWork'> & { readonly hearChanges: (hear: ChangeListener) => void };

const listeningTo = (database: KnexDatabase): Listening => ({
  unitOfWork: database.unitOfWork,
  hearChanges: (changed) => database.onChange({ ordered: () => {}, changed }),
});

const hearingChanges = ({ hearChanges }: Listening): Heard => {
  const heard: Heard = [];
  hearChanges((changes) => heard.push(changes && [...changes].map((change) => change.join(' '))));
  return heard;
};

const organization = anOrganization();
const [first, second] = [aWorkspace(organization), aWorkspace(organization)];

const prepare = ({ unitOfWork }: Pick<KnexDatabase, 'unitOfWork'>) =>
  unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    for (const workspace of [first, second]) await tx.workspaces.add(workspace);
  });

const record = (tx: Transaction, place: AuditPlace) => tx.audit.add(doneBySystem('workspaces/update', 'ws-any'), place);

/** Asserts that the listener is notified of each workspace that a commit changed, once, and of nothing else. */
async function tellsWhatChanged(on: Listening, heard: Heard): Promise<void> {
  const version = aConfigurationVersion(second);
  const run = aRun(second, version.state);
  await on.unitOfWork.run(async (tx) => {
    await tx.configurationVersions.add(version);
    await tx.runs.add(run);
  });
  expect(heard).toEqual([]);
  await on.unitOfWork.run(async (tx) => {
    await record(tx, inWorkspace(first));
    await record(tx, { workspaceId: first.id });
    await tx.runLogs.append(run.state, 'plan', 0, Buffer.from('line'));
  });
  expect(heard).toEqual([[`${first.id} records`, `${second.id} log`]]);
  await on.unitOfWork.run(async (tx) => {
    await record(tx, { workspaceId: second.id });
    await tx.runLogs.append(run.state, 'plan', 4, Buffer.from('line'));
  });
  expect(heard[1]).toEqual([`${second.id} records`]);
  const refused = on.unitOfWork.run(async (tx) => {
    await record(tx, inWorkspace(first));
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  await on.unitOfWork.run(async (tx) => {
    await record(tx, 'site');
    await record(tx, organizationPlace);
    await tx.runLogs.append(run.state, 'plan', 8, Buffer.alloc(0));
  });
  expect(heard).toHaveLength(2);
}

const organizationPlace = { organizationId: organization.id };

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
  // One that failed is due at once when it is retried.
  await database.unitOfWork.run(async (tx) => {
    const [due] = await tx.effects.due(afterNoon(1), ['purge-backing-data'], 1);
    await tx.effects.failed(due?.id ?? 0, 'the disk is full', afterNoon(60));
    await tx.effects.retry(due?.id ?? 0);
  });
  expect(heard.slice(1)).toEqual([['purge-backing-data']]);
}

describe('news on SQLite', () => {
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

  it('are orders, when they are committed', () => tellsWhatIsCommitted(database, hearing(database)));

  it('are changes, when they are committed', async () => {
    await prepare(database);
    const on = listeningTo(database);
    await tellsWhatChanged(on, hearingChanges(on));
  });
});

(skipPostgres ? describe.skip : describe)('news on Postgres', () => {
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

  it('are changes, which notify the process that makes them as soon as they are committed', async () => {
    const database = open();
    await prepare(database);
    const on = listeningTo(database);
    const heard = hearingChanges(on);
    await listening(heard);
    await tellsWhatChanged(on, heard);
  });

  it('are changes, which notify other processes, several in one notification', async () => {
    const [one, other] = [open(), open()];
    await prepare(one);
    const heard = hearingChanges(listeningTo(one));
    const heardThere = hearingChanges(listeningTo(other));
    await listening(heard);
    await listening(heardThere);
    const change = (place: AuditPlace) => one.unitOfWork.run((tx) => record(tx, place));
    await Promise.all([change(inWorkspace(first)), change(inWorkspace(second))]);
    const seen = () => new Set(heardThere.flat());
    await until('the other is notified', async () => seen().size === 2);
    expect(seen()).toEqual(new Set([`${first.id} records`, `${second.id} records`]));
    expect(heard).toHaveLength(2);
  });

  it('are any changes, where there are more than fit into a notification', async () => {
    const [one, other] = [open(), open()];
    await prepare(one);
    const heard = hearingChanges(listeningTo(one));
    const heardThere = hearingChanges(listeningTo(other));
    await listening(heard);
    await listening(heardThere);
    await one.unitOfWork.run(async (tx) => {
      for (let n = 0; n < 2_000; n += 1) await record(tx, { ...organizationPlace, workspaceId: `ws-${n}` });
    });
    await until('the other is notified', async () => heardThere.length > 0);
    expect(heardThere).toEqual([undefined]);
  });

  it('take no connection of the pool', async () => {
    const database = open();
    await listening(hearing(database));
    expect(database.connections?.()).toEqual({ inUse: 0, idle: 0, waiting: 0 });
  });
});
