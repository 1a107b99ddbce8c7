import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import type { RequestTrace } from '../../../domain/index.js';
import type { Admission, AuditedRequest, Exchange, Headers, Turn, Waiting, WholeBody } from '../routing/exchange.js';
import { freeBytes } from '../routing/free-bytes.js';
import type { PlainRoute } from '../routing/route.js';
import { HeaderList } from './fast.js';
import type { Arrivals } from './memory/arrivals.js';
import type { MemoryBudget } from './memory/memory-budget.js';
import { arrivedBody, type BodyFile, inTime, receiveBody } from './memory/receive-body.js';
import { networkOf, RequestMemory } from './memory/request-memory.js';
import type { Turns } from './memory/turns.js';
import type { HttpMeter } from './observation.js';
import { interrupted, type Timeouts, withTimeouts } from './timeouts.js';

/** The dependencies all exchanges share. */
export interface Dependencies {
  readonly meter: HttpMeter;
  readonly timeouts: Timeouts;
  readonly stopping: AbortSignal;
  readonly stopped: AbortSignal;
  readonly memory: MemoryBudget;
  readonly arrivals: Arrivals;
  /** Long bodies take turns to be parsed. */
  readonly turns: Turns;
  /** Turns of the long lists that are being sent, each for one part. */
  readonly listTurns: Turns;
  readonly openFile: () => Promise<BodyFile>;
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
 * Writes and ends the response, making each part once the system has taken the one before. `waits` is called for a part
 * that the client does not take at once, and returns what to call when it has. Stops without an error when the client
 * disconnects. Throws when there are fewer bytes than the response head announces. Frees the memory of the bytes: the
 * caller must not use it again.
 */
const send = async (
  parts: AsyncIterable<Uint8Array | string>,
  response: Response,
  waits: (bytes: number) => () => void,
  length?: number,
  onSent: (bytes: number) => void = () => {},
): Promise<void> => {
  let sent = 0;
  let leave = () => {};
  response.once('close', () => leave());
  for await (const part of parts) {
    const written = await new Promise<boolean>((resolve) => {
      let done = false;
      let taken = () => {};
      leave = () => resolve(false);
      response.write(part, (error) => {
        done = true;
        taken();
        resolve(!error);
      });
      // Node passes the part on in the next tick.
      process.nextTick(() => {
        if (!done && response.writableLength > 0) taken = waits(part.length);
      });
    });
    if (!written) return;
    if (typeof part === 'string') continue;
    sent += part.byteLength;
    onSent(part.byteLength);
    freeBytes(part);
  }
  // Ending it now would have the next response on this connection read as the rest of it.
  if (length !== undefined && sent < length) throw new Error(`${sent} bytes were sent, but ${length} were announced`);
  response.end();
};

/** A client that reads takes a response of this many bytes at once: only longer ones reserve memory before. */
const takenAtOnce = 16 * 1024;

/** How long the makers of several long lists rest after each part, as a multiple of the time it took. */
const restsPerTurn = 2;

export class HttpExchange implements Exchange {
  readonly id = randomUUID();
  /** The pattern, which stands for the URL, as that may be a secret. */
  route = 'unmatched';
  /** The id of the caller, once known. */
  actor: string | undefined;
  /** The request as recorded if it is refused. */
  audited: AuditedRequest | undefined;
  /** Answers a refusal in place of the error document. */
  refuse: PlainRoute['refuse'];
  /** The status of the fault that cut the answer off. */
  cutOffFor: number | undefined;
  /** Whether the answer went out before the request was read: the client may then leave before it ends. */
  refusedEarly = false;
  /** Whether it was refused for lack of memory: it is then not listened to for long. */
  lacksMemory = false;
  /** Whether a route serves it, and has not finished. */
  private inHand = false;
  private closed = false;
  private memory: RequestMemory | undefined;
  /** The caller whose memory it counts against; undefined without a valid token. */
  private caller: string | undefined;
  private admission: Admission = { organization: null };
  private endTurn = () => {};
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

  audits(asked: AuditedRequest): void {
    this.audited = asked;
  }

  /** Adds headers to whatever response follows. */
  addHeaders(headers: Headers): void {
    this.headers.add(headers);
  }

