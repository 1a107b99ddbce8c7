import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { askPostgres, faultsInFile } from '../../../adapters/persistence/knex/database-health.js';
import { openPostgres, openSqlite } from '../../../adapters/persistence/knex/knex-database.js';
import { SealedSecretBox } from '../../../adapters/system/sealed-secret-box.js';
import type { BundleStore, OrganizationBytes } from '../../../application/index.js';
import { isDomainError } from '../../../domain/index.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import { type Config, ConfigError, isLoopback } from '../../config.js';
import { secretsIn, unclaimedSecret } from '../../generated-secrets.js';
import { nodeFault } from '../../node-version.js';
import type { Call, Command } from '../command.js';
import { openStore, operatorId, withDatabase } from '../operator.js';
import { counted, size, table } from '../output.js';

/** The one thing that the doctor changes, when asked to. */
const recount = 'recount';

/** What a look came to. What is not `ok` says how to mend it. */
type Found =
  | { readonly state: 'ok'; readonly found: string }
  | { readonly state: 'warning' | 'failed'; readonly found: string; readonly mend: string };

type Finding = Found & { readonly check: string };

const ok = (found: string): Found => ({ state: 'ok', found });
const warning = (found: string, mend: string): Found => ({ state: 'warning', found, mend });
const failed = (found: string, mend: string): Found => ({ state: 'failed', found, mend });

/** A thing to look at. Whatever a look throws is a failure of its own. */
interface Check {
  readonly name: string;
  look(config: Config, call: Call): Promise<readonly Found[]>;
  readonly mend: string;
}

const sentenceOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return isDomainError(error) && cause !== undefined ? `${message}: ${String(cause)}` : message;
};

/** What others may do to a file or directory; undefined where the system does not say. */
const opened = (mode: number): string | undefined =>
  process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : (mode & 0o777).toString(8);

const dataDir: Check = {
  name: 'data directory',
  mend: 'give DATA_DIR a directory on a local disk, which the user of the service owns',
  look: async ({ DATA_DIR: path }) => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      const above = await nearest(dirname(path));
      const makeable = await access(above, constants.W_OK | constants.X_OK).then(
        () => true,
        () => false,
      );
      return makeable
        ? [warning(`there is no ${path} yet`, 'the service makes it at its start; if it should be there, see DATA_DIR')]
        : [
            failed(
              `there is no ${path}, and it cannot be made in ${above}`,
              `make it, and give it to the service's user`,
            ),
          ];
    }
    if (!found.isDirectory()) return [failed(`${path} is no directory`, 'give DATA_DIR another path')];
    const user = process.getuid?.();
    const mode = opened(found.mode);
    return [
      ...(await access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
        () => [ok(`${path} can be written to`)],
        () => [failed(`${path} cannot be written to by user ${user}`, `chown -R ${user} ${path}; chmod 700 ${path}`)],
      )),
      ...(user === undefined || found.uid === user
        ? []
        : [
            warning(
              `${path} belongs to user ${found.uid}, and this is user ${user}`,
              `run it as the user of the service, or chown -R ${user} ${path} where that is this one`,
            ),
          ]),
      ...(mode === undefined
        ? []
        : [failed(`${path} is open to other users (${mode}), and secrets are in it`, `chmod 700 ${path}`)]),
    ];
  },
};

/** The directory itself, or the first one above it that exists. */
async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

/** By the magic numbers that Linux gives them. */
const foreign: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);
const inMemory = 0x01021994;
const throughFuse = 0x65735546;

const lowSpace = 1_000_000_000;

const disk: Check = {
  name: 'disk',
  mend: 'see DATA_DIR',
  look: async ({ DATA_DIR: path, MAX_ARCHIVE_BYTES: largest, DATABASE_URL, ARCHIVE_STORE }) => {
    const { bavail, bsize, type } = await statfs(await nearest(path));
    const free = bavail * bsize;
    const kind = process.platform === 'linux' ? type >>> 0 : 0;
    const needed = DATABASE_URL === undefined || ARCHIVE_STORE === 'file';
    const space = `${size(free)} free`;
    return [
      free < largest
        ? failed(`${space}, less than one upload may have`, 'make room, or give DATA_DIR a larger disk')
        : free < lowSpace
          ? warning(
              space,
              'make room, or give DATA_DIR a larger disk; ARCHIVE_AFTER_DAYS keeps archives from piling up',
            )
          : ok(space),
      ...(needed && foreign.has(kind)
        ? [
            failed(
              `the file system is ${foreign.get(kind)}, across a network`,
              'SQLite and archives need a local disk: give DATA_DIR one, or use Postgres and a bucket',
            ),
          ]
        : []),
      ...(needed && kind === throughFuse
        ? [warning('the file system is a FUSE one', 'make sure that it is a local disk, with locks that hold')]
        : []),
      ...(needed && kind === inMemory
        ? [warning('the file system is in memory', 'nothing in it outlives the machine: give DATA_DIR a disk')]
        : []),
    ];
  },
};

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

