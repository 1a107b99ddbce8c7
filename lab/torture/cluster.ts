import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { S3BundleStore, s3Client } from '../../src/adapters/files/s3-bundle-store.js';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { SweepBundles } from '../../src/application/files/sweep-bundles.js';
import { freePort, ServiceProcess } from '../../tests/support/process.js';
import { type Fate, type S3Server, startS3Server } from '../../tests/support/s3-server.js';
import type { AtRest } from './checker.js';
import { type Line, openLine } from './fault-proxy.js';
import { sha256 } from './world.js';

const postgresPort = 5432;
const startTimeout = 60_000;

/** One instance at a fixed address, with proxies of its own to the database and the store. */
export class Instance {
  /** The output of its processes, in order. */
  readonly printed: string[] = [];
  /** Starts that failed because of a fault, such as a missing database. */
  failedStarts = 0;
  private process: ServiceProcess | undefined;
  private meant: 'alive' | 'dead' = 'dead';

  constructor(
    readonly name: string,
    readonly url: string,
    readonly database: Line,
    readonly store: Line,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Resolves when it serves. A process that exits at once is started again, as by a supervisor. */
  async start(): Promise<void> {
    this.meant = 'alive';
    for (;;) {
      const starting = ServiceProcess.start(this.environment).catch((error: Error) => error);
      const started = await Promise.race([starting, pause(startTimeout, undefined, { ref: false })]);
      if (started instanceof ServiceProcess) {
        this.process = started;
        started.child.once('exit', (code, signal) => {
          this.printed.push(started.printed);
          if (this.meant === 'alive') this.printed.push(`${this.name} exited unexpectedly with ${code ?? signal}`);
        });
        return;
      }
      if (started === undefined) throw new Error(`${this.name} neither started nor ended`);
      this.failedStarts += 1;
      if (this.failedStarts > 100) throw started;
      await pause(200);
    }
  }

  async kill(): Promise<void> {
    this.meant = 'dead';
    await this.process?.end('SIGKILL');
  }

  /** Stops it with SIGTERM. Resolves to its exit code. */
  async stop(): Promise<number | null> {
    this.meant = 'dead';
    return (await this.process?.end('SIGTERM')) ?? null;
  }
}

/** Three instances on one Postgres and one store, with every connection behind a proxy. */
export class Cluster {
  /** The fate of requests to the store. */
  fate: () => Fate = () => 'serve';

  private constructor(
    readonly instances: readonly Instance[],
    private readonly directory: string,
    private readonly databaseUrl: string,
    private readonly administration: pg.Pool,
    private readonly database: pg.Pool,
    private readonly store: S3Server,
  ) {}

