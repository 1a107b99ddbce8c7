import { stat } from 'node:fs/promises';
import { askPostgres, faultsInFile } from '../../../adapters/persistence/knex/database-health.js';
import { dataDirectory, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import type { Call } from '../command.js';
import { inDatabase, withDatabase } from '../operator.js';
import { size } from '../output.js';
import { type Check, clockFound, type Found, failed, type Looked, ok, sentenceOf, warning } from './finding.js';
import { keptData } from './kept-data.js';

/** Larger files are not read whole. */
const mostChecked = 1_000_000_000;

const schemaFound = ({ missing, unknown }: { missing: readonly string[]; unknown: readonly string[] }): Found => {
  if (unknown.length > 0) {
    return failed(
      `a newer release has changed it: ${unknown.join(', ')}`,
      'start that release, or restore a backup that was made before',
    );
  }
  return missing.length > 0
    ? warning(`it lacks ${missing.join(', ')}`, 'the service makes them at its start; so does gatehouse migrate')
    : ok('the schema is that of this release');
};

const schemaAndData = (config: Config, call: Call): Promise<Looked> =>
  inDatabase(config, async (database) => {
    const schema = await database.schema();
    const isCurrent = schema.missing.length + schema.unknown.length === 0;
    return [schemaFound(schema), ...(isCurrent ? await keptData(database.unitOfWork, config, call) : [])];
  });

async function sqliteFound(config: Config, call: Call): Promise<Looked> {
  await refuseOtherUsers(config, 'database');
  const { database: file } = dataDirectory(config.DATA_DIR);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    return [
      warning(`there is no ${file} yet`, 'the service makes it at its start; if it should be there, see DATA_DIR'),
    ];
  }
  if (found.size > mostChecked) {
    const mend = `sqlite3 ${file} 'pragma integrity_check' takes a while, and may be run beside the service`;
    return [warning(`${file} has ${size(found.size)} and was not read`, mend), ...(await schemaAndData(config, call))];
  }
  const damage = damageIn(file);
  return damage === ''
    ? [ok(`${file} is sound (${size(found.size)})`), ...(await schemaAndData(config, call))]
    : [failed(`${file} is damaged: ${damage}`, 'stop the service, and restore a backup')];
}

function damageIn(file: string): string {
  try {
    return faultsInFile(file).join('; ');
  } catch (error) {
    return sentenceOf(error);
  }
}

const oldestPostgres = 140_000;

async function postgresFound(config: Config, url: string, call: Call): Promise<Looked> {
  const asked = Date.now();
  const { version, now, readOnly, settings } = await askPostgres(url);
  const clock = clockFound("the database's", Date.parse(now), asked);
  const number = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => settings[name] === 'off');
  return [
    version < oldestPostgres
      ? warning(`Postgres ${number} is older than any that its makers still mend`, 'upgrade Postgres')
      : ok(`Postgres ${number} answers`),
    readOnly && failed('it takes no changes', 'name the primary in DATABASE_URL, not a replica'),
    settings.server_encoding !== 'UTF8' &&
      failed(`its encoding is ${settings.server_encoding}`, 'make the database anew with encoding UTF8'),
    off.length > 0 &&
      warning(`${off.join(', ')} is off: changes may be lost with the power`, 'switch it on, as it is by default'),
    Number(settings.max_connections) < 20 &&
      warning(
        `max_connections is ${settings.max_connections}, and each instance uses up to 10`,
        'raise it to more than ten for each instance',
      ),
    clock,
    ...(await schemaAndData(config, call)),
  ];
}

export const database: Check = {
  name: 'database',
  mend: 'see DATABASE_URL, and whether the database runs and lets this machine in',
  look: (config, call) =>
    config.DATABASE_URL === undefined ? sqliteFound(config, call) : postgresFound(config, config.DATABASE_URL, call),
};

/** Pools that an upgrade left without the workspaces they served because these named no other. */
export const agentPools: Check = {
  name: 'agent pools',
  mend: 'see DATABASE_URL',
  look: async (config) => {
    // What keeps the database from answering is its own finding.
    const replaced = await withDatabase(config, ({ unitOfWork }) =>
      unitOfWork.read((tx) => tx.agentPools.replaced()),
    ).catch(() => []);
    return replaced.map(({ id, name, organizationName }) =>
      warning(
        `agent pool ${name} (${id}) of ${organizationName} served workspaces that named no pool before the upgrade, and the default agent pool of the organization serves them now`,
        'name it in the workspaces it is needed for, or delete it; any update of the pool ends this warning',
      ),
    );
  },
};
