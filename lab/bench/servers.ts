import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import startPostgres from '../../tests/support/start-postgres.cjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command of `npm start`. */
const [, ...words] = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start as string).split(' ');
const flags = words.filter((word) => word.startsWith('--'));

/** The token of the first site administrator in every service started here. */
export const adminToken = 'an-administrator-token-for-the-bench';

/** Whether the measured server and the load each have a core of their own. */
export const pinned = availableParallelism() >= 2 && spawnSync('taskset', ['-V']).status === 0;

/** Measured servers share the first core, since one is measured at a time. */
export type Core = 'server' | 'load' | 'any';

const onCore = (core: Core): readonly string[] =>
  pinned && core !== 'any' ? ['taskset', '-c', core === 'server' ? '0' : '1'] : [];

const running = new Set<ChildProcess>();
let stopped = false;

/** Starts a program of this Node, which `stopAll` ends whatever happens. */
export function launch(
  core: Core,
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdio: ('ignore' | 'pipe' | 'ipc' | 'inherit' | number)[],
): ChildProcess {
  if (stopped) throw new Error('the bench is over');
  const [command = '', ...rest] = [...onCore(core), process.execPath, ...program];
  const child = spawn(command, rest, { cwd: root, env: { PATH: process.env.PATH, ...environment }, stdio });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/** Kills all servers at once, ignoring errors: for the end of the program. */
export async function stopAll(): Promise<void> {
  stopped = true;
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
}

export async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Resolves to the URL that a server reports on standard error; rejects with its output if it exits before. */
export function addressOf(name: string, child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-65_536);
      const address = /serves at (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}:\n${said}`)));
  });
}

/** A measured server in its own process. */
export class Server {
  private constructor(
    readonly name: string,
    readonly child: ChildProcess,
    readonly url: string,
    readonly logFile: string,
  ) {}

  /** Resolves once it reports its URL on standard error. Its log, on standard output, goes to a file. */
  private static async start(
    name: string,
    program: readonly string[],
    environment: Readonly<Record<string, string>>,
    logFile: string,
    core: Core,
  ): Promise<Server> {
    const log = openSync(logFile, 'a');
    const child = launch(core, program, environment, ['ignore', log, 'pipe']);
    closeSync(log);
    return new Server(name, child, await addressOf(name, child), logFile);
  }

  /** The built service as `npm start` starts it, with its defaults but for the limit, which still counts. */
  static service(
    directory: string,
    environment: Readonly<Record<string, string>> = {},
    core: Core = 'server',
  ): Promise<Server> {
    const settings = {
      PORT: '0',
      DATA_DIR: directory,
      RATE_LIMIT_PER_SECOND: '1000000',
      MAX_TOKENS_PER_USER: '1000000',
      ADMIN_TOKEN: adminToken,
    };
    return Server.start('ours', words, { ...settings, ...environment }, `${directory}.log`, core);
  }

  /** A baseline of `lab/bench/bare`, with the flags of Node that the service has. */
  static bare(
    name: string,
    program: string,
    environment: Readonly<Record<string, string>>,
    logFile: string,
    core: Core = 'server',
  ): Promise<Server> {
    const path = join('lab/bench/bare', program);
    return Server.start(name, [...flags, '--import', 'tsx', path], environment, logFile, core);
  }

  get pid(): number {
    return this.child.pid as number;
  }

  stop(): Promise<void> {
    return end(this.child, 'SIGTERM');
  }
}

let starting: Promise<void> | undefined;

/**
 * The URL of a Postgres that flushes commits; undefined if there is none. One that is started here is pinned to `core`,
 * and so are connections opened from then on.
 */
export async function postgresUrl(core: Core = 'load'): Promise<string | undefined> {
  starting ??= startPostgres({ durable: true });
  await starting;
  const { gatehousePostgres } = globalThis as { gatehousePostgres?: { server: ChildProcess } };
  if (pinned && gatehousePostgres !== undefined) {
    const cores = core === 'any' ? `0-${availableParallelism() - 1}` : core === 'server' ? '0' : '1';
    spawnSync('taskset', ['-acp', cores, String(gatehousePostgres.server.pid)]);
  }
  return process.env.TEST_POSTGRES_URL;
}

/** Also one that is about to start. */
export async function stopPostgres(): Promise<void> {
  await starting?.catch(() => undefined);
  await startPostgres.stop();
}

/** The processor time of a process and all its threads so far, in seconds; undefined without /proc. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
    );
    return nanoseconds.reduce((sum, text) => sum + Number(text), 0) / 1e9;
  } catch {
    return undefined;
  }
}
