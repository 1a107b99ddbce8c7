import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
jest.setTimeout(8_000);
import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import { documentKindOf } from '../../src/adapters/http/routing/document-kind.js';
import { limits } from '../../src/adapters/http/routing/limits.js';
import { MemoryBudget } from '../../src/adapters/http/server/memory-budget.js';
import { type Caller, doc, missing, newName, pathOf, startApi, unhurried } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { parseExposition } from '../support/exposition-format.js';
import { RawClient } from '../support/raw-client.js';
import { keyOf, routesAt } from '../support/walk-routes.js';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Small enough to be filled by a few requests: a caller may hold 64 KiB, and an address 16. */
const memory = new MemoryBudget(512 * KiB);
const api = await startApi({ memory });
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'api');
const bench = await Bench.make(api);
await bench.version();
const job = await bench.claimed(await bench.run());
const agentToken: string = Reflect.get(bench.agent, 'token');

const linked = await api.admin.patch(
  `/workspaces/${workspaceId}`,
  doc('workspaces', { 'vcs-repo': { 'clone-url': 'https://git.example/a/b.git' } }),
);
const hook: string = linked.body.data.attributes['vcs-repo']['webhook-url'];

const noise = randomBytes(900 * KiB).toString('base64');

const clients: RawClient[] = [];
afterAll(() => {
  for (const client of clients) client.leave();
});

const connected = async ({ server } = api): Promise<RawClient> => {
  const client = await RawClient.connected(server);
  clients.push(client);
  return client;
};

const json = { 'Content-Type': 'application/json' };
const by = ({ secret = '' }: Pick<Caller, 'secret'>) => ({ ...json, Authorization: `Bearer ${secret}` });

/** Resolves once the service holds this many bytes, and at most `slack` more. */
const holds = async (bytes: number, slack = 0): Promise<void> => {
  const deadline = performance.now() + 20_000;
  while (memory.reserved < bytes || memory.reserved > bytes + slack) {
    if (performance.now() > deadline) throw new Error(`the service holds ${memory.reserved} bytes, not ${bytes}`);
    await nextTurn();
  }
};

const errorIn = ({ body }: { readonly body: string }) => JSON.parse(body).errors[0];

/** A document of so many bytes, and the path that takes it. */
const workspaces = '/organizations/acme/workspaces';
const padded = (bytes: number) => JSON.stringify(doc('workspaces', { name: newName() })).padEnd(bytes);

/** A request of this many bytes, of which the first has arrived. */
async function stalled(caller: Pick<Caller, 'secret'>, bytes: number, path = `/api/v2${workspaces}`): Promise<RawClient> {
  const client = await connected();
  const before = memory.reserved;
  client.ask('POST', path, { ...by(caller), 'Content-Length': bytes }).write('{');
  await holds(before + bytes);
  return client;
}

const ended = async (...all: readonly RawClient[]): Promise<void> => {
  for (const client of all) client.leave();
  await holds(0);
};

describe('what a caller names', () => {
  it.each<[what: string, method: string, path: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['a webhook', 'POST', '/hooks/vcs/whk-unknown', json, 404],
    ['a callback token', 'PATCH', '/api/v2/task-results/taskrs-unknown/callback', by({ secret: 'wrong' }), 401],
    ['a lock', 'POST', `/api/v2/workspaces/${workspaceId}/state-versions`, by(api.admin), 409],
    ['the lease of a log', 'PUT', `/agent/v1/runs/${job.runId}/log?offset=0`, { Lease: 'wrong', ...by({ secret: agentToken }) }, 409],
    ['the lease of a plan', 'POST', `/agent/v1/runs/${job.runId}/plan`, { Lease: 'wrong', ...by({ secret: agentToken }) }, 409],
    [
      'the lease of a state',
      'POST',
      `/agent/v1/runs/${job.runId}/state-versions`,
      { Lease: 'wrong', ...by({ secret: agentToken }) },
      409,
    ],
    ['a capability', 'PUT', '/v1/object/unknown', {}, 404],
    ['a capability of a state', 'PUT', '/v1/state/unknown', {}, 404],
  ])('is found before the body is read, of which nothing was sent: %s', async (_, method, path, headers, status) => {
    const client = await connected();
    const answer = await client.ask(method, path, { ...headers, 'Content-Length': 900 * KiB }).response();
    expect(answer.status).toBe(status);
    expect(memory.reserved).toBe(0);
    client.leave();
  });

  it('is found before the body is read where it has ended: a capability', async () => {
    const { uploadUrl } = await api.version(workspaceId, { 'auto-queue-runs': false });
    api.clock.advance(400 * 24 * 3600);
    const client = await connected();
    const answer = await client.ask('PUT', pathOf(uploadUrl), { 'Content-Length': 900 * KiB }).response();
    expect([answer.status, JSON.parse(answer.body)]).toEqual([404, missing]);
    client.leave();
  });
});

