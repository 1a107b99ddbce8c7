declare const kept: unique symbol;
/** The type of a column. A text or a number may be used directly; words convert the others. */
type Cell = { readonly [kept]: never } | undefined;

type Row = Readonly<Record<string, Cell>>;

type Said<T> = T extends string | number ? T | Cell : T extends object ? { readonly [K in keyof T]: Said<T[K]> } : T;

type Literal<T> = (row: Row, as: As) => Said<T>;

interface As {
  /** SQLite has no booleans. */
  flag(cell: Cell): boolean;
  /** Postgres returns a bigint as text. */
  number(cell: Cell): number;
  json<T>(cell: Cell): T;
  /** Null where the cell is. */
  group<T extends object>(present: Cell, members: T): T | null;
  /** From another table, or covered by another member: not a column of its own. */
  joined<T = Cell>(cell: Cell, read?: (value: never) => T): T;
  /** From columns that `read` knows and that the code writing the row adds. */
  read<Kept, T>(row: Row, columns: readonly string[], read: (row: Kept) => T): T;
}

export interface Members<T> {
  readonly columns: readonly string[];
  readonly write: (value: T | null) => Values;
}

export interface Rows<T> extends Members<T> {
  /** For the literal of a row that has more members. */
  readonly literal: Literal<T>;
  readonly read: (row: object) => T;
  only<Member extends keyof T>(...members: readonly Member[]): Members<Pick<T, Member>>;
  except<Member extends keyof T>(...members: readonly Member[]): Members<Omit<T, Member>>;
}

const reading = {
  flag: Boolean,
  number: Number,
  json: (cell: string | null) => (cell === null ? null : JSON.parse(cell)),
  group: (present: unknown, members: object) => (present === null ? null : members),
  joined: (cell: unknown, read?: (value: unknown) => unknown) => (read === undefined ? cell : read(cell)),
  read: (row: unknown, _: unknown, read: (row: unknown) => unknown) => read(row),
} as unknown as As;

/** Stands for a cell while a literal describes itself, without `write` where it is only read. */
type Column = { readonly column: string; readonly write: ((value: unknown) => unknown) | undefined };

const describing = {
  flag: (cell: Column) => cell,
  number: (cell: Column) => cell,
  json: ({ column }: Column) => ({ column, write: JSON.stringify }),
  group: (_: Column, members: object) => members,
  joined: () => [],
  read: (_: unknown, columns: readonly string[]) => columns.map((column) => ({ column, write: undefined })),
} as unknown as As;

const names = new Proxy({} as Row, { get: (_, column) => ({ column, write: (value: unknown) => value }) });

type Values = Readonly<Record<string, unknown>>;
type Place = Column & { readonly member: string; readonly inner: readonly string[] };

function placesIn(said: object, path: readonly string[] = []): Place[] {
  const { column, write } = said as Partial<Column>;
  const [member = '', ...inner] = path;
  if (typeof column === 'string') return [{ column, write, member, inner }];
  return Object.entries(said).flatMap(([name, value]) => placesIn(value, [...path, name]));
}

function membersOf<T>(places: readonly Place[]): Members<T> {
  const write = (value: T | null) => {
    const row: Record<string, unknown> = {};
    for (const { column, write, member, inner } of places) {
      if (write === undefined) continue;
      let found = (value as Values | null)?.[member];
      for (const name of inner) found = (found as Values | null)?.[name];
      row[column] = found == null ? null : write(found);
    }
    return row;
  };
  return { columns: places.map(({ column }) => column), write };
}

/** A row of a table as one literal, which is run to read each row, and once to learn the columns from it. */
export function rowsOf<T extends object>(literal: Literal<T>): Rows<T> {
  const places = placesIn(literal(names, describing));
  const columns = places.map(({ column }) => column);
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) throw new Error(`two members have the column ${twice}`);
  const among = <Some>(members: readonly unknown[], wanted: boolean) =>
    membersOf<Some>(places.filter(({ member }) => members.includes(member) === wanted));
  return {
    ...membersOf<T>(places),
    literal,
    read: (row) => literal(row as Row, reading) as T,
    only: (...members) => among(members, true),
    except: (...members) => among(members, false),
  };
}
