import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresUrl } from './databases.js';
import { freePort } from './process.js';

/** Debian installs it where only root looks. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const program = process.env.PGBOUNCER ?? 'pgbouncer';

const asked = spawnSync(program, ['--version'], { env: { PATH }, encoding: 'utf8' });

/** As `[major, minor]`; undefined without the program. */
export const pgbouncerVersion: readonly [number, number] | undefined = ((found) =>
  found === null ? undefined : [Number(found[1]), Number(found[2])])(/PgBouncer (\d+)\.(\d+)/.exec(asked.stdout ?? ''));

/** It refuses to be run by root; this user exists everywhere and owns nothing. */
const nobody = { uid: 65534, gid: 65534 };

export type PoolMode = 'session' | 'transaction';

/** A pgbouncer in front of the tests' Postgres, for all its databases. */
export class Pgbouncer {
  private constructor(
    readonly port: number,
    private readonly stopProgram: () => Promise<void>,
  ) {}

  static async start(mode: PoolMode, settings: Readonly<Record<string, string | number>> = {}): Promise<Pgbouncer> {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-pgbouncer-'));
    const port = await freePort();
    const { hostname, port: target, username, password } = new URL(postgresUrl);
    const user = decodeURIComponent(username);
    const login = `user=${user}${password === '' ? '' : ` password=${decodeURIComponent(password)}`}`;
    const file = join(directory, 'pgbouncer.ini');
    const users = join(directory, 'users.txt');
    const all = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: mode, ...settings };
    const lines = Object.entries({ ...all, auth_type: 'trust', auth_file: users, max_client_conn: 200 });
    await writeFile(users, `"${user}" ""\n`);
    await writeFile(
      file,
      [
        '[databases]',
        `* = host=${hostname} port=${target || 5432} ${login}`,
        '[pgbouncer]',
        ...lines.map((line) => line.join(' = ')),
        '',
      ].join('\n'),
    );
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      await chmod(directory, 0o755);
      for (const made of [file, users]) await chown(made, nobody.uid, nobody.gid);
    }
    const child = spawn(program, [file], {
      ...(isRoot ? nobody : {}),
      cwd: directory,
      env: { PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4096);
    });
    const stop = async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      await rm(directory, { recursive: true, force: true });
    };
    for (const deadline = performance.now() + 100_000; !(await accepts(port)); await pause(20)) {
      if (child.exitCode === null && performance.now() < deadline) continue;
      await stop();
      throw new Error(`pgbouncer did not start: ${said}`);
    }
    return new Pgbouncer(port, stop);
  }

  /** The address of a database through it. */
  urlOf(direct: string): string {
    const url = new URL(direct);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  stop(): Promise<void> {
    return this.stopProgram();
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
