import { once } from 'node:events';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';

/** A client that decides itself when to write and to read. */
export class RawClient {
  heard = '';
  readonly closed: Promise<void>;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.heard += chunk.toString('latin1');
    });
    // A client that is cut off while it writes receives an error event.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => void socket.once('close', () => resolve()));
  }

  static async connected(server: Server): Promise<RawClient> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** The head of a request, with nothing of its body. */
  ask(method: string, path: string, headers: Readonly<Record<string, string | number>>): this {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    this.socket.write([`${method} ${path} HTTP/1.1`, 'Host: gatehouse.test', ...lines, '', ''].join('\r\n'));
    return this;
  }

  write(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Resolves with the response once it has arrived whole. */
  async response(): Promise<RawResponse> {
    let found = responseIn(this.heard);
    while (found === undefined) {
      if (this.socket.destroyed) throw new Error(`the connection was closed after ${JSON.stringify(this.heard)}`);
      await Promise.race([once(this.socket, 'data'), this.closed]);
      found = responseIn(this.heard);
    }
    this.heard = '';
    return found;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  stopReading(): this {
    this.socket.pause();
    return this;
  }

  readOn(): this {
    this.socket.resume();
    return this;
  }

  leave(): void {
    this.socket.destroy();
  }
}

interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function responseIn(text: string): RawResponse | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const body = text.slice(end + 4);
  const status = Number(first.split(' ')[1]);
  return body.length < Number(headers['content-length'] ?? 0) ? undefined : { status, headers, body };
}
