import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunUser } from '../run-user.js';
import { ProcessGroup } from './process-group.js';

export interface Bounds {
  /** The time by which it must have ended, by `performance.now()`. */
  readonly deadline: number;
  /** 0 for no limit. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
  /** The time an interrupted program gets to end. */
  readonly graceSeconds: number;
  /** Interrupts it; the reason is an error with the explanation. */
  readonly interrupt: AbortSignal;
  /** Kills it at once. */
  readonly kill: AbortSignal;
}

export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly bounds: Bounds;
  /** If not the agent's: a user that runs nothing else. */
  readonly user?: RunUser | undefined;
  /** The descriptor of a file for its standard output; `onOutput` by default. */
  readonly into?: number;
  readonly onOutput: (chunk: Buffer) => void;
  /** Receives its standard error; `onOutput` by default. */
  readonly onComplaint?: (chunk: Buffer) => void;
}

/** A program exceeded a limit and was stopped; the message names the limit. */
export class BoundReached extends Error {
  override readonly name = 'BoundReached';
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** The reason it was stopped: `BoundReached`, or the reason of the signal. */
  readonly stopped: Error | undefined;
}

const betweenLooks = 250;
const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/**
 * Runs a program in a session of its own, all of whose processes have ended when this resolves. A program can escape on
 * purpose, unless it has a user of its own.
 */
export async function runProgram(program: Program): Promise<Ended> {
  const { bounds, into, onOutput, onComplaint = onOutput } = program;
  bounds.interrupt.throwIfAborted();
  bounds.kill.throwIfAborted();
  const child = begun(program);
  const closed = once(child, 'close');
  const exited = once(child, 'exit');
  closed.catch(() => undefined);
  exited.catch(() => undefined);
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw error;
  }
  const group = new ProcessGroup(child.pid, program.environment.HOME, program.user);
  const stop = new Stop(group, bounds.graceSeconds);

  let printed = 0;
  const stopLongOutput = (): boolean => {
    const long = printed + (into === undefined ? 0 : fstatSync(into).size) > bounds.outputBytes;
    const why = `it printed more than ${megabytes(bounds.outputBytes)} MB (AGENT_OUTPUT_MB)`;
    if (long) stop.interrupt(new BoundReached(why));
    return long;
  };
  const counted = (pass: (chunk: Buffer) => void) => (chunk: Buffer) => {
    printed += chunk.length;
    if (!stopLongOutput()) pass(chunk);
  };
  child.stdout?.on('data', counted(onOutput));
  child.stderr?.on('data', counted(onComplaint));

  const watch = setInterval(() => {
    stopLongOutput();
    const used = group.memory();
    if (bounds.memoryBytes > 0 && used > bounds.memoryBytes) {
      stop.kill(new BoundReached(`it used more than ${megabytes(bounds.memoryBytes)} MB of memory (AGENT_MEMORY_MB)`));
    }
    if (performance.now() > bounds.deadline) {
      stop.interrupt(new BoundReached('it took longer than AGENT_PHASE_SECONDS allows'));
    }
  }, betweenLooks);
  const onInterrupt = () => stop.interrupt(bounds.interrupt.reason);
  const onKill = () => stop.kill(bounds.kill.reason);
  bounds.interrupt.addEventListener('abort', onInterrupt);
  bounds.kill.addEventListener('abort', onKill);
  try {
    const [code] = await exited;
    // Remaining processes would hold the pipes open and continue.
    group.kill();
    await Promise.race([closed, pause(5_000, undefined, { ref: false })]);
    stopLongOutput();
    return { code: code as number | null, stopped: stop.reason };
  } finally {
    clearInterval(watch);
    stop.done();
    bounds.interrupt.removeEventListener('abort', onInterrupt);
    bounds.kill.removeEventListener('abort', onKill);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function begun({ path, args, directory, environment, user, into }: Program): ChildProcess {
  try {
    return spawn(path, args, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', into ?? 'pipe', 'pipe'],
      detached: true,
      // With a user, libuv drops the agent's supplementary groups as well.
      ...user,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'E2BIG') throw error;
    const sizes = Object.entries(environment).map(([name, value]) => [name, Buffer.byteLength(value)] as const);
    const [largest, bytes] = sizes.reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0] as const);
    throw new BoundReached(`its environment is larger than this machine allows: ${largest} alone has ${bytes} bytes`);
  }
}

/** Stops a program, gracefully at first. */
class Stop {
  reason: Error | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly group: ProcessGroup,
    private readonly graceSeconds: number,
  ) {}

  interrupt(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.group.interrupt();
    this.timer = setTimeout(() => this.group.kill(), this.graceSeconds * 1000);
  }

  kill(reason: Error): void {
    this.reason ??= reason;
    this.group.kill();
  }

  done(): void {
    clearTimeout(this.timer);
  }
}
