import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Core, end, launch } from './servers.js';

export interface LoadOrder {
  /** Of the servers among which the connections are divided, without a slash at their ends. */
  readonly urls: readonly string[];
  /** With their queries; one after the other on each connection. */
  readonly paths: readonly string[];
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Whether the load never sleeps. On loopback it is the answering server that pays for waking it, at every answer where
   * the server is the slower of the two and at hardly any where it is not; from a network it would pay for none.
   */
  readonly awake?: boolean;
  /** Whose processor time is looked at. */
  readonly pids: readonly number[];
}

export interface LoadResult {
  readonly requests: number;
  /** How long it took in truth. */
  readonly seconds: number;
  /** Answers that were none of 200 to 299, and requests without an answer. */
  readonly failed: number;
  /** The part of a core that the load itself took: near 1 it held the server up, unless it was to stay awake. */
  readonly busy: number;
  /** What the servers' processes took meanwhile, of all their threads; absent where the system does not say. */
  readonly cpuSeconds?: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Enough that a server is never without a request to work at. */
export const connections = 32;

/** A load generator in a process of its own, which stays alive so that it is as fast each time. */
export class Load {
  private constructor(private readonly child: ChildProcess) {}

  static start(core: Core = 'load'): Load {
    const program = ['--import', 'tsx', 'tests/bench/load-process.ts'];
    return new Load(launch(core, program, {}, ['ignore', 'ignore', 'inherit', 'ipc']));
  }

  /** Asks the same again and again on all connections, each as soon as it has its answer. Throws when one is refused. */
  async ask(order: LoadOrder): Promise<LoadResult> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.child, 'exit', { signal }).then(([code]) => ({ fault: `it ended with ${code}` }));
    const answered = once(this.child, 'message', { signal }).then(([message]) => message);
    this.child.send(order);
    const { result, fault }: { result?: LoadResult; fault?: string } = await Promise.race([answered, ended]);
    over.abort();
    for (const waited of [answered, ended]) waited.catch(() => undefined);
    if (result === undefined) throw new Error(`the load failed: ${fault}`);
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests failed: ${order.paths[0]}`);
    if (result.requests === 0) throw new Error(`nothing was answered in ${order.seconds} s: ${order.paths[0]}`);
    return result;
  }

  stop(): Promise<void> {
    return end(this.child, 'SIGTERM');
  }
}
