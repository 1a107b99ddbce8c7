import { stat } from 'node:fs/promises';
import {
  faultsInFile,
  type PostgresReach,
  readPostgresHealth,
  readPostgresReach,
} from '../../../adapters/persistence/knex/database-health.js';
import type { Schema } from '../../../adapters/persistence/knex/schema.js';
import { dataDirectory, refuseOtherUsers } from '../../backup.js';
import { type Config, postgresPlace } from '../../config.js';
import type { Call } from '../toolkit/command.js';
import { inDatabase } from '../toolkit/operator.js';
import { size } from '../toolkit/output.js';
import { type Check, type CheckResults, clockFound, type Found, failed, ok, sentenceOf, warning } from './finding.js';
import { keptData } from './kept-data.js';

/** Larger files are not checked completely. */
const maxChecked = 1_000_000_000;

const schemaFound = ({ missing, refusal }: Schema): Found => {
  if (refusal !== undefined) return failed(refusal.fault, refusal.remedy);
  return missing.length > 0
    ? warning(
        `pending migrations: ${missing.join(', ')}`,
        'the service runs them when it starts; gatehouse migrate runs them now',
      )
    : ok('the schema is up to date');
};

const schemaAndData = (config: Config, call: Call): Promise<CheckResults> =>
  inDatabase(config, async (database) => {
    const schema = await database.schema();
    const isCurrent = schema.missing.length === 0 && schema.refusal === undefined;
    return [schemaFound(schema), ...(isCurrent ? await keptData(database.unitOfWork, config, call) : [])];
  });

async function sqliteFound(config: Config, call: Call): Promise<CheckResults> {
  await refuseOtherUsers(config, 'database');
  const { database: file } = dataDirectory(config.DATA_DIR);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    return [
      warning(
        `${file} does not exist yet`,
        'the service creates it when it starts; if it should already exist, check DATA_DIR',
      ),
    ];
  }
  if (found.size > maxChecked) {
    const mend = `run sqlite3 ${file} 'pragma integrity_check', which takes a while and is safe while the service runs`;
    return [
      warning(`${file} has ${size(found.size)} and was not checked`, mend),
      ...(await schemaAndData(config, call)),
    ];
  }
  const damage = damageIn(file);
  return damage === ''
    ? [ok(`${file} is intact (${size(found.size)})`), ...(await schemaAndData(config, call))]
    : [failed(`${file} is damaged: ${damage}`, 'stop the service and restore a backup')];
}

function damageIn(file: string): string {
  try {
    return faultsInFile(file).join('; ');
  } catch (error) {
    return sentenceOf(error);
  }
}

const oldestPostgres = 140_000;

async function postgresFound(config: Config, url: string, call: Call): Promise<CheckResults> {
  const asked = Date.now();
  const { version, now, readOnly, settings } = await readPostgresHealth(url);
  const clock = clockFound('the database', Date.parse(now), asked);
  const number = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => settings[name] === 'off');
  return [
    version < oldestPostgres
      ? warning(`Postgres ${number} is no longer supported`, 'upgrade Postgres')
      : ok(`Postgres ${number} responds`),
    readOnly && failed('it is read-only', 'set DATABASE_URL to the primary, not to a replica'),
    settings.server_encoding !== 'UTF8' &&
      failed(`its encoding is ${settings.server_encoding}`, 'create a new database with encoding UTF8'),
    off.length > 0 &&
      warning(`${off.join(', ')} is off: a power failure may lose changes`, 'turn it on, which is the default'),
    Number(settings.max_connections) < 20 &&
      warning(
        `max_connections is ${settings.max_connections}, but each instance uses up to 10`,
        'raise it to more than 10 for each instance',
      ),
    clock,
    ...poolerFound(await readPostgresReach({ url, ...postgresPlace(config) })),
    ...(await schemaAndData(config, call)),
  ];
}

const wordsFor = {
  lent: 'a pooler lends each connection to one client at a time',
  shared: 'a pooler shares connections between transactions',
} as const;

const poolerFound = ({ session, directSession, sameDatabase, missing, remedy }: PostgresReach): CheckResults => [
  !sameDatabase &&
    failed('DATABASE_DIRECT_URL and DATABASE_URL lead to different databases', 'set both to the same database'),
  session !== 'own' && ok(wordsFor[session]),
  directSession === 'shared' &&
    warning(
      'without a connection of its own the service cannot migrate, and looks for work every five seconds instead of being notified',
      'set DATABASE_DIRECT_URL to an address of the same database without the pooler',
    ),
  session !== 'own' &&
    missing.length > 0 &&
    warning(
      `the role does not set ${missing.join(', ')}, which behind a pooler the service sets in transactions only`,
      `run ${remedy} Then let the pooler reconnect`,
    ),
];

export const database: Check = {
  name: 'database',
  mend: 'check DATABASE_URL, and that the database runs and accepts connections from this machine',
  run: (config, call) =>
    config.DATABASE_URL === undefined ? sqliteFound(config, call) : postgresFound(config, config.DATABASE_URL, call),
};