describe('memory for bodies', () => {
  it('is reserved before they arrive, refused at once beyond the share of their caller, and free at their end', async () => {
    const first = await stalled(api.admin, 60 * KiB);
    const other = await api.user(newName('user'));
    const second = await connected();
    const refused = await second.ask('POST', `/api/v2${workspaces}`, { ...by(api.admin), 'Content-Length': 10 * KiB }).response();
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '5', 'x-ratelimit-reset': '5', connection: 'close' });
    expect(errorIn(refused)).toMatchObject({ status: '429', title: 'Too many requests' });
    await second.closed;
    expect(memory.reserved).toBe(60 * KiB);
    await ended(await stalled(other, 60 * KiB), first);
    await api.admin.post(workspaces, JSON.parse(padded(0))).expect(201);
  });

  it('is refused with 503 where clients do not repeat a 429', async () => {
    const first = await stalled(api.admin, 60 * KiB, workspaces);
    const second = await connected();
    const refused = await second.ask('POST', workspaces, { ...by(api.admin), 'Content-Length': 10 * KiB }).response();
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
    expect(refused.headers).not.toHaveProperty('x-ratelimit-reset');
    expect(errorIn(refused)).toMatchObject({ status: '503', title: 'service unavailable' });
    await ended(first);
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('names one time to come back, also where requests are counted', async () => {
    const small = new MemoryBudget(8 * KiB);
    const counting = await startApi({ memory: small, environment: { RATE_LIMIT_PER_SECOND: '50' } });
    const client = await connected(counting);
    const body = { ...by(counting.admin), 'Content-Length': 7 * KiB };
    const refused = await client.ask('POST', '/api/v2/organizations', body).response();
    expect(refused.status).toBe(429);
    expect(refused.headers['x-ratelimit-reset']).toBe('5');
    expect(refused.headers['x-ratelimit-limit']).toBe('50');
  });

  it('is shared by all requests without a token, and by those of one address', async () => {
    const first = await connected();
    first.ask('POST', hook, { ...json, 'Content-Length': 16 * KiB }).write('{');
    await holds(16 * KiB);
    const second = await connected();
    const refused = await second.ask('POST', hook, { ...json, 'Content-Length': 100 }).response();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    await api.admin.post(workspaces, JSON.parse(padded(0))).expect(201);
    await ended(first);
  });

  it('is kept for requests under a lease', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => api.user(newName('user'))));
    const another = await api.user(newName('user'));
    const full: RawClient[] = [];
    for (const user of users) full.push(await stalled(user, 64 * KiB));
    const client = await connected();
    const refused = await client.ask('POST', `/api/v2${workspaces}`, { ...by(another), 'Content-Length': 1 }).response();
    expect([refused.status, errorIn(refused).detail]).toEqual([429, expect.stringContaining('no memory')]);
    expect((await job.log(0, 'x'.repeat(50 * KiB))).status).toBe(200);
    const agent = await connected();
    const unleased = await agent
      .ask('POST', '/agent/v1/claims', { ...by({ secret: agentToken }), 'Content-Length': 100 })
      .response();
    expect([unleased.status, unleased.headers['x-ratelimit-reset']]).toEqual([429, '5']);
    await ended(...full);
  });

  it('is reserved as they grow where their length is unknown', async () => {
    const client = await connected();
    const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    client.ask('POST', `/api/v2${workspaces}`, { ...by(api.admin), 'Transfer-Encoding': 'chunked' }).write(chunk(20 * KiB));
    await holds(20 * KiB, 20 * KiB);
    client.write(chunk(30 * KiB));
    await holds(50 * KiB, 50 * KiB);
    client.write(chunk(30 * KiB));
    expect((await client.response()).status).toBe(429);
    await ended(client);
    const whole = await connected();
    const text = padded(60 * KiB);
    whole
      .ask('POST', `/api/v2${workspaces}`, { ...by(api.admin), 'Transfer-Encoding': 'chunked' })
      .write(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
    expect((await whole.response()).status).toBe(201);
    await ended(whole);
  });

  it('is charged for what many values become', async () => {
    const values = { data: Array(450).fill(0) };
    await api.admin.post(`/api/v2${workspaces}`, values).expect(422);
    await api.admin.post(`/api/v2${workspaces}`, { data: Array(1_100).fill(0) }).expect(429);
  });

  it('takes little of it where they are long, which go to a file without a name', async () => {
    const id = await api.workspace('acme', newName());
    await api.admin.post(`/workspaces/${id}/actions/lock`).expect(200);
    const state = JSON.stringify({ version: 4, serial: 1, lineage: 'a', outputs: {}, resources: [], filler: noise });
    const md5 = createHash('md5').update(state).digest('hex');
    const body = JSON.stringify(doc('state-versions', { serial: 1, md5, lineage: 'a', state: Buffer.from(state).toString('base64') }));
    const client = await connected();
    client.ask('POST', `/api/v2/workspaces/${id}/state-versions`, { ...by(api.admin), 'Content-Length': body.length });
    client.write(body.slice(0, -1));
    await holds(256 * KiB);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('gatehouse-body-'))).toEqual([]);
    client.write('}');
    const answer = await client.response();
    expect(answer.status).toBe(201);
    const url = JSON.parse(answer.body).data.attributes['hosted-state-download-url'];
    expect((await api.anonymous.get(pathOf(url)).expect(200)).body.toString()).toBe(state);
    await ended(client);
  });

  it('is free again when their sender leaves', async () => {
    const first = await stalled(api.admin, 60 * KiB);
    await ended(first);
    const long = await connected();
    long.ask('POST', hook, { ...json, 'Content-Length': 2 * MiB }).write(Buffer.alloc(1.5 * MiB));
    // More than the share of requests without a token.
    expect((await long.response()).status).toBe(503);
    await ended(long);
  });
});
