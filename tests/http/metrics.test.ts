import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Exposition } from '../../src/adapters/metrics/exposition.js';
import { Meters } from '../../src/adapters/metrics/meters.js';
import type { Snapshot } from '../../src/application/background/take-snapshot.js';
import type { UnitOfWork } from '../../src/application/index.js';
import { DomainError } from '../../src/domain/index.js';
import { doc, pathOf, startApi, type TestApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { parseExposition, type Scrape } from '../support/exposition-format.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const token = 'a-token-for-prometheus';

const scrape = async (api: TestApi): Promise<Scrape> => {
  const answer = await api.anonymous.get('/metrics').expect(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(answer.text);
};

/** The increase of each metric between two scrapes. */
const between =
  (before: Scrape, after: Scrape) =>
  (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);

describe('who may read the metrics', () => {
  it('includes every client that reaches a service that listens on loopback', async () => {
    const api = await startApi();
    await scrape(api);
    await api.anonymous.delete('/metrics').expect(405);
    await api.anonymous.at('/api/v2').get('/metrics').expect(404);
  });

  it('excludes every client where it listens elsewhere without a token: the endpoint is missing', async () => {
    const api = await startApi({ environment: { HOST: '0.0.0.0', PUBLIC_URL: 'http://gatehouse.test' } });
    for (const caller of [api.anonymous, api.admin]) {
      const hidden = await caller.get('/metrics').expect(404);
      expect(hidden.body).toEqual((await caller.get('/nothing').expect(404)).body);
    }
  });

  it.each([
    ['a proxy is trusted', { TRUSTED_PROXIES: '127.0.0.1' }],
    ['it is known by another name', { PUBLIC_URL: 'https://gatehouse.test' }],
  ])(
    'excludes every client where no token is set and %s, since a proxy on the same machine lets others in',
    async (_, published) => {
      const api = await startApi({ environment: published });
      await api.anonymous.get('/metrics').expect(404);
      const named = await startApi({ environment: { ...published, METRICS_TOKEN: token } });
      await named.anonymous.get('/metrics').expect(401);
      await named.as(token).get('/metrics').expect(200);
    },
  );

  it.each(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080'])(
    'includes every client where its public URL is %s',
    async (PUBLIC_URL) => {
      await scrape(await startApi({ environment: { PUBLIC_URL } }));
    },
  );

  it.each(['0.0.0.0', '127.0.0.1'])('is the bearer of the token where one is set, on %s', async (HOST) => {
    const api = await startApi({
      environment: { HOST, PUBLIC_URL: 'http://gatehouse.test', METRICS_TOKEN: token },
    });
    for (const caller of [api.anonymous, api.admin, api.as(`${token}!`), api.as(token.slice(1))]) {
      const refused = await caller.get('/metrics').expect(401);
      expect(refused.body.errors[0].title).toBe('unauthorized');
      expect(refused.text).not.toContain('gatehouse_');
    }
    parseExposition((await api.as(token).get('/metrics').expect(200)).text);
    await api.as(token).get('/account/details').expect(401);
  });

  it('is limited apart from other callers of the same address, and so is who guesses', async () => {
    const environment = { RATE_LIMIT_PER_SECOND: '4', METRICS_TOKEN: token, TRUSTED_PROXIES: '127.0.0.1' };
    const api = await startApi({ environment });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await api.as('a guess at the token').get('/metrics')).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    await api.anonymous.get('/ping').expect(204);
    const elsewhere = api.as(token).get('/metrics').set('X-Forwarded-For', '192.0.2.1');
    const found = parseExposition((await elsewhere.expect(200)).text);
    expect(found.value('gatehouse_rate_limited_requests_total', { limit: 'scrape' })).toBe(4);
  });
});

const api = await startApi();
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'api');

