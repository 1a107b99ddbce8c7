import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Exchange } from '../routing/exchange.js';

const compressed = promisify(gzip);

interface Made {
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
  readonly etag: string;
}

/** Content that stays the same while the service runs: made when it is first asked for, and kept with its digest. */
export class KeptContent {
  private made: Promise<Made> | undefined;

  constructor(
    private readonly type: string,
    private readonly make: () => Promise<Uint8Array> | Uint8Array,
  ) {}

  /** Answers 304 to those who have it. `instead` takes the place of headers that every answer has. */
  async answer(exchange: Exchange, instead: Readonly<Record<string, string>> = {}): Promise<void> {
    const { bytes, gzipped, etag } = await this.ready();
    // To be kept, and asked about each time: another version of the service may answer.
    exchange.replaceHeaders({ 'Cache-Control': 'no-cache', ...instead });
    const known = { ETag: etag, Vary: 'Accept-Encoding' };
    if (isKnown(exchange.request.headers['if-none-match'], etag)) {
      exchange.writeHead(304, known).end();
      return;
    }
    const small = exchange.request.acceptsEncodings('gzip') === 'gzip';
    const body = small ? gzipped : bytes;
    exchange
      .writeHead(200, {
        ...known,
        'Content-Type': this.type,
        'Content-Length': body.byteLength,
        ...(small ? { 'Content-Encoding': 'gzip' } : {}),
      })
      .end(body);
  }

  private ready(): Promise<Made> {
    this.made ??= this.begin().catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }

  private async begin(): Promise<Made> {
    const bytes = await this.make();
    // Weak: the same for both encodings of it.
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    return { bytes, gzipped: await compressed(bytes), etag };
  }
}

const isKnown = (condition = '', etag: string): boolean =>
  condition.split(',').some((word) => word.trim() === etag || word.trim() === '*');
