import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../../tests/support/process.js';
import { type Answered, type HttpClient, type Sent, Unsent } from './http-client.js';
import type { Journal, Outcome } from './journal.js';
import { unheard } from './models.js';
import type { Random } from './random.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member.
export type Json = any;

/** The subject of a request, for the journal. A request without `object` is only counted. */
export interface Meant {
  readonly kind: string;
  readonly object?: string;
  readonly value?: string | ((json: Json) => string);
  /** The outcome of the response, if its status does not determine it. */
  readonly outcome?: (answer: Answered) => Outcome;
}

/** 404 is a valid result, too. */
export const orNone = { outcome: ({ status }: Answered): Outcome => (status >= 500 ? 'unknown' : 'done') };

export interface Answer {
  readonly outcome: Outcome | 'unsent';
  readonly status: number;
  readonly json: Json;
  readonly headers: Answered['headers'];
  readonly bytes: Buffer;
}

export type Request = Omit<Sent, 'url'> & { readonly path: string };

const usualOutcome = ({ status }: Answered): Outcome => {
  if (status >= 500 || status === 408) return 'unknown';
  return status < 400 ? 'done' : 'refused';
};

const nothingSaid: Answered = { status: 0, headers: {}, bytes: Buffer.alloc(0) };

const parsed = ({ bytes, headers }: Answered): Json =>
  bytes.length > 0 && /json/.test(headers['content-type'] ?? '') ? JSON.parse(bytes.toString()) : undefined;

/** A client that stays with one instance while it responds, and journals every response. */
export class Client {
  private instance: number;

  constructor(
    readonly name: string,
    readonly random: Random,
    private readonly journal: Journal,
    private readonly http: HttpClient,
    private readonly instances: readonly string[],
  ) {
    this.instance = random.below(instances.length);
  }

  /** As the administrator. */
  api(meant: Meant, method: string, path: string, body?: object): Promise<Answer> {
    return this.as(adminToken, meant, method, path, body);
  }

  as(token: string, meant: Meant, method: string, path: string, body?: object): Promise<Answer> {
    return this.send(meant, {
      method,
      path,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  }

  /** Sends to its current instance, or to the address in `url`. */
  async send(meant: Meant, { path, ...request }: Request, url?: string): Promise<Answer> {
    const { instance } = this;
    const begun = this.journal.now();
    let answer = nothingSaid;
    let outcome: Outcome | 'unsent' = 'unknown';
    try {
      answer = await this.http.send({ ...request, url: url ?? this.instances[instance] + path });
      outcome = (meant.outcome ?? usualOutcome)(answer);
    } catch (error) {
      if (error instanceof Unsent) outcome = 'unsent';
    }
    const json = parsed(answer);
    if (outcome === 'unsent' || outcome === 'unknown') await this.changeInstance();
    if (outcome !== 'unsent') {
      const { value = '', kind, object = '' } = meant;
      this.journal.add({
        client: this.name,
        instance,
        object,
        kind,
        value: typeof value === 'string' ? value : outcome === 'done' ? value(json) : unheard,
        begun,
        ended: this.journal.now(),
        outcome,
        status: answer.status,
        retryAfter: Number(answer.headers['retry-after'] ?? 0),
      });
    }
    return { outcome, status: answer.status, json, headers: answer.headers, bytes: answer.bytes };
  }

  /** Journals what the last response contains about an object other than the requested one. */
  note(object: string, kind: string, value: string, begun: number): void {
    const { name: client, instance } = this;
    this.journal.add({
      client,
      instance,
      object,
      kind,
      value,
      begun,
      ended: this.journal.now(),
      outcome: 'done',
      status: 200,
      retryAfter: 0,
    });
  }

  /** Sends again after a fault, or without a response, at most `repetitions` times. Returns the last response. */
  async insist<Said extends { readonly status: number }>(
    send: () => Promise<Said>,
    repetitions: number,
  ): Promise<Said> {
    for (let tries = 0; ; tries += 1) {
      const said = await send();
      if ((said.status !== 0 && said.status < 500) || tries === repetitions) return said;
      await pause(this.random.between(50, 400));
    }
  }

  now(): number {
    return this.journal.now();
  }

  private async changeInstance(): Promise<void> {
    this.instance = this.random.below(this.instances.length);
    await pause(this.random.between(5, 60));
  }

  /** The address of a random instance. */
  elsewhere(): string {
    return this.random.oneOf(this.instances);
  }
}
