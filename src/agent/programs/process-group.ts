import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { killAllOf, type RunUser } from '../run-user.js';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Distinguishes it from a later process with the same id. */
  readonly started: string;
}

/**
 * A program with all its descendants: the processes of its session, children that left the session, processes with its
 * home directory, and those found by earlier scans. Only a process that leaves the session, loses its parent and
 * changes its home between two scans is missed. With a user of its own, the group is every process of that user, and
 * none is missed.
 */
export class ProcessGroup {
  private readonly known = new Map<number, string>();

  /** `leader` began the session. No other program has this `home`. */
  constructor(
    private readonly leader: number,
    private readonly home: string | undefined,
    private readonly user?: RunUser,
  ) {}

  /** The memory used by all of them, in bytes. */
  memory(): number {
    return process.platform === 'linux'
      ? this.look().reduce((sum, pid) => sum + residentBytes(read(`/proc/${pid}/status`)), 0)
      : memoryByPs(this.leader);
  }

  /** Signals the group, as a terminal does; processes that have ended are ignored. */
  interrupt(): void {
    signal(-this.leader, 'SIGINT');
  }

  /** Kills all of them, even if the leader has ended. */
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
    // The set grows during the iteration, so that children of children are included.
    for (const { pid } of found) for (const one of all) if (one.parent === pid) found.add(one);
    this.known.clear();
    for (const { pid, started } of found) this.known.set(pid, started);
    return [...this.known.keys()];
  }
}

const maxKills = 50;

/**
 * Interrupts every process with this home or user, and kills those still running after the given time or once the
 * signal is aborted.
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
      if (kills === maxKills) throw new Error(`process ${left[0]?.pid} cannot be killed`);
      kills += 1;
      for (const { pid } of left) signal(pid, 'SIGKILL');
    }
    await pause(100);
  }
}

/** The ids of a user's processes. */
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
      // The program's name is in brackets and may contain any character.
      const fields = read(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ');
      const [, parent, , session] = fields.map(Number);
      // A zombie has ended, and may remain if its parent does not wait for it.
      if (parent === undefined || session === undefined || fields[0] === 'Z') return [];
      return [{ pid: Number(name), parent, session, started: fields[19] ?? '' }];
    });
}

/** With a user, the home is not read: reading another user's environment requires a privilege that containers lack. */
const belongs = (pid: number, home: string | undefined, user: RunUser | undefined): boolean =>
  user === undefined ? home !== undefined && hasHome(pid, home) : runsAs(pid, user.uid);

/** Its real user, which does not change when a program switches users, as sudo does. */
const runsAs = (pid: number, uid: number): boolean =>
  /^Uid:\t(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] === String(uid);

/** The home in the environment the program was started with. */
const hasHome = (pid: number, home: string): boolean =>
  `\0${read(`/proc/${pid}/environ`)}`.includes(`\0HOME=${home}\0`);

const residentBytes = (status: string): number => Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile.
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
