import knex, { type Knex } from 'knex';
import { type Migrations, ownMigrations } from './migration-source.js';

/** The database cannot be used as it is, such as one with migrations that this release does not know. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';

  constructor(
    readonly fault: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${fault}; ${remedy}`, options);
  }
}

/** The name of the first pending migration, if any. Throws `UnusableDatabase` if the schema is of another release. */
export function firstPending({ missing, refusal }: Schema): string | undefined {
  if (refusal !== undefined) throw refusal;
  return missing[0];
}

/** The state of the schema relative to this release. */
export interface Schema {
  /** The names of the pending migrations. */
  readonly missing: readonly string[];
  readonly refusal: UnusableDatabase | undefined;
  /** Whether no migration was run. */
  readonly isNew: boolean;
  /** The mark of a move that has not ended. Such a database is refused. */
  readonly mark: string | undefined;
}

/** Begins the names of marks, which are among those of migrations so that other releases refuse them as well. */
export const markPrefix = 'unfinished move ';

/** Changes nothing. */
export async function schemaOf(config: Knex.Config, migrations = ownMigrations): Promise<Schema> {
  const database = knex(config);
  try {
    return await compare(database, migrations);
  } finally {
    await database.destroy();
  }
}

/** As `schemaOf`, on an open database. */
export async function compare(database: Knex, { source }: Migrations): Promise<Schema> {
  const known = await source.getMigrations([]);
  const applied: readonly string[] = (await database.schema.hasTable('knex_migrations'))
    ? await database('knex_migrations').orderBy('id').pluck('name')
    : [];
  const unknown = applied.filter((name) => !known.includes(name));
  const mark = unknown.find((name) => name.startsWith(markPrefix));
  return {
    missing: known.filter((name) => !applied.includes(name)),
    refusal: mark === undefined ? refusalOf(unknown, known) : unfinishedMove(),
    isNew: applied.length === 0,
    mark,
  };
}

const unfinishedMove = () =>
  new UnusableDatabase(
    'a move to this database has not ended',
    'wait for it, or run the same gatehouse move again; or set DATA_DIR or DATABASE_URL to another database',
  );

function refusalOf([first, ...others]: readonly string[], [oldest = '']: readonly string[]) {
  if (first === undefined) return undefined;
  // Names begin with the time.
  return first < oldest
    ? new UnusableDatabase(
        `a version from before the first release created this database (${first})`,
        'its data cannot be migrated: set DATA_DIR or DATABASE_URL to an empty database',
      )
    : new UnusableDatabase(
        `a newer release migrated this database (${[first, ...others].join(', ')})`,
        'start that release, or restore a backup from before the upgrade',
      );
}
