import { existsSync } from 'node:fs';
import { openPostgres, openSqlite } from '../adapters/persistence/knex/knex-database.js';
import { backUp, dataDirectory, OperatorError } from './backup.js';
import { type Config, ConfigError, loadConfig } from './config.js';
import { forOperator, openBundleStore, StartError } from './service.js';
import { type Fault, faultOf, storedBytes } from './stored-bundles.js';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const usage = `Usage: npm run backup -- DIRECTORY   copies SQLite and archives into a new directory
       npm run verify                reads every archive, and says which are missing or not what was uploaded

Both read the service's environment, and may be used while it runs.`;

async function backup(config: Config, directory: string): Promise<void> {
  if (config.DATABASE_URL !== undefined || config.ARCHIVE_STORE !== 'file') {
    throw new OperatorError('this copies SQLite and files; docs/operations.md says how to copy Postgres and a bucket');
  }
  say(`${directory} holds the database and ${await backUp(config.DATA_DIR, directory)} archives`);
}

const said: Readonly<Record<Fault['what'], string>> = {
  missing: 'is missing',
  'other bytes': 'holds other bytes',
  unreadable: 'cannot be read',
};

/** Answers how many faults there are. */
async function verify(config: Config): Promise<number> {
  const { database: file } = dataDirectory(config.DATA_DIR);
  if (config.DATABASE_URL === undefined && !existsSync(file)) throw new OperatorError(`there is no ${file}`);
  const database = config.DATABASE_URL === undefined ? openSqlite(file) : openPostgres(config.DATABASE_URL);
  const store = await openBundleStore(config, { error: (_fields: unknown, text?: string) => say(String(text)) });
  let good = 0;
  let bad = 0;
  try {
    for await (const stored of storedBytes(database.unitOfWork)) {
      const fault = await faultOf(stored, database.unitOfWork, store);
      if (fault === undefined) good += 1;
      else {
        bad += 1;
        const sentence = `${fault.of}: ${fault.key} ${said[fault.what]}`;
        say(fault.why === undefined ? sentence : `${sentence}: ${fault.why}`);
      }
    }
  } finally {
    await database.close();
  }
  say(`${good} archives are as they were uploaded, ${bad} are not`);
  return bad;
}

async function main([command, ...words]: readonly string[]): Promise<number> {
  const [directory, ...more] = words;
  if (command === 'backup' && directory !== undefined && more.length === 0) {
    await backup(loadConfig(process.env), directory);
    return 0;
  }
  if (command === 'verify' && words.length === 0) return (await verify(loadConfig(process.env))) === 0 ? 0 : 1;
  say(usage);
  return 2;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (thrown: unknown) => {
    const error = forOperator(thrown);
    const known = [ConfigError, OperatorError, StartError].some((kind) => error instanceof kind);
    process.stderr.write(`${known ? (error as Error).message : String((error as Error)?.stack ?? error)}\n`);
    process.exitCode = 1;
  },
);
