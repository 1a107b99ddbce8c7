// Read by the command line of Knex: `npm run knex -- migrate:status`.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// Node takes the types out of this file, and does not find the `.ts` behind an import of `.js`.
register();
const { migrationSource } = await import('./src/adapters/persistence/knex/migrations/migration-source.js');
const { databaseOf, reserve } = await import('./src/infrastructure/cli/commands/migrate.js');
const { loadConfig } = await import('./src/infrastructure/config.js');

const folder = fileURLToPath(new URL('./src/adapters/persistence/knex/migrations/', import.meta.url));
const harmless = ['migrate:status', 'migrate:list', 'migrate:currentVersion', 'migrate:make'];

/** The database of the service, by the same settings. What changes it waits for no service: it is refused while one runs. */
async function connection() {
  const config = loadConfig(process.env);
  const database = await databaseOf(config);
  if (!process.argv.some((word) => harmless.includes(word))) process.once('exit', reserve(config));
  return database;
}

// Knex begins the name of a new migration with the time, and has no setting for that. Ours begin with the next number.
const generator = createRequire(import.meta.url)('knex/lib/migrations/migrate/MigrationGenerator.js').prototype;
generator._absoluteConfigDirs = () => [folder];
generator._getNewMigrationName = (name: string): string => {
  const numbers = readdirSync(folder).map((file) => Number(/^(\d{4})-/.exec(file)?.[1] ?? 0));
  const number = String(Math.max(...numbers) + 1).padStart(4, '0');
  process.stderr.write('List it in migration-source.ts, and its digests in tests/contracts/schema.test.ts.\n');
  return `${number}-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.ts`;
};

export default {
  ...(await connection().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  })),
  migrations: {
    // Knex lists what is pending by the `file` of each.
    migrationSource: {
      getMigrations: async () => (await migrationSource.getMigrations([])).map((file) => ({ file })),
      getMigrationName: ({ file }: { readonly file: string }) => file,
      getMigration: ({ file }: { readonly file: string }) => migrationSource.getMigration(file),
    },
    extension: 'ts',
    stub: fileURLToPath(new URL('./scripts/migration.stub', import.meta.url)),
  },
};
