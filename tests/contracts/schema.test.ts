import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import knex, { type Knex } from 'knex';
import { postgresConfig, sqliteConfig } from '../../src/adapters/persistence/knex/migrations/migrate.js';
import { migrationSource } from '../../src/adapters/persistence/knex/migrations/migration-source.js';
import { freshSchema, skipPostgres } from '../support/databases.js';

const folder = new URL('../../src/adapters/persistence/knex/migrations/', import.meta.url);
const numbered = async () => (await readdir(folder)).filter((file) => /^\d{4}-.*\.ts$/.test(file)).sort();

describe('the migration files', () => {
  it('are all listed in migration-source.ts, in the order of their numbers', async () => {
    const files = await numbered();
    expect(await migrationSource.getMigrations([])).toEqual(files.map((file) => file.replace(/\.ts$/, '')));
    const gapless = files.map((_, at) => String(at + 1).padStart(4, '0'));
    expect(files.map((file) => file.slice(0, 4))).toEqual(gapless);
  });

  it("import Knex's types and the modules that they share, and not each other", async () => {
    // The digests below pin the effect of these; a lock has none.
    const shared = ['columns.ts', 'counted-lists.ts', 'lock-tables.ts'];
    const allowed = [
      "import type { Knex } from 'knex'",
      ...shared.map((file) => `from './${file.replace('.ts', '.js')}'`),
    ];
    for (const file of [...shared, ...(await numbered())]) {
      const text = await readFile(new URL(file, folder), 'utf8');
      const imports =
        text.match(/^(import|export) type .* from .*|\bfrom '.*'|^import '.*|\bimport\(.*|\brequire\(.*/gm) ?? [];
      const others = imports.filter((words) => !allowed.includes(words.replace(/;$/, '')));
      expect([file, others]).toEqual([file, []]);
    }
  });
});

/** The effect of each migration on the schema, on SQLite and on Postgres. A new migration adds its line; a line never changes. */
const changes: Readonly<Record<string, readonly [sqlite: string, pg: string]>> = {
  '0001-initial': ['ce55c7729b65719c', '47b9e5e19afab511'],
  '0002-runs': ['55be6d90a8d1c2b9', '1fdcfd3772a99196'],
  '0003-instances': ['27fa0328dd8a6e44', '53bc153699e0b965'],
  '0004-lists': ['7073ce7c5808c901', 'ed342b995745aaaf'],
  '0005-more-lists': ['f5676367717d5574', 'e1d26faf00edc8d1'],
  '0006-audit-events': ['0b3b1e5570cea55e', 'b71c76a8ec08a87c'],
  '0007-audit-events-whole': ['e3b0c44298fc1c14', 'f0443701d8e17b8e'],
  '0008-variables': ['5c6524423b48830b', '29ed73803dbe4557'],
  '0009-state-versions': ['b64df41800c28d75', 'ac051801013b949e'],
  '0010-policies': ['6bd97f14cc28b08e', 'd03ba2b4eb4dad3a'],
  '0011-run-queue': ['127dbd721a75cf69', '4ff5faaabcc206eb'],
  '0012-agent-pool-kinds': ['787bc0720ac72a82', '2d6722913b04e973'],
  '0013-tokens': ['0926ea75f36ab2c6', '802355e00bc46124'],
  '0014-kept-bytes': ['5a2386dcfefe3a96', 'e26901f46e780bfa'],
  '0015-invitations-and-team-names': ['993f4180a57eeb9c', 'a7bbced6f5e23e8e'],
  '0016-short-lists': ['23e5154612bfef7d', 'f5e6e5a6f24cfbe9'],
  '0017-states-of-clients': ['526fc85ec34b475c', '8324e1a6ea0c009e'],
  '0018-attributes-of-clients': ['ca7f063649d7a7b1', 'd99e781162ec17ae'],
  '0019-attributes': ['c5e1ed99aa28c32d', '4c23516cd7c294b1'],
  '0020-filters': ['480c040524f5b541', 'b2c58b4180ea15f0'],
  '0021-projects': ['cfc20c5b8fe10c21', 'de7f2fd1d6911629'],
  '0022-team-projects': ['e31e3a7a61e9d0f0', '0fd2e469c90471d6'],
  '0023-tags': ['05fa71434ae7a1a5', '526c67304c62b36e'],
  '0024-variable-sets': ['b0c73b6512f43fcd', '36f3ab827739b10a'],
  '0025-run-tasks': ['dcd72c1bae0301cf', 'dfc37323203b4748'],
  '0026-policy-set-versions': ['7221b8a06a48fe9d', '2eafba86620ff7ec'],
  '0027-comments-and-retention': ['2bdddc2284534071', 'e5027e4b6bb77cd1'],
  '0028-auto-destroy': ['ee13181704956027', '68ed1e3af897cacb'],
  '0029-sign-in': ['8162ea0e459700ad', 'ef9d5568a754f64a'],
  '0030-terraform-login': ['52d27ba5473b499b', '7135ded304ccd09e'],
  '0031-versioned-policy-sets': ['1d66ada88e8c526f', '84a2c1968c214127'],
  '0032-policy-set-repositories': ['3b2ca87850c2a953', '84af860ece443d19'],
  '0033-team-groups': ['c12c3b4846ae5206', '355c484a0552e575'],
  '0034-runs-listed-at-once': ['70b30fe36f696eb6', '981d0e272a55f2fa'],
  '0035-effects-in-lanes': ['1ac7cc57ebfb084a', 'c866f4fe58c2075e'],
  '0036-identities': ['8160aea1b420757e', 'f89181595360f308'],
  '0037-organization-switches': ['9f86425e8404b161', '9abdae0c8d1f1522'],
  '0038-state-warnings': ['aca6d721f9076f39', 'ced52b417a16bf7f'],
};

/** One line for each column, constraint, index, trigger and function. */
const objects = {
  sqlite: [
    `select 'column ' || t.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '-')
       || ' ' || c.pk as line from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'`,
    `select 'reference ' || t.name || ' ' || r."from" || ' ' || r."table" || ' ' || r."to" || ' ' || r.on_delete as line
       from sqlite_schema t, pragma_foreign_key_list(t.name) r where t.type = 'table'`,
    `select type || ' ' || name || ' ' || coalesce(sql, tbl_name) as line from sqlite_schema where type <> 'table'`,
  ],
  pg: [
    `select concat_ws(' ', 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default) as line
       from information_schema.columns where table_schema = current_schema()`,
    `select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
       from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'`,
    `select 'index ' || indexdef as line from pg_indexes where schemaname = current_schema()`,
    `select 'trigger ' || pg_get_triggerdef(t.oid) as line from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal`,
    `select 'function ' || pg_get_functiondef(oid) as line from pg_proc where pronamespace = current_schema()::regnamespace`,
  ],
} as const;

async function linesOf(database: Knex, engine: keyof typeof objects): Promise<ReadonlySet<string>> {
  const lines: string[] = [];
  const schema = engine === 'pg' ? (await database.raw('select current_schema() as name')).rows[0].name : '';
  for (const query of objects[engine]) {
    const answer = await database.raw(query);
    const rows: readonly { readonly line: string }[] = answer.rows ?? answer;
    for (const { line } of rows) {
      const told = schema === '' ? line : line.replaceAll(`${schema}.`, '');
      if (!/\bknex_migrations|sqlite_sequence/.test(told)) lines.push(told.replace(/\s+/g, ' '));
    }
  }
  return new Set(lines);
}

const digest = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);

