import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import type { RequestTrace } from '../../../domain/index.js';
import type { Asked, Exchange, Headers, Waiting } from '../routing/exchange.js';
import type { PlainRoute } from '../routing/route.js';
import { giveBack, HeaderList } from './fast.js';
import type { HttpMeter } from './observation.js';
import { interrupted, type Timeouts, withTimeouts } from './timeouts.js';

/** The dependencies all exchanges share. */
export interface Dependencies {
  readonly meter: HttpMeter;
  readonly timeouts: Timeouts;
  readonly stopping: AbortSignal;
  readonly stopped: AbortSignal;
  readonly behindProxies: boolean;
  /** The headers of every answer, names and values in turn. */
  readonly headers: readonly string[];
}

/** Some proxies forward an address with its port. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

/**
 * The client's address; undefined once its connection is closed. Some proxies forward any text they receive, so a value
 * that is not an address is ignored.
 */
const clientAddressOf = (request: Request): string | undefined => {
  const address = withoutPort(request.ip ?? '');
  return isIP(address) === 0 ? request.socket.remoteAddress : address;
};

/**
 * Writes and ends the response, making each part once the system has taken the one before. Stops without an error when
 * the client disconnects. Throws when there are fewer bytes than the response head announces. Frees the memory of the
 * bytes: the caller must not use it again.
 */
export const send = async (
  parts: AsyncIterable<Uint8Array | string>,
  response: Response,
  length?: number,
  onSent: (bytes: number) => void = () => {},
): Promise<void> => {
  let sent = 0;
  let leave = () => {};
  response.once('close', () => leave());
  for await (const part of parts) {
    const written = await new Promise<boolean>((resolve) => {
      leave = () => resolve(false);
      response.write(part, (error) => resolve(!error));
    });
    if (!written) return;
    if (typeof part === 'string') continue;
    const { byteLength, buffer } = part;
    sent += byteLength;
    onSent(byteLength);
    if (byteLength === buffer.byteLength) giveBack(buffer);
  }
  // Ending it now would have the next response on this connection read as the rest of it.
  if (length !== undefined && sent < length) throw new Error(`${sent} bytes were sent, but ${length} were announced`);
  response.end();
};

export class HttpExchange implements Exchange {
  readonly id = randomUUID();
  /** The pattern, which stands for the URL, as that may be a secret. */
  route = 'unmatched';
  /** The id of the caller, once known. */
  actor: string | undefined;
  /** The request as recorded if it is refused. */
  asked: Asked | undefined;
  /** Answers a refusal in place of the error document. */
  refuse: PlainRoute['refuse'];
  /** The status of the fault that cut the answer off. */
  cutOffFor: number | undefined;
  /** Whether the answer went out before the request was read: the client may then leave before it ends. */
  refusedEarly = false;
  private readonly headers: HeaderList;
  /** Read at once: it is lost with the connection. */
  private readonly remoteAddress: string | undefined;

  constructor(
    readonly request: Request,
    readonly response: Response,
    private readonly dependencies: Dependencies,
  ) {
    this.headers = new HeaderList(dependencies.headers, this.id);
    this.remoteAddress = request.socket.remoteAddress;
  }

  get stopping(): AbortSignal {
    return this.dependencies.stopping;
  }

  waiting(): Waiting {
    const gone = new AbortController();
    if (this.response.closed) gone.abort();
    else this.response.once('close', () => gone.abort());
    return { times: this.dependencies.timeouts.stream, ended: AbortSignal.any([this.stopping, gone.signal]) };
  }

  /** Undefined where it is unknown. */
  get address(): string | undefined {
    return (this.dependencies.behindProxies ? clientAddressOf(this.request) : undefined) ?? this.remoteAddress;
  }

  origin(): RequestTrace {
    return { id: this.id, address: this.address ?? null, route: `${this.request.method} ${this.route}` };
  }

  asks(asked: Asked): void {
    this.asked = asked;
  }

  /** Adds headers to whatever response follows. */
  addHeaders(headers: Headers): void {
    this.headers.add(headers);
  }

  replaceHeaders(headers: Headers): void {
    this.headers.replace(headers);
  }

  writeHead(status: number, headers: Headers = {}): Response {
    this.headers.add(headers);
    return this.headers.write(this.response, status);
  }

  async receive<Received>(into: (body: AsyncIterable<Uint8Array>) => Promise<Received>): Promise<Received> {
    const { request } = this;
    const { meter, timeouts, stopped } = this.dependencies;
    const upload = meter.uploadBegun();
    try {
      const received = await into(withTimeouts(request, timeouts, stopped, upload.received));
      upload.ended();
      return received;
    } catch (error) {
      upload.ended(request.destroyed && !request.complete ? interrupted('the client disconnected') : error);
      throw error;
    }
  }

  download(parts: AsyncIterable<Uint8Array>, length?: number): Promise<void> {
    return send(parts, this.response, length, (sent) => this.dependencies.meter.downloaded(sent));
  }
}
