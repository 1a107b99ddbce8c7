import { mkdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { FileBundleStore } from '../adapters/bundles/file-bundle-store.js';
import { takeLock } from '../adapters/persistence/knex/engine/sqlite-lock.js';
import { type KnexDatabase, openPostgres, openSqlite } from '../adapters/persistence/knex/knex-database.js';
import { CreateUser, PerformEffects, ReclaimLostRuns, SweepBundles, TokenUses } from '../application/index.js';
import type { Config } from './config.js';
import { buildContainer } from './container/build-container.js';
import { uploadPatience } from './container/http.js';
import { resolve } from './container/provide.js';
import { Port } from './container/tokens.js';
import { EffectWorker } from './effect-worker.js';
import { keptSecret } from './generated-secrets.js';

/** What stopped a start, in words for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface RunningService {
  /** Base of every URL, without a slash at its end. */
  readonly publicUrl: string;
  /** The secret of the site administrator made on an empty database; undefined on any other. */
  readonly adminSecret: string | undefined;
  /** Whether that secret was generated, and not taken from the configuration. */
  readonly adminSecretGenerated: boolean;
  /** Ends once requests in flight have finished; uploads in flight are given a bounded time. */
  stop(): Promise<void>;
}

/** How long uploads and other requests in flight may go on after the service was told to stop, in milliseconds. */
export interface Grace {
  readonly uploads: number;
  /** On top of that. */
  readonly answers: number;
}

const usualGrace: Grace = { uploads: 20_000, answers: 5_000 };

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '1' }).end();
};

/** Opens the database, migrates it, and serves. Throws `StartError` for what an operator can mend. */
export async function startService(config: Config, log: Logger, grace = usualGrace): Promise<RunningService> {
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
  const sqlite = config.DATABASE_URL === undefined;
  const releaseLock = sqlite ? takeLock(join(config.DATA_DIR, 'service.lock')) : () => {};
  if (releaseLock === undefined) throw new StartError(`another Gatehouse is serving from ${config.DATA_DIR}`);

  let handle: RequestListener = starting;
  const server = createServer((request, response) => handle(request, response));
  // A slow body is cut by whoever reads it; these two cut clients that are slow before or beyond that.
  server.headersTimeout = 15_000;
  server.requestTimeout = uploadPatience.total + 60_000;

  let database: KnexDatabase | undefined;
  try {
    database = sqlite
      ? openSqlite(join(config.DATA_DIR, 'gatehouse.sqlite'))
      : openPostgres(config.DATABASE_URL as string);
    await database.migrate();
    const port = await listen(server, config);
    const stopping = new AbortController();
    const uploadsEnd = new AbortController();
    const { ping, unitOfWork } = database;
    const publicUrl =
      config.PUBLIC_URL ?? `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
    const container = buildContainer({
      config,
      unitOfWork,
      bundleStore: new FileBundleStore(join(config.DATA_DIR, 'bundles')),
      publicUrl,
      signingSecret: config.SIGNING_SECRET?.[0] ?? (await keptSecret(config.DATA_DIR, 'signing-secret')),
      log,
      ready: async () => {
        if (!server.listening) throw new Error('stopping');
        await ping();
      },
      stopping: stopping.signal,
      stopped: uploadsEnd.signal,
      ...(sqlite ? { temporaryDir: await emptied(join(config.DATA_DIR, 'tmp')) } : {}),
    });
    const worker = new EffectWorker(
      {
        performEffects: resolve(container, PerformEffects),
        reclaimLostRuns: resolve(container, ReclaimLostRuns),
        sweepBundles: resolve(container, SweepBundles),
        tokenUses: resolve(container, TokenUses),
        abandonedAfterSeconds: (2 * uploadPatience.total) / 1000,
      },
      log,
    );
    // Nobody else serves from this directory, so every open upload attempt was left by a process that died.
    if (sqlite) await worker.sweep(0);
    worker.start();

    const secrets = resolve(container, Port.secrets);
    const generated = secrets.generate();
    const secret = config.ADMIN_TOKEN ?? generated.secret;
    const first = await resolve(container, CreateUser).first(
      { username: 'admin', email: 'admin@localhost' },
      { secret, digest: secrets.digestOf(secret) },
    );

    handle = resolve(container, Port.app);
    const opened = database;
    return {
      publicUrl,
      adminSecret: first && secret,
      adminSecretGenerated: config.ADMIN_TOKEN === undefined,
      stop: async () => {
        stopping.abort();
        worker.halt();
        await close(server, uploadsEnd, grace);
        await worker.stop();
        await opened.close();
        releaseLock();
      },
    };
  } catch (error) {
    server.close();
    await database?.close();
    releaseLock();
    throw error;
  }
}

/** Answers the directory, without what processes that were killed left in it. Nobody else may use it. */
async function emptied(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

const listen = (server: Server, config: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(`cannot listen on ${config.HOST}:${config.PORT}: ${error.message}`)),
    );
    server.listen(config.PORT, config.HOST, () => resolve((server.address() as AddressInfo).port));
  });

/** Stops listening, lets what is in flight finish within its time, and then cuts what is left. */
async function close(server: Server, uploadsEnd: AbortController, grace: Grace): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that fall idle after their last answer would otherwise hold the server open.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const uploads = setTimeout(() => uploadsEnd.abort(), grace.uploads);
  const rest = setTimeout(() => server.closeAllConnections(), grace.uploads + grace.answers);
  await closed;
  clearInterval(idle);
  clearTimeout(uploads);
  clearTimeout(rest);
}
