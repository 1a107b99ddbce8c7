import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { OperatorError } from '../../backup.js';
import { errorsDocument, type Item, itemDocument, listDocument } from './documents.js';
import { sendStream } from './send-stream.js';

/** One server of the family, with the path of its API. */
export interface End {
  readonly side: 'source' | 'target';
  /** Without a path. */
  readonly url: URL;
  readonly token: string;
}

/** The server refused a request, and would refuse a retry. The message names the server. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly side: End['side'],
    readonly status: number,
    sentence: string,
    /** Whether an earlier try, whose response was lost, may have succeeded. */
    readonly repeated: boolean,
  ) {
    super(sentence);
  }
}

/** The attempt failed, and another one may succeed. */
class Temporary extends Error {
  override readonly name = 'Temporary';

  constructor(
    sentence: string,
    /** The minimum wait in milliseconds. */
    readonly wait: number,
  ) {
    super(sentence);
  }
}

const base = '/api/v2';
const pageSize = 100;
const tries = 8;
/** In milliseconds. */
const [firstPause, longestPause, longestAsked] = [500, 15_000, 120_000] as const;
const [documentTimeout, contentTimeout] = [60_000, 3_600_000] as const;
/** In bytes. */
const longestDocument = 32 * 1024 * 1024;
/** In one list. */
const mostPages = 100_000;

export type Bytes = ReadableStream<Uint8Array>;

/** The requests that the import sends to both servers. */
export interface ReadableServer {
  readonly end: End;
  /** All pages. Throws `Refused` at the first. */
  list(path: string): AsyncGenerator<Item>;
  /** The number of items in a list; undefined if the server does not give it. */
  count(path: string): Promise<number | undefined>;
  item(path: string): Promise<Item>;
  /** The content at a path or URL. Throws `OperatorError` beyond the limit of a document. */
  text(path: string): Promise<string>;
  /** Reads a content of any length; from the beginning after a try that was cut off. */
  read<Read>(url: string, read: (bytes: Bytes) => Promise<Read>): Promise<Read>;
  /** The same content, whose reader must repeat it after a try that was cut off. */
  open(url: string): Promise<Bytes>;
}

/** The source: apart from locks, nothing can be written to it. */
export interface SourceServer extends ReadableServer {
  lock(workspaceId: string, reason: string): Promise<void>;
  unlock(workspaceId: string): Promise<void>;
}

/**
 * Sends requests to a server of the family. Temporary failures (no connection, 5xx, 408, 429) are retried with growing
 * pauses, at most seven times; any other refusal throws `Refused`, and a refused token `OperatorError`.
 */
export class FamilyClient implements SourceServer {
  constructor(
    readonly end: End,
    private readonly stopping: AbortSignal,
    private readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<unknown> = (milliseconds, signal) =>
      pause(milliseconds, undefined, signal && { signal }),
  ) {}

  async *list(path: string): AsyncGenerator<Item> {
    for (let page: number | null = 1, read = 0; page !== null && read < mostPages; read += 1) {
      const list: z.output<typeof listDocument> = await this.document(paged(path, page, pageSize), listDocument);
      yield* list.data;
      const next = list.meta?.pagination?.['next-page'] ?? null;
      page = next !== null && next > page ? next : null;
    }
  }

  async count(path: string): Promise<number | undefined> {
    const { data, meta } = await this.document(paged(path, 1, 1), listDocument);
    return meta?.pagination?.['total-count'] ?? (meta?.pagination?.['next-page'] ? undefined : data.length);
  }

  async item(path: string): Promise<Item> {
    return (await this.document(path, itemDocument)).data;
  }

  text(path: string): Promise<string> {
    return this.repeat((again) => this.once('GET', path, { again }, (response) => this.shortText(response)));
  }

  read<Read>(url: string, read: (bytes: Bytes) => Promise<Read>): Promise<Read> {
    return this.repeat((again) =>
      this.once('GET', url, { again, timeout: contentTimeout }, ({ body }) => read((body ?? emptyBody()) as Bytes)),
    );
  }

  open(url: string): Promise<Bytes> {
    return this.read(url, (bytes) => Promise.resolve(bytes));
  }

  lock(workspaceId: string, reason: string): Promise<void> {
    return this.changeLock(`/workspaces/${workspaceId}/actions/lock`, JSON.stringify({ reason }));
  }

  unlock(workspaceId: string): Promise<void> {
    return this.changeLock(`/workspaces/${workspaceId}/actions/unlock`);
  }

  /** An interruption does not end it, so that what is locked is known. */
  private changeLock(path: string, body?: string): Promise<void> {
    const sending = { isLast: true, ...(body !== undefined && { body }) };
    return this.repeat((again) => this.once('POST', path, { again, ...sending }, discard), true);
  }

  /** The resource in the response; undefined if it has none. */
  async send(method: 'POST' | 'PATCH', path: string, body: object): Promise<Item | undefined> {
    const text = await this.repeat((again) =>
      this.once(method, path, { again, body: JSON.stringify(body) }, (response) => this.shortText(response)),
    );
    return itemDocument.safeParse(text === '' ? undefined : parsed(text)).data?.data;
  }

