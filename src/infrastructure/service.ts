import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { FileBundleStore, makeDirectory } from '../adapters/files/file-bundle-store.js';
import { type HttpServer, httpServer } from '../adapters/http/server/http-server.js';
import { defaultTimeouts } from '../adapters/http/server/timeouts.js';
import { takeLock } from '../adapters/persistence/knex/engine/sqlite-lock.js';
import { type KnexDatabase, openPostgres, openSqlite } from '../adapters/persistence/knex/knex-database.js';
import { UnusableDatabase } from '../adapters/persistence/knex/schema.js';
import { closeToOthers } from '../adapters/system/private-files.js';
import { openTracing } from '../adapters/tracing/open-tracing.js';
import type { Tracing } from '../adapters/tracing/tracing.js';
import { attemptSeconds, type BundleStore } from '../application/index.js';
import { DomainError, isDomainError } from '../domain/index.js';
import { forgetKilledBackup } from './backup.js';
import { type Config, postgresPlace } from './config.js';
import { buildContainer } from './container/build-container.js';
import { resolve } from './container/provide.js';
import { EffectWorker } from './effect-worker.js';
import { keptSecrets, leaveSecret, unclaimedSecret } from './generated-secrets.js';
import { packageVersion } from './package-version.js';

/** An error that prevented the start, worded for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Words a database that is unavailable or cannot be used for the operator; returns any other error unchanged. */
export function forOperator(error: unknown): unknown {
  if (error instanceof UnusableDatabase) return new StartError(error.message);
  return isDomainError(error) && error.code === 'service/unavailable'
    ? new StartError(`${error.message}: ${error.cause}`)
    : error;
}

export interface RunningService {
  /** The base of every URL, without a trailing slash. */
  readonly publicUrl: string;
  /** The secret of the site administrator created on an empty database; undefined on any other. */
  readonly adminSecret: string | undefined;
  /** Whether that secret was generated rather than configured. */
  readonly adminSecretGenerated: boolean;
  /** The code of a sign-in link for a site administrator; undefined once a user has signed in. */
  firstSignInCode(): Promise<string | undefined>;
  /** Resolves once requests in flight have finished; uploads in flight get a bounded time. */
  stop(): Promise<void>;
}

/** The time that uploads and other requests in flight get after the service begins to stop, in milliseconds. */
export interface Grace {
  readonly uploads: number;
  /** In addition to `uploads`. */
  readonly answers: number;
}

const usualGrace: Grace = { uploads: 20_000, answers: 5_000 };

