import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { type Moved, type MoveOptions, move } from '../../src/adapters/persistence/knex/moving/move.js';
import { newDatabase, type Table } from '../../src/adapters/persistence/knex/moving/tables.js';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import { noon } from '../support/builders.js';
import { freshDatabase, makeMigrated, onPostgres, skipPostgres } from '../support/databases.js';
import { SmallPooler } from '../support/small-pooler.js';

const box = new SealedSecretBox(['s'.repeat(40)]);
const options: MoveOptions = { box };

interface Described {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** More than are moved at a time. */
const many = 1_300;

/**
 * Writes rows to every table, whatever the schema: one with every column, one without those that may be null, and one with
 * each of them alone. Those that a constraint of their table refuses are left out. The rows differ from those that triggers
 * would write, so that a trigger that fires during a move is noticed.
 */
function fill(file: string, tables: readonly Table[]): void {
  const database = new Database(file);
  database.pragma('foreign_keys = on');
  const triggers = database
    .prepare("select name, sql from sqlite_schema where type = 'trigger' order by rowid")
    .all() as {
    readonly name: string;
    readonly sql: string;
  }[];
  database.exec('begin');
  for (const { name } of triggers) database.exec(`drop trigger ${name}`);
  for (const { name: table } of tables) {
    const described = database.pragma(`table_info(${table})`) as readonly Described[];
    const columns = described.map((column) => ({ ...column, type: column.type.toLowerCase() }));
    const references = database.pragma(`foreign_key_list(${table})`) as readonly {
      readonly id: number;
      readonly table: string;
      readonly from: string;
      readonly to: string;
    }[];
    const referredTo = new Map(
      references.map(({ from, table: other, to }) => [
        from,
        database.prepare(`select "${to}" from ${other} order by rowid`).pluck(),
      ]),
    );
    const referred = (column: string, row: number): unknown => {
      const all = referredTo.get(column)?.all();
      return all?.[row % all.length];
    };
    const makeValue = ({ name, type }: Described, row: number): unknown => {
      const known = referred(name, row);
      if (known !== undefined) return known;
      if (name === 'sealed_by') return `v2.${box.fingerprints[0]}.`;
      if (name === 'sealed_value') return box.seal(`${table} ${row}`);
      if (name === 'fingerprint') return row === 0 ? box.fingerprints[0] : `other ${row}`;
      if (type === 'integer') return 2_147_483_647 - row;
      if (type === 'bigint') return 9_007_199_254_740_993n + BigInt(row);
      if (type === 'boolean') return row % 2;
      if (type === 'blob') return Buffer.from([0, row % 256, 255, 10]);
      return `${table}.${name} ${row} "ü" {a,b} \\N 'x'\n\t😀 NULL`;
    };
    const insert = database.prepare(
      `insert or ignore into ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')})
       values (${columns.map(() => '?').join(', ')})`,
    );
    const alone = columns.filter(({ notnull, pk }) => notnull === 0 && pk === 0);
    const shapes: readonly ((column: Described) => boolean)[] = [
      () => true,
      () => false,
      ...alone.map((only) => (column: Described) => column === only),
    ];
    const rows = table === 'audit_events' ? many : shapes.length;
    for (let row = 0; row < rows; row += 1) {
      const has = shapes[row % shapes.length] ?? (() => true);
      insert.run(columns.map((each) => (!alone.includes(each) || has(each) ? makeValue(each, row) : null)));
    }
  }
  // The row with the last number was deleted.
  database.exec('update sqlite_sequence set seq = seq + 5');
  for (const { sql } of triggers) database.exec(sql);
  database.exec('commit');
  database.close();
}

/** A value as its text, read without the code that moves it. */
const plain = (value: unknown): string | null => {
  if (value === null) return null;
  if (typeof value === 'boolean') return String(Number(value));
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
};

type Contents = Readonly<Record<string, readonly string[]>>;

const sorted = (rows: readonly Record<string, unknown>[]): readonly string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .sort()
          .map(([name, value]) => [name, plain(value)]),
      ),
    )
    .sort();

function contentsOfFile(file: string): Contents {
  const database = new Database(file, { readonly: true });
  database.defaultSafeIntegers();
  const names = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
  const own = names.filter((name) => !/^(knex|sqlite)_/.test(name)).sort();
  const rows = own.map((name) => [name, sorted(database.prepare(`select * from ${name}`).all() as never)]);
  database.close();
  return Object.fromEntries(rows);
}

