import type { Knex } from 'knex';
import { declareFills, type Fill, forgetFills } from './fills.js';
import { lockTables } from './lock-tables.js';
import { placeTriggers, removeTriggers, type Trigger } from './triggers.js';

/** A column whose value follows from others of its row. */
export interface ComputedColumn {
  /** Names its fill, and begins the names of its triggers. */
  readonly name: string;
  readonly table: string;
  /** A column of unique texts; `id` if omitted. */
  readonly key?: string;
  readonly column: string;
  /** The columns that `value` reads. */
  readonly reads: readonly string[];
  /** SQL, in which `row` qualifies the columns. */
  readonly value: (row: string) => string;
}

export const fillOf = ({ name, table, key = 'id', column, value }: ComputedColumn): Fill => ({
  name,
  over: table,
  key,
  statement: (rows) =>
    `update ${table} set ${column} = ${value(table)} where ${rows} and ${column} is distinct from ${value(table)}`,
});

/** The release before does not write the column, so the database does. */
const triggersOf = ({
  name,
  table,
  key = 'id',
  column,
  reads,
  value,
}: ComputedColumn): Readonly<Record<string, Trigger>> => {
  const set = `begin update ${table} set ${column} = ${value('new')} where ${key} = new.${key}; end`;
  const changed = `update of ${reads.join(', ')} on ${table} for each row`;
  return {
    [`${name}_inserted`]: { sqlite: `after insert on ${table} for each row ${set}` },
    [`${name}_changed`]: { sqlite: `after ${changed} ${set}` },
    [`${name}_computed`]: {
      postgres: [`before insert or ${changed}`, `new.${column} := ${value('new')}; return new;`],
    },
  };
};

/** From its commit on, the database writes the column. Call it in the transaction that adds the column. */
export async function computeColumn(knex: Knex, column: ComputedColumn): Promise<void> {
  await lockTables(knex, { changed: column.table });
  await placeTriggers(knex, triggersOf(column));
  await declareFills(knex, fillOf(column));
}

/** Undoes `computeColumn`. */
export async function stopComputing(knex: Knex, column: ComputedColumn): Promise<void> {
  await lockTables(knex, { changed: column.table });
  await removeTriggers(knex, triggersOf(column));
  await forgetFills(knex, fillOf(column));
}
