import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { JsonSchema } from '../../src/adapters/http/openapi/json-schema.js';
import type { MediaType, OpenApi, Operation } from '../../src/adapters/http/openapi/openapi.js';
import { artifactNames } from '../../src/domain/index.js';
import { blocksOf, endOfTar, forgedHeader } from '../../tests/support/archives.js';
import {
  githubHeaders,
  githubPullRequest,
  githubPush,
  gitlabHeaders,
  gitlabPush,
  signersBy,
} from '../../tests/support/webhook-deliveries.js';
import { Random } from '../torture/random.js';
import { collectionOf, type HeldRun, otherNames, type Pool } from './pool.js';
import { repositories } from './repositories.js';
import { stateAfter } from './states.js';
import { type Step, type Story, stories } from './stories.js';
import { anyJson, brokenJson, fitting, type Hint, oddText, unfitting } from './values.js';

/** One request, as it goes out. Nothing of it is left to chance any more. */
export interface Outgoing {
  readonly operation: string;
  readonly caller: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
  /** The seconds that pass before it. */
  readonly after?: number;
  /** The same about what does not exist, where what is asked about is hidden from the caller. */
  readonly twin?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The kinds of path parameters that do not follow from the words of their path. */
const kindOfParameter: Readonly<Record<string, string>> = {
  organization: 'organizations',
  name: 'workspace names',
  stateVersionId: 'announced',
  sha256: 'codes',
};

const kindOfPath: Readonly<Record<string, string>> = { plans: 'plan', applies: 'apply', parameters: 'vars' };

/** The kinds of objects that a path parameter names, the likeliest first. */
const kindsOf = (method: string, path: string, parameter: string): readonly string[] => {
  const [before = ''] = path.split(`/{${parameter}}`);
  const word = /[\w-]+$/.exec(before)?.[0] ?? '';
  if (/\/task-results$/.test(before) && path !== '/task-results/{id}') return ['called', word];
  if (before === '/v1/object') return [method === 'put' ? 'uploads' : 'downloads'];
  if (path.endsWith('/actions/apply')) return ['runs to apply', 'runs'];
  if (path.endsWith('/actions/override')) return ['task-stages to override', 'task-stages'];
  if (path.endsWith('/task-stages')) return ['runs to decide', 'runs'];
  if (path.includes('/artifacts/') && parameter === 'name') return ['artifacts'];
  const known = kindOfParameter[parameter];
  if (known !== undefined) return [known];
  if (before.startsWith('/v1/')) return [before];
  // A collection of each owner, or of the site.
  const nested = before.lastIndexOf('/') > 0 ? [`in ${collectionOf(before)}`] : [];
  return [...nested, kindOfPath[word] ?? word];
};

/** How much oftener than others: what few things fit, or much follows from. */
const weights: Readonly<Record<string, number>> = {
  createRun: 6,
  claimRun: 8,
  reportPlan: 10,
  reportApply: 8,
  reportPolicyEvaluation: 10,
  applyRun: 8,
  overrideTaskStage: 8,
  uploadFiles: 10,
  createConfigurationVersion: 6,
  receiveWebhook: 10,
  endSession: 3,
  endAllSessions: 0.1,
  listTaskStages: 6,
  appendRunLog: 3,
  addTeamAccess: 6,
  listUserTokens: 4,
  issueUserToken: 4,
  showIngressAttributes: 4,
  fetchCommit: 2,
  createUser: 2,
  archiveConfigurationVersion: 5,
  softDeleteBackingData: 5,
  restoreBackingData: 5,
  permanentlyDeleteBackingData: 5,
  showPolicySetOutcome: 2,
  listPolicySetOutcomes: 3,
  announceState: 6,
  uploadState: 8,
  storeRunArtifact: 4,
  readPlanFile: 3,
  readRunState: 3,
  readRunPolicy: 3,
  createVariable: 2,
  updateVariable: 2,
  uploadPolicyCode: 2,
  attachPolicies: 2,
  unlockWorkspace: 2,
  forceUnlockWorkspace: 2,
  removeOrganization: 0.4,
  updateOrganization: 0.5,
  suspendUser: 0.3,
  removeUser: 0.3,
  removeTeam: 0.5,
  removeWorkspace: 0.5,
  removeWorkspaceByName: 0.3,
  removeAgentPool: 0.4,
  removePolicy: 0.4,
  removeOrganizationMembership: 0.3,
  revokeTeamToken: 0.3,
  revokeOrganizationToken: 0.3,
  revokeToken: 0.3,
  describeApi: 0.1,
};

/** In which phase of a run its agent asks for it; in either where it is not named. */
const phaseOf: Readonly<Record<string, HeldRun['phase']>> = {
  storeRunArtifact: 'plan',
  reportPlan: 'plan',
  reportPolicyEvaluation: 'plan',
  readPlanFile: 'apply',
  announceState: 'apply',
  uploadState: 'apply',
  reportApply: 'apply',
};

/** The condition that a run must meet for each operation. */
const needs: Readonly<Record<string, (run: HeldRun, pool: Pool) => boolean>> = {
  reportPolicyEvaluation: ({ evaluations }) => evaluations.length > 0,
  readRunPolicy: ({ codes }) => codes.length > 0,
  readRunPolicyArchive: ({ archives: those }) => those.length > 0,
  readRunState: ({ state }) => state !== null,
  readPlanFile: ({ planFile }) => planFile !== null,
  uploadState: ({ id }, { announced }) => announced.has(id),
};

/** Whether an answer has a document, and not what was uploaded, whatever that looks like. */
export const isDocument = ({ operation }: Outgoing, { headers, text }: Answered): boolean =>
  text !== '' && headers['content-type']?.includes('json') === true && !/^read\w*PlanJson/.test(operation);

const baseOf = (operationId: string): string => operationId.replace(/V2$/, '');

const number = fc.nat(2 ** 30);

const weighted = <Value>(...arms: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Value>])[]) =>
  fc.oneof(...arms.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const methods = ['get', 'head', 'put', 'patch', 'delete', 'post', 'options', 'trace'] as const;

const archives: readonly Buffer[] = (() => {
  const end = Buffer.alloc(1024);
  const file = (name: string, size: number) =>
    Buffer.concat([forgedHeader({ name, size }), Buffer.alloc(Math.ceil(size / 512) * 512, 97)]);
  const good = gzipSync(Buffer.concat([file('main.tf', 20), end]));
  return [
    good,
    gzipSync(Buffer.concat([file('a/b.tf', 600), file('c.tf', 0), end])),
    gzipSync(Buffer.concat([file('../up.tf', 5), end])),
    gzipSync(Buffer.concat([forgedHeader({ name: 'link', flag: '2', target: '/etc/passwd' }), end])),
    gzipSync(Buffer.concat([forgedHeader({ name: 'huge', size: '77777777777\0' }), end])),
    gzipSync(file('main.tf', 20)),
    gzipSync(Buffer.alloc(2_000_000)),
    good.subarray(0, good.length - 7),
    Buffer.concat([good, good]),
    Buffer.from('not an archive'),
    Buffer.alloc(0),
    Buffer.alloc(140_000, 7),
  ];
})();

/** The archive of a policy set version. */
const policies = gzipSync(
  Buffer.concat([
    ...Object.entries({
      'policies.hcl': 'policy "owners" {\n  query = "data.owners.deny"\n}\n',
      'owners.rego': 'package owners\n',
    }).flatMap(([name, text]) => [forgedHeader({ name, size: text.length }), blocksOf(text)]),
    endOfTar,
  ]),
);

const oddHeaders: fc.Arbitrary<Readonly<Record<string, string | readonly string[]>>> = fc.constantFrom<
  Readonly<Record<string, string | readonly string[]>>
>(
  { Accept: 'text/html;q=0.0001, */*' },
  { Expect: '100-continue' },
  { Expect: 'miracles' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-Forwarded-For': '127.0.0.1, ::1, unknown' },
  { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'javascript' },
  { Host: 'evil.example:99999' },
  { Host: '' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Encoding': 'br, br, br' },
  { 'Accept-Encoding': 'gzip, br' },
  { 'If-None-Match': '*', 'If-Modified-Since': 'never' },
  { Range: 'bytes=-0' },
  { Range: 'bytes=5-2,0-,,-' },
  { Range: 'bytes=0-99999999999999999999' },
  { Range: 'bytes=2-4' },
  { Cookie: 'a=b; '.repeat(200) },
  { Upgrade: 'websocket', Connection: 'Upgrade' },
  { Upgrade: 'h2c' },
  { 'Transfer-Encoding': 'chunked' },
  { Authorization: 'Basic dTpw' },
  { Authorization: 'Bearer' },
  { Authorization: 'Bearer \u00ff\u00fe' },
  { Authorization: ['Bearer one', 'Bearer two'] },
  { Authorization: `Bearer ${'x'.repeat(9_000)}` },
  { Lease: ['one', 'two'] },
  { Lease: '\u00e9' },
  { __proto__x: 'y', constructor: 'z' },
  { traceparent: '00-0-0-00', tracestate: '=,=' },
  { 'Content-Type': 'application/vnd.api+json; charset=utf-16' },
  { 'Content-Type': 'APPLICATION/JSON ;; charset="' },
  { 'Content-Type': ['application/json', 'text/plain'] },
  { 'Content-Type': 'text/xml' },
  { 'Content-Type': '' },
);

const oddQueries: fc.Arbitrary<string> = fc.oneof(
  fc
    .constantFrom(
      '&',
      '%',
      '%zz=%',
      '%C3%28=1',
      'a%00=b',
      'page[size]=0',
      'page[size]=101',
      'page[size]=-1',
      'page[size]=1e2',
      'page[size]=%2B5',
      'page[size]=٣',
      'page[size]=',
      'page[size]=5&page[size]=6',
      'page[number]=99999999999999999999',
      'page[number]=1000000000',
      'page[number]=0.5',
      'page[number][x]=1',
      'page=1',
      'page[]=1',
      'page[after]=x',
      'page%5Bsize%5D=3',
      'page%255Bsize%255D=3',
      'include=',
      'include=__proto__',
      'include=run,run,run&include=workspace',
      'include=run.workspace.organization.owner',
      'filter[__proto__][status]=failed',
      'filter[constructor]=x',
      'filter[0][status]=failed&filter[0][status]=passed',
      'filter[99999999999999999999][status]=failed',
      'filter[-1][status]=failed',
      'filter[0][status][0]=failed',
      'filter[workspace][id][]=ws-x',
      'sort=-',
      'sort=--name',
      'sort=name,name',
      'q=%25_%5C',
      'q=',
      'since=2030-02-30T00:00:00Z',
      'since=9999-12-31T23:59:60Z&until=0000-01-01T00:00:00Z',
      'since=2030-01-01',
      'until=-271821-04-20T00:00:00.000Z',
      'offset=-1&limit=-1',
      'offset=9007199254740993',
      'offset=1e3',
      'limit=0',
      'wait=-1',
      'wait=61',
      'wait=0x1',
      '?',
      '#',
      'a=b=c;d',
      `q=${'x'.repeat(9_000)}`,
      `q=${'%F0%9D%95%8F'.repeat(300)}`,
      'a=1&'.repeat(101),
    )
    .map(latin),
  oddText.map((text) => `q=${encoded(text)}`),
  oddText.map((text) => `filter[${encoded(text)}]=${encoded(text)}`),
);

/** As bytes that a client may write, and Node sends. */
function latin(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const oddSegments: fc.Arbitrary<string> = fc.oneof(
  fc
    .constantFrom(
      '%',
      '%zz',
      '%C3%28',
      '%ff',
      '%2e%2e',
      '..',
      '.',
      '%2f',
      '%252f',
      'a%00',
      '-',
      '%20',
      ';a=b',
      '*',
      ':id',
      '{id}',
    )
    .map(latin),
  fc.constantFrom('ws-0000000000000000', 'run-', `ws-${'0'.repeat(260)}`, 'x'.repeat(8_300)),
  oddText.map(encoded).filter((text) => text !== ''),
);

/** An operation as the description has it. */
interface Asked {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Outgoing | undefined>;
  /** Requests without mistakes on purpose, from callers that may send them. */
  readonly earnest: fc.Arbitrary<Outgoing | undefined>;
  /** The schema of its body, if that is JSON. */
  readonly schema: JsonSchema | undefined;
  /** Values that fit the schema. */
  readonly value: fc.Arbitrary<unknown> | undefined;
}

const consoleHeaders = { 'X-Gatehouse-Console': '1', 'Sec-Fetch-Site': 'same-origin' };

/** A story and its next step. */
interface Begun {
  readonly story: Story;
  next: Step;
}

const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, random: Random): Value =>
  fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: 1 })[0] as Value;

/** Requests to the operations of the description, about what the pool has when they are made. */
export class Requests {
  private names = 0;
  private readonly asked: ReadonlyMap<string, Asked>;
  private readonly weighed: Readonly<Record<string, number>>;
  /** Those that never did what they are for. */
  private readonly waiting: Set<string>;
  private readonly told = new Map<string, number>();
  private readonly open: Begun[] = [];
  /** The responses that stories received and should not have. */
  readonly wrong: string[] = [];
  private sent: { readonly of: Begun; readonly again: boolean } | undefined;
  private earnest = false;
  private begun = 0;

  constructor(
    openApi: OpenApi,
    private readonly pool: Pool,
  ) {
    const all = Object.entries(openApi.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const weight = weights[baseOf(operation.operationId)] ?? 1;
        const { content } = operation.requestBody ?? {};
        const { schema } = content?.['application/vnd.api+json'] ?? content?.['application/json'] ?? {};
        const value = schema === undefined ? undefined : fitting(schema, this.hint);
        const arbitrary = this.to(path, method, operation);
        const earnest = this.to(path, method, operation, true);
        return [operation.operationId, { path, method, operation, weight, schema, value, arbitrary, earnest }] as const;
      }),
    );
    this.asked = new Map(all);
    this.weighed = Object.fromEntries(all.map(([id, { weight }]) => [id, weight]));
    this.waiting = new Set(this.asked.keys());
    for (const name of artifactNames) pool.add('artifacts', name);
  }

  /** In the order of the description. */
  get operations(): readonly string[] {
    return [...this.asked.keys()];
  }

  /** The operations that have never succeeded. */
  get unanswered(): readonly string[] {
    return [...this.waiting];
  }

  /**
   * The request of this number: the same for the same seed, number and earlier responses. Many are steps of a story,
   * and some go to operations that have never succeeded.
   */
  make(seed: number, count: number): Outgoing {
    const random = new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(count, 0xc2b2ae35));
    this.sent = undefined;
    this.earnest = false;
    this.pool.focus(random.below(2 ** 30));
    if (random.chance(0.5)) {
      const step = this.step(random);
      if (step !== undefined) return step;
    }
    for (;;) {
      this.earnest = this.waiting.size > 0 && random.chance(0.3);
      const among = this.earnest
        ? this.asked.get(random.oneOf([...this.waiting]))?.earnest
        : this.asked.get(random.weighted(this.weighed))?.arbitrary;
      const made = among === undefined ? undefined : sampled(among, random);
      if (made !== undefined) return made;
      this.pool.focus(random.below(2 ** 30));
    }
  }

  /** Whether the operation takes tokens of the caller's kind. */
  takesTokenOf({ operation, caller }: Outgoing): boolean {
    const { security = [] } = this.asked.get(operation)?.operation ?? {};
    return security.some((scheme) => (caller === 'agent' ? 'agentToken' : 'token') in scheme);
  }

  /** Records the response to a request. */
  record(asked: Outgoing, answer: Answered): void {
    const { operation, method } = asked;
    const { status, text } = answer;
    const { path = '', method: its } = this.asked.get(operation) ?? {};
    // Deleted with the object that it belonged to.
    if (status === 404 && this.earnest && path.endsWith('}')) this.pool.gone(lastIn(asked.url));
    if (status < 400 && its?.toUpperCase() === method) this.waiting.delete(operation);
    if (this.sent === undefined) return;
    const { of, again } = this.sent;
    // Renamed or deleted.
    if (status === 404) this.pool.drop('settled', /\/organizations\/([^/?]+)/.exec(asked.url)?.[1] ?? '');
    const { story } = of;
    const { refused = false } = of.next;
    if (status >= 400 && again) return;
    if (status < 400 && refused) this.wrong.push(`${operation} was answered ${status}, and must be refused`);
    const told = isDocument(asked, answer) ? JSON.parse(text) : text;
    const goesOn = status < 400 || refused ? story.next(told) : undefined;
    if (goesOn?.done === false) of.next = goesOn.value;
    else this.open.splice(this.open.indexOf(of), 1);
  }

  /** The next of what one of a few is about; mistaken now and then, and then once more. */
  private step(random: Random): Outgoing | undefined {
    if (this.open.length < 4) {
      const fresh = () => this.fresh();
      const expect = (holds: boolean, otherwise: string) => void (holds || this.wrong.push(otherwise));
      const [archive] = archives as [Buffer];
      const setting = { pool: this.pool, random: random.fork(), fresh, archive, policies, expect };
      const story = stories[this.begun % stories.length]?.(setting) ?? stories[0](setting);
      this.begun += 1;
      const { value, done } = story.next();
      if (!done) this.open.push({ story, next: value });
    }
    // Leases expire, so steps under a lease go first.
    const urgent = this.open.filter(({ next }) => next.lease !== undefined);
    const of = random.oneOf(urgent.length > 0 && random.chance(0.7) ? urgent : this.open);
    const { operation: base, about, query, body, bytes, secret, lease, after } = of.next;
    const { fromConsole = false, refused = false } = of.next;
    const both = [base, `${base}V2`].filter((id) => this.asked.has(id));
    const fresh = both.filter((id) => this.waiting.has(id));
    const dialects = fresh.length > 0 ? fresh : both;
    const turn = this.told.get(base) ?? 0;
    this.told.set(base, turn + 1);
    const id = dialects[turn % dialects.length] ?? base;
    const described = this.asked.get(id);
    if (described === undefined) throw new Error(`${base} is not described`);
    const { path, method, schema, value } = described;
    let next = 0;
    const url = path.replaceAll(/\{\w+\}/g, () => about[next++] ?? '');
    const mistaken = !refused && random.chance(0.06);
    let said: unknown = body;
    const embellished = !refused && random.chance(0.2);
    if (value !== undefined && (body === undefined || embellished)) said = merged(sampled(value, random), body);
    if (schema !== undefined) said = typed(schema, said);
    if (mistaken && said !== undefined) said = sampled(unfitting(fc.constant(said)), random);
    const [type] = Object.keys(described.operation.requestBody?.content ?? {});
    const sent = bytes ?? (said === undefined ? undefined : Buffer.from(JSON.stringify(said) ?? ''));
    const entity = type === undefined || sent === undefined ? undefined : { type, sent };
    const token = secret ?? (path.startsWith('/v1/') || fromConsole ? undefined : this.pool.pick('secret admin', 0));
    const outgoing: Outgoing = {
      operation: id,
      caller: mistaken ? 'mistaken' : 'story',
      method: method.toUpperCase(),
      url: query === undefined ? url : `${url}?${query}`,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(lease === undefined ? {} : { Lease: lease }),
        ...(fromConsole ? consoleHeaders : {}),
        ...(entity === undefined ? {} : { 'Content-Type': entity.type }),
      },
      ...(entity === undefined ? {} : { body: entity.sent }),
      ...(after === undefined ? {} : { after }),
    };
    this.sent = { of, again: mistaken || embellished };
    return outgoing;
  }

  private fresh(): string {
    this.names += 1;
    return `fresh-${this.names}`;
  }

  /** An object of the first of these kinds that has any. */
  private pick(...kinds: readonly string[]): fc.Arbitrary<string> {
    return number.map(
      (choice) =>
        kinds.map((kind) => this.pool.pick(kind, choice)).find((name) => name !== undefined) ?? 'none-0000000000000000',
    );
  }

  private readonly hint: Hint = (name) => {
    if (name.startsWith('id of ')) return this.pick(otherNames[name.slice(6)] ?? name.slice(6));
    const filtered = /^filter\[(\w+)\]\[id\]$/.exec(name)?.[1];
    if (filtered !== undefined) return this.pick(`${filtered}s`);
    return this.known[name]?.();
  };

  private word(of: (name: string) => string = (name) => name): fc.Arbitrary<string> {
    return fc.constant(0).map(() => of(this.fresh()));
  }

  /** Values that make sense for members and parameters, by name. */
  private readonly known: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
    name: () => this.word(),
    username: () => this.word(),
    email: () =>
      fc.oneof(
        this.word((word) => `${word}@example.com`),
        this.pick('emails'),
      ),
    'clone-url': () => fc.constantFrom(...repositories),
    branch: () => fc.constantFrom('main', 'trunk', ''),
    'terraform-version': () => fc.constantFrom('1.9.8', 'latest'),
    url: () => fc.constant('https://scanner.example/check'),
    'working-directory': () => fc.constantFrom('', 'environments/production'),
    'agent-pool-id': () => this.pick('agent-pools'),
    'policy-set-id': () => this.pick('policy-sets'),
    key: () => this.word(),
    'filter[organization][name]': () => this.pick('organizations'),
    'filter[workspace][name]': () => this.pick('workspace names'),
    'filter[organization]': () => this.pick('organizations'),
    'filter[actor]': () => this.pick('users'),
    'filter[action]': () => fc.constantFrom('runs/create', 'teams/create', 'organizations/update'),
    'page[after]': () => number.map((n) => String(n % 500)),
  };

  /** Yields undefined if the request would make no sense; the caller then makes another. */
  private to(path: string, method: string, operation: Operation, earnest = false): fc.Arbitrary<Outgoing | undefined> {
    const id = baseOf(operation.operationId);
    const { parameters = [] } = operation;
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const about = fc.tuple(
      ...inPath.map(({ name }) => {
        const known = this.pick(...kindsOf(method, path, name)).map((text) => ({
          text: text.replace(/^.*\//, ''),
          plain: true,
        }));
        if (earnest) return known;
        const any = number.map((n) => encoded((this.pool.any(n) ?? 'none').replace(/^.*\//, '')));
        const mistaken = fc.oneof(any, oddSegments).map((text) => ({ text, plain: false }));
        return weighted([9, known], [1, mistaken]);
      }),
    );
    const query = fc.tuple(
      ...inQuery.map(({ name, schema, required }) => {
        const wait = name === 'wait';
        const value = wait ? fc.constant<unknown>(0) : fitting(schema, this.hint, name);
        return fc.tuple(fc.nat(99), value, fc.nat(9)).map(([there, given, mistaken]) => {
          if (earnest ? !required : there >= (required ? 97 : 35)) return [];
          const text = Array.isArray(given) ? given.join(',') : String(given);
          if (earnest) return [`${encoded(name)}=${encoded(text)}`];
          return [`${mistaken < 5 ? encoded(name) : name}=${encoded(mistaken === 9 && !wait ? text.slice(1) : text)}`];
        });
      }),
      earnest
        ? fc.constant([])
        : weighted<readonly string[]>([9, fc.constant([])], [1, oddQueries.map((odd) => [odd])]),
    );
    const ofAgents = path.startsWith('/agent/');
    return fc
      .record({
        about,
        query,
        caller: this.caller(operation, earnest),
        body: this.body(id, operation, earnest),
        odd: earnest ? fc.constant({}) : weighted([93, fc.constant({})], [7, oddHeaders]),
        method: earnest ? fc.constant(method) : weighted([97, fc.constant(method)], [3, fc.constantFrom(...methods)]),
        choice: number,
        range: fc.constantFrom('bytes=0-9', 'bytes=5-', 'bytes=-3', 'bytes=900000-', 'lines=1-2'),
        shape: earnest ? fc.constant(100) : fc.nat(199),
      })
      .map(({ about: segments, query: parts, caller, body, odd, method: asked, choice, range, shape }) => {
        const held = ofAgents ? this.heldFor(id, choice) : undefined;
        const filled = (texts: readonly string[]) => {
          let next = 0;
          return path.replaceAll(/\{\w+\}/g, () => texts[next++] ?? '');
        };
        let texts = segments.map(({ text }) => text);
        const [, part] = segments;
        const owner = part?.plain === true && choice % 10 !== 0 ? this.pool.ownerOf(part.text) : undefined;
        if (owner !== undefined && segments[0]?.plain === true) texts = [owner, ...texts.slice(1)];
        let said = body;
        // A callback token is asked for without being described as the token of a caller.
        const called =
          operation.security.length === 0 && shape > 10 ? this.pool.callbacks.get(texts[0] ?? '') : undefined;
        let secret = called ?? caller.secret;
        const headers: Record<string, string | readonly string[]> = {};
        if (held !== undefined && choice % 8 !== 0 && inPath.length > 0) {
          texts = [held.id, this.partOf(id, held, choice) ?? texts[1] ?? 'none'];
          headers.Lease = held.lease;
          secret = held.agent;
          if (choice % 3 !== 0) said = this.reported(id, held, texts[1] ?? '', choice) ?? said;
        } else if (parameters.some(({ name }) => name === 'Lease') && shape > 10)
          headers.Lease = this.pool.held.at(-1)?.lease ?? 'none';
        if (id === 'downloadFiles' && shape % 3 === 0) headers.Range = range;
        if (said?.type !== undefined) headers['Content-Type'] = said.type;
        if (id === 'receiveWebhook') {
          const [hook, key] = [...this.pool.hooks].at(-1 - (choice % 3)) ??
            [...this.pool.hooks].at(-1) ?? ['/hooks/vcs/none', 'whsec_none'];
          if (shape > 10) texts = [hook.replace('/hooks/vcs/', '')];
          const sign = signersBy(shape > 20 ? key : 'another key');
          const gitlab = choice % 4 === 0;
          if (said === undefined || shape % 4 !== 0) {
            const pushed = gitlab
              ? gitlabPush
              : choice % 4 === 1
                ? githubPullRequest
                : {
                    ...githubPush,
                    ref: 'refs/heads/main',
                    repository: { ...(githubPush.repository as object), clone_url: repositories[choice % 2] },
                  };
            said = { bytes: Buffer.from(JSON.stringify(pushed)), type: 'application/json' };
          }
          const delivery = `delivery-${choice % 50}`;
          Object.assign(
            headers,
            gitlab
              ? { ...gitlabHeaders('Push Hook', delivery), ...sign.gitlab(said.bytes) }
              : { ...githubHeaders(choice % 4 === 1 ? 'pull_request' : 'push', delivery), ...sign.hub(said.bytes) },
          );
        }
        if (/^(begin|end)Session$/.test(id) && shape > 10) Object.assign(headers, consoleHeaders);
        if (secret !== undefined) headers.Authorization = `Bearer ${secret}`;
        Object.assign(headers, odd);
        const search = parts.flat().join('&');
        const slash = shape === 0 ? '/' : '';
        const at = (filling: readonly string[]) => `${filled(filling)}${slash}${search === '' ? '' : `?${search}`}`;
        const hidden = caller.kind === 'outsider';
        if (
          hidden &&
          (asked !== method ||
            segments.length === 0 ||
            segments.some(({ plain }) => !plain) ||
            Object.keys(odd).length > 0)
        )
          return undefined;
        // A body that names the same would speak of another resource than its path.
        const isNamedTwice = said !== undefined && texts.some((text) => said?.bytes.includes(text));
        return {
          operation: operation.operationId,
          caller: caller.kind,
          method: asked.toUpperCase(),
          url: at(texts),
          headers,
          ...(said === undefined ? {} : { body: said.bytes }),
          ...(hidden && !isNamedTwice ? { twin: at(texts.map(missingLike)) } : {}),
        };
      });
  }

  private heldFor(id: string, choice: number): HeldRun | undefined {
    const { [id]: phase } = phaseOf;
    const { [id]: fits = () => true } = needs;
    const among = this.pool.held.filter(
      (run) =>
        (phase === undefined || run.phase === phase) &&
        (choice % 4 === 0 || !this.pool.reserved.has(run.id)) &&
        fits(run, this.pool),
    );
    return choice % 5 === 0 ? among[choice % Math.max(among.length, 1)] : among.at(-1);
  }

  /** The part of the run that a request is about. */
  private partOf(
    id: string,
    { id: run, evaluations, codes, archives: those }: HeldRun,
    choice: number,
  ): string | undefined {
    if (id === 'uploadState') return this.pool.announced.get(run)?.id;
    if (id === 'readRunPolicy') return codes[choice % Math.max(codes.length, 1)];
    if (id === 'readRunPolicyArchive') return those[choice % Math.max(those.length, 1)];
    if (id === 'readPlanFile') return artifactNames[0];
    return id === 'reportPolicyEvaluation' ? evaluations[choice % Math.max(evaluations.length, 1)]?.id : undefined;
  }

  /** The body that an agent of the run would report. */
  private reported(operation: string, run: HeldRun, id: string, choice: number): Body | undefined {
    const { evaluations, state } = run;
    const json = (body: object) => ({ bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' });
    if (operation === 'reportPlan') return json({ status: 'finished', 'has-changes': choice % 5 !== 0 });
    if (operation === 'reportApply') return json({ status: 'finished' });
    if (operation === 'announceState') return json(stateAfter(state, (choice % 5) - 2));
    const bytes = operation === 'uploadState' ? this.pool.announced.get(run.id)?.bytes : undefined;
    if (bytes !== undefined) return { bytes, type: 'application/octet-stream' };
    if (operation !== 'reportPolicyEvaluation') return undefined;
    const evaluation = evaluations.find((one) => one.id === id) ?? { 'policy-sets': [] };
    const status = ['passed', 'failed', 'failed', 'errored'][Math.floor(choice / 3) % 4];
    const output = status === 'failed' ? [{ message: 'no' }] : null;
    const sets = evaluation['policy-sets'].map((set: { id: string; policies: { name: string }[] }) => ({
      'policy-set-id': set.id,
      policies: set.policies.map(({ name }) => ({ name, status, output })),
    }));
    return json({ 'policy-tool-version': '1.0.0', 'policy-sets': sets });
  }

  private caller(
    { security }: Operation,
    earnest: boolean,
  ): fc.Arbitrary<{ readonly kind: string; readonly secret: string | undefined }> {
    const of = (kind: string) =>
      this.pick(`secret ${kind}`).map((secret) => ({ kind, secret: secret as string | undefined }));
    const nobody = fc.constantFrom(
      { kind: 'nobody', secret: undefined },
      { kind: 'nobody', secret: 'gatehouse.v1.nobody' },
    );
    const asAgent = security.some((scheme) => 'agentToken' in scheme);
    if (earnest && security.length > 0) return of(asAgent ? 'agent' : 'admin');
    if (security.length === 0)
      return weighted([9, fc.constant({ kind: 'nobody', secret: undefined })], [1, of('admin')]);
    if (asAgent) return weighted([20, of('agent')], [1, of('user')], [1, nobody]);
    const kinds = { admin: 55, user: 20, team: 10, organization: 8, outsider: 6, agent: 2 };
    return weighted(...Object.entries(kinds).map(([kind, weight]) => [weight, of(kind)] as const), [2, nobody]);
  }

  private body(id: string, { requestBody }: Operation, earnest: boolean): fc.Arbitrary<Body | undefined> {
    const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
    if (type === undefined) {
      if (earnest) return fc.constant(undefined);
      const junk = fc.constantFrom('{', '', '{"data":{"id":"x"}}', 'x'.repeat(2_000));
      const sent = junk.map((text) => ({ bytes: Buffer.from(text), type: 'application/vnd.api+json' }));
      return weighted([95, fc.constant(undefined)], [1, sent]);
    }
    if (type === 'application/octet-stream') {
      const bytes =
        id === 'uploadFiles' || id === 'uploadPolicies'
          ? weighted(
              [6, fc.constantFrom(...(id === 'uploadFiles' ? archives.slice(0, 2) : [policies]))],
              [4, fc.constantFrom(...archives)],
              [1, fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array))],
            )
          : oddText.map((text) => Buffer.from(text));
      return bytes.map((given) => ({ bytes: given, type }));
    }
    const schema = (media as MediaType).schema;
    const value = schema === undefined ? anyJson : fitting(schema, this.hint);
    const json = (given: fc.Arbitrary<unknown>) =>
      given.map((one) => ({ bytes: Buffer.from(JSON.stringify(one) ?? ''), type }));
    if (earnest) return json(value);
    const otherType = type === 'application/json' ? 'text/plain' : 'application/json';
    return weighted<Body | undefined>(
      [66, json(value)],
      [24, json(unfitting(value))],
      [5, brokenJson(value).map((bytes) => ({ bytes, type }))],
      [3, fc.constant(undefined)],
      [2, json(value).map(({ bytes }) => ({ bytes, type: otherType }))],
    );
  }
}

interface Body {
  readonly bytes: Buffer;
  readonly type?: string;
}

/** The second over the first, member by member. */
function merged(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  const both = [under, over].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
  if (!both) return over;
  const whole: Record<string, unknown> = { ...(under as object) };
  for (const [key, value] of Object.entries(over as object)) whole[key] = merged(whole[key], value);
  return whole;
}

/** With the types that its members are said to have, where they are left out. */
function typed(schema: JsonSchema, value: unknown): unknown {
  const either = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  const whole = either?.find(({ type }) => type !== 'null') ?? schema;
  if (Array.isArray(value)) return value.map((item) => typed((whole.items ?? {}) as JsonSchema, item));
  if (typeof value !== 'object' || value === null) return value;
  const members = (whole.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const word = members.type?.enum?.[0] ?? members.type?.const;
  const inside = Object.entries(value).map(([name, member]) => [name, typed(members[name] ?? {}, member)]);
  return { ...(word === undefined ? {} : { type: word }), ...Object.fromEntries(inside) };
}

/** The last segment of a path. */
export const lastIn = (url: string): string => /\/([^/?]+)\/?(?:\?|$)/.exec(url)?.[1] ?? '';

const missingLike = (text: string): string =>
  /-[A-Za-z0-9]{16}$/.test(text) ? text.replace(/[A-Za-z0-9]{16}$/, '0'.repeat(16)) : 'no-such-name';
