import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenApi } from '../../src/adapters/http/openapi/openapi.js';
import { httpServer } from '../../src/adapters/http/server/http-server.js';
import { RateLimits } from '../../src/adapters/http/server/rate-limit.js';
import { inOneTransaction } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomIds } from '../../src/adapters/system/random-ids.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import {
  type IdGenerator,
  type IdKind,
  type Lane,
  lanes,
  type Secret,
  type Transaction,
  type UnitOfWork,
} from '../../src/application/index.js';
import { DomainError, type Id, type Instant, later, type UserId } from '../../src/domain/index.js';
import { startSession } from '../../src/domain/supporting/sign-in/session.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { buildContainer } from '../../src/infrastructure/container/build-container.js';
import { resolve } from '../../src/infrastructure/container/provide.js';
import { archiveOf } from '../../tests/support/archives.js';
import { MemoryBundleStore } from '../../tests/support/memory-bundle-store.js';
import { MemoryCommitFetcher } from '../../tests/support/memory-commit-fetcher.js';
import { MemoryNotifier } from '../../tests/support/memory-notifier.js';
import { MemoryRunTaskCaller } from '../../tests/support/memory-run-task-caller.js';
import { Random } from '../torture/random.js';
import { repositories } from './repositories.js';
import type { Answered, Outgoing } from './requests.js';
import { WatchedUnitOfWork } from './watched-unit-of-work.js';

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Deterministic ids and secrets for a seed, so that a walk can be replayed. */
const textOf = (random: Random, length: number): string =>
  Array.from({ length }, () => random.oneOf([...alphabet])).join('');

class SeededIds implements IdGenerator {
  private readonly usual = new RandomIds('secret');

  constructor(private readonly random: Random) {}

  next<Kind extends IdKind>(kind: Kind): Id<Kind> {
    return this.usual.next(kind).replace(/[^-]{16}$/, textOf(this.random, 16)) as Id<Kind>;
  }

  ofAddress(email: string) {
    return this.usual.ofAddress(email);
  }
}

class SeededSecrets extends RandomSecrets {
  constructor(private readonly random: Random) {
    super();
  }

  override generate(): Secret {
    const secret = `gatehouse.v1.${textOf(this.random, 48)}`;
    return { secret, digest: this.digestOf(secret) };
  }

  override generateWebhookKey(): string {
    return `whsec_${Buffer.from(textOf(this.random, 32)).toString('base64')}`;
  }
}

/** Requests alone make neither: people sign in elsewhere, and no background work fails here. */
async function plant(tx: Transaction, userId: UserId, now: Instant): Promise<void> {
  for (let index = 0; index < planted; index += 1) {
    const id = `sess-${'abcdefghijkmnpqr'.slice(index)}${'s'.repeat(index)}`;
    const session = startSession(
      { id, userId, secretDigest: `planted ${index}`, identityId: null, tokenId: null, createdAt: now },
      century,
    );
    await tx.sessions.add(session);
    const bundleKey = `bundle-planted-${index}`;
    await tx.effects.enqueue(bundleKey, [{ kind: 'discard-bundle', bundleKey }]);
  }
  const until = later(now, century * 3_600);
  const share = { lane: 'discards', limit: planted, after: '', except: [] } as const;
  for (const { id } of await tx.effects.claim({ now, until, ...share })) await tx.effects.failed(id, 'planted', until);
}
const planted = 16;
/** In hours: the walk moves the clock. */
const century = 876_000;

/** How long an answer may take, in milliseconds. */
const bound = 60_000;

export type Service = Awaited<ReturnType<typeof startService>>;