describe('the metrics', () => {
  it('count and time requests by method, pattern and status', async () => {
    const before = await scrape(api);
    const begun = performance.now();
    await api.admin.get(`/workspaces/${workspaceId}`).expect(200);
    await api.admin.send('head', `/workspaces/${workspaceId}`).expect(200);
    await api.admin.at('/api/v2').get(`/workspaces/${workspaceId}`).expect(200);
    await api.admin.get('/workspaces/ws-1').expect(404);
    await api.anonymous.get(`/workspaces/${workspaceId}`).expect(401);
    await api.admin.send('put', `/workspaces/${workspaceId}`).expect(405);
    await api.admin.get('/made-up/by-a-stranger').expect(404);
    const after = await scrape(api);
    const rose = between(before, after);
    const requests = (labels: Record<string, string>) => rose('gatehouse_http_requests_total', labels);
    const route = '/workspaces/:id';
    expect(requests({ route, method: 'GET', status: '200' })).toBe(1);
    expect(requests({ route, method: 'HEAD', status: '200' })).toBe(1);
    expect(requests({ route, method: 'GET', status: '404' })).toBe(1);
    expect(requests({ route, method: 'GET', status: '401' })).toBe(1);
    expect(requests({ route, method: '_OTHER', status: '405' })).toBe(1);
    expect(requests({ route: '/api/v2/workspaces/:id', method: 'GET', status: '200' })).toBe(1);
    expect(requests({ route: 'unmatched', method: '_OTHER', status: '404' })).toBe(1);
    expect(rose('gatehouse_http_request_duration_seconds_count', { route, method: 'GET' })).toBe(3);
    const seconds = rose('gatehouse_http_request_duration_seconds_sum', { route, method: 'GET' });
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan((performance.now() - begun) / 1000);
    expect(rose('gatehouse_database_duration_seconds_count', { kind: 'read' })).toBeGreaterThan(5);
    // The scrape itself.
    expect(after.value('gatehouse_http_requests_in_flight')).toBe(1);
  });

  it('name nothing that a caller sent', async () => {
    await api.admin.get(`/organizations/acme/workspaces/${workspaceId}?q=searched`).expect(404);
    await api.anonymous.get('/v1/object/a-guess').expect(404);
    const { text } = await api.anonymous.get('/metrics').expect(200);
    for (const sent of ['acme', workspaceId, 'searched', 'a-guess', 'made-up']) expect(text).not.toContain(sent);
  });

  it('count uploads by what becomes of them, and the bytes both ways', async () => {
    const bytes = await archiveOf({ 'main.tf': '# nothing' });
    const before = await scrape(api);
    const version = await api.version(workspaceId);
    await api.upload(version.uploadUrl, bytes).expect(200);
    const bad = await api.version(workspaceId);
    await api.upload(bad.uploadUrl, Buffer.from('no archive')).expect(422);
    await api.upload(bad.uploadUrl, bytes).expect(409);
    const { headers } = await api.admin.get(`/configuration-versions/${version.id}/download`).expect(302);
    await api.anonymous.get(pathOf(headers.location ?? '')).expect(200);
    const after = await scrape(api);
    const rose = between(before, after);
    const uploads = (outcome: string) => rose('gatehouse_uploads_total', { outcome });
    expect([uploads('taken'), uploads('malformed'), uploads('refused'), uploads('failed')]).toEqual([1, 1, 1, 0]);
    expect(rose('gatehouse_upload_bytes_total')).toBeGreaterThanOrEqual(bytes.length + 'no archive'.length);
    expect(rose('gatehouse_download_bytes_total')).toBe(bytes.length);
    expect(rose('gatehouse_bundle_store_duration_seconds_count', { operation: 'write' })).toBe(2);
    expect(rose('gatehouse_bundle_store_duration_seconds_count', { operation: 'read' })).toBe(1);
    expect(rose('gatehouse_bundle_store_failures_total')).toBe(0);
    expect(after.value('gatehouse_uploads_in_flight')).toBe(0);
  });

  it('count an upload in flight, and one whose client left', async () => {
    const before = await scrape(api);
    const { uploadUrl } = await api.version(workspaceId);
    const { port } = api.server.address() as AddressInfo;
    const upload = request({ port, method: 'PUT', path: pathOf(uploadUrl), headers: { 'Content-Length': 1_000_000 } });
    upload.on('error', () => undefined);
    upload.write((await archiveOf({ 'main.tf': '# nothing' })).subarray(0, 20));
    const until = async (holds: (found: Scrape) => boolean) => {
      for (;;) {
        const found = await scrape(api);
        if (holds(found)) return found;
        await pause(10);
      }
    };
    expect(
      (await until((found) => found.value('gatehouse_uploads_in_flight') === 1)).value('gatehouse_uploads_in_flight'),
    ).toBe(1);
    upload.destroy();
    const after = await until((found) => found.value('gatehouse_uploads_in_flight') === 0);
    const rose = between(before, after);
    expect(rose('gatehouse_uploads_total', { outcome: 'interrupted' })).toBe(1);
    expect(rose('gatehouse_bundle_store_failures_total')).toBe(0);
  });

  it('count pending work and what expires soon', async () => {
    const watched = await startApi();
    await watched.organization('acme');
    const workspace = await watched.workspace('acme', 'api');
    const version = await watched.version(workspace);
    await watched.seedRun({
      id: 'run-waiting',
      workspaceId: workspace,
      configurationVersionId: version.id,
      status: 'plan_queued',
    });
    for (const [name, days] of [
      ['soon', 3],
      ['late', 30],
      ['over', 1],
    ] as const) {
      const team = await watched.team('acme', name);
      const at = new Date(Date.parse(watched.clock.now()) + days * 24 * 3600_000).toISOString();
      const body = doc('authentication-token', { 'expired-at': at });
      await watched.admin.post(`/teams/${team}/authentication-token`, body).expect(201);
    }
    watched.clock.advance(2 * 24 * 3600);
    await watched.admin.delete('/organizations/acme/workspaces/none').expect(404);
    await watched.unitOfWork.run((tx) => tx.effects.enqueue('a', [{ kind: 'discard-bundle', bundleKey: 'bundle-1' }]));
    const found = await scrape(watched);
    expect(found.value('gatehouse_database_up')).toBe(1);
    expect(found.value('gatehouse_effects_waiting', { lane: 'discards', state: 'due' })).toBe(1);
    expect(found.value('gatehouse_effects_oldest_due_seconds', { lane: 'discards' })).toBe(0);
    expect(found.value('gatehouse_runs_waiting', { status: 'plan_queued' })).toBe(1);
    expect(found.value('gatehouse_team_tokens', { state: 'expiring' })).toBe(1);
    expect(found.value('gatehouse_team_tokens', { state: 'expired' })).toBe(1);
    expect(found.value('gatehouse_build_info')).toBe(1);
    expect(found.of('gatehouse_database_connections')).toEqual([]);
  });

  it('are served without the rest while the database is unavailable, and with it when it is back', async () => {
    const memory = new RowsInMemory();
    let away = false;
    const reached = <Result>(work: () => Promise<Result>) =>
      away ? Promise.reject(new DomainError('service/unavailable', 'the database does not respond')) : work();
    const unitOfWork: UnitOfWork = {
      run: (work) => reached(() => memory.run(work)),
      read: (work) => reached(() => memory.read(work)),
    };
    const watched = await startApi({ unitOfWork });
    away = true;
    await watched.admin.get('/account/details').expect(503);
    const found = await scrape(watched);
    expect(found.value('gatehouse_database_up')).toBe(0);
    expect(found.of('gatehouse_team_tokens')).toEqual([]);
    expect(found.value('gatehouse_database_failures_total', { kind: 'read' })).toBeGreaterThan(0);
    expect(found.value('gatehouse_http_requests_total', { status: '503' })).toBe(1);
  });
});

