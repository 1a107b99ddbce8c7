import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Messages that the server ends with ReadyForQuery. */
const awaited = ['Q', 'S'];

/** Splits a stream into Postgres's messages, each with its type; the first one of a client has none. */
class Messages {
  private bytes: Buffer = Buffer.alloc(0);

  constructor(private started: boolean) {}

  *read(chunk: Buffer): Iterable<{ readonly type: string; readonly bytes: Buffer }> {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    for (;;) {
      const head = this.started ? 1 : 0;
      if (this.bytes.length < head + 4) return;
      const length = head + this.bytes.readUInt32BE(head);
      if (this.bytes.length < length) return;
      const bytes = this.bytes.subarray(0, length);
      this.bytes = this.bytes.subarray(length);
      yield { type: this.started ? String.fromCharCode(bytes[0] as number) : '', bytes };
      this.started = true;
    }
  }
}

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** A session of the server, which clients use in turn. */
class ServerSession {
  client: Client | undefined;
  /** How many ReadyForQuery are outstanding. */
  outstanding = 0;

  constructor(readonly socket: Socket) {}

  /** Resolves once the server is ready, which is not passed on. */
  static async open(port: number, startup: Buffer): Promise<ServerSession> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const session = new ServerSession(socket);
    const messages = new Messages(true);
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    socket.write(startup);
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        for (const { type, bytes } of messages.read(chunk)) {
          // A message for no client, such as a notification, is lost.
          session.client?.socket.write(bytes);
          if (type !== 'Z') continue;
          resolve();
          session.outstanding = Math.max(0, session.outstanding - 1);
          if (session.outstanding === 0 && bytes[5] === 'I'.charCodeAt(0)) session.client?.release();
        }
      });
    });
    return session;
  }
}

class Client {
  session: ServerSession | undefined;
  private waiting: Buffer[] = [];

  constructor(
    readonly socket: Socket,
    private readonly pooler: SmallPooler,
  ) {
    const messages = new Messages(false);
    socket.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of messages.read(chunk)) this.take(type, bytes);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.end());
  }

  /** Gives the session back, if the mode says so. */
  release(): void {
    if (this.pooler.mode === 'transaction') this.pooler.giveBack(this);
  }

  /** Sends the messages that arrived while no session was free. */
  sendWaiting(): void {
    for (const bytes of this.waiting) this.send(bytes);
    this.waiting = [];
  }

  private take(type: string, bytes: Buffer): void {
    if (type === '') {
      this.pooler.startup = bytes;
      const key = Buffer.from('0badcafe0badcafe', 'hex');
      this.socket.write(
        Buffer.concat([message('R', Buffer.alloc(4)), message('K', key), message('Z', Buffer.from('I'))]),
      );
      return;
    }
    if (type === 'X') return;
    if (type === 'P') this.pooler.parsed.push(bytes.subarray(5, bytes.indexOf(0, 5)).toString());
    if (this.session !== undefined) {
      this.send(bytes);
      return;
    }
    this.waiting.push(bytes);
    this.pooler.want(this);
  }

  private send(bytes: Buffer): void {
    const { session } = this;
    if (session === undefined) return;
    if (awaited.includes(String.fromCharCode(bytes[0] as number))) session.outstanding += 1;
    session.socket.write(bytes);
  }

  private end(): void {
    this.pooler.forget(this);
  }
}

/**
 * A pooler without passwords, for one database and user. In `transaction` mode a client gets another session for each
 * transaction if there is one; in `session` mode the same one until it disconnects; the session is not reset then.
 */
export class SmallPooler {
  startup: Buffer | undefined;
  /** The names of the statements that clients prepared. */
  readonly parsed: string[] = [];
  private readonly idle: ServerSession[] = [];
  private readonly all: ServerSession[] = [];
  private readonly clients = new Set<Client>();
  private readonly queue = new Set<Client>();
  private opened = 0;
  private ready = 0;

  private constructor(
    private readonly server: Server,
    private readonly database: URL,
    readonly mode: 'transaction' | 'session',
    private readonly size: number,
  ) {
    server.on('connection', (socket) => this.clients.add(new Client(socket, this)));
  }

  static async open(to: string, mode: 'transaction' | 'session', size = 3): Promise<SmallPooler> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SmallPooler(server, new URL(to), mode, size);
  }

  get url(): string {
    const url = new URL(this.database);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Whether it has clients. */
  get isUsed(): boolean {
    return this.clients.size > 0;
  }

  want(client: Client): void {
    if (this.queue.has(client)) return;
    this.queue.add(client);
    // In transaction mode all are open before the first is used, so that a client surely meets more than one.
    if (this.mode === 'transaction') while (this.opened < this.size) void this.openOne();
    else if (this.opened < this.size && this.idle.length === 0) void this.openOne();
    this.serve();
  }

  giveBack(client: Client): void {
    const { session } = client;
    if (session === undefined) return;
    client.session = undefined;
    session.client = undefined;
    this.idle.push(session);
    this.serve();
  }

  forget(client: Client): void {
    this.clients.delete(client);
    this.queue.delete(client);
    const { session } = client;
    if (session === undefined) return;
    if (session.outstanding === 0 && this.mode === 'session') {
      this.giveBack(client);
      return;
    }
    session.client = undefined;
    session.socket.destroy();
    this.opened -= 1;
    this.ready -= 1;
  }

  async close(): Promise<void> {
    for (const { socket } of [...this.clients, ...this.all]) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private async openOne(): Promise<void> {
    this.opened += 1;
    const session = await ServerSession.open(Number(this.database.port), this.startup as Buffer);
    this.all.push(session);
    this.ready += 1;
    this.idle.push(session);
    this.serve();
  }

  private serve(): void {
    if (this.mode === 'transaction' && this.ready < this.size) return;
    for (const client of this.queue) {
      const session = this.idle.shift();
      if (session === undefined) return;
      this.queue.delete(client);
      client.session = session;
      session.client = client;
      client.sendWaiting();
    }
  }
}
