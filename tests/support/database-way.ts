import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A message of Postgres's simple protocol. */
const asked = (sql: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(sql) + 1);
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${sql}\0`)]);
};

const begin = asked('BEGIN');
const outOfMemory = asked("do $$ begin raise exception using errcode = '53200'; end $$");

/** The same bytes, with a statement that fails in the place of `begin`. */
function withoutBegin(bytes: Buffer): Buffer {
  const at = bytes.indexOf(begin);
  if (at < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, at), outOfMemory, bytes.subarray(at + begin.length)]);
}

/** A proxy to the database that can refuse, stall, or cut connections at the commit, and let `begin` fail. */
export class Way {
  /** Whether new connections are refused. */
  refusing = false;
  /** Whether it drops all data. */
  stalled = false;
  /** Whether `begin`, and nothing else, fails for want of memory. */
  failingBegin = false;
  atCommit: 'cut before it is sent' | 'cut before it is answered' | undefined;
  /** The number of round trips: statements sent before the first response count as one. */
  roundTrips = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly to: URL,
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async open(to: URL): Promise<Way> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Way(server, to);
  }

  get url(): string {
    const url = new URL(this.to);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    if (this.refusing) {
      near.destroy();
      return;
    }
    const far = connect(Number(this.to.port), this.to.hostname);
    let deaf = false;
    let asked = false;
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => other.destroy());
      from.on('data', (bytes) => {
        if (this.stalled) return;
        if (from === near && !asked) this.roundTrips += 1;
        asked = from === near;
        if (from === near && this.atCommit !== undefined && bytes.includes('COMMIT')) {
          if (this.atCommit === 'cut before it is sent') return this.cut();
          deaf = true;
        }
        if (from === far && deaf) return this.cut();
        other.write(from === near && this.failingBegin ? withoutBegin(bytes) : bytes);
      });
    }
  }
}
