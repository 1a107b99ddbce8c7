import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { onPostgres } from './databases.js';
import passingFiles from './passing-files.cjs';
import { freePort } from './process.js';
import { usable } from './programs.js';
import { until } from './service-steps.js';
import startPostgres from './start-postgres.cjs';

const { packaged, installed, own, createData, spawnServer, ready, passing } = startPostgres;

const hasProxy = usable('haproxy', spawnSync('haproxy', ['-v']).status === 0);

/** Why there can be no pair on this machine; undefined if there can. */
export const whyNoPair: string | undefined = !hasProxy
  ? 'no haproxy on PATH'
  : packaged() === undefined
    ? 'npm installs no Postgres for this machine'
    : undefined;

/** Bounded, because they are kept in memory. The WAL that a new standby needs stays available. */
const settings = [...passing, 'max_wal_size=128MB', 'wal_keep_size=256MB'];

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: readonly (Buffer | string)[]): string => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]).toString('hex');
};
const protocol = int32(196_608);

/** Sends all connections to the server that is not in recovery. A check of a standby ends at its timeout. */
const proxyConfiguration = (port: number, servers: readonly Server[]): string => `
global
    maxconn 1000
defaults
    mode tcp
    timeout connect 2s
    timeout check 2s
    timeout client 1h
    timeout server 1h
listen primary
    bind 127.0.0.1:${port}
    option tcp-check
    tcp-check connect
    tcp-check send-binary ${message('', protocol, 'user\0postgres\0database\0postgres\0\0')}
    tcp-check send-binary ${message('Q', 'select pg_is_in_recovery()\0')}
    tcp-check expect binary ${message('D', Buffer.from([0, 1]), int32(1), 'f')}
    tcp-check send-binary ${message('X')}
    default-server check inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions
${servers.map((server, index) => `    server number-${index} 127.0.0.1:${server.port}`).join('\n')}
`;

/** Copies the data of a running server: files may disappear meanwhile. */
async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  await own(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyData(source, target);
    else if (entry.isFile() && !/pg_wal$/.test(from) && !/^postmaster\./.test(entry.name)) {
      const gone = await copyFile(source, target).catch((error: NodeJS.ErrnoException) => error);
      if (gone === undefined) await own(target);
      else if (gone.code !== 'ENOENT') throw gone;
    }
  }
}

/** Waits until the statement finds a row there, also while nothing answers. */
const untilFound = (what: string, sql: string, url: string): Promise<unknown> =>
  until(
    what,
    () =>
      onPostgres(sql, url).then(
        ({ length }) => length === 1,
        () => false,
      ),
    60_000,
  );

const addressOf = ({ port }: { readonly port: number }): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

class Server {
  private child: ChildProcess | undefined;

  constructor(
    private readonly directory: string,
    readonly data: string,
    readonly port: number,
  ) {}

  get url(): string {
    return addressOf(this);
  }

  async start(more: readonly string[] = []): Promise<void> {
    const { directory, data, port } = this;
    const native = join(directory, 'native');
    this.child = spawnServer({ native, data, directory, port, settings: [...settings, ...more] });
    await ready(this.child);
  }

  /** Kills all its processes, as a machine that loses its power does: no session outlives the server. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    // A stopped server starts no more processes.
    child.kill('SIGSTOP');
    const sessions = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
    child.kill('SIGKILL');
    for (const pid of sessions.split(' ').filter((word) => /^\d+$/.test(word))) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
    await exited;
  }
}

/** A primary and its synchronous standby, behind a haproxy that connects clients to the primary. */
export class PostgresPair {
  private proxy: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    readonly port: number,
    private primary: Server,
    private other: Server,
    private isStandby = false,
  ) {}

  static async start(): Promise<PostgresPair> {
    const directory = await mkdtemp(join(passingFiles, 'gatehouse-pair-'));
    await own(directory);
    await installed(packaged() ?? '', directory);
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) => new Server(directory, join(directory, name), await freePort())),
    );
    const pair = new PostgresPair(directory, await freePort(), first as Server, second as Server);
    try {
      await pair.begin();
    } catch (error) {
      await pair.stop();
      throw error;
    }
    return pair;
  }

  /** The address of whichever server is the primary. */
  get url(): string {
    return addressOf(this);
  }

  private async begin(): Promise<void> {
    const { primary, directory, port } = this;
    await mkdir(primary.data, { mode: 0o700 });
    await own(primary.data);
    createData(join(directory, 'native'), primary.data);
    await primary.start();
    // Until its first check, haproxy treats each server as a primary. The check of the standby, which is not there yet, fails at once.
    const file = join(directory, 'haproxy.cfg');
    await writeFile(file, proxyConfiguration(port, [primary, this.other]));
    this.proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    await untilFound('haproxy connects to the primary', 'select 1', this.url);
    await this.replaceStandby();
  }

  /** Creates the standby from the primary, unless there is one, and makes commits wait for it. */
  async replaceStandby(): Promise<void> {
    if (this.isStandby) return;
    const { primary, other } = this;
    await rm(other.data, { recursive: true, force: true });
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query(`select pg_backup_start('standby', true)`);
    await copyData(primary.data, other.data);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    const files = { backup_label: rows[0].labelfile, 'standby.signal': '', 'postgresql.auto.conf': '' };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(other.data, name), text);
      await own(join(other.data, name));
    }
    await other.start([`primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`]);
    await onPostgres(`alter system set synchronous_standby_names = '*'`, primary.url);
    await onPostgres('select pg_reload_conf()', primary.url);
    const synchronous = `select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`;
    await untilFound('the standby is synchronous', synchronous, primary.url);
    this.isStandby = true;
  }

  /**
   * Cuts the standby off, and makes commits wait for it no longer: a failover loses what is committed from now on, as one to
   * a standby does that is not synchronous.
   */
  async leaveStandbyBehind(): Promise<void> {
    const { primary } = this;
    const rules = join(primary.data, 'pg_hba.conf');
    await writeFile(rules, `host replication all all reject\n${await readFile(rules, 'utf8')}`);
    await onPostgres('alter system reset synchronous_standby_names', primary.url);
    await onPostgres('select pg_reload_conf()', primary.url);
    await onPostgres('select pg_terminate_backend(pid) from pg_stat_replication', primary.url);
  }

  /** Kills the primary and promotes the standby, which then waits for no other. */
  async failOver(): Promise<void> {
    if (!this.isStandby) throw new Error('no standby could be promoted');
    const { primary, other } = this;
    this.isStandby = false;
    await primary.kill();
    const [row] = await onPostgres('select pg_promote(true, 30) as promoted', other.url);
    if (!row?.promoted) throw new Error('the standby was not promoted');
    [this.primary, this.other] = [other, primary];
  }

  /** Kills the standby: commits wait for it from now on. */
  async killStandby(): Promise<void> {
    this.isStandby = false;
    await this.other.kill();
  }

  async stop(): Promise<void> {
    if (this.proxy !== undefined && this.proxy.exitCode === null && this.proxy.signalCode === null) {
      const exited = once(this.proxy, 'exit');
      this.proxy.kill('SIGKILL');
      await exited;
    }
    await Promise.all([this.primary.kill(), this.other.kill()]);
    await rm(this.directory, { recursive: true, force: true });
  }
}