const allowedDifference = 1_000;

const clockFound = (whose: string, milliseconds: number, allowed = allowedDifference): Found => {
  const seconds = (milliseconds / 1000).toFixed(1);
  return Math.abs(milliseconds) <= allowed
    ? ok(`the clock is ${whose}`)
    : failed(`the clock is ${seconds} seconds from ${whose}`, 'let NTP set the clocks of both machines');
};

const failingFound = async (config: Config): Promise<Found> => {
  const database = openDatabase(config);
  try {
    const { total } = await database.unitOfWork.read((tx) => tx.effects.failing({ number: 1, size: 1 }));
    return total === 0
      ? ok('no ordered work keeps failing')
      : warning(
          `${counted(total, 'piece')} of ordered work ${total === 1 ? 'keeps' : 'keep'} failing`,
          'GET /admin/failing-effects says which, and why',
        );
  } finally {
    await database.close();
  }
};

const mostListed = 20;

/** Tokens that the operator issued are nobody's who could have left. */
async function leftTokens(config: Config): Promise<Found> {
  const database = openDatabase(config);
  try {
    const tokens = await database.unitOfWork.read((tx) => tx.tokens.ofFormerMembers(operatorId, mostListed + 1));
    const named = tokens.slice(0, mostListed).map(({ id, organizationName, teamName, createdBy }) => {
      return `${organizationName}/${teamName} (${id}, issued by ${createdBy})`;
    });
    const more = tokens.length > mostListed ? ', and more' : '';
    return tokens.length === 0
      ? ok('every team token was issued by a member or by the operator')
      : warning(
          `team tokens issued by users who are no longer members: ${named.join(', ')}${more}`,
          'issue each again, or revoke it with gatehouse token revoke --team ORGANIZATION/TEAM',
        );
  } finally {
    await database.close();
  }
}

const nearLimit = 0.9;
/** More are counted, and not named. */
const mostNamed = 10;

const namesOf = (organizations: readonly OrganizationBytes[]): string =>
  [
    ...organizations.slice(0, mostNamed).map(({ name, bytes }) => `${name} (${size(bytes)})`),
    ...(organizations.length > mostNamed ? [`${organizations.length - mostNamed} more`] : []),
  ].join(', ');

/** What organizations keep, and whether the counters of that agree with the rows, all of which are read. */
async function keptFound(config: Config, call: Call): Promise<readonly Found[]> {
  const database = openDatabase(config);
  const { MAX_ORGANIZATION_BYTES: limit } = config;
  try {
    const { unitOfWork } = database;
    if (call.switch(recount)) {
      for (const { id } of await unitOfWork.read((tx) => tx.keptBytes.drifts())) {
        await unitOfWork.run((tx) => tx.keptBytes.recount(id));
      }
    }
    const { drifts, largest } = await unitOfWork.read(async (tx) => ({
      drifts: await tx.keptBytes.drifts(),
      largest: await tx.keptBytes.largest(100),
    }));
    const near = largest.filter(({ bytes }) => bytes >= limit * nearLimit);
    return [
      drifts.length === 0
        ? ok('the counters of kept bytes agree with the rows')
        : warning(
            `the counter of kept bytes differs from the rows for ${namesOf(drifts)}`,
            `gatehouse doctor --${recount} sets it to the sum of the rows`,
          ),
      ...(limit === 0
        ? []
        : near.length === 0
          ? [ok(`every organization keeps less than 90 % of MAX_ORGANIZATION_BYTES (${size(limit)})`)]
          : [
              warning(
                `90 % of MAX_ORGANIZATION_BYTES (${size(limit)}) or more is kept by ${namesOf(near)}`,
                'archive or permanently delete configuration versions, set ARCHIVE_AFTER_DAYS, or raise MAX_ORGANIZATION_BYTES',
              ),
            ]),
    ];
  } finally {
    await database.close();
  }
}

