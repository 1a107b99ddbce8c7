import type { StreamTimes } from '../../src/adapters/http/routing/exchange.js';
import type { Pace } from '../../src/adapters/http/server/memory/arrivals.js';
import type { MemoryBudget } from '../../src/adapters/http/server/memory/memory-budget.js';
import { RateLimits } from '../../src/adapters/http/server/rate-limit.js';
import type { Timeouts } from '../../src/adapters/http/server/timeouts.js';
import { inOneTransaction } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import {
  type BundleStore,
  type CapabilityUrls,
  type ChangeListener,
  type Lane,
  lanes,
  type Secret,
  type Snapshots,
  type UnitOfWork,
} from '../../src/application/index.js';
import { DomainError } from '../../src/domain/index.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { buildContainer } from '../../src/infrastructure/container/build-container.js';
import { resolve } from '../../src/infrastructure/container/provide.js';
import { MemoryBundleStore } from './memory-bundle-store.js';
import './described-answers.js';
import { once } from 'node:events';
import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, expect } from '@jest/globals';
import type { Container } from 'inversify';
import type { Response, Test } from 'supertest';
import supertest from 'supertest';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { MemoryCommitFetcher } from './memory-commit-fetcher.js';
import { beforeNextFile } from './past-files.js';
import { RowsInMemory } from './rows-in-memory.js';
import { noteEnvironment, noteSecret, noteUrl, watchedLogger } from './secrets-in-logs.js';
import { type SeededRun, seedRun } from './seed-run.js';

export type Prefix = '' | '/api/v2';

/** The mount on which behaviour is tested. `mounts.test.ts` checks that the other differs only in wording. */
export const prefix: Prefix = '/api/v2';

/** Everything the service wrote to its log, as objects. */
export class KeptLog {
  readonly lines: { readonly level: 'info' | 'error'; readonly fields: object; readonly message: string }[] = [];
  private readonly written = watchedLogger();

  /** As it is written: a line for each, of JSON. */
  get printed(): string {
    return this.written.read();
  }

  info(fields: object, message: string): void {
    this.written.logger.info(fields, message);
    this.lines.push({ level: 'info', fields, message });
  }

  error(fields: object, message: string): void {
    this.written.logger.error(fields, message);
    this.lines.push({ level: 'error', fields, message });
  }
}

/** Connections are kept: a suite makes hundreds of requests. */
const agent = new Agent({ keepAlive: true });

/** A caller with a token, or without one. */
export class Caller {
  constructor(
    private readonly app: Parameters<typeof supertest>[0],
    private readonly prefix: Prefix,
    readonly secret: string | undefined,
    readonly id: string = '',
  ) {
    noteSecret(secret);
  }

  at(prefix: Prefix): Caller {
    return new Caller(this.app, prefix, this.secret, this.id);
  }

  get(path: string): Test {
    return this.send('get', path);
  }

  post(path: string, body?: object): Test {
    return this.send('post', path, body);
  }

  patch(path: string, body?: object): Test {
    return this.send('patch', path, body);
  }

  delete(path: string, body?: object): Test {
    return this.send('delete', path, body);
  }

  send(method: 'get' | 'head' | 'post' | 'patch' | 'put' | 'delete', path: string, body?: object): Test {
    const request = supertest(this.app)
      [method](this.prefix + path)
      .agent(agent)
      .redirects(0);
    if (this.secret !== undefined) request.set('Authorization', `Bearer ${this.secret}`);
    return body === undefined
      ? request
      : request.set('Content-Type', 'application/vnd.api+json').send(JSON.stringify(body));
  }
}

let names = 0;

/** A name nothing else in this process has. */
export const newName = (what = 'name'): string => {
  names += 1;
  return `${what}-${names}`;
};

export const publicUrl = 'http://gatehouse.test';

export const doc = (type: string, attributes: object = {}, relationships?: object) => ({
  data: { type, attributes, ...(relationships === undefined ? {} : { relationships }) },
});

/** A document of one error. `detail` may be a matcher. */
export const refusal = (status: number, title: string, detail: unknown, source?: object) => ({
  errors: [{ status: String(status), title, detail, ...(source && { source }) }],
});

