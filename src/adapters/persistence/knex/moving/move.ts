import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { openedWith, type SecretBox, sealPrefix } from '../../../../application/ports/outside/secret-box.js';
import { refusalOf } from '../engine/postgres-faults.js';
import { isPostgres, migrate, postgresConfig, sqliteConfig } from '../migrate.js';
import { markPrefix, schemaOf, UnusableDatabase } from '../schema.js';
import { PostgresSource, PostgresTarget } from './postgres-side.js';
import type { Source, Target } from './side.js';
import { SqliteSource, SqliteTarget } from './sqlite-side.js';
import { isOfKnex, type NewDatabase, newDatabase, type Row, type Table } from './tables.js';

/** The URL of a Postgres, or the path of a SQLite file. */
export type Place = string;

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** The digest of all rows, equal on both engines. */
  readonly sha256: string;
}

export interface Moved {
  readonly tables: readonly MovedTable[];
  /** Tables of the source that this release does not know. */
  readonly left: readonly string[];
}

export interface MoveOptions {
  /** With the secrets of the service; undefined if it has none yet. */
  readonly box: SecretBox | undefined;
  /** Called for each batch of rows, first while they are copied and again while they are compared. */
  readonly onRows?: (table: string, rows: number, step: 'copied' | 'compared') => void | Promise<void>;
}

const configOf = (place: Place) => (isPostgres(place) ? postgresConfig(place) : sqliteConfig(place));

/** Names the database without the user and the password. */
export function placeWithoutSecrets(place: Place): string {
  if (!isPostgres(place)) return existsSync(place) ? realpathSync(place) : place;
  const { hostname, port, pathname, searchParams } = new URL(place);
  const [host, options] = [searchParams.get('host') ?? hostname, searchParams.get('options')];
  return `postgres://${host}:${port || 5432}${pathname}${options === null ? '' : `?options=${options}`}`;
}

const markOf = (from: Place): string =>
  markPrefix + createHash('sha256').update(placeWithoutSecrets(from)).digest('hex');

/**
 * Moves every row to an empty database, in one transaction of the target: a move that does not end leaves no rows. Until it
 * ends, a mark keeps the target from being used, and tells it apart from a database of another origin. The source does not
 * change. Throws `UnusableDatabase`, or `service/unavailable` if a server does not respond before the first row is moved.
 */