const openDatabase = (config: Config) =>
  config.DATABASE_URL === undefined
    ? openSqlite(dataDirectory(config.DATA_DIR).database)
    : openPostgres(config.DATABASE_URL, { poolSize: 1 });

async function schemaAndWork(config: Config, call: Call): Promise<readonly Found[]> {
  const database = openDatabase(config);
  const schema = await database.schema().finally(() => database.close());
  const current = schema.missing.length + schema.unknown.length === 0;
  return [
    schemaFound(schema),
    ...(current ? [await failingFound(config), await leftTokens(config), ...(await keptFound(config, call))] : []),
  ];
}

async function sqliteFound(config: Config, call: Call): Promise<readonly Found[]> {
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
    return [warning(`${file} has ${size(found.size)} and was not read`, mend), ...(await schemaAndWork(config, call))];
  }
  let faults: readonly string[];
  try {
    faults = faultsInFile(file);
  } catch (error) {
    faults = [sentenceOf(error)];
  }
  if (faults.length > 0) {
    return [failed(`${file} is damaged: ${faults.join('; ')}`, 'stop the service, and restore a backup')];
  }
  return [ok(`${file} is sound (${size(found.size)})`), ...(await schemaAndWork(config, call))];
}

const oldestPostgres = 140_000;

async function postgresFound(config: Config, url: string, call: Call): Promise<readonly Found[]> {
  const asked = Date.now();
  const { version, now, readOnly, settings } = await askPostgres(url);
  const answered = Date.now();
  const number = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => settings[name] === 'off');
  const between = Date.parse(now) - (asked + answered) / 2;
  return [
    version < oldestPostgres
      ? warning(`Postgres ${number} is older than any that its makers still mend`, 'upgrade Postgres')
      : ok(`Postgres ${number} answers`),
    ...(readOnly ? [failed('it takes no changes', 'name the primary in DATABASE_URL, not a replica')] : []),
    ...(settings.server_encoding === 'UTF8'
      ? []
      : [failed(`its encoding is ${settings.server_encoding}`, 'make the database anew with encoding UTF8')]),
    ...(off.length === 0
      ? []
      : [warning(`${off.join(', ')} is off: changes may be lost with the power`, 'switch it on, as it is by default')]),
    ...(Number(settings.max_connections) < 20
      ? [
          warning(
            `max_connections is ${settings.max_connections}, and each instance uses up to 10`,
            'raise it to more than ten for each instance',
          ),
        ]
      : []),
    clockFound("the database's", between, allowedDifference + (answered - asked) / 2),
    ...(await schemaAndWork(config, call)),
  ];
}

const database: Check = {
  name: 'database',
  mend: 'see DATABASE_URL, and whether the database runs and lets this machine in',
  look: (config, call) =>
    config.DATABASE_URL === undefined ? sqliteFound(config, call) : postgresFound(config, config.DATABASE_URL, call),
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Writes, reads and removes; answers what was read. */
async function throughStore(open: BundleStore, bytes: Buffer): Promise<Buffer> {
  const key = `doctor-${randomBytes(9).toString('base64url')}`;
  try {
    await open.write(key, once(bytes));
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await open.read(key)) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await open.discard(key);
  }
}

const store: Check = {
  name: 'archive store',
  mend: 'see ARCHIVE_STORE, S3_BUCKET, S3_ENDPOINT, S3_REGION and the AWS credentials, and docs/operations.md for what must be allowed',
  look: async (config) => {
    const { bundles } = dataDirectory(config.DATA_DIR);
    if (config.ARCHIVE_STORE === 'file' && !existsSync(config.DATA_DIR)) {
      return [warning(`there is no ${bundles} yet`, 'the service makes it with the first upload')];
    }
    const open = await openStore(config);
    const bytes = randomBytes(1024);
    const name = config.ARCHIVE_STORE === 'file' ? bundles : `bucket ${config.S3_BUCKET}`;
    if (!bytes.equals(await throughStore(open, bytes))) {
      return [failed(`${name} gave back other bytes than it was given`, 'use another store: this one loses archives')];
    }
    return [ok(`${name} takes, gives back and removes archives`), ...(await storeClock(config))];
  },
};

