import { join } from 'node:path';
import { postgresConfig, sqliteConfig } from './src/adapters/persistence/knex/migrations/migrate.js';
import { migrationSource } from './src/adapters/persistence/knex/migrations/migration-source.js';

const { DATABASE_URL: url, DATA_DIR: directory = './data' } = process.env;

/** For the `knex` command line; the service migrates by itself when it starts. */
export default {
  ...(url ? postgresConfig(url) : sqliteConfig(join(directory, 'gatehouse.sqlite'))),
  migrations: { migrationSource },
};