/** The service as it is served, on a port of its own, with names made of the seed and a clock that the walk moves. */
export async function startService(seed: number, rows: UnitOfWork, environment: Readonly<Record<string, string>> = {}) {
  const random = new Random(seed);
  const clock = new FixedClock();
  const unitOfWork = new WatchedUnitOfWork(rows, () => clock.now());
  const lines: string[] = [];
  const errors: string[] = [];
  const container = buildContainer({
    config: loadConfig({
      RATE_LIMIT_PER_SECOND: '0',
      MAX_ARCHIVE_BYTES: '100000',
      MAX_UNPACKED_BYTES: '1000000',
      MAX_ARCHIVE_ENTRIES: '50',
      ARCHIVE_AFTER_DAYS: '1',
      AUDIT_DAYS: '36500',
      ...environment,
    }),
    unitOfWork,
    snapshots: inOneTransaction(unitOfWork),
    readOnly: async () => false,
    bundleStore: new MemoryBundleStore(),
    publicUrl: 'http://gatehouse.test',
    signingSecrets: ['a secret for fuzzing that is long enough'],
    log: {
      info: (fields, message) => void lines.push(JSON.stringify({ ...fields, message })),
      error: (fields, message) => {
        const { err } = fields as { readonly err?: unknown };
        const line = `${message} ${JSON.stringify(fields)} ${err instanceof Error ? err.stack : ''}`;
        lines.push(line);
        errors.push(line);
      },
    },
    ready: async () => {},
    stopping: new AbortController().signal,
    stopped: new AbortController().signal,
  });
  container.rebind('clock').toConstantValue(clock);
  container.rebind('ids').toConstantValue(new SeededIds(random.fork()));
  const secrets = new SeededSecrets(random.fork());
  container.rebind('secrets').toConstantValue(secrets);
  container.rebind('rates').toConstantValue(new RateLimits(undefined, () => Date.parse(clock.now())));
  const fetcher = new MemoryCommitFetcher();
  for (const url of repositories) {
    for (const branch of ['main', 'trunk']) fetcher.push(url, branch, await archiveOf({ 'main.tf': '' }));
  }
  container.rebind('commitFetcher').toConstantValue(fetcher);
  const runTasks = new MemoryRunTaskCaller();
  container.rebind('runTaskCaller').toConstantValue(runTasks);
  container.rebind('notifier').toConstantValue(new MemoryNotifier());

  const { server, serve } = httpServer({ head: 15_000, idle: 8_000, total: 60_000 });
  serve(resolve(container, 'app'));
  const use = resolve(container, 'useCases');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  const first = secrets.generate();
  const administrator = await use.createUser.first(
    { username: 'admin', email: 'admin@example.com' },
    async () => first,
  );
  await rows.run((tx) => plant(tx, administrator?.id ?? '', clock.now()));
  const effects = use.performEffects;

  const once_ = ({
    method,
    url,
    headers,
    body,
  }: Pick<Outgoing, 'method' | 'url' | 'headers' | 'body'>): Promise<Answered> =>
    new Promise((done, failed) => {
      const given: Record<string, string | string[]> = {};
      for (const [name, value] of Object.entries(headers)) given[name] = typeof value === 'string' ? value : [...value];
      if (body !== undefined && given['Transfer-Encoding'] === undefined) given['Content-Length'] = String(body.length);
      const request = httpRequest({ host: '127.0.0.1', port, method, path: url, headers: given, agent });
      const timer = setTimeout(
        () => request.destroy(new Error(`${method} ${url} had no answer in ${bound} ms`)),
        bound,
      );
      let begun = false;
      const fail = (error: Error) => {
        clearTimeout(timer);
        failed(Object.assign(error, { reused: request.reusedSocket && !begun }));
      };
      request.once('error', fail);
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        fail(new Error('the protocol was switched'));
      });
      request.once('response', (response) => {
        begun = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        const { statusCode = 0, headers: said } = response;
        if (said['content-type']?.startsWith('text/event-stream')) {
          // It goes on for minutes: its head is the answer.
          response.once('data', (chunk: Buffer) => {
            clearTimeout(timer);
            done({ status: statusCode, headers: said, text: chunk.toString() });
            request.destroy();
          });
        }
        response.once('end', () => {
          clearTimeout(timer);
          if (!response.complete) return fail(new Error('the answer broke off'));
          done({ status: statusCode, headers: said, text: Buffer.concat(chunks).toString() });
        });
      });
      request.end(body);
    });

  const send = async (outgoing: Pick<Outgoing, 'method' | 'url' | 'headers' | 'body' | 'after'>): Promise<Answered> => {
    clock.advance(outgoing.after ?? 0);
    try {
      return await once_(outgoing);
    } catch (error) {
      // A connection that was closed after its last answer: nothing was asked on it.
      const { reused, code } = error as { reused?: boolean; code?: string };
      if (reused && (code === 'ECONNRESET' || code === 'EPIPE')) return once_(outgoing);
      throw error;
    }
  };

  return {
    send,
    clock,
    unitOfWork,
    runTasks,
    /** The lines of its log. */
    lines,
    /** The log lines that report faults of the service. */
    errors,
    admin: { id: administrator?.id ?? '', secret: first.secret },
    openApi: JSON.parse((await send({ method: 'GET', url: '/openapi.json', headers: {} })).text) as OpenApi,

    /** Runs all background work. Returns its failures, except those that repositories caused. */
    async goOn(seconds: number): Promise<readonly string[]> {
      clock.advance(seconds);
      const wrong: string[] = [];
      for (let claimed = 1, rounds = 0; claimed > 0 && rounds < 20; rounds += 1) {
        claimed = 0;
        for (const lane of Object.keys(lanes) as Lane[]) {
          const { done, failures } = await effects.execute(lane);
          claimed += done;
          for (const { effect, error } of failures) {
            if (!(error instanceof DomainError))
              wrong.push(`${effect.effect.kind}: ${error instanceof Error ? error.stack : error}`);
          }
        }
      }
      await use.reclaimLostRuns.execute();
      await use.createScheduledDestroys.execute();
      await use.tokenUses.flush();
      await use.refusals.flush(false);
      return wrong;
    },
    /** Performs the maintenance that seldom runs. */
    async tidy(): Promise<void> {
      await use.forgetAuditEvents.execute();
      await use.archiveOldVersions.execute();
      await use.sweepBundles.execute(3_600);
    },
    async stop(): Promise<void> {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
