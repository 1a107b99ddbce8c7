import type { Knex } from 'knex';
import type { Compiled, Statements } from './statements.js';

/** Stands for a value while a statement is built. It can be handed on, and nothing else. */
class Slot {
  constructor(
    readonly name: string,
    readonly position?: number,
  ) {}

  [Symbol.toPrimitive](): never {
    throw new Error(`the text of a prepared statement cannot depend on ${this.name}`);
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Part of the text, so never a number that callers choose. */
const limitName = 'limit';

/** The longest list that fits into a statement of either database however it is rounded. */
const maxRounded = 8_192;

/** A power of two, so that lists of any length up to a page's make only a few statements. */
const roomFor = (count: number): number => (count < 2 || count > maxRounded ? count : 2 ** Math.ceil(Math.log2(count)));

/** Throws where a statement is built from all that is there, instead of from what it names. */
const slotsFor = <Given extends Values>(values: Given): Given =>
  new Proxy(values, {
    get: (_, name) => {
      if (!Object.hasOwn(values, name)) throw new Error(`a prepared statement was not given ${String(name)}`);
      const value = values[name as string];
      if (value === undefined || value === null || name === limitName) return value;
      if (!Array.isArray(value)) return new Slot(name as string);
      return Array.from({ length: roomFor(value.length) }, (_, position) => new Slot(name as string, position));
    },
    ownKeys: () => {
      throw new Error('a prepared statement names its values one by one');
    },
  });

const filled = (binding: unknown, values: Values): unknown => {
  if (!(binding instanceof Slot)) return binding;
  const value = values[binding.name];
  if (binding.position === undefined) return value;
  // The places left over repeat the last value: in a list that a column is looked up in, that changes nothing.
  return (value as readonly unknown[])[binding.position] ?? (value as readonly unknown[]).at(-1);
};

/** All of the values that the text may depend on. */
const shapeOf = (values: Values): string => {
  let shape = '';
  for (const name in values) {
    const value = values[name];
    if (value === undefined || value === null || name === limitName) shape += ` ${value} ${name}`;
    else if (Array.isArray(value)) shape += ` ${name} ${roomFor(value.length)}`;
  }
  return shape;
};

/**
 * A statement whose text depends on no value but `limit`, on which of them are undefined or null, and how long the
 * lists among them are. Knex builds it once for each engine, from stand-ins; from then on values are bound to it.
 * Building is what a small query costs most: 10 to 30 µs, where SQLite then answers in 3.
 */
export function prepared<Given extends Values>(
  build: (sql: Knex, values: Given) => { toSQL(): Knex.Sql },
  { short = false }: Pick<Compiled, 'short'> = {},
): (db: Statements, values: Given) => Compiled {
  const built = new WeakMap<Knex, Map<string, Compiled>>();
  return ({ sql }, values) => {
    const shapes = built.get(sql) ?? new Map<string, Compiled>();
    built.set(sql, shapes);
    const shape = shapeOf(values);
    let known = shapes.get(shape);
    if (known === undefined) {
      known = build(sql, slotsFor(values)).toSQL().toNative();
      shapes.set(shape, known);
    }
    return { sql: known.sql, bindings: known.bindings.map((binding) => filled(binding, values)), recurs: true, short };
  };
}

/** A row with these columns of what a statement is given, named one by one. */
export const columnsFrom = (row: Values, columns: readonly string[]): Values =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

const insertions = new Map<string, (db: Statements, row: Values) => Compiled>();

/** Inserts one row. Its text depends on the names of its columns alone. */
export function inserted(db: Statements, table: string, row: Values): Compiled {
  const columns = Object.keys(row);
  const key = `${table} ${columns.join()}`;
  let insertion = insertions.get(key);
  if (insertion === undefined) {
    insertion = prepared<Values>((sql, values) => sql(table).insert(columnsFrom(values, columns)));
    insertions.set(key, insertion);
  }
  return insertion(db, row);
}
