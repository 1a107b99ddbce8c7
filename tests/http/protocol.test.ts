import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import supertest from 'supertest';
import { agentRoutes } from '../../src/adapters/http/supporting/agents/agent-api-routes.js';
import { agentFileRoutes } from '../../src/adapters/http/supporting/agents/agent-file-routes.js';
import {
  type Caller,
  doc,
  missing,
  newName,
  pathOf,
  prefix,
  publicUrl,
  refusal,
  startApi,
  type TestApi,
} from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const api = await startApi();
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'api');

/** An agent of a site pool. */
async function newAgent(of: TestApi): Promise<Caller> {
  const pool = await of.admin.post('/admin/agent-pools', doc('agent-pools', { name: newName() })).expect(201);
  const { id } = pool.body.data;
  const issued = await of.admin.post(`/admin/agent-pools/${id}/authentication-tokens`).expect(201);
  return of.as(issued.body.data.attributes.token, id);
}

/** The fields of the log line of one request. */
async function lineOf(
  answer: { headers: Record<string, string> },
  of: TestApi = api,
): Promise<Record<string, unknown>> {
  const id = answer.headers['x-request-id'];
  for (;;) {
    const line = of.log.lines.find(
      ({ fields, level }) => level === 'info' && (fields as { request?: string }).request === id,
    );
    if (line !== undefined) return line.fields as Record<string, unknown>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a body', () => {
  const path = '/organizations/acme/workspaces';

  const admin = api.admin.at(prefix);

  const send = (text: string | Buffer, headers: Record<string, string>): Test =>
    admin
      .post(path)
      .set(headers)
      .serialize((given) => given as string)
      .send(text);
  const good = (): string => JSON.stringify(doc('workspaces', { name: newName() }));

  it('is JSON, as the media type of the API or as plain JSON, with any parameters', async () => {
    for (const type of [
      'application/vnd.api+json',
      'application/vnd.api+json; charset=utf-8',
      'application/vnd.api+json;ext="https://example.com/ext"; profile="https://example.com/profile"',
      'Application/VND.API+JSON',
      'application/json',
      'application/json; charset=UTF-8',
    ]) {
      await send(good(), { 'Content-Type': type }).expect(201);
    }
  });

  it('of any other type is 415', async () => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': 'application/jsonp' },
      { 'Content-Type': 'application/json; charset=klingon' },
      { 'Content-Type': '' },
    ]) {
      const answer = await send(good(), headers).expect(415);
      expect(answer.body).toEqual(refusal(415, 'unsupported media type', expect.any(String)));
    }
    const packed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const answer = await send(gzipSync(good()), packed).expect(415);
    expect(answer.body).toEqual(refusal(415, 'unsupported media type', 'the body must not have a Content-Encoding'));
  });

  it('that is not JSON is 400', async () => {
    const notUtf8 = Buffer.from('{"name":"\xff"}', 'latin1');
    for (const text of ['{', '{"data":}', 'data=1', '{"data":{}} {}', "{'data':{}}", '\0', notUtf8]) {
      const answer = await send(text, { 'Content-Type': 'application/vnd.api+json' }).expect(400);
      expect(answer.body).toEqual(refusal(400, 'bad request', expect.stringContaining('not valid JSON')));
    }
  });

  it('that is JSON and no document is 422', async () => {
    for (const text of ['5', '"text"', 'true', '[]']) {
      const answer = await send(text, { 'Content-Type': 'application/vnd.api+json' }).expect(422);
      expect(answer.body).toEqual(refusal(422, 'invalid attribute', 'Body must be an object', { pointer: '' }));
    }
    for (const text of ['null', '{}']) {
      const answer = await send(text, { 'Content-Type': 'application/vnd.api+json' }).expect(422);
      expect(answer.body).toEqual(refusal(422, 'invalid attribute', 'Data is required', { pointer: '/data' }));
    }
  });

  it('that is empty where one is needed is 422', async () => {
    await admin.post(path).expect(422);
    await admin.post(path).set('Content-Type', 'text/plain').expect(422);
  });

  it('is at most a mebibyte', async () => {
    const padded = (bytes: number) => good().padEnd(bytes);
    await send(padded(1024 * 1024), { 'Content-Type': 'application/json' }).expect(201);
    const answer = await send(padded(1024 * 1024 + 1), { 'Content-Type': 'application/json' }).expect(413);
    expect(answer.body).toEqual(refusal(413, 'payload too large', 'the body is larger than 1048576 bytes'));
  });

  it('may hold unknown members, which change nothing', async () => {
    const name = newName();
    const strange = [
      '"__proto__":{"auto-apply":true,"polluted":true}',
      '"constructor":{"prototype":{"polluted":true}}',
      '"hasOwnProperty":1,"id":"ws-mine","unheard-of":{"agent-pool":1},"locked":true',
    ].join();
    const text = `{"data":{"id":"ws-mine","type":"workspaces",${strange},"attributes":{"name":"${name}",${strange}}},${strange}}`;
    const answer = await send(text, { 'Content-Type': 'application/vnd.api+json' }).expect(201);
    expect(answer.body.data.id).not.toBe('ws-mine');
    expect(answer.body.data.attributes).toMatchObject({ name, 'auto-apply': false, locked: false });
    for (const unasked of ['polluted', 'unheard-of']) {
      expect(answer.body.data.attributes).not.toHaveProperty(unasked);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('with a NUL character in it, or a URL with one, is 400', async () => {
    for (const attributes of [{ name: 'a\0b' }, { name: newName(), description: '\0' }]) {
      await admin.post(path, doc('workspaces', attributes)).expect(400);
    }
    for (const url of ['/workspaces/a%00b', '/organizations/%00', '/organizations/acme/teams?page[size]=%00']) {
      await admin.get(url).expect(400);
    }
  });
});

describe('a request', () => {
  const admin = api.admin.at(prefix);

  it('is never refused for what it accepts', async () => {
    for (const accept of ['text/html', 'image/png', 'application/json;q=0', 'application/vnd.api+json;version=1', '']) {
      const answer = await admin.get('/account/details').set('Accept', accept).expect(200);
      expect(answer.headers['content-type']).toBe('application/vnd.api+json');
    }
  });

  it('may carry unknown query parameters', async () => {
    const query = 'foo=bar&foo=baz&filters[name]=x&__proto__=1&constructor=2&page[offset]=7&%5B%5D&=&&sorted=-name';
    const answer = await admin.get(`/organizations/acme/workspaces?${query}`).expect(200);
    expect(answer.body.data.length).toBeGreaterThan(0);
    await admin.get(`/organizations/acme?includes=nonsense&${query}`).expect(200);
  });

  it('may percent-encode the brackets of its parameters, or not', async () => {
    for (const query of ['page%5Bsize%5D=1', 'page[size]=1', 'page%5bsize%5d=1', 'page%5Bsize]=1']) {
      const answer = await admin.get(`/admin/users?${query}`).expect(200);
      expect(answer.body.meta.pagination['page-size']).toBe(1);
    }
  });

  it('with HEAD is answered as GET is, without the body', async () => {
    for (const path of [
      '/account/details',
      '/organizations/acme',
      `/workspaces/${workspaceId}/configuration-versions`,
    ]) {
      const got = await admin.get(path).expect(200);
      const asked = await admin.send('head', path).expect(200);
      const same = ['content-type', 'content-length', 'cache-control'];
      for (const name of same) expect(asked.headers[name]).toBe(got.headers[name]);
      expect(asked.text ?? '').toBe('');
    }
    await admin.send('head', '/organizations/nonexisting').expect(404);
    await api.anonymous.at(prefix).send('head', '/account/details').expect(401);
  });

  it('for a path that cannot be decoded is 400', async () => {
    for (const path of ['/organizations/%E0%A4%A', '/workspaces/%', '/teams/%ff']) {
      const answer = await admin.get(path).expect(400);
      expect(answer.body).toEqual(refusal(400, 'bad request', 'the request is malformed'));
    }
    await api.anonymous.get('/v1/object/%E0%A4%A').expect(400);
    expect((await admin.get('/organizations/%C3%A4').expect(404)).body).toEqual(missing);
  });

  it('with a method that is not supported is 405', async () => {
    const answer = await supertest(api.app).options(`${prefix}/organizations`).expect(405);
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
    expect(answer.body).toEqual(
      refusal(405, 'method not allowed', 'OPTIONS is not allowed here; use one of GET, HEAD, POST'),
    );
  });

  it('for a ping is answered with and without a token, and only by headers', async () => {
    for (const caller of [admin, api.anonymous.at(prefix), api.as('no such secret').at(prefix)]) {
      const answer = await caller.get('/ping').expect(204);
      expect(answer.text).toBe('');
      expect(answer.headers).toMatchObject({ 'tfp-api-version': '2.6', 'tfp-appname': 'Gatehouse' });
    }
  });
});

/** Every call of the agent interface, about things that do not exist. */
const agentCalls = agentRoutes({} as never).map(({ method, path }) => ({
  method,
  pattern: path,
  path: path.replaceAll(/:\w+/g, 'nothing'),
  largest: path.includes('/policy-evaluations/') ? 16 * 1024 * 1024 : 256 * 1024,
  reads: method === 'put' ? 'bytes' : method === 'post' && !path.endsWith('/heartbeat') ? 'JSON' : 'nothing',
}));

/** The calls about the files of a run. */
const fileCalls = agentFileRoutes({} as never).map(({ method, path }) => ({
  method,
  pattern: path,
  path: path.replaceAll(/:\w+/g, 'nothing'),
}));

const bench = await Bench.make(api);
await bench.version();
/** A run the agent plans: only its agent may send long bodies. */
const job = await bench.claimed(await bench.run());
const agent = api.as(Reflect.get(bench.agent, 'token'));

const noToken = 'no token was sent; send the header "Authorization: Bearer TOKEN"';
const notOfAnAgent = 'the token is unknown or was revoked, or is not that of an agent pool';

describe("the agents' interface", () => {
  it.each([...agentCalls, ...fileCalls])(
    '$method $pattern asks for the token of an agent',
    async ({ method, path }) => {
      const former = await newAgent(api);
      await api.admin.delete(`/admin/agent-pools/${former.id}`).expect(204);
      const others = [api.anonymous, api.as('no such secret'), api.admin, await api.organizationToken('acme'), former];
      for (const caller of others) {
        const answer = await caller.send(method, path).expect(401);
        expect(answer.headers['content-type']).toBe('application/vnd.api+json');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
        const detail = caller === api.anonymous ? noToken : notOfAnAgent;
        expect(answer.body).toEqual(refusal(401, 'unauthorized', detail));
      }
      expect((await agent.send(method, path)).status).not.toBe(401);
    },
  );

  it.each(agentCalls)('$method $pattern names its methods when asked with another', async ({ method, path }) => {
    const allow = method === 'get' ? 'GET, HEAD' : method.toUpperCase();
    for (const other of (['get', 'post', 'put', 'patch', 'delete'] as const).filter((one) => one !== method)) {
      for (const caller of [agent, api.anonymous]) {
        const answer = await caller.send(other, path).expect(405);
        expect(answer.headers.allow).toBe(allow);
        expect(answer.body.errors[0]).toMatchObject({ status: '405', title: 'method not allowed' });
      }
    }
  });

  it('has nothing else below its path, and is at the root alone', async () => {
    const unknown = ['/agent/v1', '/agent/v1/', '/agent/v1/runs', '/agent/v1/runs/nothing', '/agent/v1/claims/nothing'];
    const elsewhere = agentCalls.flatMap(({ path }) => [`/api/v2${path}`, path.replace('v1', 'v2'), `${path}/more`]);
    for (const path of [...unknown, ...elsewhere]) {
      for (const caller of [agent, api.admin, api.anonymous]) {
        expect((await caller.send('post', path).expect(404)).body).toEqual(missing);
      }
    }
  });

  const send = (
    path: string,
    method: 'post' | 'put',
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
  ) =>
    agent
      .send(method, path)
      .set({ Lease: 'any', ...headers })
      .serialize((given) => given as string)
      .send(body);
  it.each(agentCalls.filter(({ reads }) => reads === 'JSON'))(
    '$method $pattern reads JSON of at most $largest bytes',
    async ({ path: about, largest }) => {
      const path = about.replace('nothing', job.runId);
      const json = { 'Content-Type': 'application/json', Lease: job.json.lease.token };
      for (const text of ['{', '{"name":}', 'name=a']) {
        const answer = await send(path, 'post', json, text).expect(400);
        expect(answer.body).toEqual(refusal(400, 'bad request', expect.stringContaining('not valid JSON')));
      }
      const withNul = await send(path, 'post', json, '{"name":"a\\u0000b"}').expect(400);
      expect(withNul.body.errors[0].source).toEqual({ pointer: '/name' });
      for (const headers of [
        { ...json, 'Content-Type': 'text/plain' },
        { ...json, 'Content-Type': 'application/json; charset=klingon' },
        { ...json, 'Content-Encoding': 'gzip' },
      ]) {
        const answer = await send(path, 'post', headers, gzipSync('{}')).expect(415);
        expect(answer.body).toEqual(refusal(415, 'unsupported media type', expect.any(String)));
      }
      for (const text of ['[]', '5', 'null']) await send(path, 'post', json, text).expect(422);
      const answer = await send(path, 'post', json, '{}'.padEnd(largest + 1)).expect(413);
      expect(answer.body).toEqual(refusal(413, 'payload too large', `the body is larger than ${largest} bytes`));
      expect((await send(path, 'post', json, '{}'.padEnd(largest))).status).not.toBe(413);
    },
  );

  it.each(agentCalls.filter(({ reads }) => reads === 'bytes'))(
    '$method $pattern reads bytes of any kind, at most a mebibyte',
    async ({ path }) => {
      const { token } = job.json.lease;
      const log = `${path.replace('nothing', job.runId)}?offset=0`;
      const part = (bytes: number, headers = {}) =>
        send(log, 'put', { Lease: token, ...headers }, Buffer.alloc(bytes, 'x'));
      const answer = await part(1024 * 1024 + 1).expect(413);
      expect(answer.body).toEqual(refusal(413, 'payload too large', 'the body is larger than 1048576 bytes'));
      for (const type of ['application/octet-stream', 'text/plain; charset=klingon', 'application/json']) {
        expect((await part(1024 * 1024, { 'Content-Type': type }).expect(200)).body).toEqual({ size: 1024 * 1024 });
      }
      expect((await part(1024 * 1024, { Lease: 'any' }).expect(409)).body.errors[0].title).toBe('lease lost');
    },
  );
});

describe('a webhook', () => {
  const deliver = (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Test =>
    supertest(api.app)
      .post(path)
      .set({ 'Content-Type': 'application/json', 'X-GitHub-Event': 'push', ...headers })
      .serialize((given) => given as string)
      .send(body);

  it('that does not exist is missing, whatever is delivered and by whichever client', async () => {
    const path = '/hooks/vcs/hook-nothing';
    for (const body of ['{}', '{', '\0', Buffer.alloc(5 * 1024 * 1024)]) {
      expect((await deliver(path, body).expect(404)).body).toEqual(missing);
    }
    const token = { Authorization: `Bearer ${api.admin.secret}` };
    expect((await deliver(path, '{}', { ...token, 'X-Hub-Signature-256': 'sha256=00' }).expect(404)).body).toEqual(
      missing,
    );
    for (const unknown of [
      '/hooks',
      '/hooks/vcs',
      '/hooks/nothing',
      '/hooks/vcs/a/b',
      '/api/v2/hooks/vcs/hook-nothing',
    ]) {
      expect((await deliver(unknown, '{}').expect(404)).body).toEqual(missing);
    }
  });

  it('takes deliveries of at most five mebibytes', async () => {
    const settings = doc('workspaces', { 'vcs-repo': { 'clone-url': 'https://git.example/a/b.git' } });
    const linked = await api.admin.patch(`/workspaces/${bench.workspaceId}`, settings).expect(200);
    const path = linked.body.data.attributes['vcs-repo']['webhook-url'];
    const answer = await deliver(path, Buffer.alloc(5 * 1024 * 1024 + 1)).expect(413);
    expect(answer.body).toEqual(refusal(413, 'payload too large', 'the body is larger than 5242880 bytes'));
  });

  it('and the log of a run name their methods when asked with another', async () => {
    for (const [path, allow, own] of [
      ['/hooks/vcs/hook-nothing', 'POST', 'post'],
      ['/v1/log/nothing', 'GET, HEAD', 'get'],
    ] as const) {
      for (const method of (['get', 'post', 'put', 'patch', 'delete'] as const).filter((one) => one !== own)) {
        const answer = await api.anonymous.send(method, path).expect(405);
        expect(answer.headers.allow).toBe(allow);
        expect(answer.body.errors[0].status).toBe('405');
      }
    }
  });
});

describe('a capability URL of a log', () => {
  it('that was never given out is missing, here and below and under the prefix of the clients', async () => {
    for (const path of ['/v1/log/nothing', '/v1/log', '/v1/log/', '/v1/log/a/b', '/v1', '/api/v2/v1/log/nothing']) {
      for (const caller of [api.anonymous, api.admin]) {
        expect((await caller.get(path).expect(404)).body).toEqual(missing);
      }
    }
  });
});

describe('the service', () => {
  it('shows clients where its API is', async () => {
    const answer = await api.anonymous.get('/.well-known/terraform.json').expect(200);
    expect(answer.headers['content-type']).toBe('application/json');
    const services = ['state.v2', 'tfe.v2', 'tfe.v2.1', 'tfe.v2.2'];
    expect(answer.body).toEqual(Object.fromEntries(services.map((name) => [name, '/api/v2/'])));
  });

  it('says whether it is alive and whether it is ready', async () => {
    const alive = () => api.anonymous.get('/healthz').expect(200);
    expect((await alive()).body).toEqual({ status: 'ok' });
    expect((await api.anonymous.get('/readyz').expect(200)).body).toEqual({ status: 'ready' });
    api.health.ready = false;
    expect((await api.anonymous.get('/readyz').expect(503)).body).toEqual({
      status: 'not ready',
      reason: 'the database is read-only',
    });
    await alive();
    api.health.ready = true;
    await api.anonymous.get('/readyz').expect(200);
  });

  it('serves what is about itself at the root alone', async () => {
    for (const path of ['/healthz', '/readyz', '/.well-known/terraform.json']) {
      await api.admin.get(`/api/v2${path}`).expect(404);
    }
  });

  it('sends the same careful headers with every answer', async () => {
    for (const answer of [
      await api.admin.get('/account/details').expect(200),
      await api.anonymous.get('/account/details').expect(401),
      await api.admin.get('/nothing').expect(404),
      await api.admin.delete('/healthz').expect(405),
      await api.admin.get('/organizations/%ff').expect(400),
      await api.anonymous.get('/ping').expect(204),
      await api.anonymous.get('/healthz').expect(200),
      await api.anonymous.post('/agent/v1/claims').expect(401),
      await (await newAgent(api)).post('/agent/v1/claims', { name: 'a' }).expect(204),
      await api.anonymous.post('/hooks/vcs/hook-nothing').expect(404),
      await api.anonymous.get('/v1/log/nothing').expect(404),
    ]) {
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'tfp-api-version': '2.6',
        'tfp-appname': 'Gatehouse',
      });
      for (const unwanted of [
        'set-cookie',
        'x-powered-by',
        'etag',
        'strict-transport-security',
        'access-control-allow-origin',
      ]) {
        expect(answer.headers).not.toHaveProperty(unwanted);
      }
    }
  });

  it('takes its address from its configuration, and never from a request', async () => {
    const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    const create = api.admin.post(`/workspaces/${workspaceId}/configuration-versions`).set(forged);
    const created = await create.expect(201);
    expect(created.body.data.attributes['upload-url']).toMatch(`${publicUrl}/v1/object/`);
    expect(JSON.stringify([created.body, created.headers])).not.toContain('evil');
  });

  it('gives every request an id of its own, which stands in its log line', async () => {
    const answers = [
      await api.admin.get('/account/details').expect(200),
      await api.admin.get('/account/details').set('X-Request-Id', 'mine').expect(200),
      await api.anonymous.get('/nothing').expect(404),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('mine');
    for (const answer of answers) {
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect((await lineOf(answer)).status).toBe(answer.status);
    }
    const lines = api.log.lines.filter(({ fields }) => (fields as { request?: string }).request === ids[0]);
    expect(lines).toHaveLength(1);
  });

  it('logs the pattern of a route, who asked and how it went', async () => {
    const shown = await api.admin.at('/api/v2').get(`/workspaces/${workspaceId}?secret=thing`).expect(200);
    expect(await lineOf(shown)).toEqual({
      request: shown.headers['x-request-id'],
      method: 'GET',
      route: '/api/v2/workspaces/:id',
      status: 200,
      ms: expect.any(Number),
      address: expect.stringContaining('127.0.0.1'),
      actor: api.admin.id,
    });
    const organizationId = (await api.admin.get('/organizations/acme')).body.data.attributes['external-id'];
    const token = await api.organizationToken('acme');
    expect(await lineOf(await token.get('/organizations/acme'))).toMatchObject({ actor: organizationId });
    const agent = await newAgent(api);
    const beaten = await agent.post('/agent/v1/runs/run-some/heartbeat').expect(409);
    expect(await lineOf(beaten)).toMatchObject({ actor: agent.id, route: '/agent/v1/runs/:id/heartbeat', status: 409 });
    const hooked = await api.anonymous.post('/hooks/vcs/hook-some').expect(404);
    expect(await lineOf(hooked)).toMatchObject({ actor: undefined, route: '/hooks/vcs/:id', status: 404 });
    const refused = await api.anonymous.delete('/teams/some').expect(401);
    expect(await lineOf(refused)).toMatchObject({
      method: 'DELETE',
      route: '/teams/:id',
      status: 401,
      actor: undefined,
    });
    const unknown = await api.admin.get('/some/thing/else').expect(404);
    expect(await lineOf(unknown)).toMatchObject({ route: 'unmatched', actor: undefined });
    expect(await lineOf(await api.admin.send('put', '/teams/some'))).toMatchObject({
      route: '/teams/:id',
      status: 405,
    });
  });

  it('believes an address it is forwarded from its proxies alone', async () => {
    const forwarded = (caller: Caller) => caller.get('/ping').set('X-Forwarded-For', '203.0.113.9').expect(204);
    expect((await lineOf(await forwarded(api.anonymous))).address).toContain('127.0.0.1');
    const behind = await startApi({ environment: { TRUSTED_PROXIES: '10.0.0.1, 127.0.0.1' } });
    expect((await lineOf(await forwarded(behind.anonymous), behind)).address).toBe('203.0.113.9');
    const elsewhere = await startApi({ environment: { TRUSTED_PROXIES: '10.0.0.1' } });
    expect((await lineOf(await forwarded(elsewhere.anonymous), elsewhere)).address).toContain('127.0.0.1');
  });

  it('is known of a client that left, too', async () => {
    const behind = await startApi({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    const workspace = await behind.organization('acme').then(() => behind.workspace('acme', 'network'));
    const { uploadUrl } = await behind.version(workspace);
    const { port } = behind.server.address() as AddressInfo;
    const upload = httpRequest({
      port,
      method: 'PUT',
      path: pathOf(uploadUrl),
      headers: { 'Content-Length': 1_000_000, 'X-Forwarded-For': '203.0.113.9' },
    });
    upload.on('error', () => undefined);
    const reached = once(behind.server, 'request');
    upload.write('some');
    await reached;
    upload.destroy();
    const left = () => behind.log.lines.find(({ fields }) => (fields as { status?: number }).status === 499);
    while (left() === undefined) await pause(5);
    expect(left()?.fields).toMatchObject({ address: '203.0.113.9' });
  });

  it.each([
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    [`not-an-address-${'x'.repeat(4000)}`, '127.0.0.1'],
  ])(
    'reads an address as proxies write it, and nothing else, for log and audit trail: %.30s',
    async (text, address) => {
      const behind = await startApi({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
      const answer = await behind.admin
        .post('/organizations', {
          data: { type: 'organizations', attributes: { name: 'acme', email: 'a@example.com' } },
        })
        .set('X-Forwarded-For', text)
        .expect(201);
      expect((await lineOf(answer, behind)).address).toContain(address);
      const events = await behind.admin.get('/admin/audit-events').expect(200);
      expect(events.body.data[0].attributes.address).toContain(address);
      expect(events.body.data[0].attributes.address.length).toBeLessThan(64);
    },
  );
});

/** Stores what it is given, and fails to return it. */
class BrokenStore extends MemoryBundleStore {
  constructor(private readonly broken: 'at once' | 'halfway' | 'too short') {
    super();
  }

  override async read(): Promise<AsyncIterable<Uint8Array>> {
    const { broken } = this;
    if (broken === 'at once') throw new Error('the disk of /secret/path is on fire');
    return (async function* () {
      yield Buffer.from('half');
      if (broken === 'halfway') throw new Error('the disk of /secret/path is on fire');
    })();
  }
}

describe('a fault of the service', () => {
  async function downloadFrom(
    broken: 'at once' | 'halfway' | 'too short',
  ): Promise<{ faulty: TestApi; download: Test }> {
    const faulty = await startApi({ bundleStore: new BrokenStore(broken) });
    await faulty.organization('acme');
    const { id, uploadUrl } = await faulty.version(await faulty.workspace('acme', 'api'));
    await faulty.upload(uploadUrl, await archiveOf({ 'main.tf': '# a comment' })).expect(200);
    const { headers } = await faulty.admin.get(`/configuration-versions/${id}/download`).expect(302);
    return { faulty, download: supertest(faulty.app).get(pathOf(headers.location ?? '')) };
  }

  const errorsOf = ({ log }: TestApi) => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);

  it('is 500, says nothing of itself, and is logged with the id of the request', async () => {
    const { faulty, download } = await downloadFrom('at once');
    const answer = await download.expect(500);
    const detail = 'the request failed with an internal error; give the operator the id in the X-Request-Id header';
    expect(answer.body).toEqual(refusal(500, 'internal server error', detail));
    expect(answer.headers['content-type']).toBe('application/vnd.api+json');
    expect(errorsOf(faulty)).toEqual([
      { request: answer.headers['x-request-id'], route: '/v1/object/:objectId', err: expect.any(Error) },
    ]);
    expect((await lineOf(answer, faulty)).status).toBe(500);
  });

  it.each(['halfway', 'too short'] as const)(
    'in the middle of an answer breaks it off, so that it cannot be taken for whole: %s',
    async (broken) => {
      const { faulty, download } = await downloadFrom(broken);
      await expect(download.then()).rejects.toThrow();
      expect(errorsOf(faulty)).toHaveLength(1);
      const [{ request: id }] = errorsOf(faulty) as [{ request: string }];
      expect(await lineOf({ headers: { 'x-request-id': id } }, faulty)).toMatchObject({ status: 500 });
    },
  );
});

describe('the rate limit', () => {
  const limited = () => startApi({ environment: { RATE_LIMIT_PER_SECOND: '5' } });

  /** How many of a burst within one second passed, and which were refused. */
  const burst = async (ask: () => Test, length = 20): Promise<{ passed: number; refused: Awaited<Test>[] }> => {
    const answers = await Promise.all(Array.from({ length }, ask));
    const refused = answers.filter(({ status }) => status === 429);
    return { passed: answers.length - refused.length, refused };
  };

  it('counts down in the headers of each answer, and ends in a 429 that says when to ask again', async () => {
    const service = await limited();
    const headers = [];
    for (let asked = 0; asked < 3; asked += 1)
      headers.push((await service.admin.get('/account/details').expect(200)).headers);
    expect(headers.map((header) => header['x-ratelimit-limit'])).toEqual(['5', '5', '5']);
    expect(headers.map((header) => header['x-ratelimit-remaining'])).toEqual(['4', '3', '2']);
    for (const header of headers) {
      expect(header['x-ratelimit-reset']).toBe('1.000');
      expect(header).not.toHaveProperty('retry-after');
    }
    service.clock.advance(0.75);
    const { passed, refused } = await burst(() => service.admin.get('/account/details'));
    expect(passed).toBe(2);
    for (const answer of refused) {
      expect(answer.body).toEqual(refusal(429, 'Too many requests', "You have exceeded the API's rate limit."));
      expect(answer.headers).toMatchObject({
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '0.250',
        'retry-after': '1',
      });
    }
    service.clock.advance(0.25);
    await service.admin.get('/account/details').expect(200);
  });

  const remaining = async (caller: Caller, path: string) =>
    Number((await caller.get(path)).headers['x-ratelimit-remaining']);

  it('counts users, whatever the number of their tokens', async () => {
    const service = await limited();
    const user = await service.user('many');
    const tokens: Caller[] = [];
    for (let number = 0; number < 4; number += 1) {
      service.clock.advance(1);
      const { body } = await user.post(`/users/${user.id}/authentication-tokens`).expect(201);
      tokens.push(service.as(body.data.attributes.token));
    }
    service.clock.advance(1);
    let asked = 0;
    const { passed } = await burst(() => {
      asked += 1;
      return tokens[asked % tokens.length]?.get('/account/details') as Test;
    });
    expect(passed).toBe(5);
    await service.admin.get('/account/details').expect(200);
  });

  it('counts a team, its organization and the audit token apart from each other and from who issued them', async () => {
    const service = await limited();
    const name = newName();
    await service.organization(name);
    const team = await service.team(name, 'readers');
    service.clock.advance(1);
    const token = doc('authentication-token', {});
    const { body } = await service.admin.post(`/teams/${team}/authentication-token`, token).expect(201);
    const callers = [
      service.as(body.data.attributes.token),
      await service.organizationToken(name),
      await service.auditToken(name),
    ];
    service.clock.advance(1);
    for (const caller of [...callers, service.admin]) {
      expect(await remaining(caller, `/organizations/${name}/audit-events`)).toBe(4);
    }
  });

  it('counts each user for itself, at both mounts together', async () => {
    const service = await limited();
    const second = await service.user('second');
    service.clock.advance(1);
    let at = 0;
    const both = () => {
      at += 1;
      return service.admin.at(at % 2 === 0 ? '' : '/api/v2').get('/account/details');
    };
    const { passed } = await burst(both);
    expect(passed).toBe(5);
    await second.get('/account/details').expect(200);
    await service.anonymous.get('/ping').expect(204);
  });

  it('counts those without a good token by their address', async () => {
    const service = await limited();
    let asked = 0;
    const { passed } = await burst(() => {
      asked += 1;
      return [service.anonymous.get('/ping'), service.as(`guess ${asked}`).get('/account/details')][asked % 2] as Test;
    });
    expect(passed).toBe(5);
    await service.admin.get('/account/details').expect(200);
  });

  const apart = [
    {
      what: 'capability URLs',
      ask: (service: TestApi) => [service.anonymous.get('/v1/object/guess'), service.anonymous.get('/v1/log/guess')],
    },
    { what: 'webhooks', ask: (service: TestApi) => [service.anonymous.post('/hooks/vcs/guess')] },
  ];

  it.each(apart)('counts $what apart from everything else', async ({ what, ask }) => {
    const service = await limited();
    let asked = 0;
    const { passed, refused } = await burst(() => {
      asked += 1;
      const asks = ask(service);
      return asks[asked % asks.length] as Test;
    });
    expect(passed).toBe(5);
    for (const answer of refused) expect(answer.headers['retry-after']).toBe('1');
    for (const other of apart.filter((one) => one.what !== what).flatMap((one) => one.ask(service)))
      await other.expect(404);
    await service.anonymous.get('/ping').expect(204);
    await service.admin.get('/account/details').expect(200);
  });

  it('counts each webhook of a forge for itself, and the forge at ten times the rate', async () => {
    const service = await limited();
    let asked = 0;
    const hooks = () => {
      asked += 1;
      return service.anonymous.post(`/hooks/vcs/hook-${asked}`);
    };
    const few = await burst(hooks);
    expect(few).toMatchObject({ passed: 20, refused: [] });
    const one = await burst(() => service.anonymous.post('/hooks/vcs/busy'));
    expect(one.passed).toBe(5);
    service.clock.advance(1);
    const many = await burst(hooks, 70);
    expect(many.passed).toBe(50);
    for (const answer of many.refused) expect(answer.headers['retry-after']).toBe('1');
    await service.anonymous.get('/ping').expect(204);
    service.clock.advance(1);
    const { headers } = await hooks().expect(404);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' });
  });

  it('counts each agent for itself, and those who are none by their address', async () => {
    const service = await limited();
    await service.organization('acme');
    const [first, second] = [await newAgent(service), await newAgent(service)];
    const beat = (caller: Caller) => caller.post('/agent/v1/runs/run-some/heartbeat');
    const { passed } = await burst(() => beat(first));
    expect(passed).toBe(5);
    await beat(second).expect(409);
    await service.anonymous.get('/ping').expect(204);
    service.clock.advance(1);
    const guesses = await burst(() => beat(service.as('no such secret')));
    expect(guesses.passed).toBe(5);
    await beat(second).expect(409);
  });

  it('never silences the health checks', async () => {
    const service = await limited();
    for (const path of ['/healthz', '/readyz']) {
      const { refused } = await burst(() => service.anonymous.get(path));
      expect(refused).toEqual([]);
    }
    expect((await service.anonymous.get('/healthz')).headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('leaves no header when it is off', async () => {
    const { refused } = await burst(() => api.admin.get('/account/details'));
    expect(refused).toEqual([]);
    const answers = [await api.admin.get('/account/details'), await api.anonymous.get('/ping')];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }
  });
});

describe('the log', () => {
  const secrets: string[] = [];

  beforeAll(async () => {
    const user = await api.user(newName());
    const own = await user.post(`/users/${user.id}/authentication-tokens`).expect(201);
    const organization = await api.organizationToken('acme');
    const { id, uploadUrl } = await api.version(workspaceId);
    await api.upload(uploadUrl, Buffer.from('no archive')).expect(422);
    await api.upload(`${uploadUrl}x`, Buffer.from('no archive')).expect(404);
    const uploaded = await api.version(workspaceId);
    await api.upload(uploaded.uploadUrl, await archiveOf({ 'main.tf': '' })).expect(200);
    const { location = '' } = (await api.admin.get(`/configuration-versions/${uploaded.id}/download`)).headers;
    await api.anonymous.get(pathOf(location)).expect(200);
    await api.admin.get(`${pathOf(location)}/more`).expect(404);
    await api.admin.send('patch', pathOf(location)).expect(405);
    await api.admin.get(`/configuration-versions/${id}?token=${user.secret}`).expect(200);
    await api.as('a-secret-that-is-nobodys').get('/account/details').expect(401);
    const agent = await newAgent(api);
    const linked = doc('workspaces', { name: newName(), 'vcs-repo': { 'clone-url': 'https://git.example.com/a/b' } });
    const repository = (await api.admin.post('/organizations/acme/workspaces', linked).expect(201)).body.data
      .attributes['vcs-repo'];
    await api.anonymous.post(repository['webhook-url']).set('X-Gitlab-Token', repository['webhook-key']);
    const asked = doc('runs', {}, { workspace: { data: { type: 'workspaces', id: workspaceId } } });
    const run = (await api.admin.post('/runs', asked).expect(201)).body.data;
    const job = (await agent.post('/agent/v1/claims', { name: 'a' }).expect(200)).body;
    expect(job.run.id).toBe(run.id);
    await agent.post(`/agent/v1/runs/${run.id}/heartbeat`).set('Lease', job.lease.token).expect(200);
    const planned = await api.admin.get(`/plans/${run.relationships.plan.data.id}`).expect(200);
    const logUrl = planned.body.data.attributes['log-read-url'];
    await api.anonymous.get(pathOf(logUrl)).expect(200);
    secrets.push(
      ...[api.admin.secret, user.secret, organization.secret].map(String),
      own.body.data.attributes.token,
      'a-secret-that-is-nobodys',
      String(agent.secret),
      job.lease.token,
      repository['webhook-key'],
      ...[uploadUrl, uploaded.uploadUrl, location, logUrl].flatMap((url) => [pathOf(url), url.split('.').at(-1) ?? '']),
    );
  });

  // The last test of this file, so that it covers all of them.
  it('holds lines of requests with secrets in them, and no secret', () => {
    const routes = api.log.lines.map(({ fields }) => (fields as { route?: string }).route);
    expect(routes).toContain('/v1/object/:objectId');
    expect(routes).toContain('/users/:userId/authentication-tokens');
    expect(routes).toContain('/v1/log/:objectId');
    expect(routes).toContain('/agent/v1/claims');
    expect(routes).toContain('/hooks/vcs/:id');
    const log = inspect(api.log.lines, { depth: null, maxArrayLength: null, maxStringLength: null });
    expect(api.log.lines.length).toBeGreaterThan(100);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(/bearer|authorization|v1\/(object|log)\/(?!:objectId)|gatehouse\.v1\./i);
  });
});
