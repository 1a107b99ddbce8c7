import type { Knex } from 'knex';

// Several migrations use these functions, so their effect never changes: the digests in tests/contracts/schema.test.ts pin it.
// A migration that needs another effect brings its own function.

/** Rows whose number in each list they are in is kept, so that a page of a long list need not count them. */
export interface Counted {
  readonly table: string;
  /** Which decide what lists a row is in. */
  readonly columns: readonly string[];
  /** By the word a list's name begins with: the column (or the literal) that ends it, and which rows are in it. */
  readonly lists: Readonly<Record<string, readonly [of: string, where: (row: string) => string]>>;
}

export interface Trigger {
  readonly on: string;
  readonly at: 'insert' | 'delete' | { readonly changes: readonly string[] };
  readonly statements: readonly string[];
  /** The statements Postgres runs on a deletion instead, once for all rows of a statement. */
  readonly together?: readonly string[];
}

const listsOf = ({ lists }: Counted) =>
  Object.entries(lists).map(([name, [of, where]]) => ({
    nameFor: (row: string) => `'${name} ' || ${of.startsWith("'") ? of : `${row}.${of}`}`,
    where,
  }));

const added = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ nameFor, where }) =>
      `insert into list_sizes (list, size) select ${nameFor('new')}, 1 where ${where('new')}
       on conflict (list) do update set size = list_sizes.size + 1`,
  );

const taken = (list: Counted): readonly string[] =>
  listsOf(list).flatMap(({ nameFor, where }) => {
    const its = `where list = ${nameFor('old')}`;
    return [
      `update list_sizes set size = size - 1 ${its} and ${where('old')}`,
      `delete from list_sizes ${its} and size = 0`,
    ];
  });

/** The same of all rows that one statement deleted: thousands at a time, when an organization goes. */
const gone = (list: Counted): readonly string[] =>
  listsOf(list).flatMap(({ nameFor, where }) => [
    `update list_sizes as s set size = s.size - g.n
       from (select ${nameFor('r')} as list, count(*) as n from gone as r where ${where('r')} group by 1) as g
       where s.list = g.list`,
    `delete from list_sizes as s using (select distinct ${nameFor('r')} as list from gone as r) as g
       where s.list = g.list and s.size = 0`,
  ]);

export const counts = (list: Counted): readonly string[] =>
  listsOf(list).map(
    ({ nameFor, where }) =>
      `insert into list_sizes (list, size)
       select ${nameFor('r')}, count(*) from ${list.table} as r where ${where('r')} group by 1`,
  );

/** The triggers that keep these lists counted, under names that begin with `name`. */
export const counting = (list: Counted, name = list.table): Readonly<Record<string, Trigger>> => {
  const { table: on, columns: changes } = list;
  return {
    [`${name}_added`]: { on, at: 'insert', statements: added(list) },
    // A row whose columns cannot change never moves.
    ...(changes.length > 0 && {
      [`${name}_moved`]: { on, at: { changes }, statements: [...taken(list), ...added(list)] },
    }),
    [`${name}_taken`]: { on, at: 'delete', statements: taken(list), together: gone(list) },
  };
};

/** Columns are named in statements that leave them as they are. */
export const changed = (columns: readonly string[]): string =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');

const perRow = (name: string, { on, at }: Trigger): string => {
  const [event, condition] =
    typeof at === 'string' ? [at, ''] : [`update of ${at.changes.join(', ')}`, `when (${changed(at.changes)})`];
  return `create trigger ${name} after ${event} on ${on} for each row ${condition}`;
};

const onSqlite = (name: string, trigger: Trigger): string =>
  `${perRow(name, trigger)} begin ${trigger.statements.map((statement) => `${statement};`).join(' ')} end`;

export const postgresFunction = (name: string, statements: readonly string[], result = 'null'): string =>
  `create function ${name}() returns trigger language plpgsql as
     $$ begin ${statements.map((statement) => `${statement};`).join(' ')} return ${result}; end $$`;

const onPostgres = (name: string, trigger: Trigger): readonly string[] => {
  const { on, statements, together } = trigger;
  if (together === undefined) {
    return [postgresFunction(name, statements), `${perRow(name, trigger)} execute function ${name}()`];
  }
  return [
    postgresFunction(name, together),
    `create trigger ${name} after delete on ${on} referencing old table as gone
       for each statement execute function ${name}()`,
  ];
};

export const nameOf = (index: string): string => index.split(' ')[1] as string;

export async function place(knex: Knex, placed: Readonly<Record<string, Trigger>>): Promise<void> {
  for (const [name, trigger] of Object.entries(placed)) {
    if (knex.client.driverName !== 'pg') await knex.raw(onSqlite(name, trigger));
    else for (const statement of onPostgres(name, trigger)) await knex.raw(statement);
  }
}

/** By their names: the tables they are on. */
export async function displace(knex: Knex, placed: Readonly<Record<string, string>>): Promise<void> {
  const postgres = knex.client.driverName === 'pg';
  for (const [name, on] of Object.entries(placed)) {
    await knex.raw(`drop trigger ${name}${postgres ? ` on ${on}` : ''}`);
    if (postgres) await knex.raw(`drop function ${name}()`);
  }
}

export const tablesOf = (placed: Readonly<Record<string, Trigger>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(placed).map(([name, { on }]) => [name, on]));