  /** Adds headers to a refusal, in place of those of the same name. */
  putHeaders(headers: Headers): void {
    this.headers.put(headers);
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

  /** Identifies the caller by a valid token, whose share of the memory the request takes. */
  identify(caller: string): void {
    this.caller = caller;
  }

  admit(admission: Admission): void {
    this.admission = admission;
    this.caller = admission.caller ?? this.caller;
  }

  async body(largest: number): Promise<WholeBody> {
    const arrived = arrivedBody(this, largest);
    if (arrived !== undefined) return arrived;
    const { request } = this;
    const { arrivals, timeouts, stopped, meter } = this.dependencies;
    const parts =
      this.admission.holds === undefined
        ? inTime(request, arrivals, (lateness) => meter.bodyLate(lateness))
        : withTimeouts(request, timeouts, stopped, () => {});
    return receiveBody(this, largest, parts);
  }

  readonly reserve = (bytes: number): void => this.ownMemory().reserve(bytes);

  giveBack(bytes: number): void {
    this.memory?.giveBack(bytes);
  }

  async openFile(): Promise<BodyFile> {
    return this.ownMemory().holdFile(await this.dependencies.openFile());
  }

  async turn(): Promise<Turn> {
    const { turns, memory } = this.dependencies;
    const end = await turns.take(this.admission.organization ?? this.caller ?? '');
    this.endTurn = () => {
      this.endTurn = () => {};
      memory.parserHolds(0);
      end();
    };
    return { took: (bytes) => memory.parserHolds(bytes) };
  }

  respond(status: number, headers: Headers, body: string | Uint8Array): void {
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    if (size > takenAtOnce) this.reserve(size);
    this.writeHead(status, { 'Content-Length': size, ...headers }).end(body);
    this.waits(size);
  }

  /** Call it when all of a small response was written. Ends it when its client does not read it and memory is short. */
  waits(size: number): void {
    if (this.response.writableLength === 0) return;
    this.ownMemory().waits(size > takenAtOnce ? 0 : size);
  }

  begin(): void {
    this.inHand = true;
  }

  /** The route has finished: what its body became is not needed any more. */
  finish(): void {
    this.inHand = false;
    this.leaveTurn();
    if (this.closed) this.memory?.release();
  }

  /** Lets others parse their long bodies. */
  leaveTurn(): void {
    this.endTurn();
  }

  /** The response has ended, or the connection. */
  close(): void {
    this.closed = true;
    if (!this.inHand) this.memory?.release();
  }

  download(parts: AsyncIterable<Uint8Array>, length?: number): Promise<void> {
    return this.send(parts, length, (sent) => this.dependencies.meter.downloaded(sent));
  }

  send(
    parts: AsyncIterable<Uint8Array | string>,
    length?: number,
    onSent: (bytes: number) => void = () => {},
  ): Promise<void> {
    return send(parts, this.response, (size) => this.ownMemory().waits(size), length, onSent);
  }

  /**
   * The same parts, of which one at a time is made in the process, in an iteration of the event loop of its own: SQLite and
   * a connection that takes megabytes both answer at once, so that nothing else would be served meanwhile. Several lists
   * together leave most of the time to everything else: one iteration accepts one connection.
   */
  async *inTurn<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
    const iterator = parts[Symbol.asyncIterator]();
    const { listTurns } = this.dependencies;
    try {
      for (;;) {
        const end = await listTurns.take(this.caller ?? '');
        const begun = performance.now();
        let next: IteratorResult<Part> | undefined;
        try {
          next = this.closed ? undefined : await iterator.next();
        } finally {
          if (listTurns.areWanted) setTimeout(end, restsPerTurn * (performance.now() - begun));
          else setImmediate(end);
        }
        if (next === undefined || next.done) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  private ownMemory(): RequestMemory {
    this.memory ??= new RequestMemory(this, this.dependencies.memory, this.dependencies.meter, {
      key: this.caller ?? networkOf(this.address),
      standing: this.caller === undefined ? 'unknown' : this.admission.holds === 'lease' ? 'leased' : 'known',
    });
    return this.memory;
  }
}
