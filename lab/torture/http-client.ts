import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The number of body bytes after which the client hangs up. */
  readonly breakAfter?: number;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The connection was refused: the request was not sent and had no effect. */
export class Unsent extends Error {}

/** A raw HTTP client: it resolves or rejects in bounded time, and can misbehave on purpose. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly bound: number) {}

  send({ method, url, headers = {}, body, breakAfter }: Sent): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
      const request = httpRequest(url, { method, headers: { ...length, ...headers }, agent: this.agent });
      const timer = setTimeout(() => request.destroy(new Error(`no end within ${this.bound} ms`)), this.bound + 5_000);
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(error.code === 'ECONNREFUSED' ? new Unsent(error.message) : error);
      };
      request.once('error', fail);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        response.once('aborted', () => fail(new Error('the answer broke off')));
        response.once('end', () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) });
        });
      });
      if (body !== undefined && breakAfter !== undefined) {
        request.write(body.subarray(0, breakAfter), () => setTimeout(() => request.destroy(new Error('hung up')), 20));
      } else request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