  /** Stores the bytes that `open` returns for each try. */
  async put(url: string, open: () => Promise<Bytes | string>): Promise<void> {
    await this.repeat(async (again) => {
      const body = await open();
      await this.once('PUT', url, { again, body, timeout: contentTimeout, isRaw: true }, discard);
    });
  }

  private async document<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const text = await this.repeat((again) =>
      this.once('GET', path, { again }, (response) => this.shortText(response)),
    );
    const document = schema.safeParse(parsed(text));
    if (document.success) return document.data;
    throw new OperatorError(
      `the ${this.end.side} answered ${path} with something that is not a document of this API. Check its URL`,
    );
  }

  private async repeat<Read>(once: (again: boolean) => Promise<Read>, isLast = false): Promise<Read> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await once(tried > 1);
      } catch (error) {
        if (!isLast) this.stopping.throwIfAborted();
        const trouble = error instanceof Temporary ? error : passing(error);
        if (trouble === undefined) throw error;
        if (tried === tries) {
          throw new OperatorError(
            `the ${this.end.side} is unavailable: ${trouble.message}. Run the command again to continue`,
          );
        }
        const own = Math.min(firstPause * 2 ** (tried - 1), longestPause);
        await this.wait(Math.max(trouble.wait, own), isLast ? undefined : this.stopping);
      }
    }
  }

  private async once<Read>(
    method: string,
    place: string,
    { again, body, timeout = documentTimeout, isRaw = false, isLast = false }: Sending,
    read: (response: Response) => Promise<Read>,
  ): Promise<Read> {
    const url = place.startsWith('/') ? new URL(base + place, this.end.url) : new URL(place);
    // A URL of another place, such as that of an object store, must not get the token.
    const own = url.origin === this.end.url.origin;
    const ending = AbortSignal.timeout(timeout);
    const sending = {
      method,
      headers: {
        ...(own && { Authorization: `Bearer ${this.end.token}` }),
        ...(body !== undefined && { 'Content-Type': isRaw ? 'application/octet-stream' : 'application/vnd.api+json' }),
      },
      signal: isLast ? ending : AbortSignal.any([ending, this.stopping]),
    };
    const response =
      body instanceof ReadableStream
        ? await sendStream(url, { ...sending, body })
        : await fetch(url, {
            ...sending,
            redirect: method === 'GET' ? 'follow' : 'manual',
            ...(body !== undefined && { body }),
          });
    if (response.ok) return read(response);
    const { status } = response;
    if (status >= 500 || status === 408 || status === 429) {
      await response.body?.cancel();
      throw new Temporary(`it responded with ${status}`, askedWait(response.headers));
    }
    if (response.redirected && status === 401) throw this.redirected(response.url);
    if (status >= 300 && status < 400) throw this.redirected(response.headers.get('location'));
    const sentence = sentenceIn(await this.shortText(response)) ?? `it responded with ${status}`;
    if (status === 401 && own) {
      throw new OperatorError(`the ${this.end.side} refused the token (401): ${sentence}`);
    }
    throw new Refused(this.end.side, status, `the ${this.end.side} refused it (${status}): ${sentence}`, again);
  }

  private redirected(to: string | null): OperatorError {
    return new OperatorError(`the ${this.end.side} redirects to ${to}. Name its own URL, with https if it uses it`);
  }

  private async shortText({ body }: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (body ?? emptyBody()) as Bytes) {
      length += chunk.length;
      if (length > longestDocument) {
        throw new OperatorError(`a response of the ${this.end.side} is longer than ${longestDocument} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

interface Sending {
  readonly again: boolean;
  readonly body?: string | Bytes;
  /** In milliseconds. */
  readonly timeout?: number;
  /** Whether the body is not a document. */
  readonly isRaw?: boolean;
  /** Whether it is sent although the import is being interrupted. */
  readonly isLast?: boolean;
}

/** Frees the connection. */
const discard = async ({ body }: Response): Promise<void> => body?.cancel();

const emptyBody = () => new Blob([]).stream();

const paged = (path: string, number: number, size: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}page[number]=${number}&page[size]=${size}`;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const sentenceIn = (text: string): string | undefined => {
  const sentences = errorsDocument.safeParse(parsed(text)).data?.filter((one) => one !== '');
  return sentences === undefined || sentences.length === 0 ? undefined : sentences.join('; ');
};

/** In milliseconds. */
function askedWait(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 0), longestAsked) : 0;
}

/** A failed connection or a timeout, also while a body is read; undefined for any other error. */
function passing(error: unknown): Temporary | undefined {
  const { name, message, cause } = (error ?? {}) as Error;
  // A connection error of fetch has a cause; a programming error has none.
  if (name !== 'TimeoutError' && !(name === 'TypeError' && cause !== undefined)) return undefined;
  const { message: reason, code } = (cause ?? {}) as { message?: string; code?: string };
  return new Temporary(reason || code || message, 0);
}
