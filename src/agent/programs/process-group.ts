import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { killAllOf, type RunUser } from './run-user.js';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Tells it from a later one with the same number. */
  readonly started: string;
}

/**
 * A program with everything it started: the processes of its session, their children that left it, whoever has the home
 * it was given, and what any look has found so far. Only who leaves, loses its parent and takes another home between two
 * looks is overlooked. With a user of its own it is whatever runs as that user, and nothing is overlooked.
 */
export class ProcessGroup {
  private readonly known = new Map<number, string>();

  /** `leader` began the session. `home` is nobody else's. */
  constructor(
    private readonly leader: number,
    private readonly home: string | undefined,
    private readonly user?: RunUser,
  ) {}

  /** How much memory all of them use, in bytes. */
  memory(): number {
    return process.platform === 'linux'
      ? this.look().reduce((sum, pid) => sum + residentBytes(read(`/proc/${pid}/status`)), 0)
      : memoryByPs(this.leader);
  }

  /** To the group, as a terminal does it; who is gone hears nothing. */
  interrupt(): void {
    signal(-this.leader, 'SIGINT');
  }

  /** Ends all of them, also where the leader itself is gone already. */
  kill(): void {
    const found = this.look();
    signal(-this.leader, 'SIGKILL');
    for (const pid of found) signal(pid, 'SIGKILL');
    if (this.user) killAllOf(this.user);
  }

  private look(): readonly number[] {
    if (process.platform !== 'linux') return [];
    const all = processes();
    const found = new Set<Process>(
      all.filter(
        ({ pid, session, started }) =>
          session === this.leader || this.known.get(pid) === started || belongs(pid, this.home, this.user),
      ),
    );
    // Grows while it is walked: children of children follow.
    for (const { pid } of found) for (const one of all) if (one.parent === pid) found.add(one);
    this.known.clear();
    for (const { pid, started } of found) this.known.set(pid, started);
    return [...this.known.keys()];
  }
}

const mostKills = 50;

/**
 * Interrupts whatever has this home, or runs as this user, and kills what has not ended after so long, or once the signal
 * is aborted.
 */
export async function endProcessesOf(
  { home, user }: { readonly home: string; readonly user?: RunUser | undefined },
  graceSeconds: number,
  kill: AbortSignal,
): Promise<void> {
  const found = () => (process.platform === 'linux' ? processes().filter(({ pid }) => belongs(pid, home, user)) : []);
  if (graceSeconds > 0) for (const { pid } of found()) signal(pid, 'SIGINT');
  const deadline = performance.now() + graceSeconds * 1000;
  let kills = 0;
  for (let left = found(); left.length > 0; left = found()) {
    if (kill.aborted || performance.now() >= deadline) {
      if (kills === mostKills) throw new Error(`process ${left[0]?.pid} cannot be killed`);
      kills += 1;
      for (const { pid } of left) signal(pid, 'SIGKILL');
    }
    await pause(100);
  }
}

/** The numbers of the processes of a user. */
export const processesAs = ({ uid }: RunUser): readonly number[] =>
  process.platform === 'linux' ? processes().flatMap(({ pid }) => (runsAs(pid, uid) ? [pid] : [])) : [];

function signal(pid: number, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function processes(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // The name of the program is in brackets, and may have anything in it.
      const fields = read(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ');
      const [, parent, , session] = fields.map(Number);
      // A zombie has ended, and may stay where nothing waits for it.
      if (parent === undefined || session === undefined || fields[0] === 'Z') return [];
      return [{ pid: Number(name), parent, session, started: fields[19] ?? '' }];
    });
}

/** Where there is a user the home is not asked for: reading another user's environment takes a right that containers lack. */
const belongs = (pid: number, home: string | undefined, user: RunUser | undefined): boolean =>
  user === undefined ? home !== undefined && hasHome(pid, home) : runsAs(pid, user.uid);

/** Its real user: it stays the same in a program that becomes another user, as sudo does. */
const runsAs = (pid: number, uid: number): boolean =>
  /^Uid:\t(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] === String(uid);

/** As it was when the program began. */
const hasHome = (pid: number, home: string): boolean =>
  `\0${read(`/proc/${pid}/environ`)}`.includes(`\0HOME=${home}\0`);

const residentBytes = (status: string): number => Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

function memoryByPs(group: number): number {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,rss='], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([of]) => of === group)
    .reduce((sum, [, kilobytes = 0]) => sum + kilobytes * 1024, 0);
}
