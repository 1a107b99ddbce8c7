import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import { documentKindOf, hasFreeText } from '../../src/adapters/http/routing/document-kind.js';
import { atMost } from '../../src/adapters/http/routing/read-body.js';
import { MemoryBudget } from '../../src/adapters/http/server/memory/memory-budget.js';
import { type Caller, doc, newName, pathOf, startApi, unhurried, unusableUrl } from '../support/api.js';
import { packed } from '../support/archives.js';
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
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await holds(0);
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

/** The path that takes a document of a chosen length. */
const workspaces = '/organizations/acme/workspaces';
const padded = (bytes: number) => JSON.stringify(doc('workspaces', { name: newName() })).padEnd(bytes);

/** A request of this many bytes, of which the first has arrived. */
async function stalled(
  caller: Pick<Caller, 'secret'>,
  bytes: number,
  path = `/api/v2${workspaces}`,
): Promise<RawClient> {
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
    [
      'the lease of a log',
      'PUT',
      `/agent/v1/runs/${job.runId}/log?offset=0`,
      { Lease: 'wrong', ...by({ secret: agentToken }) },
      409,
    ],
    [
      'the lease of a plan',
      'POST',
      `/agent/v1/runs/${job.runId}/plan`,
      { Lease: 'wrong', ...by({ secret: agentToken }) },
      409,
    ],
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
    expect([answer.status, JSON.parse(answer.body)]).toEqual([404, unusableUrl('configuration version')]);
    client.leave();
  });
});

