import { createHash } from 'node:crypto';
import { Agent, type Server } from 'node:http';
import supertest from 'supertest';

/** One request to the service, over any transport. */
export type Transport = (
  method: 'get' | 'post' | 'put',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
) => Promise<{ readonly status: number; readonly bytes: Buffer }>;

/** To a service that listens. */
export const over =
  (url: string): Transport =>
  async (method, path, headers, body) => {
    const response = await fetch(url + path, {
      method: method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };

const agent = new Agent({ keepAlive: true });

/** To a server in this process. */
export const into =
  (server: Server): Transport =>
  async (method, path, headers, body) => {
    const request = supertest(server)[method](path).agent(agent).set(headers).buffer(true).parse(collect);
    const response = await (body === undefined ? request : request.send(body));
    return { status: response.status, bytes: response.body };
  };

const collect = (response: unknown, done: (error: Error | null, body: Buffer) => void): void => {
  const chunks: Buffer[] = [];
  const stream = response as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
};

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

export interface Said {
  readonly status: number;
  readonly json: Json;
}

/** An agent's report on one policy set of its run. */
export interface PolicySetReport {
  readonly 'policy-set-id': string;
  readonly error?: string;
  readonly policies?: readonly { readonly name: string; readonly status: string; readonly output?: unknown[] }[];
}

/** An agent's announcement of a state before its upload; by default the first of a lineage. */
export const announcementOf = (state: Buffer, given: object = {}) => ({
  serial: 1,
  lineage: 'lineage-1',
  md5: createHash('md5').update(state).digest('hex'),
  size: state.length,
  outputs: [],
  ...given,
});

/** A run leased to an agent, with every call of the agent API. */
export class Job {
  constructor(
    readonly json: Json,
    private readonly agent: ReferenceAgent,
  ) {}

  get runId(): string {
    return this.json.run.id;
  }

  get phase(): 'plan' | 'apply' {
    return this.json.phase;
  }

  heartbeat(): Promise<Said> {
    return this.say('post', 'heartbeat');
  }

  async configuration(): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    return this.agent.send('get', this.path('configuration'), this.lease);
  }

  /** Any file of the run, by the path that the job names. */
  read(path: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    return this.agent.send('get', path, this.lease);
  }

  /** The state that the job names. */
  async state(): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    return this.agent.send('get', this.json.state.url, this.lease);
  }

  announce(state: Buffer, given: object = {}): Promise<Said> {
    return this.say('post', 'state-versions', announcementOf(state, given));
  }

  /** Uploads the bytes to the URL that the announcement returned. */
  upload(announced: Said, state: Buffer): Promise<Said> {
    return this.agent.json('put', announced.json.upload.url, this.lease, state);
  }

  /** Announces and uploads a state. Returns its id. */
  async writeState(text: string, given: object = {}): Promise<string> {
    const state = Buffer.from(text);
    const announced = await this.announce(state, given);
    const { status } = announced.status === 201 ? await this.upload(announced, state) : announced;
    if (status !== 200) throw new Error(`writing the state answered ${status}: ${JSON.stringify(announced.json)}`);
    return announced.json.id;
  }

  artifact(name: string, bytes: Buffer): Promise<Said> {
    return this.agent.json('put', this.path(`artifacts/${name}`), this.lease, bytes);
  }

  async planFile(): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    return this.agent.send('get', this.json['plan-file'].url, this.lease);
  }

  log(offset: number, text: string): Promise<Said> {
    return this.agent.json('put', `${this.path('log')}?offset=${offset}`, this.lease, Buffer.from(text));
  }

  report(phase: 'plan' | 'apply', body: object): Promise<Said> {
    return this.say('post', phase, body);
  }

  planned(hasChanges = true): Promise<Said> {
    return this.report('plan', { status: 'finished', 'has-changes': hasChanges, 'resource-additions': 1 });
  }

  applied(): Promise<Said> {
    return this.report('apply', { status: 'finished', 'resource-additions': 1 });
  }

  policies(evaluationId: string, sets: readonly PolicySetReport[]): Promise<Said> {
    return this.say('post', `policy-evaluations/${evaluationId}`, {
      'policy-tool-version': '1.0.0',
      'policy-sets': sets,
    });
  }

  /** Reports every policy of every evaluation with the status `judge` gives it. */
  async judgeAll(judge: (policyName: string) => 'passed' | 'failed' | 'errored'): Promise<Said> {
    let last: Said = { status: 0, json: undefined };
    for (const evaluation of this.json['policy-evaluations']) {
      const sets = evaluation['policy-sets'].map((set: Json) => ({
        'policy-set-id': set.id,
        policies: set.policies.map(({ name }: Json) => ({ name, status: judge(name) })),
      }));
      last = await this.policies(evaluation.id, sets);
    }
    return last;
  }

  private say(method: 'get' | 'post', what: string, body: object = {}): Promise<Said> {
    return this.agent.json(method, this.path(what), this.lease, JSON.stringify(body));
  }

  private path(what: string): string {
    return `/agent/v1/runs/${this.runId}/${what}`;
  }

  private get lease(): Readonly<Record<string, string>> {
    return { Lease: this.json.lease.token };
  }
}

/** A minimal agent: it plans and applies nothing, and reports what the test requests. */
export class ReferenceAgent {
  constructor(
    private readonly transport: Transport,
    private readonly token: string,
    readonly name = 'reference',
  ) {}

  async claim(wait = 0): Promise<Job | undefined> {
    const { status, json } = await this.json(
      'post',
      `/agent/v1/claims?wait=${wait}`,
      {},
      JSON.stringify({ name: this.name }),
    );
    if (status === 204) return undefined;
    if (status !== 200) throw new Error(`claiming answered ${status}: ${JSON.stringify(json)}`);
    return new Job(json, this);
  }

  /** Claims until there is something to claim. */
  async claimed(): Promise<Job> {
    const job = await this.claim(20);
    if (job === undefined) throw new Error('there was nothing to claim');
    return job;
  }

  /** A run that was claimed before, perhaps by a process that has exited. */
  resumed({ json }: Job): Job {
    return new Job(json, this);
  }

  send(
    method: 'get' | 'post' | 'put',
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string | Buffer,
  ): ReturnType<Transport> {
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
    return this.transport(
      method,
      path,
      { Authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'Content-Type': type }), ...headers },
      body,
    );
  }

  async json(...call: Parameters<ReferenceAgent['send']>): Promise<Said> {
    const { status, bytes } = await this.send(...call);
    return { status, json: bytes.length === 0 ? undefined : JSON.parse(bytes.toString()) };
  }
}