/** Opens the database, migrates it, and serves. Throws `StartError` for an error the operator can fix. */
export async function startService(config: Config, log: Logger, grace = usualGrace): Promise<RunningService> {
  await makeDirectory(config.DATA_DIR);
  await closeToOthers(config.DATA_DIR);
  const sqlite = config.DATABASE_URL === undefined;
  const releaseLock = sqlite ? takeLock(join(config.DATA_DIR, 'service.lock')) : () => {};
  if (releaseLock === undefined) {
    throw new StartError(
      `another Gatehouse service uses ${config.DATA_DIR}. Stop it, or set DATA_DIR to another directory`,
    );
  }

  const http = httpServer(defaultTimeouts);
  const { server } = http;

  let database: KnexDatabase | undefined;
  let tracing: Tracing | undefined;
  try {
    tracing = await openTracing(process.env, packageVersion(), (fault) =>
      log.warn({ fault }, 'traces are not made or sent as asked'),
    );
    const heard = tracing === undefined ? {} : { onStatement: (sql: string) => tracing?.statement(sql) };
    database = sqlite
      ? openSqlite(join(config.DATA_DIR, 'gatehouse.sqlite'), heard)
      : openPostgres(config.DATABASE_URL as string, {
          ...heard,
          ...postgresPlace(config),
          onUnnamed: () => log.warn('the pooler does not keep prepared statements; from now on they have no names'),
        });
    await database.migrate((progress) => log.info(progress, wordsFor[progress.step]));
    const port = await listen(server, config);
    const stopping = new AbortController();
    const uploadsEnd = new AbortController();
    let leaving = false;
    const opened = database;
    const { ping, readOnly, unitOfWork, snapshots, connections } = opened;
    const bundleStore = await openBundleStore(config, log);
    const publicUrl =
      config.PUBLIC_URL ?? `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
    const container = buildContainer({
      config,
      unitOfWork: tracing?.unitOfWork(unitOfWork, sqlite ? 'sqlite' : 'postgresql') ?? unitOfWork,
      snapshots,
      bundleStore: tracing?.bundleStore(bundleStore) ?? bundleStore,
      connections,
      follow: tracing?.follow.bind(tracing),
      watchProcess: true,
      publicUrl,
      signingSecrets: await signingSecrets(config),
      log,
      ready: async () => {
        if (leaving || !server.listening) throw new DomainError('service/unavailable', 'the service is stopping');
        await ping();
      },
      readOnly,
      pooler: opened.pooler,
      stopping: stopping.signal,
      stopped: uploadsEnd.signal,
      temporaryDir: await cleared(join(config.DATA_DIR, 'tmp'), sqlite ? 0 : attemptSeconds.abandoned),
    });
    // Needs every other object: a missing binding fails the start before anything is written.
    const app = resolve(container, 'app');
    const use = resolve(container, 'useCases');
    if (!(await use.storedSecrets.join())) throw new StartError(strangerToOthers);
    const worker = new EffectWorker(
      { ...use, rates: resolve(container, 'rates'), abandonedAfterSeconds: attemptSeconds.abandoned },
      log,
      resolve(container, 'meters'),
    );
    // This directory has a single service, so all open attempts were left by a process that died. Its requests to a
    // remote store may still take effect, so the sweep allows for that time.
    if (sqlite) {
      await forgetKilledBackup(config.DATA_DIR);
      if (config.ARCHIVE_STORE === 'file') {
        await worker.sweep(0).catch((error: unknown) => log.error({ err: error }, 'abandoned uploads are still there'));
      }
      await use.performEffects.takeOver();
    }
    const secrets = resolve(container, 'secrets');
    const secret = config.ADMIN_TOKEN ?? secrets.generate().secret;
    let unclaimed: string | undefined;
    const first = await use.createUser.first({ username: 'admin', email: 'admin@localhost' }, async () => {
      if (config.ADMIN_TOKEN === undefined) unclaimed = await keepUnclaimed(config.DATA_DIR, secret);
      return { secret, digest: secrets.digestOf(secret) };
    });
    // Another instance created the administrator first, and hands its own secret over.
    if (first === undefined && unclaimed !== undefined) await rm(unclaimed, { force: true });

    const fills = await use.advanceFills.pending();
    if (fills.length > 0) log.info({ fills }, 'rows from before the migration are filled while the service runs');
    const pooler = opened.pooler?.();
    if (pooler !== undefined) log.info({ pooler }, 'connections to Postgres go through a pooler');

    http.serve(app);
    // Last, because an earlier failure closes the database, which must have no background work then.
    worker.start();
    opened.onChange({ ordered: (kinds) => worker.wake(kinds), changed: use.changeFeed.announce });
    return {
      publicUrl,
      adminSecret: first && secret,
      adminSecretGenerated: config.ADMIN_TOKEN === undefined,
      firstSignInCode: async () => (await use.issueSignInLink.first())?.code,
      stop: async () => {
        leaving = true;
        await pause(config.STOP_DELAY_SECONDS * 1000);
        stopping.abort();
        worker.halt();
        await closeAll(
          () => close(http, uploadsEnd, grace),
          // An unresponsive store may block the worker for minutes; the next process resumes its work.
          () => Promise.race([worker.stop(), pause(grace.answers, undefined, { ref: false })]),
          () => worker.release(),
          () => opened.close(),
          () => tracing?.close(),
          releaseLock,
        );
      },
    };
  } catch (error) {
    // The start error is more informative than errors on closing.
    await closeAll(
      () => server.close(),
      () => database?.close(),
      () => tracing?.close(),
      releaseLock,
    ).catch(() => undefined);
    throw forOperator(error);
  }
}

const wordsFor = { migrated: 'migrated the database', waits: 'the migration of the database waits' } as const;

const strangerToOthers = `This database is in use with a signing secret that is not in SIGNING_SECRET. Other instances could not verify or
decrypt what this instance signs and encrypts. Set SIGNING_SECRET to the secret that they use or, to rotate it, to the
new secret and the old one, separated by a comma. If the old secret is lost, run "delete from signing_keys" in the
database: the next start then accepts any secret, existing URLs become invalid, and workspaces with a repository must
be linked again.`;

async function signingSecrets(config: Config): Promise<readonly [string, ...string[]]> {
  const [first, ...others] = config.SIGNING_SECRET ?? (await keptSecrets(config.DATA_DIR, 'signing-secret'));
  if (first === undefined) throw new StartError(`${join(config.DATA_DIR, 'signing-secret')} does not contain a secret`);
  return [first, ...others];
}

/** A store that refuses access prevents the start; an unreachable one may return before it is needed. */
export async function openBundleStore(config: Config, log: Pick<Logger, 'error'>): Promise<BundleStore> {
  if (config.ARCHIVE_STORE === 'file') return new FileBundleStore(join(config.DATA_DIR, 'bundles'));
  const bucket = config.S3_BUCKET ?? '';
  // Loaded on demand, because it is large.
  const { S3BundleStore, s3Client } = await import('../adapters/files/s3-bundle-store.js');
  const store = new S3BundleStore({
    client: s3Client({ endpoint: config.S3_ENDPOINT, region: config.S3_REGION }),
    bucket,
    ...(config.ARCHIVE_DOWNLOAD === 'presigned' ? { urlSeconds: config.DOWNLOAD_URL_SECONDS } : {}),
  });
  const fault = await store.fault();
  if (fault?.definite) {
    throw new StartError(
      `the bucket "${bucket}" cannot be used: ${fault.sentence}; check S3_BUCKET, S3_ENDPOINT, S3_REGION and the AWS credentials`,
    );
  }
  if (fault !== undefined) log.error({ bucket, fault: fault.sentence }, 'the archive store does not respond');
  return store;
}

/** Stored before the user exists: if the token were lost before the operator got it, no other could be issued. */
function keepUnclaimed(directory: string, secret: string): Promise<string> {
  return leaveSecret(directory, unclaimedSecret, secret).catch((error: unknown) => {
    throw new StartError(`the first administrator's token cannot be stored in ${directory}: ${error}`);
  });
}

