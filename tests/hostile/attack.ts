import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One kind of request, sent again and again over connections of its own. */
export interface Wave {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Taken in turn, one per connection; empty for requests without a token. */
  readonly tokens?: readonly string[];
  /** A file with the body. */
  readonly body?: string;
  /** `chunked` names no length. */
  readonly framing?: 'length' | 'chunked';
  /** Bytes of the body per second and connection; as fast as they are taken by default. */
  readonly bytesPerSecond?: number;
  /** Open at once. */
  readonly connections: number;
  /** The number of loopback addresses that the connections come from. */
  readonly addresses?: number;
  /** Most requests begun per second, over all connections. */
  readonly perSecond?: number;
  /**
   * How it treats the response: `heed` ends the request at its first byte, `ignore` goes on sending until the service
   * closes the connection, `leave` never reads it.
   */
  readonly response?: 'heed' | 'ignore' | 'leave';
}

/** The number of requests that got each status, were closed without one, or were under way at the end. */
export type Fates = Readonly<Record<string, number>>;

const program = fileURLToPath(new URL('attacker.ts', import.meta.url));

/** Waves that run in a process of their own, so that they do not disturb who measures. */
export class Attack {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves once each wave has begun all of its first requests. */
  static async begin(url: string, waves: readonly Wave[]): Promise<Attack> {
    const child = fork(program, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const attack = new Attack(child);
    await attack.hears('loaded');
    child.send({ port: Number(new URL(url).port), waves });
    await attack.hears('begun');
    return attack;
  }

  /** Closes its connections. Returns the fates of each wave. */
  async end(): Promise<readonly Fates[]> {
    const ended = this.hears('fates');
    this.child.send('end');
    const { fates } = await ended;
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return fates;
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  private hears(what: string): Promise<{ readonly fates: readonly Fates[] }> {
    return new Promise((resolve, reject) => {
      const failed = () => reject(new Error(`the attacker ended before it was ${what}`));
      this.child.once('exit', failed);
      const hear = (message: { readonly what: string; readonly fates: readonly Fates[] }) => {
        if (message.what !== what) return;
        this.child.off('message', hear).off('exit', failed);
        resolve(message);
      };
      this.child.on('message', hear);
    });
  }
}
