import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import knex from 'knex';
import pg from 'pg';
import { S3BundleStore, s3Client } from '../../src/adapters/files/s3-bundle-store.js';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { postgresConfig } from '../../src/adapters/persistence/knex/migrate.js';
import { AdvanceFills } from '../../src/application/background/advance-fills.js';
import { SweepBundles } from '../../src/application/files/sweep-bundles.js';
import { uproot, wrongRows } from '../../tests/support/planted-files.js';
import { planted } from '../../tests/support/planted-migrations.js';
import { PostgresPair } from '../../tests/support/postgres-pair.js';
import { freePort, ServiceProcess } from '../../tests/support/process.js';
import { type Fate, type S3Server, startS3Server } from '../../tests/support/s3-server.js';
import type { AtRest } from './checker.js';
import { type Line, openLine } from './fault-proxy.js';
import { sha256 } from './world.js';

const postgresPort = 5432;
const startTimeout = 60_000;
/** How long the database may be away, in milliseconds. */
const awayWithin = 30_000;

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
    for (let failed = 1; ; failed += 1) {
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
      if (failed > 100) throw started;
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

/** The database may be cut off meanwhile. */
async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + awayWithin;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(200);
    }
  }
}

let clusters = 0;

/** A standby that is `left behind` misses the last second before each failover. */
export type Standby = 'synchronous' | 'left behind';

export interface ClusterOptions {
  readonly size?: number;
  /** The port of a pooler in front of the test's Postgres, through which the instances connect. */
  readonly poolerPort?: number | undefined;
  /** A primary of the cluster's own has this standby. Without one, instances use the Postgres of the tests. */
  readonly standby?: Standby | undefined;
  /** Settings of every instance, given the database's address without pooler and proxy. */
  readonly settings?: (directUrl: string) => Readonly<Record<string, string>>;
}

/** Instances, by default three, on one Postgres and one store, with every connection behind a proxy. */
export class Cluster {
  /** Violations that faults found. */
  readonly faults: string[] = [];
  /** The fate of requests to the store. */
  fate: () => Fate = () => 'serve';

  private constructor(
    readonly instances: readonly Instance[],
    /** Removed when it is closed. */
    readonly directory: string,
    private readonly databaseUrl: string,
    private readonly administration: pg.Pool,
    private readonly database: pg.Pool,
    private readonly store: S3Server,
    private readonly pair: PostgresPair | undefined,
    private readonly standby: Standby | undefined,
  ) {}

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const { size = 3, poolerPort, standby, settings = () => ({}) } = options;
    const pair = standby === undefined ? undefined : await PostgresPair.start();
    const given = new URL(pair?.url ?? process.env.TEST_POSTGRES_URL ?? '');
    const administration = new pg.Pool({ connectionString: given.href, max: 2 });
    const name = `gatehouse_torture_${process.pid}_${Date.now()}_${clusters++}`;
    await administration.query(`create database ${name}`);
    const direct = new URL(given);
    direct.pathname = `/${name}`;
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-torture-'));
    // The hook reads the cluster, which is created after the store.
    let cluster: Cluster | undefined;
    const store = await startS3Server({ before: () => cluster?.fate() ?? 'serve' });
    const instances: Instance[] = [];
    for (let index = 0; index < size; index += 1) {
      const toDatabase = await openLine(poolerPort ?? Number(given.port || postgresPort));
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
        RUN_TASK_ALLOWED_HOSTS: '127.0.0.1',
        VCS_ALLOWED_HOSTS: '127.0.0.1',
        ...settings(direct.href),
      };
      instances.push(new Instance(`instance ${index}`, `http://127.0.0.1:${port}`, toDatabase, toStore, environment));
    }
    const database = new pg.Pool({ connectionString: direct.href, max: 2 });
    // Connections are terminated on purpose, including these.
    for (const pool of [database, administration]) pool.on('error', () => undefined);
    cluster = new Cluster(instances, directory, direct.href, administration, database, store, pair, standby);
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
    const { rows } = await untilDone(() =>
      this.administration.query(
        'select count(pg_terminate_backend(pid))::int as count from pg_stat_activity where datname = $1',
        [new URL(this.databaseUrl).pathname.slice(1)],
      ),
    );
    return rows[0].count;
  }

  /** Waits until the database has a synchronous standby, for which commits wait. */
  async replaceStandby(): Promise<void> {
    await this.pair?.replaceStandby();
  }

  /** Kills the primary and promotes the standby. Returns when it is the primary. */
  async failOver(): Promise<void> {
    if (this.standby === 'left behind') {
      await this.pair?.leaveStandbyBehind();
      await pause(1_000);
    }
    await this.pair?.failOver();
  }

  /**
   * Migrates to a newer release, fills the rows that are there, and checks them. Then undoes it, because an instance of this
   * release would not start. Returns how many rows were filled.
   */
  async upgrade(): Promise<number> {
    let filled = 0;
    await untilDone(async () => {
      const next = openPostgres(this.databaseUrl, { poolSize: 2, migrations: planted });
      try {
        await next.migrate();
        const fills = new AdvanceFills(next.unitOfWork);
        for (const name of await fills.pending()) {
          for (let complete = false; !complete; ) {
            const batch = await fills.execute(name, 50);
            filled += batch?.rows ?? 0;
            complete = batch?.complete ?? true;
          }
        }
      } finally {
        await next.close();
      }
    });
    const { rows } = await this.query(wrongRows);
    if (Number(rows[0].wrong) > 0) this.faults.push(`${rows[0].wrong} rows are wrong after they were filled`);
    await untilDone(async () => {
      const knexOnIt = knex({ ...postgresConfig(this.databaseUrl), pool: { min: 0, max: 1 } });
      await uproot(knexOnIt).finally(() => knexOnIt.destroy());
    });
    return filled;
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
    const states = await this.query(
      `select id, bundle_key, bundle_sha256 from state_versions where bundle_key is not null
      union all select id, json_bundle_key, json_bundle_sha256 from state_versions where json_bundle_key is not null`,
    );
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
      states: states.rows.map((row) => ({ id: row.id, bundleKey: row.bundle_key, sha256: row.bundle_sha256 })),
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
    if (this.pair === undefined) await this.administration.query(`drop database if exists ${name} with (force)`);
    await this.administration.end();
    await this.pair?.stop();
    await this.store.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  private query(text: string): Promise<pg.QueryResult> {
    return untilDone(() => this.database.query(text));
  }
}
