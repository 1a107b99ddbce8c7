import type { Server, Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

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
export class Way extends TcpProxy {
  /** Whether it drops all data. */
  stalled = false;
  /** Whether `begin`, and nothing else, fails for want of memory. */
  failingBegin = false;
  atCommit: 'cut before it is sent' | 'cut before it is answered' | undefined;
  /** The number of round trips: statements sent before the first response count as one. */
  roundTrips = 0;

  private constructor(
    server: Server,
    private readonly database: URL,
  ) {
    super(server, { hostname: database.hostname, port: Number(database.port) });
  }

  static async open(to: URL): Promise<Way> {
    return new Way(await TcpProxy.listen(), to);
  }

  /** Whether new connections are refused. */
  set refusing(refusing: boolean) {
    this.isRefusing = refusing;
  }

  get url(): string {
    const url = new URL(this.database);
    url.host = this.host;
    return url.href;
  }

  protected carry(near: Socket, far: Socket): void {
    let deaf = false;
    let asked = false;
    near.on('data', (bytes) => {
      if (this.stalled) return;
      if (!asked) this.roundTrips += 1;
      asked = true;
      if (this.atCommit !== undefined && bytes.includes('COMMIT')) {
        if (this.atCommit === 'cut before it is sent') return this.cut();
        deaf = true;
      }
      far.write(this.failingBegin ? withoutBegin(bytes) : bytes);
    });
    far.on('data', (bytes) => {
      if (this.stalled) return;
      asked = false;
      if (deaf) return this.cut();
      near.write(bytes);
    });
  }
}
