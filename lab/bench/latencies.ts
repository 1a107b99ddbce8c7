import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** From the root on. */
  readonly path: string;
  readonly body?: object;
}

const headEnd = '\r\n\r\n';

/** The end of a chunked response. Compact JSON does not contain such line ends. */
const lastChunk = '\r\n0\r\n\r\n';

/** One request at a time on a persistent connection. The client is minimal, since it is measured too. */
class Connection {
  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
    private readonly token: string,
  ) {}

  static async open(url: URL, token: string): Promise<Connection> {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, url.host, token);
  }

  /** Resolves to the latency in milliseconds. Rejects if the status is not 2xx. */
  ask({ method = 'GET', path, body }: Request): Promise<number> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const content =
      text === '' ? '' : `Content-Type: application/vnd.api+json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${this.token}\r\n${content}`;
    return new Promise((resolve, reject) => {
      const began = process.hrtime.bigint();
      let missing: number | undefined;
      let start: Buffer = Buffer.alloc(0);
      /** The last bytes received, for a response without a length. */
      let tail: string | undefined;
      const finished = (fault?: Error) => {
        this.socket.off('data', read).off('close', closed);
        if (fault === undefined) resolve(Number(process.hrtime.bigint() - began) / 1e6);
        else reject(fault);
      };
      const closed = () => finished(new Error(`${method} ${path}: the connection was closed`));
      const read = (chunk: Buffer) => {
        if (tail !== undefined)
          tail = (tail + chunk.toString('latin1', chunk.length - lastChunk.length)).slice(-lastChunk.length);
        else if (missing !== undefined) missing -= chunk.length;
        else {
          start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
          const end = start.indexOf(headEnd);
          if (end < 0) return;
          const said = start.toString('latin1', 0, end);
          if (!/^HTTP\/1\.1 2/.test(said)) return finished(new Error(`${method} ${path}: ${start}`));
          const length = /\r\ncontent-length: (\d+)/i.exec(said)?.[1];
          if (/\r\ntransfer-encoding: chunked/i.test(said)) tail = start.toString('latin1').slice(-lastChunk.length);
          else if (length === undefined && !/^HTTP\/1\.1 204/.test(said)) {
            return finished(new Error(`${method} ${path}: no length`));
          }
          missing = Number(length ?? 0) - (start.length - end - headEnd.length);
        }
        if (tail === undefined ? missing !== undefined && missing <= 0 : tail === lastChunk) finished();
      };
      this.socket.on('data', read).once('close', closed);
      this.socket.write(`${head}\r\n${text}`);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Several connections, each of which sends its next request as soon as the previous one is answered. */
export class Connections {
  private constructor(private readonly open: readonly Connection[]) {}

  static async to(url: string, token: string, count: number): Promise<Connections> {
    return new Connections(
      await Promise.all(Array.from({ length: count }, () => Connection.open(new URL(url), token))),
    );
  }

  /** The latencies in milliseconds, unordered. */
  async send(asks: readonly Request[]): Promise<readonly number[]> {
    const left = asks.values();
    const took: number[] = [];
    await Promise.all(
      this.open.map(async (connection) => {
        for (const ask of left) took.push(await connection.ask(ask));
      }),
    );
    return took;
  }

  close(): void {
    for (const connection of this.open) connection.close();
  }
}

/** The smallest value that is not exceeded by `hundredths` percent of the values. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * hundredths) / 100) - 1)] ?? Number.NaN;
}