/** Stores tell their time in whole seconds, and refuse whoever is a quarter of an hour off. */
const storeDifference = 2_000;

async function storeClock(config: Config): Promise<readonly Found[]> {
  if (config.ARCHIVE_STORE === 'file') return [];
  const endpoint = config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION}.amazonaws.com`;
  const asked = Date.now();
  const { headers } = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) });
  const answered = Date.now();
  const told = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(told)) return [];
  return [clockFound("the store's", told - (asked + answered) / 2, storeDifference + (answered - asked) / 2)];
}

const restored = 'put it back, from a backup or as SIGNING_SECRET; docs/operations.md says what to do when it is lost';

/** Whether the service would start with these secrets, as far as the database can be asked. */
async function fits(config: Config, secrets: readonly string[]): Promise<boolean> {
  if (config.DATABASE_URL === undefined && !existsSync(dataDirectory(config.DATA_DIR).database)) return true;
  const [first, ...others] = secrets;
  const fingerprints = first === undefined ? [] : new SealedSecretBox([first, ...others]).fingerprints;
  try {
    if (config.DATABASE_URL === undefined) await refuseOtherUsers(config, 'database');
    const opened = openDatabase(config);
    return await opened.unitOfWork.read((tx) => tx.signingKeys.fits(fingerprints)).finally(() => opened.close());
  } catch {
    // What keeps it from answering is the database's own finding.
    return true;
  }
}

const secret: Check = {
  name: 'signing secret',
  mend: 'see SIGNING_SECRET',
  look: async (config) => {
    const { signingSecret: path } = dataDirectory(config.DATA_DIR);
    const given = config.SIGNING_SECRET;
    if (given !== undefined) {
      return [
        (await fits(config, given))
          ? ok(`${counted(given.length, 'secret')} in SIGNING_SECRET`)
          : failed('the database was used with another secret than SIGNING_SECRET', restored),
      ];
    }
    const alone: readonly Found[] =
      config.DATABASE_URL === undefined
        ? []
        : [
            warning(
              'SIGNING_SECRET is not set, and other instances on the database must have the same',
              'give all of them the same SIGNING_SECRET',
            ),
          ];
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      return (await fits(config, []))
        ? [...alone, ok('one is made at the first start')]
        : [...alone, failed(`there is no ${path}, and the database was used with one`, restored)];
    }
    const mode = opened(found.mode);
    const kept = secretsIn(await readFile(path, 'utf8'));
    return [
      ...alone,
      kept.length === 0
        ? failed(`${path} has no secret in it`, 'put it back from a backup; if there never was one, remove the file')
        : (await fits(config, kept))
          ? ok(`it is in ${path}`)
          : failed(`the database was used with another secret than that in ${path}`, restored),
      ...(mode === undefined ? [] : [failed(`${path} can be read by other users (${mode})`, `chmod 600 ${path}`)]),
    ];
  },
};

const address: Check = {
  name: 'address',
  mend: 'see PUBLIC_URL, HOST and PORT',
  look: async (config) => {
    const { PUBLIC_URL: url, HOST: host } = config;
    if (url === undefined) return [ok(`served at http://${host}:${config.PORT}, to this machine alone`)];
    const { protocol, hostname, search, hash } = new URL(url);
    const local = isLoopback(hostname);
    return [
      ...(search + hash === ''
        ? [ok(`clients are told ${url}`)]
        : [failed(`PUBLIC_URL has more than a path: ${search}${hash}`, 'leave out what begins with ? or #')]),
      ...(protocol === 'http:' && !local
        ? [warning('PUBLIC_URL begins with http: tokens are sent unencrypted', 'put TLS in front, and write https')]
        : []),
      ...(local && !isLoopback(host)
        ? [warning('PUBLIC_URL names this machine only, and HOST lets others in', 'write the name that clients use')]
        : []),
    ];
  },
};

