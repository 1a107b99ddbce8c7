import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy between two programs that can delay, hold back or drop bytes. */
export interface Line {
  /** The port to connect to. */
  readonly port: number;
  /** Resets all connections, as a rebooted machine does. Returns how many there were. */
  cut(): number;
  /** Silently drops everything sent on the open connections, both ways. Returns how many there are. */
  swallow(): number;
  /** Passes requests on the open connections and drops the responses. Returns how many there are. */
  mute(): number;
  /** From now on, passes data that contains `text` on and cuts its connection at the response. Undefined ends that. */
  trap(text: string | undefined): void;
  /** How many connections `trap` has cut. */
  trapped(): number;
  /** Refuses new connections until `accept`. */
  refuse(): void;
  accept(): void;
  /** Holds all bytes back until `resume`. */
  stall(): void;
  resume(): void;
  /** Delays each chunk by `milliseconds`, each way. */
  delay(milliseconds: number): void;
  close(): Promise<void>;
}

/** Opens a proxy on loopback to another loopback port. */
export async function openLine(target: number): Promise<Line> {
  const pairs = new Set<Pair>();
  const state: State = { refusing: false, stalled: false, delay: 0, trap: undefined, trapped: 0 };
  const server: Server = createServer((near) => {
    if (state.refusing) {
      near.resetAndDestroy();
      return;
    }
    const pair = new Pair(near, connect(target, '127.0.0.1'), state);
    pairs.add(pair);
    pair.gone = () => pairs.delete(pair);
    if (state.stalled) pair.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const reset = () => {
    const count = pairs.size;
    for (const pair of pairs) pair.reset();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: reset,
    swallow: () => {
      for (const pair of pairs) pair.swallowing = true;
      return pairs.size;
    },
    mute: () => {
      for (const pair of pairs) pair.mute = true;
      return pairs.size;
    },
    trap: (text) => {
      state.trap = text;
    },
    trapped: () => state.trapped,
    refuse: () => {
      state.refusing = true;
    },
    accept: () => {
      state.refusing = false;
    },
    stall: () => {
      state.stalled = true;
      for (const pair of pairs) pair.pause();
    },
    resume: () => {
      state.stalled = false;
      for (const pair of pairs) pair.resume();
    },
    delay: (milliseconds) => {
      state.delay = milliseconds;
    },
    close: async () => {
      server.close();
      reset();
      await once(server, 'close');
    },
  };
}

interface State {
  refusing: boolean;
  stalled: boolean;
  delay: number;
  trap: string | undefined;
  trapped: number;
}

/** The pair of sockets of one proxied connection. */
class Pair {
  swallowing = false;
  mute = false;
  private caught = false;
  gone = (): void => undefined;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly state: State,
  ) {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      // Delayed chunks keep their order even if the delay changes.
      let last = Promise.resolve();
      const inOrder = (pass: () => void) => {
        const { delay } = this.state;
        const waited = delay > 0 ? new Promise((resolve) => setTimeout(resolve, delay)) : undefined;
        last = last
          .then(() => waited)
          .then(() => (this.swallowing || (this.mute && from === far) || to.destroyed ? undefined : pass()));
      };
      from.on('data', (chunk: Buffer) => {
        if (from === far && this.caught) this.reset();
        else inOrder(() => to.write(chunk));
        if (from === near && this.state.trap !== undefined && chunk.includes(this.state.trap)) this.caught = true;
      });
      from.on('end', () => inOrder(() => to.end()));
      from.on('error', () => this.reset());
      from.on('close', () => {
        // A swallowed connection passes nothing on, not even its end.
        if (!this.swallowing && from.errored !== null) this.reset();
        if (to.destroyed) this.gone();
      });
    }
  }

  pause(): void {
    this.near.pause();
    this.far.pause();
  }

  resume(): void {
    this.near.resume();
    this.far.resume();
  }

  reset(): void {
    if (this.caught && !this.near.destroyed) this.state.trapped += 1;
    for (const socket of [this.near, this.far]) {
      // A pending end cannot be followed by a reset: the connection would stay open, and the process would
      // never exit.
      if (socket.writableEnded && !socket.writableFinished) socket.destroy();
      else if (!socket.destroyed) socket.resetAndDestroy();
    }
  }
}