/** The error for a resource that does not exist or that the caller may not see. */
export const missing = refusal(404, 'not found', 'resource not found');

/** The error for an upload URL that may not be used, whatever the reason. */
export const unusableUrl = (noun: string) =>
  refusal(
    404,
    'not found',
    `the upload URL has expired or was altered, or may no longer be used; create a new ${noun} to get another`,
  );

/** The error for a resource that a relationship in the body names, and that does not exist or that the caller may not see. */
export const missingInBody = (label: string, relationship = label.toLowerCase()) =>
  refusal(404, 'not found', `${label} does not exist, or you cannot see it: check its id`, {
    pointer: `/data/relationships/${relationship}`,
  });

/** The error for a resource that the caller sees and may not change. */
export const lacking = (right: string) => refusal(404, 'not found', expect.stringContaining(`requires ${right}`));

/** One fault in the body. */
export const invalid = (attribute: string, detail: unknown) =>
  refusal(422, 'invalid attribute', detail, { pointer: `/data/attributes/${attribute}` });

/** A list that one page of the usual size holds whole. */
export const onePage = (path: string, data: readonly unknown[]) => {
  const self = `${prefix}${path}?page%5Bnumber%5D=1&page%5Bsize%5D=20`;
  const counts = { 'current-page': 1, 'page-size': 20, 'total-pages': 1, 'total-count': data.length };
  return {
    data,
    links: { self, first: self, prev: null, next: null, last: self },
    meta: { pagination: { ...counts, 'prev-page': null, 'next-page': null } },
  };
};

/** A token that was never used. The relationships are given as what they name. */
export const tokenDocument = (
  id: unknown,
  related: Readonly<Record<string, object>>,
  attributes: { readonly 'created-at': string; readonly [name: string]: unknown },
) => ({
  id,
  type: 'authentication-tokens',
  attributes: { 'last-used-at': null, description: null, token: null, 'expired-at': null, ...attributes },
  relationships: Object.fromEntries(Object.entries(related).map(([name, data]) => [name, { data }])),
});

/** The location and the sentence of each fault in a refused body. */
export const faultsIn = ({ body }: Response): readonly (readonly [pointer: string, detail: string])[] =>
  body.errors.map((error: { detail: string; source: { pointer: string } }) => [error.source.pointer, error.detail]);

export const namesIn = (body: { data: readonly { attributes: { name: string } }[] }): readonly string[] =>
  body.data.map(({ attributes }) => attributes.name);

const servers: Server[] = [];
const databases: RowsInMemory[] = [];

/**
 * One server for all requests of a suite. One server for each request, as supertest creates for a bare app, exhausts
 * the ports of the machine after thousands of requests.
 */