  static async start(size = 3): Promise<Cluster> {
    const given = new URL(process.env.TEST_POSTGRES_URL ?? '');
    const administration = new pg.Pool({ connectionString: given.href, max: 2 });
    const name = `gatehouse_torture_${process.pid}_${Date.now()}`;
    await administration.query(`create database ${name}`);
    const direct = new URL(given);
    direct.pathname = `/${name}`;
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-torture-'));
    // The hook reads the cluster, which is created after the store.
    let cluster: Cluster | undefined;
    const store = await startS3Server({ before: () => cluster?.fate() ?? 'serve' });
    const instances: Instance[] = [];
    for (let index = 0; index < size; index += 1) {
      const toDatabase = await openLine(Number(given.port || postgresPort));
      const toStore = await openLine(Number(new URL(store.endpoint).port));
      const port = await freePort();
      const databaseUrl = new URL(direct);
      databaseUrl.hostname = '127.0.0.1';
      databaseUrl.port = String(toDatabase.port);
      const environment = {
        ...store.environment,
        ARCHIVE_STORE: 's3',
        S3_ENDPOINT: `http://127.0.0.1:${toStore.port}`,
        // Both ways of downloading are covered.
        ARCHIVE_DOWNLOAD: index === 0 ? 'proxy' : 'presigned',
        DATABASE_URL: databaseUrl.href,
        DATA_DIR: join(directory, `instance-${index}`),
        PORT: String(port),
        SIGNING_SECRET: 'a-signing-secret-that-all-instances-share',
        LOG_LEVEL: 'error',
      };
      instances.push(new Instance(`instance ${index}`, `http://127.0.0.1:${port}`, toDatabase, toStore, environment));
    }
    const database = new pg.Pool({ connectionString: direct.href, max: 2 });
    // Connections are terminated on purpose, including these.
    for (const pool of [database, administration]) pool.on('error', () => undefined);
    cluster = new Cluster(instances, directory, direct.href, administration, database, store);
    try {
      await Promise.all(instances.map((instance) => instance.start()));
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** Ends all connections to the database from its side. Returns how many there were. */
  async terminateBackends(): Promise<number> {
    const { rows } = await this.administration.query(
      'select count(pg_terminate_backend(pid))::int as count from pg_stat_activity where datname = $1',
      [new URL(this.databaseUrl).pathname.slice(1)],
    );
    return rows[0].count;
  }

  /** Ends the leases of dead agents and instances now. */
  async endLeases(): Promise<void> {
    await this.query('update effects set leased_until = null');
    await this.query(
      `update runs set lease_expires_at = '2000-01-01T00:00:00.000Z' where lease_expires_at is not null`,
    );
  }

  /** Due effects that are not performed yet. */
  async undone(): Promise<readonly string[]> {
    const { rows } = await this.query(
      `select kind, subject, attempts, last_error from effects where kind <> 'purge-backing-data'`,
    );
    return rows.map((row) => JSON.stringify(row));
  }

  /** Removes what crashes left in the store. No instance may be running, so that every open attempt is a dead one's. */
  async sweep(): Promise<number> {
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = this.store;
    const former = { ...process.env };
    process.env.AWS_ACCESS_KEY_ID = accessKeyId;
    process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
    const opened = openPostgres(this.databaseUrl, { poolSize: 2 });
    try {
      const store = new S3BundleStore({ client: s3Client({ endpoint, region }), bucket });
      // Stores report times in whole seconds.
      return await new SweepBundles(opened.unitOfWork, store).execute(-5);
    } finally {
      await opened.close();
      process.env = former;
    }
  }

  /** The current contents of the database and of the store. */
  async atRest(): Promise<AtRest> {
    const versions = await this.query('select * from configuration_versions');
    const runs = await this.query('select * from runs');
    const prefix = 'bundles/';
    const objects = [...this.store.objects];
    return {
      versions: versions.rows.map((row) => ({
        id: row.id,
        status: row.status,
        origin: row.origin,
        autoQueue: row.auto_queue_runs,
        stamps: JSON.parse(row.status_timestamps),
        bundleKey: row.bundle_key,
        sha256: row.bundle_sha256,
      })),
      runs: runs.rows.map((row) => ({
        id: row.id,
        workspaceId: row.workspace_id,
        versionId: row.configuration_version_id,
        status: row.status,
        source: row.source,
        planOnly: row.plan_only,
      })),
      bundles: new Map(
        objects
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, { bytes }]) => [key.slice(prefix.length), sha256(bytes)]),
      ),
      leftovers: [
        ...objects.filter(([key]) => !key.startsWith(prefix)).map(([key]) => key),
        ...[...this.store.uploads.values()].map(({ key }) => `upload of ${key}`),
      ],
      undone: await this.undone(),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.kill()));
    await Promise.all(this.instances.flatMap(({ database, store }) => [database.close(), store.close()]));
    await this.database.end();
    const name = new URL(this.databaseUrl).pathname.slice(1);
    await this.administration.query(`drop database if exists ${name} with (force)`);
    await this.administration.end();
    await this.store.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Retries if the connection was cut. */
  private async query(text: string): Promise<pg.QueryResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.database.query(text);
      } catch (error) {
        if (tries === 5) throw error;
        await pause(100);
      }
    }
  }
}