describe('what is read of the database', () => {
  const snapshot = (given: Partial<Snapshot> = {}): Snapshot => ({
    effects: [],
    runs: new Map(),
    teamTokens: { expiring: 0, expired: 0 },
    organizations: [],
    workspacesToRemove: 0,
    ...given,
  });
  const due = (oldest: number) => snapshot({ effects: [{ lane: 'local', state: 'due', count: 3, oldest }] });

  const watching = (takeSnapshot: () => Promise<Snapshot>, readOnly = async () => false) => {
    let time = 0;
    const exposition = new Exposition({
      streams: () => 0,
      memory: () => 0,
      readOnly,
      meters: new Meters(),
      takeSnapshot,
      version: '1.2.3',
      maxBytes: 0,
      database: 'postgres',
      connections: () => ({ inUse: 3, idle: 2, waiting: 1 }),
      ofProcess: false,
      now: () => time,
      timeout: 50,
    });
    return {
      scrapedIn: async (seconds: number) => {
        time += seconds * 1000;
        return parseExposition(await exposition.text());
      },
    };
  };

  it('is asked for every few seconds at most, and once for all who scrape at once', async () => {
    let asked = 0;
    const { scrapedIn } = watching(async () => {
      asked += 1;
      return snapshot();
    });
    await Promise.all([scrapedIn(0), scrapedIn(0), scrapedIn(0)]);
    await scrapedIn(4.9);
    expect(asked).toBe(1);
    await scrapedIn(0.1);
    expect(asked).toBe(2);
  });

  it('report for how long the same effect has been the oldest', async () => {
    let found = due(7);
    const { scrapedIn } = watching(async () => found);
    const oldest = (seen: Scrape) => seen.value('gatehouse_effects_oldest_due_seconds', { lane: 'local' });
    expect(oldest(await scrapedIn(0))).toBe(0);
    expect(oldest(await scrapedIn(30))).toBe(30);
    expect(oldest(await scrapedIn(15))).toBe(45);
    found = due(8);
    expect(oldest(await scrapedIn(15))).toBe(0);
    found = snapshot();
    expect(oldest(await scrapedIn(15))).toBeUndefined();
  });

  it('is how many workspaces of deleted organizations are left', async () => {
    const { scrapedIn } = watching(async () => snapshot({ workspacesToRemove: 7 }));
    expect((await scrapedIn(0)).value('gatehouse_workspaces_to_remove')).toBe(7);
  });

  it('is read where nothing can be written, which has a metric of its own', async () => {
    let state = async () => true;
    const { scrapedIn } = watching(
      async () => snapshot(),
      () => state(),
    );
    const readOnly = async () => {
      const found = await scrapedIn(5);
      expect(found.value('gatehouse_database_up')).toBe(1);
      return found.value('gatehouse_database_read_only');
    };
    expect(await readOnly()).toBe(1);
    state = async () => false;
    expect(await readOnly()).toBe(0);
    state = async () => {
      throw new Error('it does not respond');
    };
    expect(await readOnly()).toBeUndefined();
  });

  it('is not waited for when it is slow, and served once it has arrived', async () => {
    let answer: (found: Snapshot) => void = () => {};
    const { scrapedIn } = watching(() => new Promise((resolve) => (answer = resolve)));
    expect((await scrapedIn(0)).value('gatehouse_database_up')).toBe(0);
    answer(due(1));
    await pause(0);
    const found = await scrapedIn(1);
    expect(found.value('gatehouse_database_up')).toBe(1);
    expect(found.value('gatehouse_effects_waiting', { lane: 'local', state: 'due' })).toBe(3);
    expect(found.value('gatehouse_database_connections', { state: 'in-use' })).toBe(3);
    expect(found.value('gatehouse_database_connections_awaited')).toBe(1);
    expect(found.of('gatehouse_build_info')[0]?.labels).toMatchObject({ version: '1.2.3', database: 'postgres' });
  });
});