async function listening(app: RequestListener): Promise<Server> {
  // A connection that is kept is never closed by the server: it could happen just when a request is sent.
  const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

afterAll(async () => {
  agent.destroy();
  for (const server of servers) server.close().closeAllConnections();
  for (const rows of databases) await rows.close();
});

/** Leaves an empty shell, which keeps no service. */
function forget(server: Server, api: object): void {
  server.removeAllListeners();
  for (const name of Object.keys(api)) Reflect.deleteProperty(api, name);
}

const signingSecret = 'a secret for tests that is long enough';

/** As the service makes them. */
class NotedSecrets extends RandomSecrets {
  override generate(): Secret {
    const made = super.generate();
    noteSecret(made.secret);
    return made;
  }

  override generateWebhookKey(): string {
    const key = super.generateWebhookKey();
    noteSecret(key);
    return key;
  }
}

/** Notes every secret that the service generates or receives. */
function noteSecretsIn(container: Container): void {
  container.rebind('secrets').toConstantValue(new NotedSecrets());
  const urls = resolve(container, 'capabilityUrls');
  const noted: CapabilityUrls = {
    issue: (...given) => {
      const url = urls.issue(...given);
      noteUrl(url);
      return url;
    },
    open: (...given) => urls.open(...given),
  };
  container.rebind('capabilityUrls').toConstantValue(noted);
}

/** Streams end when they have begun: the walks along all routes do not wait for anything. */
const briefly: StreamTimes = { heartbeat: 60_000, longest: 0, betweenEvents: 0, betweenLists: 0 };

/** Bodies may take as long as a test. */
const pace: Pace = { first: 120_000, window: 120_000, perWindow: 1, total: 3_600_000 };

/** Longer than any test: a client on a loaded machine may take seconds to send what is refused. */
export const unhurried: Timeouts = {
  head: 120_000,
  idle: 120_000,
  total: 3_600_000,
  lingering: 120_000,
  pace,
  stream: briefly,
};

/** The whole service but its socket, on adapters of the test's choice, with a clock the test moves. */
export async function startApi(
  options: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly unitOfWork?: UnitOfWork;
    /** By default, they are read in transactions of the unit of work. */
    readonly snapshots?: Snapshots;
    /** Required with a `unitOfWork` whose changes streams must report. */
    readonly hearChanges?: (hear: ChangeListener) => void;
    readonly bundleStore?: BundleStore;
    readonly timeouts?: Timeouts;
    readonly memory?: MemoryBudget;
    /** The mount that its callers use. */
    readonly prefix?: Prefix;
    /** `publicUrl` by default. */
    readonly publicUrl?: string;
    /** The first signs and seals. */
    readonly signingSecrets?: readonly [string, ...string[]];
  } = {},
) {
  const clock = new FixedClock();
  const log = new KeptLog();
  const rows = new RowsInMemory();
  databases.push(rows);
  rows.follow(clock);
  const unitOfWork = options.unitOfWork ?? rows;
  const hearChanges = options.hearChanges ?? ((hear) => rows.hearChanges(hear));
  const bundleStore = options.bundleStore ?? new MemoryBundleStore();
  const signingSecrets = options.signingSecrets ?? [signingSecret];
  const stopping = new AbortController();
  const health = { ready: true };
  const container = buildContainer({
    config: loadConfig({ RATE_LIMIT_PER_SECOND: '0', ...options.environment }),
    unitOfWork,
    snapshots: options.snapshots ?? inOneTransaction(unitOfWork),
    bundleStore,
    publicUrl: options.publicUrl ?? publicUrl,
    signingSecrets,
    log,
    readOnly: async () => !health.ready,
    ready: async () => {
      if (!health.ready) throw new DomainError('service/unavailable', 'the database is read-only');
    },
    stopping: stopping.signal,
    stopped: stopping.signal,
    timeouts: options.timeouts ?? unhurried,
  });
  container.rebind('clock').toConstantValue(clock);
  container.rebind('rates').toConstantValue(new RateLimits(undefined, () => Date.parse(clock.now())));
  if (options.memory !== undefined) container.rebind('memory').toConstantValue(options.memory);
  for (const one of signingSecrets) noteSecret(one);
  noteEnvironment(options.environment ?? {});
  noteSecretsIn(container);
  const repositories = new MemoryCommitFetcher();
  container.rebind('commitFetcher').toConstantValue(repositories);
  const app = resolve(container, 'app');
  const use = resolve(container, 'useCases');
  hearChanges(use.changeFeed.announce);
  const server = await listening(app);
  // The search for lost agents gives them time, counted from its first pass.
  await use.reclaimLostRuns.execute();
  const secrets = resolve(container, 'secrets');
  const secret = secrets.generate();
  const administrator = await use.createUser.first(
    { username: 'admin', email: 'admin@example.com' },
    async () => secret,
  );
  const as = (given: string | undefined, id = '') => new Caller(server, options.prefix ?? '', given, id);
  const admin = as(secret.secret, administrator?.id);

  const api = {
    app,
    /** The app, listening. */
    server,
    clock,
    log,
    unitOfWork,
    hearChanges,
    /** All stored rows, as one text. */
    stored: async () => rows.text,
    bundleStore,
    stopping,
    health,
    admin,
    anonymous: as(undefined),
    as,
    useCases: use,
    /** The source that repositories are fetched from. */
    repositories,
    performEffects: (lane: Lane = 'quick') => use.performEffects.execute(lane),
    reclaimLostRuns: () => use.reclaimLostRuns.execute(),
    /** Performs effects until none is due. */
    async settle(): Promise<void> {
      const effects = use.performEffects;
      for (let claimed = 1; claimed > 0; ) {
        claimed = 0;
        for (const lane of Object.keys(lanes) as Lane[]) {
          const { done, failures } = await effects.execute(lane);
          claimed += done + failures.length;
        }
      }
    },
    sweepBundles: (olderThanSeconds: number) => use.sweepBundles.execute(olderThanSeconds),
    seedRun: (run: SeededRun) => seedRun(unitOfWork, run),
    flushTokenUses: () => use.tokenUses.flush(),
    flushRefusals: (ending = false) => use.refusals.flush(ending),
    forgetAuditEvents: () => use.forgetAuditEvents.execute(),

    /** A new user of the service, who is in no organization. */
    async user(username: string): Promise<Caller> {
      const attributes = { username, email: `${username}@example.com` };
      const answer = await admin.post('/admin/users', doc('users', attributes)).expect(201);
      return as(answer.body.included[0].attributes.token, answer.body.data.id);
    },

    /** An organization owned by the administrator. */
    async organization(name: string): Promise<void> {
      await admin.post('/organizations', doc('organizations', { name, email: 'ops@example.com' })).expect(201);
    },

    /** A new user who is a member of the organization and of the teams given. */
    async member(organization: string, username: string, teamIds: readonly string[] = []): Promise<Caller> {
      const caller = await this.user(username);
      const teams = { data: teamIds.map((id) => ({ id, type: 'teams' })) };
      const body = doc('organization-memberships', { email: `${username}@example.com` }, { teams });
      const { data } = (await admin.post(`/organizations/${organization}/organization-memberships`, body).expect(201))
        .body;
      await unitOfWork.run((tx) => tx.memberships.accept(data.relationships.user.data.id));
      return caller;
    },

    async team(organization: string, name: string, attributes: object = {}): Promise<string> {
      const body = doc('teams', { name, ...attributes });
      return (await admin.post(`/organizations/${organization}/teams`, body).expect(201)).body.data.id;
    },

    /** A new member of the organization whose only team holds these organization-level permissions. */
    async holderOf(organization: string, ...permissions: readonly string[]): Promise<Caller> {
      const access = Object.fromEntries(permissions.map((permission) => [permission, true]));
      const team = await this.team(organization, newName(), { 'organization-access': access });
      return this.member(organization, newName(), [team]);
    },

    /** Gives a team access to a workspace. */
    async grant(teamId: string, workspaceId: string, attributes: object): Promise<string> {
      const team = { data: { type: 'teams', id: teamId } };
      const workspace = { data: { type: 'workspaces', id: workspaceId } };
      const body = doc('team-workspaces', attributes, { team, workspace });
      return (await admin.post('/team-workspaces', body).expect(200)).body.data.id;
    },

    /** The id of the owners team. */
    async owners(organization: string): Promise<string> {
      const { body } = await admin.get(`/organizations/${organization}/teams?page[size]=100`).expect(200);
      return body.data[namesIn(body).indexOf('owners')].id;
    },

    async workspace(organization: string, name: string): Promise<string> {
      const body = doc('workspaces', { name });
      return (await admin.post(`/organizations/${organization}/workspaces`, body).expect(201)).body.data.id;
    },

    async version(workspaceId: string, attributes: object = {}): Promise<{ id: string; uploadUrl: string }> {
      const body = { data: { attributes } };
      const answer = await admin.post(`/workspaces/${workspaceId}/configuration-versions`, body).expect(201);
      return { id: answer.body.data.id, uploadUrl: answer.body.data.attributes['upload-url'] };
    },

    /** PUT as clients do it: without a token, with the raw bytes. */
    upload: (url: string, bytes: Buffer): Test =>
      supertest(server).put(pathOf(url)).set('Content-Type', 'application/octet-stream').send(bytes),

    async auditToken(organization: string): Promise<Caller> {
      const path = `/organizations/${organization}/authentication-token?token=audit-trails`;
      return as((await admin.post(path).expect(201)).body.data.attributes.token);
    },

    async organizationToken(organization: string): Promise<Caller> {
      const answer = await admin.post(`/organizations/${organization}/authentication-token`).expect(201);
      return as(answer.body.data.attributes.token);
    },
  };
  beforeNextFile.push(() => forget(server, api));
  return api;
}

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/** The path of a capability URL, for use with the app under test. */
export const pathOf = (url: string): string => url.slice(publicUrl.length);
