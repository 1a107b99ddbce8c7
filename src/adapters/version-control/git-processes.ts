import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchFailed } from './fetch-faults.js';

export interface GitOptions {
  readonly program: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends every process, whose caller then gets the reason. */
  readonly signal: AbortSignal;
}

export interface GitOutcome {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** The end of what it wrote to its standard error. */
  readonly complaints: string;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const complaintsKept = 8 * 1024;

/** Runs git, never through a shell, each time in a process group of its own: git starts programs to help it. */
export class GitProcesses {
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly options: GitOptions) {}

  /** Keeps the beginning of what it prints, and lets the rest pass. */
  async run(args: readonly string[], bytesKept = 64 * 1024): Promise<GitOutcome & { readonly printed: string }> {
    const { output, outcome } = this.start(args);
    const decoder = new TextDecoder();
    let printed = '';
    let left = bytesKept;
    output.on('data', (chunk: Buffer) => {
      printed += decoder.decode(chunk.subarray(0, left), { stream: true });
      left -= Math.min(left, chunk.length);
    });
    return { ...(await outcome), printed };
  }

  /** `outcome` settles when the process and all it started are gone, and rejects once they were made to go. */
  start(args: readonly string[]): { readonly output: Readable; readonly outcome: Promise<GitOutcome> } {
    const { program, directory, environment, signal } = this.options;
    signal.throwIfAborted();
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const outcome = outcomeOf(child, signal);
    const settled = outcome.catch(() => undefined).finally(() => this.running.delete(settled));
    this.running.add(settled);
    return { output: child.stdout, outcome };
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }
}

function outcomeOf(child: Child, signal: AbortSignal): Promise<GitOutcome> {
  let complaints = '';
  return new Promise((resolve, reject) => {
    const stop = () => {
      killGroup(child);
      // Without a reader the pipe would not be seen to end.
      child.stdout.destroy();
    };
    // Throws where the system had no pipe left, after which the event of the fault comes.
    child.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-complaintsKept);
    });
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', stop);
      reject(error.code === 'ENOENT' ? fetchFailed('git is not installed on the server') : error);
    });
    // Comes after the pipes are closed, by which time none of the group holds them any more.
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else resolve({ code, complaints });
    });
  });
}

function killGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const betweenLooks = 50;

/** Hands on what the directory holds; looks until `work` is done, and once more then. */
export async function watchingSize<Result>(
  directory: string,
  seen: (bytes: number) => void,
  work: Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const look = async () => {
    seen(await bytesBelow(directory));
  };
  const watch = async () => {
    while (!done.signal.aborted) {
      await look();
      await pause(betweenLooks, undefined, { signal: done.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  try {
    return await work;
  } finally {
    done.abort();
    await watching;
    await look();
  }
}

/** Files come and go meanwhile; what has gone counts nothing. */
async function bytesBelow(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory() ? await bytesBelow(path) : ((await lstat(path).catch(() => undefined))?.size ?? 0);
  }
  return bytes;
}
