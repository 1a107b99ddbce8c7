// Read by the command line of Knex: `npm run knex -- migrate:status`.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// Node takes the types out of this file, and does not find the `.ts` behind an import of `.js`.
register();
const { databaseOf, reserve } = await import('./src/infrastructure/cli/commands/migrate.js');
const { loadConfig } = await import('./src/infrastructure/config.js');

const harmless = ['migrate:status', 'migrate:list', 'migrate:currentVersion', 'migrate:make'];

/** The database of the service, by the same settings. What changes it waits for no service: it is refused while one runs. */
async function connection() {
  const config = loadConfig(process.env);
  const database = await databaseOf(config);
  if (!process.argv.some((word) => harmless.includes(word))) process.once('exit', reserve(config));
  return database;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const directory = pathOf('src/adapters/persistence/knex/migrations');

/** The service imports what this list names. */
function listNew(): void {
  const list = `${directory}.ts`;
  const listed = readFileSync(list, 'utf8');
  const added = readdirSync(directory).filter((name) => name.endsWith('.ts') && !listed.includes(`'${name}'`));
  const lines = added.map((name) => `export * as '${name}' from './migrations/${name.replace(/ts$/, 'js')}';\n`);
  appendFileSync(list, lines.join(''));
}

if (process.argv.includes('migrate:make')) process.once('exit', listNew);

export default {
  ...(await connection().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  })),
  migrations: {
    directory,
    extension: 'ts',
    loadExtensions: ['.ts'],
    stub: pathOf('scripts/migration.stub'),
  },
};