/** Returns the directory, after removing files that killed processes left more than `seconds` ago. */
async function cleared(directory: string, seconds: number): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const before = Date.now() - seconds * 1000;
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const left = await stat(path).catch(() => undefined);
    if (left !== undefined && left.mtimeMs <= before) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
  return directory;
}

const listen = (server: Server, config: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy =
        error.code === 'EADDRINUSE' ? '. Set PORT to a free port, or PORT=0 to let the system choose one' : '';
      reject(new StartError(`cannot listen on ${config.HOST}:${config.PORT}: ${error.message}${remedy}`));
    });
    server.listen(config.PORT, config.HOST, () => resolve((server.address() as AddressInfo).port));
  });

const unusedFor = 1_000;

/** Stops listening, gives requests in flight their time, and then closes the remaining connections. */
async function close({ server, closeUnused }: HttpServer, uploadsEnd: AbortController, grace: Grace): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that become idle after their last response would otherwise keep the server open.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  // A client that has just connected may be about to send a request.
  const unused = setTimeout(closeUnused, Math.min(unusedFor, grace.answers));
  const uploads = setTimeout(() => uploadsEnd.abort(), grace.uploads);
  const rest = setTimeout(() => server.closeAllConnections(), grace.uploads + grace.answers);
  await closed;
  clearInterval(idle);
  clearTimeout(unused);
  clearTimeout(uploads);
  clearTimeout(rest);
}

/**
 * Closes objects one by one, dependents first: a failure does not keep the others open. Throws the failures at the end,
 * several as one `AggregateError`.
 */
export async function closeAll(...inTurn: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of inTurn) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, 'several things failed to close');
  if (failures.length === 1) throw failures[0];
}