export async function move(from: Place, to: Place, options: MoveOptions): Promise<Moved> {
  try {
    return await moveDatabase(from, to, options);
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

async function moveDatabase(from: Place, to: Place, options: MoveOptions): Promise<Moved> {
  if (placeWithoutSecrets(from) === placeWithoutSecrets(to)) {
    throw new UnusableDatabase('the source and the target are the same database', 'name another target');
  }
  await refuseOtherSchema(from);
  const isMarked = await migrateTarget(to, markOf(from));
  const release = await newDatabase();
  const source = isPostgres(from) ? await PostgresSource.open(from) : SqliteSource.open(from);
  try {
    await refuseOtherSecrets(source, release.tables, options.box);
    const target = isPostgres(to) ? await PostgresTarget.open(to) : SqliteTarget.open(to);
    try {
      await refuseRows(target, release);
      if (!isMarked) await target.mark(markOf(from));
      return await moveRows(source, target, release.tables, markOf(from), options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
    release.connection.close();
  }
}

async function refuseOtherSchema(from: Place): Promise<void> {
  const { missing, refusal } = await schemaOf(configOf(from));
  if (refusal !== undefined) throw refusal;
  if (missing.length > 0) {
    throw new UnusableDatabase(`the source has pending migrations (${missing.join(', ')})`, 'run gatehouse migrate');
  }
}

/** Returns whether an earlier move from the same source marked it. */
async function migrateTarget(to: Place, expected: string): Promise<boolean> {
  const { missing, refusal, isNew, mark } = await schemaOf(configOf(to));
  if (mark !== undefined && (mark !== expected || missing.length > 0)) {
    throw new UnusableDatabase('the target has a move from another source that has not ended', 'create a new database');
  }
  if (mark === undefined && refusal !== undefined) {
    throw new UnusableDatabase(`the target cannot be used: ${refusal.fault}`, 'create a new database');
  }
  if (isNew) await migrate(configOf(to));
  else if (missing.length > 0) {
    const setting = isPostgres(to) ? 'DATABASE_URL' : 'DATA_DIR';
    throw new UnusableDatabase(
      `the target has pending migrations (${missing.join(', ')})`,
      `run gatehouse migrate with ${setting} set to the target`,
    );
  }
  return mark !== undefined;
}

/** More rows than a rotation of the signing secret needs, or a migration writes. */
const few = 1_000;

/** Refuses secrets with which the service would not start on the source, or that open no stored secret. */
async function refuseOtherSecrets(source: Source, tables: readonly Table[], box: MoveOptions['box']): Promise<void> {
  const fingerprints = box?.fingerprints ?? [];
  const keys = tables.filter(({ name }) => name === 'signing_keys');
  const known = (await Promise.all(keys.map((table) => source.first(table, few)))).flat(2);
  const fits = known.length === 0 || fingerprints.some((fingerprint) => known.includes(fingerprint));
  const ours = ["''", ...fingerprints.map((fingerprint) => `'${sealPrefix(fingerprint)}'`)].join(', ');
  let isSealed = false;
  let isOpened = false;
  for (const table of tables.filter(({ columns }) => columns.some(({ name }) => name === 'sealed_by'))) {
    isSealed ||= (await source.first(table, 1, 'sealed_by is not null')).length > 0;
    const [row = []] = await source.first(table, 1, `sealed_by in (${ours})`);
    isOpened ||= row.some((value) => value !== null && box !== undefined && openedWith(box, value) !== undefined);
  }
  if (fits && (!isSealed || isOpened)) return;
  throw new UnusableDatabase(
    'the signing secret does not open what the source has stored',
    'set SIGNING_SECRET, or DATA_DIR with the file signing-secret, as for the service on the source',
  );
}

/** Accepts only the rows that migrations write. */
async function refuseRows(target: Target, { tables, connection }: NewDatabase): Promise<void> {
  const fresh = new SqliteSource(connection);
  for (const table of tables) {
    const expected = await fresh.first(table, few);
    const found = await target.first(table, expected.length + 1);
    if (textOf(found) !== textOf(expected)) {
      throw new UnusableDatabase(`the target is not empty: it has rows in ${table.name}`, 'create a new database');
    }
  }
}

const textOf = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function moveRows(
  source: Source,
  target: Target,
  tables: readonly Table[],
  mark: string,
  { onRows = () => {} }: MoveOptions,
): Promise<Moved> {
  let step = 'before the first table';
  try {
    const left = (await source.tableNames()).filter((name) => !isOfKnex(name) && !tables.some((t) => t.name === name));
    await target.begin(tables);
    for (const table of tables.toReversed()) await target.clear(table);
    const moved = new Map<Table, MovedTable>();
    for (const table of tables) {
      step = `while ${table.name} was copied`;
      const copied = await digested(source, table, async (rows, sum) => {
        await target.write(table, rows);
        await onRows(table.name, sum, 'copied');
      });
      moved.set(table, copied);
      if (table.counted !== undefined) await target.setLastNumber(table, await source.lastNumber(table));
    }
    for (const table of tables) {
      step = `while ${table.name} was compared`;
      const found = await digested(target, table, async (_, sum) => await onRows(table.name, sum, 'compared'));
      refuseDifference(moved.get(table), found);
      if (table.counted === undefined) continue;
      if ((await source.lastNumber(table)) !== (await target.lastNumber(table)))
        throw differs(`counter of ${table.name}`);
    }
    step = 'at its commit';
    await target.commit(tables, mark);
    return { tables: [...moved.values()], left };
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    const { message } = error as Error;
    throw new UnusableDatabase(
      `the move ended ${step}: ${message}`,
      'run it again: it begins from the start, or finds that the target is not empty because the move was complete',
      { cause: error },
    );
  }
}

/** Reads the rows of a table, hands each batch to `use`, and counts and digests them. */
async function digested(
  side: Source,
  table: Table,
  use: (rows: readonly Row[], sum: number) => Promise<void>,
): Promise<MovedTable> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const batch of side.batches(table)) {
    rows += batch.length;
    await use(batch, rows);
    hash.update(textOf(batch));
  }
  return { table: table.name, rows, sha256: hash.digest('hex') };
}

const differs = (what: string) =>
  new UnusableDatabase(`the ${what} is not the same in the source and the target`, 'no row was moved; report this');

function refuseDifference(copied: MovedTable | undefined, found: MovedTable): void {
  if (copied?.rows !== found.rows || copied.sha256 !== found.sha256) {
    throw differs(`table ${found.table} (${copied?.rows} rows, then ${found.rows})`);
  }
}