async function contentsOfServer(url: string): Promise<Contents> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: named } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'knex%' order by 1`,
  );
  const contents: Record<string, readonly string[]> = {};
  for (const { name } of named) contents[name] = sorted((await client.query(`select * from ${name}`)).rows);
  await client.end();
  return contents;
}

const schemaOfFile = (file: string): readonly unknown[] => {
  const database = new Database(file, { readonly: true });
  const schema = database.prepare('select type, name, sql from sqlite_schema order by rowid').all();
  database.close();
  return schema;
};

/** Ends every other session on the database, as a failing network or a stopping server does. */
const endSessions = (url: string) =>
  onPostgres(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    url,
  );

const refusal = (words: RegExp) => ({ name: 'UnusableDatabase', message: expect.stringMatching(words) });

describe('the tables of a new database', () => {
  it('are those that migrations create, each after the tables it refers to', async () => {
    const { tables, connection } = await newDatabase();
    const created = connection.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    expect(tables.map(({ name }) => name).sort()).toEqual(
      created.filter((name) => !/^(knex|sqlite)_/.test(name)).sort(),
    );
    const parents = connection.prepare('select "table" from pragma_foreign_key_list(?)').pluck();
    for (const [place, { name }] of tables.entries()) {
      const before = tables.slice(0, place).map((table) => table.name);
      expect(before).toEqual(expect.arrayContaining(parents.all(name)));
    }
    connection.close();
  });
});

const filled = async (directory: string): Promise<string> => {
  const { tables, connection } = await newDatabase();
  connection.close();
  const file = join(directory, 'filled.sqlite');
  await makeMigrated(file);
  fill(file, tables);
  return file;
};

(skipPostgres ? describe.skip : describe)('a database that was moved from SQLite to Postgres and back', () => {
  let directory: string;
  let file: string;
  let returned: string;
  let postgres: Awaited<ReturnType<typeof freshDatabase>>;
  let moved: readonly Moved[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    file = await filled(directory);
    returned = join(directory, 'returned.sqlite');
    postgres = await freshDatabase();
    moved = [await move(file, postgres.url, options), await move(postgres.url, returned, options)];
  });

  afterAll(async () => {
    await postgres.drop();
    await rm(directory, { recursive: true });
  });

  it('has equal rows in every table, and so has its source', async () => {
    const before = contentsOfFile(file);
    const [there, back] = moved;
    expect(Object.keys(before)).toEqual(there?.tables.map(({ table }) => table).sort());
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(await contentsOfServer(postgres.url)).toEqual(before);
    expect(contentsOfFile(returned)).toEqual(before);
    expect(back).toEqual(there);
  });

  it('has the schema of a new database, with its triggers and without a mark', async () => {
    const off = await onPostgres("select tgname from pg_trigger where tgenabled <> 'O'", postgres.url);
    expect(off).toEqual([]);
    expect(schemaOfFile(returned)).toEqual(schemaOfFile(file));
    for (const database of [openPostgres(postgres.url), openSqlite(returned)]) {
      expect(await database.schema()).toEqual({ missing: [], refusal: undefined, isNew: false, mark: undefined });
      await database.close();
    }
  });

  it('reaches another Postgres, which is new, and writes to its source wait meanwhile', async () => {
    const other = await freshDatabase();
    await onPostgres('drop schema public cascade; create schema public', other.url);
    await onPostgres('create table own_notes (id int)', postgres.url);
    const writer = new pg.Client({ connectionString: postgres.url });
    const refused: string[] = [];
    const onRows: MoveOptions['onRows'] = async (table, _, step) => {
      if (table !== 'users' || step !== 'copied') return;
      await writer.connect();
      await writer.query('set lock_timeout = 50');
      await writer.query('delete from sessions').catch(({ message }: Error) => refused.push(message));
      await writer.end();
    };
    const { left } = await move(postgres.url, other.url, { box, onRows });
    expect(refused).toEqual([expect.stringContaining('lock timeout')]);
    await onPostgres('drop table own_notes', postgres.url);
    expect(left).toEqual(['own_notes']);
    expect(await contentsOfServer(other.url)).toEqual(contentsOfFile(file));
    await other.drop();
  });

  it('goes on counting after the last number that the source gave', async () => {
    const source = new Database(file, { readonly: true });
    const last = source.prepare("select seq from sqlite_sequence where name = 'effects'").pluck().get() as number;
    source.close();
    for (const database of [openPostgres(postgres.url), openSqlite(returned)]) {
      const bundleKey = 'the next one';
      await database.unitOfWork.run((tx) => tx.effects.enqueue('next', [{ kind: 'discard-bundle', bundleKey }]));
      const due = await database.unitOfWork.read((tx) => tx.effects.due(noon, ['discard-bundle'], 10));
      expect(due.map(({ id }) => id)).toEqual([last + 1]);
      await database.close();
    }
  });
});

(skipPostgres ? describe.skip : describe)('moving a database', () => {
  let directory: string;
  let file: string;
  let postgres: Awaited<ReturnType<typeof freshDatabase>>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    file = await filled(directory);
  });

  afterAll(() => rm(directory, { recursive: true }));

  beforeEach(async () => {
    postgres = await freshDatabase();
  });

  afterEach(() => postgres.drop());

  it('to Postgres leaves no row when its connection ends, and can be repeated', async () => {
    const seen: string[] = [];
    const onRows: MoveOptions['onRows'] = async (table, rows) => {
      seen.push(table);
      if (table === 'audit_events' && rows > 500) await endSessions(postgres.url);
    };
    await expect(move(file, postgres.url, { box, onRows })).rejects.toMatchObject(
      refusal(/while audit_events was copied/),
    );
    expect(seen).toContain('organizations');
    expect(await onPostgres('select * from organizations', postgres.url)).toEqual([]);
    const unfinished = openPostgres(postgres.url);
    await expect(unfinished.migrate()).rejects.toMatchObject(refusal(/^a move to this database has not ended; wait/));
    await unfinished.close();
    const other = join(directory, 'other.sqlite');
    await makeMigrated(other);
    await expect(move(other, postgres.url, options)).rejects.toMatchObject(refusal(/from another source/));

    await move(file, postgres.url, options);
    expect(await contentsOfServer(postgres.url)).toEqual(contentsOfFile(file));
  });

  it('to SQLite leaves no row when its source ends the connection, and can be repeated', async () => {
    await move(file, postgres.url, options);
    const target = join(directory, 'cut.sqlite');
    for (const step of ['copied', 'compared']) {
      const onRows: MoveOptions['onRows'] = async (table, _, at) => {
        if (table === 'effects' && at === step) await endSessions(postgres.url);
      };
      await expect(move(postgres.url, target, { box, onRows })).rejects.toMatchObject(refusal(/^the move ended while/));
      const unfinished = openSqlite(target);
      await expect(unfinished.migrate()).rejects.toMatchObject(refusal(/^a move to this database has not ended; wait/));
      await unfinished.close();
      expect(contentsOfFile(target).organizations).toEqual([]);
    }
    await move(postgres.url, target, options);
    expect(contentsOfFile(target)).toEqual(contentsOfFile(file));
  });

  it('is refused by a target with rows, and changes none', async () => {
    const target = openPostgres(postgres.url);
    await onPostgres(`insert into request_rates values ('one', '{}', '')`, postgres.url);
    await target.close();
    await expect(move(file, postgres.url, options)).rejects.toMatchObject(
      refusal(/^the target is not empty: it has rows in request_rates/),
    );
    await onPostgres('delete from request_rates; delete from audit_horizon', postgres.url);
    await expect(move(file, postgres.url, options)).rejects.toMatchObject(refusal(/rows in audit_horizon/));
    expect(await onPostgres('select * from knex_migrations where batch = 0', postgres.url)).toEqual([]);
  });

  it('is refused while another session uses either side', async () => {
    const session = new pg.Client({ connectionString: postgres.url });
    await session.connect();
    await Promise.all([
      expect(move(file, postgres.url, options)).rejects.toMatchObject(refusal(/^the target is in use: \d other/)),
      expect(move(postgres.url, join(directory, 'unused.sqlite'), options)).rejects.toMatchObject(
        refusal(/^the source is in use: \d other/),
      ),
    ]);
    await session.end();
  });

  it('is refused behind a pooler, on either side', async () => {
    const pooler = await SmallPooler.open(postgres.url, 'session');
    const refused = (side: string) => refusal(new RegExp(`^a pooler stands before the ${side}; name an address`));
    await expect(move(file, pooler.url, options)).rejects.toMatchObject(refused('target'));
    await expect(move(pooler.url, join(directory, 'unused.sqlite'), options)).rejects.toMatchObject(refused('source'));
    await pooler.close();
  });

  it('is refused with a secret that the service on the source would not start with', async () => {
    for (const other of [undefined, new SealedSecretBox(['o'.repeat(40)])]) {
      await expect(move(file, postgres.url, { box: other })).rejects.toMatchObject(refusal(/^the signing secret/));
    }
    const forgetful = join(directory, 'forgetful.sqlite');
    await copyFile(file, forgetful);
    const database = new Database(forgetful);
    database.exec('delete from signing_keys');
    const lost = { box: new SealedSecretBox(['o'.repeat(40)]) };
    await expect(move(forgetful, postgres.url, lost)).rejects.toMatchObject(refusal(/^the signing secret/));
    // Nothing is stored with a secret.
    for (const table of ['variables', 'variable_set_variables', 'policy_set_parameters', 'state_version_outputs']) {
      database.exec(`delete from ${table}`);
    }
    database.close();
    await move(forgetful, postgres.url, lost);
  });

  it('is refused if a migration is missing on either side, with the command to run', async () => {
    const old = join(directory, 'old.sqlite');
    new Database(old).close();
    await expect(move(old, postgres.url, options)).rejects.toMatchObject(
      refusal(/^the source has pending migrations \(.+\); run gatehouse migrate$/),
    );
    await onPostgres(`update knex_migrations set name = 'unknown.ts'`, postgres.url);
    await expect(move(file, postgres.url, options)).rejects.toMatchObject(
      refusal(/^the target cannot be used: a newer/),
    );
    await expect(move(file, file, options)).rejects.toMatchObject(refusal(/are the same database/));
  });

  it('names the table that is not the same afterwards', async () => {
    const rule = 'create rule lose as on insert to run_comments where new.id like $$% 1 %$$ do instead nothing';
    await onPostgres(rule, postgres.url);
    await expect(move(file, postgres.url, options)).rejects.toMatchObject(
      refusal(/^the table run_comments \(2 rows, then 1\) is not the same/),
    );
    expect(await onPostgres('select * from run_comments', postgres.url)).toEqual([]);
  });
});