describe('work that is measured', () => {
  const failuresOf = async (error: unknown): Promise<number | undefined> => {
    const meters = new Meters();
    await expect(meters.database.read.measure(0, Promise.reject(error))).rejects.toBe(error);
    const found = parseExposition(await meters.registry.metrics());
    return found.value('gatehouse_database_failures_total', { kind: 'read' });
  };

  it('counts faults, and no refusals', async () => {
    expect(await failuresOf(new DomainError('resource/not-found', 'no'))).toBe(0);
    expect(await failuresOf(new DomainError('service/unavailable', 'no'))).toBe(1);
    expect(await failuresOf(new Error('no'))).toBe(1);
  });

  it('falls into the bucket of the least time that it did not exceed', async () => {
    const meters = new Meters();
    for (const seconds of [0.001, 0.0011, 0.3, 1_000]) {
      meters.requestBegun();
      meters.requestEnded('GET', '/ping', 204, seconds);
    }
    const found = parseExposition(await meters.registry.metrics()).of('gatehouse_http_request_duration_seconds_bucket');
    const buckets = Object.fromEntries(found.map(({ labels, value }) => [labels.le, value]));
    expect(buckets).toMatchObject({ 0.001: 1, 0.0025: 2, 0.25: 2, 0.5: 3, 60: 3, '+Inf': 4 });
  });
});
