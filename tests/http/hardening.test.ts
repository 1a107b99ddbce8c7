import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { outcomeFilters } from '../../src/adapters/http/policy-outcomes/policy-outcome-requests.js';
import { limits } from '../../src/adapters/http/routing/limits.js';
import { Query } from '../../src/adapters/http/routing/query.js';
import { httpServer } from '../../src/adapters/http/server/http-server.js';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import { agentRoutes } from '../../src/adapters/http/supporting/agents/agent-api-routes.js';
import { agentTrialRoutes } from '../../src/adapters/http/supporting/agents/agent-trial-routes.js';
import { isPublicAddress } from '../../src/adapters/version-control/public-addresses.js';
import { hostOf, readCloneUrl } from '../../src/adapters/version-control/repository-url.js';
import { type Caller, doc, missing, newName, pathOf, prefix, publicUrl, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { announcementOf } from '../support/reference-agent.js';
import { leaksIn } from '../support/secrets-in-logs.js';
import { everyRoute } from '../support/walk-routes.js';

// Trusts every address in X-Forwarded-For, as behind a proxy that passes on what it received.
const api = await startApi({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
await api.organization('acme');
const auditor = await api.auditToken('acme');
const workspaceId = await api.workspace('acme', 'api');
/** A workspace that the administrator has locked. */
const lockedId = await api.workspace('acme', 'locked');
await api.admin.post(`/workspaces/${lockedId}/actions/lock`, {}).expect(200);
const policy = doc('policies', { name: 'tags', query: 'data.tags.deny' });
const policyId = (await api.admin.post('/organizations/acme/policies', policy).expect(201)).body.data.id;
const bench = await Bench.make(api);
await bench.version();
/** The path of a webhook. */
const hook: string = (
  await api.admin
    .patch(
      `/workspaces/${workspaceId}`,
      doc('workspaces', { 'vcs-repo': { 'clone-url': 'https://git.example/a/b.git' } }),
    )
    .expect(200)
).body.data.attributes['vcs-repo']['webhook-url'];
/** A run that the agent is planning. */
const runId = await bench.run();
const lease = (await bench.claimed(runId)).json.lease.token;
const agent = api.as(Reflect.get(bench.agent, 'token'));
/** A service with OpenID Connect. No test signs in. */
const signIn = await startApi({
  environment: { OIDC_ISSUER: 'https://provider.example', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' },
});
const served = httpServer(defaultTimeouts);
served.serve((await startApi({ unitOfWork: api.unitOfWork, bundleStore: api.bundleStore })).app);
/** The same service behind the socket it uses in production. */
const server = served.server.listen(0, '127.0.0.1');
await once(server, 'listening');

afterAll(() => {
  server.close().closeAllConnections();
});

/** Everything received on a new connection; `next` is written once something arrives. */
async function exchange(text: string, next?: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  if (next !== undefined) socket.once('data', () => socket.write(next));
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return heard;
}

const lines = (...given: readonly string[]): string => `${given.join('\r\n')}\r\n\r\n`;

interface Told {
  readonly status: number;
  readonly text: string;
}

const sent = (
  caller: Caller,
  method: 'post' | 'put',
  path: string,
  body: string | Buffer,
  type = 'application/json',
): PromiseLike<Told> =>
  caller
    .send(method, path)
    .set({ 'Content-Type': type, Lease: lease })
    .serialize((given) => given as string)
    .send(body);

/** A valid request for a new workspace, with one unknown member in it. */
const workspaceWith = (strange: unknown): PromiseLike<Told> =>
  sent(
    api.admin,
    'post',
    '/organizations/acme/workspaces',
    JSON.stringify({ data: { type: 'workspaces', attributes: { name: newName(), strange } } }),
  );

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const padded = (text: string, bytes: number): string => text.padEnd(bytes);

/** `bodies.test.ts` fills the memory. */
const { memory, memoryOfCaller, memoryOfAddress } = limits;
const ofMemory = { memory, memoryOfCaller, memoryOfAddress };

/** For each limit, a request of a given size, and its response at the limit and above. */
const tries: Readonly<
  Record<
    Exclude<
      keyof typeof limits,
      | 'head'
      | 'faults'
      | 'agentFile'
      | 'policyArchive'
      | 'streams'
      | 'streamsByMaker'
      | 'streamsOfOrganization'
      | 'allStreams'
      | 'reports'
      | 'allReports'
      | keyof typeof ofMemory
    >,
    { ask: (amount: number) => PromiseLike<Told>; good: number; bad: number; says: string }
  >
> = {
  url: {
    ask: (amount) => api.admin.get(padded('/organizations/acme?x=', amount).replaceAll(' ', 'x')),
    good: 200,
    bad: 414,
    says: 'the URL is longer than 8192 characters',
  },
  parameters: {
    ask: (amount) => api.admin.get(`/organizations/acme/workspaces?${Array(amount).fill('x=1').join('&')}`),
    good: 200,
    bad: 400,
    says: 'the query has more than 100 parameters',
  },
  filterGroups: {
    ask: async (amount) => {
      const query = Array.from({ length: amount }, (_, group) => `filter[${group}][status]=passed`).join('&');
      try {
        return { status: 200, text: `${outcomeFilters(new Query(query)).length} groups` };
      } catch (error) {
        return { status: (error as { status: number }).status, text: (error as Error).message };
      }
    },
    good: 200,
    bad: 400,
    says: 'filter may have at most 20 groups',
  },
  tagFilters: {
    ask: (amount) => {
      const groups = Array.from({ length: amount }, (_, group) => `filter[tagged][${group}][key]=env`);
      return api.admin.get(`/organizations/acme/workspaces?${groups.join('&')}`);
    },
    good: 200,
    bad: 400,
    says: 'filter[tagged] may have at most 20 groups',
  },
  pageSize: {
    ask: (amount) => api.admin.get(`/admin/users?page[size]=${amount}`),
    good: 200,
    bad: 422,
    says: 'page[size] must be between 1 and 100',
  },
  auditTrails: {
    ask: (amount) => auditor.get(`/organization/audit-trails?page[size]=${amount}`),
    good: 200,
    bad: 422,
    says: 'page[size] must be between 1 and 1000',
  },
  pageNumber: {
    ask: (amount) => api.admin.get(`/admin/users?page[number]=${amount}`),
    good: 200,
    bad: 422,
    says: 'page[number] must be between 1 and 1000000000',
  },
  body: {
    ask: (amount) =>
      sent(
        api.admin,
        'post',
        '/organizations',
        padded(JSON.stringify(doc('organizations', { name: newName(), email: 'a@example.com' })), amount),
      ),
    good: 201,
    bad: 413,
    says: 'the body is larger than 262144 bytes',
  },
  textBody: {
    ask: (amount) =>
      sent(
        api.admin,
        'post',
        '/organizations/acme/workspaces',
        padded(JSON.stringify(doc('workspaces', { name: newName() })), amount),
      ),
    good: 201,
    bad: 413,
    says: 'the body is larger than 1048576 bytes',
  },
  form: {
    ask: (amount) =>
      sent(
        signIn.anonymous,
        'post',
        '/oauth/token',
        padded('grant_type=x&', amount),
        'application/x-www-form-urlencoded',
      ),
    good: 400,
    bad: 413,
    says: 'the body is larger than 16384 bytes',
  },
  policyTrial: {
    ask: (amount) => sent(api.admin, 'post', '/organizations/acme/policy-trials', padded('{}', amount)),
    good: 422,
    bad: 413,
    says: 'the body is larger than 2097152 bytes',
  },
  policyReport: {
    ask: (amount) => sent(agent, 'post', `/agent/v1/runs/${runId}/policy-evaluations/any`, padded('{}', amount)),
    good: 422,
    bad: 413,
    says: 'the body is larger than 16777216 bytes',
  },
  stateReport: {
    ask: (amount) => sent(agent, 'post', `/agent/v1/runs/${runId}/state-versions`, padded('{}', amount)),
    good: 422,
    bad: 413,
    says: 'the body is larger than 16777216 bytes',
  },
  policyCode: {
    ask: (amount) => sent(api.admin, 'put', `/policies/${policyId}/upload`, Buffer.alloc(amount, 'x')),
    good: 200,
    bad: 413,
    says: 'the body is larger than 1048576 bytes',
  },
  logPart: {
    ask: (amount) => sent(agent, 'put', `/agent/v1/runs/${runId}/log?offset=0`, Buffer.alloc(amount, 'x')),
    good: 200,
    bad: 413,
    says: 'the body is larger than 1048576 bytes',
  },
  delivery: {
    ask: (amount) => sent(api.anonymous, 'post', hook, Buffer.alloc(amount)),
    good: 404,
    bad: 413,
    says: 'the body is larger than 5242880 bytes',
  },
  depth: {
    // Three levels are there already.
    ask: (amount) => workspaceWith(nested(amount - 3)),
    good: 201,
    bad: 400,
    says: 'the body is nested deeper than 32 levels',
  },
  stateBody: {
    ask: (amount) =>
      sent(
        api.admin,
        'post',
        `/workspaces/${lockedId}/state-versions`,
        padded('{}', amount),
        'application/vnd.api+json',
      ),
    good: 422,
    bad: 413,
    says: 'the body is larger than 16777216 bytes',
  },
  stateReportDepth: {
    // Three levels are there already.
    ask: (amount) => {
      const deep = announcementOf(Buffer.from('x'), {
        outputs: [{ name: 'deep', type: 'dynamic', value: nested(amount - 3), sensitive: false }],
      });
      return sent(agent, 'post', `/agent/v1/runs/${runId}/state-versions`, JSON.stringify(deep));
    },
    good: 409,
    bad: 400,
    says: 'the body is nested deeper than 512 levels',
  },
  values: {
    ask: (amount) => {
      // Eleven are there already, and each array of nine zeros is ten more.
      const [tens, ones] = [Math.floor((amount - 11) / 10), (amount - 11) % 10];
      return workspaceWith([...Array(tens).fill(Array(9).fill(0)), ...Array(ones).fill(0)]);
    },
    good: 201,
    bad: 400,
    says: 'the body has more than 50000 values and member names',
  },
  longValues: {
    ask: (amount) =>
      sent(
        agent,
        'post',
        `/agent/v1/runs/${runId}/policy-evaluations/any`,
        `[${Array(amount - 1)
          .fill('0')
          .join()}]`,
      ),
    good: 400,
    bad: 400,
    says: 'the body has more than 300000 values and member names',
  },
  items: {
    ask: (amount) => workspaceWith(Array(amount).fill(0)),
    good: 201,
    bad: 400,
    says: 'the body has an array or object with more than 10000 items',
  },
  identifiers: {
    ask: (amount) =>
      sent(
        api.admin,
        'post',
        '/organizations/acme/policy-sets',
        JSON.stringify(
          doc(
            'policy-sets',
            { name: newName() },
            { workspaces: { data: Array(amount).fill({ type: 'workspaces', id: workspaceId }) } },
          ),
        ),
      ),
    good: 201,
    bad: 422,
    says: 'Data is too long (the maximum is 1000)',
  },
  word: {
    ask: (amount) => {
      const email = `${'a'.repeat(64)}@${'b'.repeat(amount - 65)}`;
      return api.admin.post('/organizations', doc('organizations', { name: newName(), email }));
    },
    good: 201,
    bad: 422,
    says: 'Email is too long (the maximum is 255)',
  },
};

describe('a limit', () => {
  it.each(Object.keys(tries) as (keyof typeof tries)[])(
    'of %s lets pass what reaches it, and no more',
    async (name) => {
      const { ask, good, bad, says } = tries[name];
      const { max } = limits[name];
      const reached = await ask(max);
      expect([reached.status, reached.text.includes(says)]).toEqual([good, false]);
      const beyond = await ask(max + 1);
      expect([beyond.status, beyond.text]).toEqual([bad, expect.stringContaining(says)]);
    },
  );

  it('holds for the members of an object as for the items of a list', async () => {
    const members = (amount: number) =>
      workspaceWith(Object.fromEntries(Array.from({ length: amount }, (_, at) => [`m${at}`, 0])));
    expect((await members(limits.items.max)).status).toBe(201);
    expect((await members(limits.items.max + 1)).status).toBe(400);
  });

  it('of the URL holds where nothing is served, and for methods that are not', async () => {
    for (const [method, path, otherwise] of [
      ['get', '/nowhere', 404],
      ['get', '/api/v2/nowhere', 404],
      ['put', '/healthz', 405],
      ['delete', '/organizations/acme/entitlement-set', 405],
    ] as const) {
      await api.anonymous.send(method, `${path}?${'x'.repeat(limits.url.max)}`).expect(414);
      await api.anonymous.send(method, path).expect(otherwise);
    }
  });

  it('of faults cuts the answer short', async () => {
    const faults = async (amount: number) => {
      const bad = { data: Array(amount).fill(5) };
      const team = (await api.admin.get('/organizations/acme/teams')).body.data[0].id;
      return (await api.admin.post(`/teams/${team}/relationships/users`, bad).expect(422)).body.errors.length;
    };
    expect(await faults(limits.faults.max)).toBe(limits.faults.max);
    expect(await faults(limits.faults.max + 1)).toBe(limits.faults.max);
  });

  it('on the head is refused like any other, and in the same words for every caller', async () => {
    const headOf = (bytes: number, method = 'GET') => {
      const head = [`${method} /healthz HTTP/1.1`, 'Host: a', 'Connection: close', 'X-Padding: '];
      return lines(...head.slice(0, -1), `${head.at(-1)}${'x'.repeat(bytes - lines(...head).length)}`);
    };
    expect(await exchange(headOf(limits.head.max))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    // Separators between names and values do not count.
    const refused = await exchange(headOf(limits.head.max + 100));
    expect(refused).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(refused).toContain('Content-Type: application/vnd.api+json\r\n');
    expect(JSON.parse(refused.slice(refused.indexOf('\r\n\r\n') + 4))).toEqual({
      errors: [
        {
          status: '431',
          title: 'request header fields too large',
          detail: 'the request line and headers are larger than 16384 bytes',
        },
      ],
    });
    const head = refused.slice(0, refused.indexOf('\r\n\r\n') + 4);
    expect(await exchange(headOf(limits.head.max + 100, 'HEAD'))).toBe(head);
  });

  it('of depth is met before anything walks what is nested without end', async () => {
    for (const [bytes, open, close] of [
      [limits.body.max, '[', ']'],
      [limits.body.max, '{"a":', '}'],
    ] as const) {
      const levels = Math.floor((bytes - 1) / (open.length + close.length));
      const deep = `${open.repeat(levels)}1${close.repeat(levels)}`;
      const answer = await sent(api.admin, 'post', '/organizations', deep);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('nested deeper than 32 levels')]);
    }
    expect((await sent(api.admin, 'post', '/organizations', '['.repeat(limits.body.max))).status).toBe(400);
    // Long documents are parsed in slices.
    const levels = limits.policyReport.max / 2;
    const report = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect((await sent(agent, 'post', `/agent/v1/runs/${runId}/policy-evaluations/any`, report)).status).toBe(400);
  });
});

/** Unbounded strings and lists in a schema, by path. */
function unbounded(schema: z.core.$ZodType, path: string): readonly string[] {
  const def = schema._zod.def as unknown as Readonly<Record<string, unknown>> & {
    readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  };
  const isBounded = def.checks?.some(({ _zod }) => _zod.def.check === 'max_length') === true;
  const within = (inner: unknown, name = ''): readonly string[] =>
    inner === undefined ? [] : unbounded(inner as z.core.$ZodType, path + name);
  switch (def.type) {
    case 'string':
      return isBounded ? [] : [path];
    case 'array':
      return [...(isBounded ? [] : [path]), ...within(def.element, '[]')];
    case 'object':
      return Object.entries(def.shape as object).flatMap(([name, member]) => within(member, `.${name}`));
    case 'union':
      return (def.options as readonly unknown[]).flatMap((option) => within(option));
    case 'pipe':
      return [...within(def.in), ...within(def.out)];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
      return within(def.innerType);
    case 'boolean':
    case 'number':
    case 'enum':
    case 'literal':
    case 'null':
    case 'transform':
    // Compared with fixed words or kept as they are: the limit on bodies applies.
    case 'unknown':
      return [];
    default:
      throw new Error(`what is a ${def.type} at ${path} bounded by?`);
  }
}

describe('every body that is read', () => {
  it('has a longest length for each text and each list in it', () => {
    const agents = [...agentRoutes({} as never), ...agentTrialRoutes({} as never)].map((route) => ({
      name: `${route.method} ${route.path}`,
      route,
    }));
    const schemas = [...everyRoute, ...agents].flatMap(({ name, route }) => {
      const { body } = route.reference();
      return body instanceof z.ZodType ? [{ name, body }] : [];
    });
    expect(schemas.length).toBeGreaterThan(50);
    expect(schemas.flatMap(({ name, body }) => unbounded(body, name))).toEqual([]);
    expect(unbounded(z.object({ a: z.array(z.string()), b: z.string().max(3) }), 'x')).toEqual(['x.a', 'x.a[]']);
  });
});

const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

describe('a name that objects inherit', () => {
  it.each(inherited)('is a name like any other: %s', async (name) => {
    const admin = api.admin.at(prefix);
    for (const path of [
      `/workspaces/${name}`,
      `/organizations/${name}`,
      `/organizations/acme/workspaces/${name}`,
      `/runs/${name}`,
      `/authentication-tokens/${name}`,
      `/users/${name}/authentication-tokens`,
    ]) {
      expect((await admin.get(path).expect(404)).body).toEqual(
        path.startsWith('/workspaces/') ? refusal(404, 'not found', expect.stringContaining('not the id of')) : missing,
      );
    }
    await admin.get(`/workspaces/${workspaceId}/configuration-versions?include=${name}`).expect(400);
    await admin.get(`/organizations/acme/team-tokens?sort=${name}`).expect(422);
    await admin.get(`/organizations/acme/team-tokens?q=${name}&${name}=1&${name}[a]=2`).expect(200);
    expect(outcomeFilters(new Query(`filter[${name}][status]=failed`))).toEqual([
      { status: 'failed', enforcementLevel: null },
    ]);
    expect(() => outcomeFilters(new Query(`filter[0][status]=${name}`))).toThrow('must be one of');
    const named = {
      [name]: { polluted: true },
      data: { type: name, attributes: { name, [name]: { polluted: true } } },
    };
    // JSON.parse creates a member where a literal would set the prototype.
    const text = JSON.stringify(named).replace('"data":{', `"data":{"__proto__":{"polluted":true},`);
    await sent(admin, 'post', '/organizations/acme/workspaces', text).then(({ status }) => expect(status).toBe(422));
    expect({}).not.toHaveProperty('polluted');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a header that lies', () => {
  const forged = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Port': '4443',
    'X-Forwarded-Prefix': '/evil',
    'X-Original-URL': '/admin/users',
    'X-Rewrite-URL': '/admin/users',
    'X-HTTP-Method-Override': 'DELETE',
    Forwarded: 'host=evil.example;proto=https',
  };

  it('changes neither what is asked nor any address in the answer', async () => {
    const { id, uploadUrl } = await api.version(workspaceId, { speculative: true });
    await api.upload(uploadUrl, await archiveOf({ 'main.tf': '' })).expect(200);
    for (const path of [
      `/workspaces/${workspaceId}/configuration-versions?page[size]=1`,
      `/configuration-versions/${id}/download`,
      `/configuration-versions/${id}`,
      '/organizations/acme',
    ]) {
      const [plain, lied] = [await api.admin.get(path), await api.admin.get(path).set(forged)];
      expect(lied.status).toBe(plain.status);
      expect(lied.text).toBe(plain.text);
      expect(JSON.stringify([lied.headers, lied.text])).not.toMatch(/evil|4443/);
    }
    const download = await api.admin.get(`/configuration-versions/${id}/download`).set(forged).expect(302);
    expect(download.headers.location).toMatch(new RegExp(`^${publicUrl}/v1/object/`));
  });

  it('ends no line of an answer', async () => {
    const broken = 'x%0d%0aX-Injected:%20yes%0d%0a%0d%0a<script>';
    for (const path of [
      `/organizations/acme/workspaces?page[size]=1&${broken}=${broken}`,
      `/organizations/${broken}`,
      `/v1/object/${broken}`,
      `/organizations/acme/workspaces?include=${broken}`,
    ]) {
      const answer = await api.admin.get(path);
      expect(answer.headers).not.toHaveProperty('x-injected');
      expect(JSON.stringify(answer.headers)).not.toContain('script');
      expect(answer.headers['content-type']).toBe('application/vnd.api+json');
    }
    for (const name of ['a\r\nX-Injected: yes', 'a\nb', 'a\u2028b', '"; filename="x']) {
      await api.admin.post('/organizations/acme/workspaces', doc('workspaces', { name })).expect(422);
    }
  });
});

describe('what two programs might read as two different requests', () => {
  it.each([
    ['two lengths', lines('POST /healthz HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Content-Length: 6')],
    [
      'a length and chunks',
      lines('POST /healthz HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    ['chunks that are not last', lines('POST /healthz HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked, identity')],
    ['a length that is not a number', lines('POST /healthz HTTP/1.1', 'Host: a', 'Content-Length: +5')],
    ['a blank before the colon', lines('GET /healthz HTTP/1.1', 'Host: a', 'Content-Length : 5')],
    ['a header over two lines', lines('GET /healthz HTTP/1.1', 'Host: a', 'X-Long: a', ' b')],
    ['lines that end without a return', 'GET /healthz HTTP/1.1\nHost: a\n\n'],
    ['a NUL in a header', lines('GET /healthz HTTP/1.1', 'Host: a', 'X-Nul: a\0b')],
    ['no host', lines('GET /healthz HTTP/1.1')],
    ['two hosts', lines('GET /healthz HTTP/1.1', 'Host: a', 'Host: b')],
    ['one host twice', lines('GET /healthz HTTP/1.1', 'Host: a', 'hOST: a')],
    ['two hosts of old', lines('GET /healthz HTTP/1.0', 'Host: a', 'Host: a')],
  ])('is not a request: %s', async (_what, text) => {
    const answer = await exchange(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toContain('\r\nContent-Type: application/vnd.api+json\r\n');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').errors).toEqual([
      { status: '400', title: 'bad request', detail: expect.any(String) },
    ]);
  });

  it('is taken without a host in HTTP/1.0, which has none', async () => {
    expect(await exchange(lines('GET /healthz HTTP/1.0'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it.each([
    ['websocket', []],
    ['h2c', []],
    ['websocket and to expect miracles', ['Expect: miracles']],
  ])('does not follow a request to switch to %s, which is answered as it is', async (protocol, expected) => {
    const upgrade = ['Connection: Upgrade', `Upgrade: ${protocol.split(' ')[0]}`];
    const asked = lines('GET /healthz HTTP/1.1', 'Host: a', ...upgrade, ...expected);
    const answer = await exchange(asked, 'NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('ignores an unknown expectation', async () => {
    const answer = await exchange(lines('GET /healthz HTTP/1.1', 'Host: a', 'Expect: miracles', 'Connection: close'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('is not answered in the middle of another answer', async () => {
    const { id, uploadUrl } = await api.version(workspaceId, { speculative: true });
    await api
      .upload(uploadUrl, await archiveOf({ 'noise.bin': randomBytes(6_000_000).toString('base64') }))
      .expect(200);
    const { location = '' } = (await api.admin.get(`/configuration-versions/${id}/download`).expect(302)).headers;
    const answer = await exchange(lines(`GET ${pathOf(location)} HTTP/1.1`, 'Host: a'), 'NONSENSE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

describe('a request before the service is ready', () => {
  it('is refused with 503, when to come back, and a JSON:API error', async () => {
    const early = httpServer(defaultTimeouts).server.listen(0, '127.0.0.1');
    await once(early, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(early.address() as AddressInfo).port}/account/details`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json');
    expect(await answer.json()).toEqual({
      errors: [
        { status: '503', title: 'service unavailable', detail: 'the service is starting; try again in a few seconds' },
      ],
    });
    early.close();
    await once(early, 'close');
  });
});

describe('a line of the log', () => {
  it('is one line of plain text, whatever a client puts where it is made of', async () => {
    const from = api.log.printed.length;
    const escaped = '%1b[2J%0d%0a{"level":60}%c2%9b31m';
    for (const strange of ['1.2.3.4, \u009b31m', '<script>', 'not an address', '::1%eth0', '"', '\\', 'a\tb']) {
      await api.anonymous.get(`/${escaped}`).set({ 'X-Forwarded-For': strange, 'User-Agent': strange }).expect(404);
      await api.as(`${newName()}-${'\u009b'}`).get('/account/details').set('X-Forwarded-For', strange).expect(401);
    }
    await api.admin.get(`/workspaces/${escaped}?${escaped}`).expect(404);
    await api.admin
      .post('/organizations', doc('organizations', { name: '\u001b[31m\r\n', email: '\u009b' }))
      .expect(422);
    const printed = api.log.printed.slice(from);
    const written = printed.trimEnd().split('\n');
    expect(written.length).toBeGreaterThan(15);
    for (const line of written) expect(JSON.parse(line)).toMatchObject({ msg: 'request' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });

  it('with a secret in it is found by the tests, as it is and as it is written down', async () => {
    const { secret = '' } = api.admin;
    const line = (fields: object) => JSON.stringify({ level: 30, ...fields });
    for (const leak of [
      line({ msg: secret }),
      line({ url: `/x?token=${secret}&y` }),
      line({ err: { stack: `Error: ${'x'.repeat(70_000)}${secret}` } }),
    ]) {
      expect(leaksIn(leak, [secret])).toContain(secret);
      expect(leaksIn(leak, [])).not.toEqual([]);
    }
    for (const leak of ['PUT /v1/object/cv-1.abc.def', 'Authorization: Bearer abc', '?X-Amz-Signature=0a1b']) {
      expect(leaksIn(line({ msg: leak }), [])).toHaveLength(1);
    }
    expect(leaksIn(line({ msg: 'one-more-secret-text' }), ['a-secret-text-of-mine', 'one-more-secret-text'])).toEqual([
      'one-more-secret-text',
    ]);
    expect(leaksIn(api.log.printed, [secret])).toEqual([]);
  });
});

describe('a host by another name for it', () => {
  it.each([
    'http://2130706433/a',
    'http://0x7f.1/a',
    'http://0177.0.0.1/a',
    'http://127.1/a',
    'http://0/a',
    'http://①②⑦.0.0.1/a',
    'http://[::ffff:127.0.0.1]/a',
    'http://[::ffff:a9fe:a9fe]/a',
    'http://[64:ff9b::7f00:1]/a',
    'http://[0:0:0:0:0:0:0:1]/a',
    'http://[::]/a',
    'http://[fd00::1]/a',
    'http://2852039166/latest/meta-data',
  ])('is not public: %s', (url) => {
    const read = readCloneUrl(url);
    expect(read).toBeInstanceOf(URL);
    expect(isPublicAddress(hostOf(read as URL))).toBe(false);
  });
});