const portOf: Check = {
  name: 'port',
  mend: 'see HOST and PORT',
  look: async ({ HOST: host, PORT: port }) => {
    if (port === 0) return [ok('a free one is taken at each start')];
    const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const fault = await listening(host, port);
    if (fault === undefined) return [ok(`${at} is free`)];
    if (fault !== 'EADDRINUSE') {
      const mend = fault === 'EACCES' ? 'take a port above 1023' : 'give HOST an address of this machine';
      return [failed(`${at} cannot be listened on: ${fault}`, mend)];
    }
    const answer = await fetch(`http://${at.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')}/healthz`, {
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    return answer?.ok
      ? [ok(`a service answers at ${at}`)]
      : [failed(`${at} is taken, and not by a Gatehouse that is well`, 'stop what listens there, or set another PORT')];
  },
};

/** Why it cannot be listened there; undefined when it can. */
const listening = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });

const leftToken: Check = {
  name: 'first token',
  mend: 'see DATA_DIR',
  look: async ({ DATA_DIR: directory }) => {
    const [left, unclaimed] = ['admin-token', unclaimedSecret].map((name) => join(directory, name));
    const found: Found[] = [];
    if (left !== undefined && existsSync(left)) {
      found.push(
        warning(`the first administrator's token lies in ${left}`, 'issue one of your own, and remove the file'),
      );
    }
    if (unclaimed !== undefined && existsSync(unclaimed)) {
      found.push(
        warning(
          `the first start was broken off before it handed over ${unclaimed}`,
          'if the database is in use, and another token works, remove it; else it is the token',
        ),
      );
    }
    return found.length === 0 ? [ok('no token lies about')] : found;
  },
};

const git: Check = {
  name: 'git',
  mend: 'install git, or do not link workspaces to repositories',
  look: async () => {
    const version = await promisify(execFile)('git', ['--version']).catch(() => undefined);
    return version === undefined
      ? [warning('there is no git', 'install it where configurations come from repositories')]
      : [ok(version.stdout.trim())];
  },
};

/** Pools that an upgrade left without the workspaces they served because these named no other. */
const agentPools: Check = {
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

const checks: readonly Check[] = [dataDir, disk, database, agentPools, store, secret, address, portOf, leftToken, git];

/** Everything there is to find, in the order in which it is to be mended. */
async function findings(call: Call): Promise<readonly Finding[]> {
  const fault = nodeFault(process.versions.node);
  const node: Finding =
    fault === undefined
      ? { check: 'Node', ...ok(process.versions.node) }
      : { check: 'Node', ...failed(fault, 'install a newer one; in a checkout, npm run gatehouse -- brings its own') };
  let config: Config;
  try {
    config = call.config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'gatehouse serve --help lists what each setting may be; the rest is looked at once this is mended';
    return [node, ...error.faults.map((found) => ({ check: 'configuration', ...failed(found, mend) }))];
  }
  const found: Finding[] = [node, { check: 'configuration', ...ok('every setting can be used') }];
  for (const { name, look, mend } of checks) {
    const seen = await look(config, call).catch((error: unknown) => [
      failed(sentenceOf(error), error instanceof OperatorError ? 'run it as that user' : mend),
    ]);
    found.push(...seen.map((one) => ({ check: name, ...one })));
  }
  return found;
}

export const doctor: Command = {
  name: 'doctor',
  does: 'looks at everything the service stands on, and says what is wrong and how to mend it',
  about:
    'Configuration, data directory, disk, database, agent pools, archive store, clocks, secrets, address and port. It may be run before the first start and beside a running service, as its user and in its environment; it writes a small archive into the store and removes it. It ends with 1 when something failed; a warning is no failure.',
  options: {
    [recount]: { about: 'sets counters of kept bytes that differ from the rows to the sum of the rows' },
  },
  run: async (call) => {
    const found = await findings(call);
    const failures = found.filter(({ state }) => state === 'failed').length;
    const warnings = found.filter(({ state }) => state === 'warning').length;
    const rows = found.map(({ check, state, found: what }) => [state, check, what]);
    const mends = found.flatMap((one) => (one.state === 'ok' ? [] : [`${one.check}: ${one.found}\n  ${one.mend}`]));
    return {
      json: {
        state: failures > 0 ? 'failed' : warnings > 0 ? 'warning' : 'ok',
        findings: found.map((one) => ({ ...one, mend: one.state === 'ok' ? null : one.mend })),
      },
      text: [
        table(['state', 'what', 'found'], rows),
        ...(mends.length === 0 ? [] : ['', 'To mend:', '', ...mends]),
        '',
        `${failures} failed, ${counted(warnings, 'warning')}`,
      ].join('\n'),
      failed: failures > 0,
    };
  },
};
