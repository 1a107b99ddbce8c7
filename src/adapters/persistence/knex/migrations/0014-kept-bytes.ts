import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { displace, place, type Trigger, tablesOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

/** Rows that keep bytes, as SQL of one row. */
interface Keeping {
  readonly table: string;
  readonly bytes: (row: string) => string;
  readonly organization: (row: string) => string;
  /** Columns that change how many; a table without any is never updated. */
  readonly changes: readonly string[];
}

const ofWorkspace = (row: string) => `(select w.organization_id from workspaces as w where w.id = ${row}.workspace_id)`;

const keeping: readonly Keeping[] = [
  {
    table: 'configuration_versions',
    bytes: (row) => `coalesce(${row}.bundle_bytes, 0)`,
    organization: ofWorkspace,
    changes: ['bundle_bytes'],
  },
  {
    table: 'runs',
    // The release before gives files up, and knows nothing of their size.
    bytes: (row) => `case when ${row}.own_files is null then 0 else coalesce(${row}.own_files_bytes, 0) end`,
    organization: ofWorkspace,
    changes: ['own_files', 'own_files_bytes'],
  },
  {
    table: 'state_versions',
    // A state is announced with its size before it is there.
    bytes: (row) => `case when ${row}.bundle_key is null then 0 else ${row}.size end`,
    organization: ofWorkspace,
    changes: ['bundle_key', 'size'],
  },
  {
    table: 'run_artifacts',
    bytes: (row) => `${row}.bundle_bytes`,
    organization: (row) =>
      `(select w.organization_id from runs as r join workspaces as w on w.id = r.workspace_id where r.id = ${row}.run_id)`,
    changes: [],
  },
  {
    table: 'policy_codes',
    bytes: (row) => `octet_length(${row}.code)`,
    organization: (row) => `${row}.organization_id`,
    changes: [],
  },
];

/** Every row that keeps something: `organization_id` and `bytes`. */
export const keptRows = keeping
  .map(
    ({ table, bytes, organization }) =>
      `select ${organization('f')} as organization_id, ${bytes('f')} as bytes from ${table} as f where ${bytes('f')} > 0`,
  )
  .join(' union all ');

const count = (selected: string): string =>
  `insert into kept_bytes (organization_id, bytes) ${selected}
     on conflict (organization_id) do update set bytes = kept_bytes.bytes + excluded.bytes`;

const counting = ({ table: on, bytes, organization, changes }: Keeping): Readonly<Record<string, Trigger>> => {
  const more = (row: string, difference: string) => [
    count(`select ${organization(row)}, ${difference} where ${difference} <> 0`),
  ];
  return {
    [`${on}_kept`]: { on, at: 'insert', statements: more('new', bytes('new')) },
    ...(changes.length > 0 && {
      [`${on}_kept_otherwise`]: { on, at: { changes }, statements: more('new', `${bytes('new')} - ${bytes('old')}`) },
    }),
    [`${on}_kept_no_more`]: {
      on,
      at: 'delete',
      statements: more('old', `0 - ${bytes('old')}`),
      together: [
        count(
          `select ${organization('f')}, 0 - sum(${bytes('f')}) from gone as f group by 1 having sum(${bytes('f')}) <> 0`,
        ),
      ],
    },
  };
};

const triggers: Readonly<Record<string, Trigger>> = Object.assign({}, ...keeping.map(counting));

/** How many bytes each organization keeps, counted by the database itself: no statement that writes a row can forget it. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, {
    changed: ['runs'],
    referredTo: ['configuration_versions', 'state_versions', 'run_artifacts', 'policy_codes', 'organizations'],
  });
  await knex.schema.alterTable('runs', (table) => {
    table.bigInteger('own_files_bytes');
  });
  await knex.schema.createTable('kept_bytes', (table) => {
    column(table).reference('organization_id', 'organizations.id').onDelete('cascade').primary();
    table.bigInteger('bytes').notNullable();
  });
  await knex.raw('create index kept_bytes_largest on kept_bytes (bytes)');
  await knex.raw(
    `insert into kept_bytes (organization_id, bytes)
       select k.organization_id, sum(k.bytes) from (${keptRows}) as k group by k.organization_id`,
  );
  await place(knex, triggers);
}

export async function down(knex: Knex): Promise<void> {
  await displace(knex, tablesOf(triggers));
  await knex.schema.dropTable('kept_bytes');
  await knex.raw('alter table runs drop column own_files_bytes');
}
