import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Job, jobSchema, type TrialJob, trialJobSchema } from './job.js';

/** The service refused a request, and would refuse a retry. */
export class ServiceRefused extends Error {
  override readonly name: string = 'ServiceRefused';

  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    /** Whether an earlier try, whose response was lost, may have succeeded. */
    readonly repeated: boolean,
  ) {
    super(detail === '' ? title : detail);
  }
}

/** The run no longer belongs to this agent. */
export class LeaseLost extends ServiceRefused {
  override readonly name = 'LeaseLost';
}

/** The service did not respond within the time limit. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceAway';
}

export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Relative to the service's URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | Blob | undefined;
  /** The time limit of one try. */
  readonly seconds: number;
  /** How long to retry while the service is unavailable; without a limit if omitted. */
  readonly retryFor?: number;
  readonly signal?: AbortSignal | undefined;
}

const longestPause = 15_000;
/** The longest pause that the service may ask for. */
const longestAsked = 60_000;
/** The statuses below 500 of requests that came too slowly, or too many at once. */
const temporary: readonly number[] = [408, 429];
const errors = z.object({ errors: z.array(z.object({ title: z.string(), detail: z.string().optional() })).min(1) });

/**
 * Sends requests to the service over HTTP. Temporary failures (no connection, 5xx, 408, 429) are retried with growing
 * pauses; any other refusal throws `ServiceRefused`.
 */
export class ServiceClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly print: (line: string) => void,
  ) {}

  claim(name: string, wait: number, signal: AbortSignal): Promise<Job | undefined>;
  claim(
    name: string,
    wait: number,
    signal: AbortSignal,
    accepts: readonly 'policy-trials'[],
  ): Promise<Job | TrialJob | undefined>;
  /** Waits for a run to execute, or for what else the agent accepts; undefined if nothing arrived in time. */
  async claim(
    name: string,
    wait: number,
    signal: AbortSignal,
    accepts: readonly 'policy-trials'[] = [],
  ): Promise<Job | TrialJob | undefined> {
    const body = { name, ...(accepts.length > 0 && { accepts }) };
    const text = await this.ask(
      { method: 'POST', path: `/agent/v1/claims?wait=${wait}`, body, seconds: wait + 30, signal },
      (response) => response.text(),
    );
    if (text === '') return undefined;
    const job: object = JSON.parse(text);
    return 'policy-trial' in job ? trialJobSchema.parse(job) : jobSchema.parse(job);
  }

  async json<Schema extends z.ZodType>(question: Question, schema: Schema): Promise<z.output<Schema>> {
    const text = await this.ask(question, (response) => response.text());
    return schema.parse(text === '' ? undefined : JSON.parse(text));
  }

  /** Starts from the beginning after a try that was cut off. */
  async download(question: Question, file: string): Promise<void> {
    await this.ask(question, async ({ body }) => {
      const bytes =
        body === null ? Readable.from([]) : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
      await pipeline(bytes, createWriteStream(file, { mode: 0o600 }));
    });
  }

  private async ask<Read>(question: Question, read: (response: Response) => Promise<Read>): Promise<Read> {
    const { retryFor, signal } = question;
    const deadline = retryFor === undefined ? Number.POSITIVE_INFINITY : performance.now() + retryFor * 1000;
    for (let tries = 1; ; tries += 1) {
      const trouble = await this.try(question, read, tries > 1).catch((error: unknown) => {
        signal?.throwIfAborted();
        return troubleIn(error);
      });
      if ('read' in trouble) {
        if (tries > 1) this.print('the service is available again');
        return trouble.read;
      }
      const own = Math.min(500 * 2 ** (tries - 1), longestPause);
      // Not before the time that the service asked for, and not all agents at once.
      const wait = Math.max(trouble.wait, own * 0.75) + (own * Math.random()) / 2;
      if (performance.now() + wait > deadline)
        throw new ServiceUnavailable(`the service is unavailable: ${trouble.because}`);
      if (tries === 1) this.print(`the service is unavailable, retrying: ${trouble.because}`);
      await pause(wait, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  private async try<Read>(
    { method, path, headers, body, seconds, signal }: Question,
    read: (response: Response) => Promise<Read>,
    repeated: boolean,
  ): Promise<{ readonly read: Read } | Trouble> {
    const raw = body instanceof Blob;
    const ending = new AbortController();
    // Node may garbage-collect the signals that AbortSignal.any combines.
    const end = () => ending.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
    const timer = setTimeout(
      () => ending.abort(new DOMException('no response in time', 'TimeoutError')),
      seconds * 1000,
    );
    try {
      const response = await fetch(this.url + path, {
        method,
        redirect: 'manual',
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(body && { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' }),
          ...headers,
        },
        signal: ending.signal,
        ...(body && { body: raw ? body : JSON.stringify(body) }),
      });
      if (response.ok) return { read: await read(response) };
      const text = await response.text();
      if (response.status >= 500 || temporary.includes(response.status)) {
        const after = Number(response.headers.get('retry-after') ?? 0);
        const wait = Number.isFinite(after) ? Math.min(after * 1000, longestAsked) : 0;
        return { because: `it responded with ${response.status}`, wait };
      }
      throw refusal(response.status, text, repeated);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

interface Trouble {
  readonly because: string;
  /** The minimum wait in milliseconds. */
  readonly wait: number;
}

/** Throws an error that a retry would not change. */
function troubleIn(error: unknown): Trouble {
  const { name, message, cause, code } = error as Error & { readonly code?: string };
  // A connection error of fetch, also while the body is read, has a cause; a programming error has none.
  const ofConnection = name === 'TypeError' && cause !== undefined;
  const passing = ofConnection || name === 'TimeoutError' || code === 'ERR_STREAM_PREMATURE_CLOSE';
  if (!passing) throw error;
  const { message: reason, code: reasonCode } = (cause ?? {}) as { message?: string; code?: string };
  return { because: reason || reasonCode || message, wait: 0 };
}

function refusal(status: number, text: string, repeated: boolean): ServiceRefused {
  const { title, detail = '' } = errorOf(text) ?? { title: `the service responded with ${status}` };
  const Refusal = status === 409 && title === 'lease lost' ? LeaseLost : ServiceRefused;
  return new Refusal(status, title, detail, repeated);
}

function errorOf(text: string): { readonly title: string; readonly detail?: string | undefined } | undefined {
  try {
    return errors.parse(JSON.parse(text)).errors[0];
  } catch {
    return undefined;
  }
}