describe('memory for bodies', () => {
  it('is reserved before they arrive, refused at once beyond the share of their caller, and free at their end', async () => {
    const first = await stalled(api.admin, 60 * KiB);
    const other = await api.user(newName('person'));
    const second = await connected();
    const refused = await second
      .ask('POST', `/api/v2${workspaces}`, { ...by(api.admin), 'Content-Length': 10 * KiB })
      .response();
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
    const users = await Promise.all(Array.from({ length: 6 }, () => api.user(newName('person'))));
    const another = await api.user(newName('person'));
    const full: RawClient[] = [];
    for (const user of users) full.push(await stalled(user, 64 * KiB));
    const client = await connected();
    const refused = await client
      .ask('POST', `/api/v2${workspaces}`, { ...by(another), 'Content-Length': 1 })
      .response();
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
    client
      .ask('POST', `/api/v2${workspaces}`, { ...by(api.admin), 'Transfer-Encoding': 'chunked' })
      .write(chunk(20 * KiB));
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
    const body = JSON.stringify(
      doc('state-versions', { serial: 1, md5, lineage: 'a', state: Buffer.from(state).toString('base64') }),
    );
    const client = await connected();
    client.ask('POST', `/api/v2/workspaces/${id}/state-versions`, { ...by(api.admin), 'Content-Length': body.length });
    client.write(body.slice(0, -1));
    await holds(256 * KiB);
    // The name ends as soon as the file is open.
    while ((await readdir(tmpdir())).some((name) => name.startsWith('gatehouse-body-'))) await nextTurn();
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

describe('a body that is slow', () => {
  /** No body is fast enough that does not arrive at once. */
  const hasty = { first: 120_000, window: 400, perWindow: MiB, total: 3_600_000 };

  it('is refused when it does not begin, when it is too slow, and when it takes too long in all', async () => {
    const meters = async (of: typeof api) => parseExposition((await of.anonymous.get('/metrics')).text);
    for (const [pace, begins, reason, detail] of [
      [{ ...hasty, first: 200 }, false, 'silent', 'did not begin to arrive in time'],
      [hasty, true, 'slow', 'took too long to arrive'],
      [{ ...hasty, window: 60_000, total: 400 }, true, 'slow', 'took too long to arrive'],
    ] as const) {
      const impatient = await startApi({ timeouts: { ...unhurried, pace } });
      const client = await connected(impatient);
      client.ask('POST', '/api/v2/organizations', { ...by(impatient.admin), 'Content-Length': 1000 });
      if (begins) client.write('{');
      const answer = await client.response();
      expect(answer.status).toBe(408);
      expect(answer.headers.connection).toBe('close');
      expect(errorIn(answer).detail).toContain(detail);
      expect((await meters(impatient)).value('gatehouse_late_bodies_total', { reason })).toBe(1);
      client.leave();
    }
  });

  it('is waited for under a lease, and from the holder of a lock', async () => {
    const { unitOfWork, bundleStore } = api;
    const pace = { ...hasty, first: 1, window: 2 };
    const patient = await startApi({ unitOfWork, bundleStore, timeouts: { ...unhurried, pace } });
    const locked = await api.workspace('acme', newName());
    await api.admin.post(`/workspaces/${locked}/actions/lock`).expect(200);
    const state = JSON.stringify(doc('state-versions', { serial: 1, md5: '0'.repeat(32) }));
    for (const [method, path, headers, body] of [
      [
        'PUT',
        `/agent/v1/runs/${job.runId}/log?offset=0`,
        { ...by({ secret: agentToken }), Lease: job.json.lease.token },
        'xxxx',
      ],
      ['POST', `/workspaces/${locked}/state-versions`, by(api.admin), state],
    ] as const) {
      const client = await connected(patient);
      client.ask(method, path, { ...headers, 'Content-Length': body.length });
      // Far longer than a body without lease or lock may take.
      for (const part of [body.slice(0, 2), body.slice(2)]) {
        await pause(50);
        client.write(part);
      }
      expect((await client.response()).status).toBeLessThan(300);
      client.leave();
    }
  });
});

describe('a file of at most three bytes', () => {
  const received = async (headers: object, ...parts: readonly string[]) => {
    let read = 0;
    const body = async function* () {
      for (const part of parts) {
        read += part.length;
        yield Buffer.from(part);
      }
    };
    const passed = Readable.from(atMost(3, { headers } as Parameters<typeof atMost>[1], body())).toArray();
    const outcome = await passed.then(String, ({ message }: Error) => message);
    return [outcome, read];
  };

  it('is passed on as long as it may be, and refused as soon as it is known to be longer', async () => {
    const refused = 'the body is larger than 3 bytes';
    expect(await received({ 'content-length': '3' }, 'ab', 'c')).toEqual(['ab,c', 3]);
    expect(await received({}, 'ab', 'c')).toEqual(['ab,c', 3]);
    expect(await received({ 'content-length': '4' }, 'ab')).toEqual([refused, 0]);
    expect(await received({}, 'ab', 'cd', 'e')).toEqual([refused, 4]);
  });
});

describe('a response that its client does not read', () => {
  const clock = { now: 0 };
  const small = new MemoryBudget(512 * KiB, () => clock.now);

  it('holds what was written of it, and is cut when memory is short and it has waited for a second', async () => {
    const of = await startApi({ memory: small });
    await of.organization('acme');
    const { uploadUrl, id } = await of.version(await of.workspace('acme', 'api'), { speculative: true });
    const archive = await packed([{ header: { name: 'noise' }, body: randomBytes(16 * MiB) }]);
    await of.upload(uploadUrl, archive).expect(200);
    const { location = '' } = (await of.admin.get(`/configuration-versions/${id}/download`).expect(302)).headers;
    const stalledReader = async () => {
      const client = await connected(of);
      return client.stopReading().ask('GET', pathOf(location), {});
    };
    const refusals = async () =>
      parseExposition((await of.anonymous.get('/metrics')).text).value('gatehouse_memory_refusals_total', {
        reason: 'unread',
      });
    const first = await stalledReader();
    while (small.waiting.size < 1) await nextTurn();
    const [waits] = small.waiting.keys();
    expect(waits?.bytes).toBeGreaterThan(0);
    // Another finds no room, and the first has not waited long enough: the other is cut itself.
    const second = await stalledReader();
    while ((await refusals()) !== 1) await nextTurn();
    second.readOn();
    await second.closed;
    expect(first.isOpen).toBe(true);
    clock.now += 2_000;
    const third = await stalledReader();
    while ((await refusals()) !== 2) await nextTurn();
    first.readOn();
    await first.closed;
    third.readOn();
    while (third.heard.length < archive.length) await nextTurn();
    third.leave();
    while (small.reserved > 0) await nextTurn();
  });

  it('is refused before it begins when there is no memory for the whole of it', async () => {
    const shown = (await api.admin.get(`/runs/${job.runId}`).expect(200)).body.data;
    const plan = (await api.admin.get(`/plans/${shown.relationships.plan.data.id}`).expect(200)).body.data;
    const path = pathOf(plan.attributes['log-read-url']);
    for (const offset of [0, 300]) await job.log(offset * KiB, 'x'.repeat(300 * KiB));
    await api.anonymous.get(`${path}?limit=1000`).expect(200);
    const refused = await api.anonymous.get(path).expect(503);
    expect(refused.headers['retry-after']).toBe('5');
    expect(memory.reserved).toBe(0);
  });
});

/** The routes whose documents have names, ids and choices only. */
const withoutText = `
post /workspaces/:workspaceId/configuration-versions
post /team-workspaces
patch /team-workspaces/:id
post /team-projects
patch /team-projects/:id
post /teams/:teamId/authentication-token
post /projects/:id/relationships/workspaces
post /workspaces/:id/relationships/remote-state-consumers
patch /workspaces/:id/relationships/remote-state-consumers
delete /workspaces/:id/relationships/remote-state-consumers
post /workspaces/:id/relationships/data-retention-policy
post /organizations/:organization/relationships/data-retention-policy
delete /organizations/:organization/tags
post /tags/:id/relationships/workspaces
post /workspaces/:id/relationships/tags
delete /workspaces/:id/relationships/tags
post /varsets/:id/relationships/workspaces
delete /varsets/:id/relationships/workspaces
post /varsets/:id/relationships/projects
delete /varsets/:id/relationships/projects
patch /workspaces/:workspaceId/state-versions
post /policy-sets/:id/relationships/workspaces
delete /policy-sets/:id/relationships/workspaces
post /policy-sets/:id/relationships/workspace-exclusions
delete /policy-sets/:id/relationships/workspace-exclusions
post /policy-sets/:id/relationships/projects
delete /policy-sets/:id/relationships/projects
post /policy-sets/:id/relationships/project-exclusions
delete /policy-sets/:id/relationships/project-exclusions
post /policy-sets/:id/relationships/policies
delete /policy-sets/:id/relationships/policies
post /workspaces/:workspaceId/run-triggers
post /workspaces/:workspaceId/tasks
patch /workspaces/:workspaceId/tasks/:workspaceTaskId
post /organizations/:organization/agent-pools
patch /agent-pools/:id
post /agent-pools/:poolId/authentication-tokens
post /admin/agent-pools
patch /admin/agent-pools/:id
post /admin/agent-pools/:sitePoolId/authentication-tokens
post /organizations
patch /organizations/:organization
post /organizations/:organization/organization-memberships
post /organizations/:organization/authentication-token
post /organizations/:organization/teams
patch /teams/:id
post /teams/:id/relationships/users
delete /teams/:id/relationships/users
post /teams/:id/relationships/organization-memberships
delete /teams/:id/relationships/organization-memberships
patch /admin/organizations/:organization
patch /organizations/:organization/token-ttl-policies
post /admin/users
post /admin/users/:id/identities
post /users/:userId/authentication-tokens
`
  .trim()
  .split('\n')
  .sort();

describe('every route that reads a body', () => {
  const reading = routesAt('/api/v2').filter(({ body }) => body !== 'ignored');

  it('has the limit of its kind: only documents with free text or values may be longer than 256 KiB', () => {
    const plain = reading.filter((route) => route.body === 'read' && documentKindOf(route) === bodyKinds.plain);
    expect(plain.map(keyOf).sort()).toEqual(withoutText);
    for (const { body } of reading) {
      if (body !== 'read' && body !== 'ignored')
        expect(Object.values(bodyKinds)).toContain('bytes' in body ? body.bytes : body.document);
    }
  });

  it.each([
    ['no body and no type', {}, ''],
    ['a body of no bytes and no type', { 'Content-Length': 0 }, ''],
    ['a body of unknown length that ends at once', { ...json, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'],
  ])('takes %s as a document without content', async (_, headers, body) => {
    const id = await api.workspace('acme', newName());
    const client = await connected();
    const { Authorization } = by(api.admin);
    client.ask('POST', `/workspaces/${id}/actions/lock`, { Authorization, ...headers }).write(body);
    expect((await client.response()).status).toBe(200);
    await ended(client);
  });

  it('may be longer if its members have any names', () => {
    const word = z.string().max(10);
    expect(hasFreeText(z.object({ a: word }))).toBe(false);
    expect(hasFreeText(z.object({ a: z.record(word, word) }))).toBe(true);
  });

  it.each(
    reading
      .filter(({ body }) => body === 'read' || (body !== 'ignored' && 'bytes' in body))
      .map((route) => ({ name: keyOf(route), route })),
  )('$name refuses one byte more, before any is sent', async ({ route }) => {
    const { body } = route;
    const { max } = (typeof body === 'object' && 'bytes' in body ? body.bytes : documentKindOf(route)).bytes;
    const client = await connected();
    const path = `/api/v2${route.path.replaceAll(/:\w+/g, 'any')}`;
    const answer = await client
      .ask(route.method.toUpperCase(), path, { ...by(api.admin), 'Content-Length': max + 1 })
      .response();
    expect([answer.status, errorIn(answer).detail]).toEqual([413, `the body is larger than ${max} bytes`]);
    client.leave();
  });
});