const engines = [
  {
    name: 'SQLite',
    engine: 'sqlite' as const,
    skip: false,
    open: async () => ({ config: sqliteConfig(':memory:'), drop: async () => {} }),
  },
  {
    name: 'Postgres',
    engine: 'pg' as const,
    skip: skipPostgres,
    open: async () => {
      const { url, drop } = await freshSchema();
      return { config: postgresConfig(url), drop };
    },
  },
];

for (const [index, { name, engine, skip, open }] of engines.entries()) {
  (skip ? describe.skip : describe)(`the schema on ${name}`, () => {
    let database: Knex;
    let drop: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      drop = opened.drop;
      database = knex(opened.config);
    });

    afterEach(async () => {
      await database.destroy();
      await drop();
    });

    it('is changed by each migration as it was when the migration was new', async () => {
      const made: Record<string, string> = {};
      let before: ReadonlySet<string> = new Set();
      for (const migration of await migrationSource.getMigrations([])) {
        await database.migrate.up({ migrationSource });
        const after = await linesOf(database, engine);
        const removed = [...before].filter((line) => !after.has(line)).map((line) => `- ${line}`);
        const added = [...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`);
        made[migration] = digest([...removed.sort(), ...added.sort()]);
        before = after;
      }
      expect(made).toEqual(
        Object.fromEntries(Object.entries(changes).map(([migration, digests]) => [migration, digests[index]])),
      );
    });
  });
}
