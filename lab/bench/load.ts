import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Core, end, launch } from './servers.js';

export interface LoadOrder {
  /** The URLs of the servers among which the connections are divided, without a trailing slash. */
  readonly urls: readonly string[];
  /** Paths with queries, requested in turn on each connection. */
  readonly paths: readonly string[];
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Whether the load never sleeps. On loopback the server pays for waking it: at nearly every response if the server is
   * the slower of the two, at hardly any otherwise. Over a network it would pay for none.
   */
  readonly awake?: boolean;
  /** Processes whose processor time is measured. */
  readonly pids: readonly number[];
}

export interface LoadResult {
  readonly requests: number;
  /** The actual duration. */
  readonly seconds: number;
  /** Responses with a status other than 2xx, and requests without a response. */
  readonly failed: number;
  /** The share of a core that the load used: near 1 it was the bottleneck, unless it stays awake. */
  readonly busy: number;
  /** The processor time of the servers and all their threads; absent if the system does not report it. */
  readonly cpuSeconds?: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Enough connections that a server always has a pending request. */
export const connections = 32;

/** A load generator in a process of its own, which is kept so that it stays warm. */
export class Load {
  private constructor(private readonly child: ChildProcess) {}

  static start(core: Core = 'load'): Load {
    const program = ['--import', 'tsx', 'lab/bench/load-process.ts'];
    return new Load(launch(core, program, {}, ['ignore', 'ignore', 'inherit', 'ipc']));
  }

  /** Repeats the request on all connections, each as soon as the previous response arrived. Throws if one is refused. */
  async run(order: LoadOrder): Promise<LoadResult> {
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
