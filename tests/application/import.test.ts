import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Item, listDocument } from '../../src/infrastructure/cli/import/documents.js';
import { FamilyClient } from '../../src/infrastructure/cli/import/family-client.js';
import { covers } from '../../src/infrastructure/cli/import/importing.js';
import { type Kind, organizations } from '../../src/infrastructure/cli/import/kinds.js';
import { Report } from '../../src/infrastructure/cli/import/report.js';
import { fingerprintOf } from '../../src/infrastructure/cli/import/states.js';

/** Each kind of the table, by name. */
const kinds = new Map<string, Kind>();
const collect = (kind: Kind): void => {
  kinds.set(kind.name, kind);
  for (const below of kind.below ?? []) collect(below);
};
collect(organizations);

const kind = (name: string): Kind => kinds.get(name) as Kind;
const item = (attributes: object, related: Item['related'] = {}): Item => ({
  id: 'x-1',
  attributes: attributes as Item['attributes'],
  related,
});
const stays = (name: string, attributes: object) => kind(name).stays?.(item(attributes));
const leaves = (name: string, attributes: object) => kind(name).leaves?.(item(attributes));
const comes = (name: string, attributes: object) => kind(name).attributes(item(attributes));

describe('what comes of a workspace', () => {
  it('is its settings, without what is unknown, null or of another form', () => {
    const given = { name: 'api', 'auto-apply': true, 'queue-all-runs': null, 'hyok-enabled': false, description: null };
    expect(
      comes('workspaces', { ...given, 'speculative-enabled': 'yes', permissions: { 'can-update': true } }),
    ).toEqual({
      name: 'api',
      'auto-apply': true,
      description: null,
    });
  });

  it('is its execution mode only if it sets that itself', () => {
    const mode = { 'execution-mode': 'local' };
    expect(comes('workspaces', mode)).toEqual(mode);
    expect(comes('workspaces', { ...mode, 'setting-overwrites': { 'execution-mode': true } })).toEqual(mode);
    expect(comes('workspaces', { ...mode, 'setting-overwrites': { 'execution-mode': false } })).toEqual({});
    // Servers from before execution modes.
    expect(comes('workspaces', { operations: false })).toEqual(mode);
  });

  it('is not its repository, or what its project shares', () => {
    expect(
      leaves('workspaces', {
        'vcs-repo': { identifier: 'acme/api' },
        'project-remote-state': true,
        'workspace-kpis-runs-count': 12,
      }),
    ).toEqual({ repositories: 1, 'shared-states': 1, runs: 12 });
  });

  it('is its mode agent with its pool, once the pools have come', () => {
    expect(comes('workspaces', { 'execution-mode': 'agent' })).toEqual({});
    const pool = { type: 'agent-pools', id: 'apool-1' };
    const agent = { mode: 'execution-mode', relationship: 'agent-pool', pool };
    const uses = (attributes: object, related: Item['related'] = {}) =>
      kind('workspaces').poolUse?.(item(attributes, related));
    expect(uses({ 'execution-mode': 'agent' }, { 'agent-pool': [pool] })).toEqual(agent);
    expect(uses({ 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' })).toEqual(agent);
    expect(uses({ 'execution-mode': 'agent', 'setting-overwrites': { 'execution-mode': false } })).toBeUndefined();
    expect(uses({ 'execution-mode': 'remote' })).toBeUndefined();
    expect(kind('organizations').poolUse?.(item({ 'default-execution-mode': 'agent' }))).toEqual({
      mode: 'default-execution-mode',
      relationship: 'default-agent-pool',
      pool: undefined,
    });
  });

  it('is the date of its destruction, and no duration of inactivity or date that has passed', () => {
    const at = { 'auto-destroy-at': '2999-01-01T01:00:00+01:00' };
    expect(comes('workspaces', at)).toEqual({ 'auto-destroy-at': '2999-01-01T00:00:00.000Z' });
    expect(leaves('workspaces', at)).toEqual({});
    const inherited = { ...at, 'inherits-project-auto-destroy': true };
    expect(comes('workspaces', inherited)).toEqual({});
    expect(leaves('workspaces', inherited)).toEqual({});
    for (const given of [
      { ...at, 'auto-destroy-activity-duration': '14d' },
      { 'auto-destroy-activity-duration': '14d' },
      { 'auto-destroy-at': '2020-01-01T00:00:00Z' },
    ]) {
      expect(comes('workspaces', given)).toEqual({});
      expect(leaves('workspaces', given)).toEqual({ schedules: 1 });
    }
  });

  it('is not a list of triggers that is empty, since naming one clears the other', () => {
    expect(comes('workspaces', { 'trigger-prefixes': [], 'trigger-patterns': ['/**/*.tf'] })).toEqual({
      'trigger-patterns': ['/**/*.tf'],
    });
  });
});

describe('what cannot come', () => {
  it('is the value of a sensitive variable', () => {
    expect(stays('variables', { key: 'a', sensitive: true })).toBe('sensitive-values');
    expect(stays('variables of sets', { key: 'a', sensitive: true })).toBe('sensitive-values');
    expect(stays('parameters of policy sets', { key: 'a', sensitive: true })).toBe('sensitive-values');
    expect(stays('variables', { key: 'a', sensitive: false })).toBeUndefined();
  });

  it('is a policy set whose code the source does not return', () => {
    expect(stays('policy sets', { name: 'a', 'vcs-repo': { identifier: 'acme/policies' } })).toBe(
      'policy-repositories',
    );
    expect(stays('policy sets', { name: 'a', versioned: true })).toBe('policy-versions');
    expect(stays('policy sets', { name: 'a', versioned: false, 'vcs-repo': null })).toBeUndefined();
  });

  it('is a policy that is of another kind at the target', () => {
    const differs = (here: object, there: object) => kind('policies').differs?.(item(here), item(there));
    expect(differs({ kind: 'opa' }, { kind: 'opa' })).toBeUndefined();
    // Older servers name no kind.
    expect(differs({ kind: 'sentinel' }, {})).toBeUndefined();
    expect(differs({ kind: 'opa' }, { kind: 'sentinel' })).toBe('policy-kinds');
  });

  it('is access that ends, which must not become permanent', () => {
    for (const name of ['team access to workspaces', 'team access to projects']) {
      expect(stays(name, { access: 'admin', 'expires-at': '2027-01-01T00:00:00Z' })).toBe('temporary-access');
      expect(stays(name, { access: 'admin', 'expires-at': null })).toBeUndefined();
    }
  });

  it('is a member without an address, a group, and a setting that the target refuses', () => {
    expect(stays('organization memberships', { status: 'active' })).toBe('addresses');
    expect(leaves('teams', { name: 'a', 'sso-team-id': 'everyone' })).toEqual({ groups: 1 });
    const refused = { 'collaborator-auth-policy': 'two_factor_mandatory', 'user-tokens-enabled': false };
    expect(leaves('organizations', refused)).toEqual({ restrictions: 2 });
    expect(comes('organizations', refused)).toEqual({});
  });
});

describe('a variable that the target keeps secret', () => {
  it('is left as it is', () => {
    expect(kind('variables').isKept?.(item({ key: 'a', sensitive: true }))).toBe(true);
    expect(kind('variables').isKept?.(item({ key: 'a', sensitive: false }))).toBe(false);
  });
});

describe('the same resource of two servers', () => {
  const map = ({ id }: { readonly id: string }) => `${id}-here`;

  it('has the same key', () => {
    expect(kind('teams').key(item({ name: 'Platform' }), map)).toBe('platform');
    expect(kind('variables').key(item({ key: 'a', category: 'env' }), map)).toBe('env/a');
    expect(kind('team access to workspaces').key(item({}, { team: [{ type: 'teams', id: 't' }] }), map)).toBe('t-here');
    const owned = item({ name: 'set' }, { parent: [{ type: 'projects', id: 'p' }] });
    expect(kind('variable sets').key(owned, map)).toBe('p-here/set');
    // Older servers name no owner.
    expect(kind('variable sets').key(item({ name: 'set' }), map)).toBe('/set');
  });

  it('is the default project whatever its name is', () => {
    const key = kind('projects').key(item({ name: 'Renamed', 'is-default': true }), map);
    expect(kind('projects').key(item({ name: 'Default Project' }), map)).toBe(key);
    expect(comes('projects', { name: 'Renamed', 'is-default': true })).toEqual({});
    expect(kind('projects').key(item({ name: 'default' }), map)).not.toBe(key);
  });

  it('is unchanged if the target has all that is wanted', () => {
    expect(covers('', null)).toBe(true);
    expect(covers(undefined, '')).toBe(true);
    expect(covers({ a: true, b: 1 }, { a: true })).toBe(true);
    expect(covers({ a: false }, { a: true })).toBe(false);
    expect(covers(['a'], ['a', 'b'])).toBe(false);
    expect(covers([{ name: 'a', more: 1 }], [{ name: 'a' }])).toBe(true);
    expect(covers(undefined, false)).toBe(false);
  });

  it('keeps its permissions only where they are custom', () => {
    const given = { access: 'write', runs: 'apply', variables: 'write', unknown: true };
    expect(comes('team access to workspaces', given)).toEqual({ access: 'write' });
    expect(comes('team access to workspaces', { ...given, access: 'custom' })).toEqual({
      access: 'custom',
      runs: 'apply',
      variables: 'write',
    });
    const inProject = {
      'project-access': { settings: 'read' },
      'workspace-access': { runs: 'plan', 'policy-overrides': true },
    };
    expect(comes('team access to projects', { access: 'custom', ...inProject })).toEqual({
      access: 'custom',
      'project-access': { settings: 'read' },
      'workspace-access': { runs: 'plan' },
    });
  });

  it('is of kind sentinel if a policy of an older server names none, with the older spelling of its level', () => {
    expect(comes('policies', { name: 'a', enforce: [{ path: 'a.sentinel', mode: 'hard-mandatory' }] })).toEqual({
      name: 'a',
      kind: 'sentinel',
      'enforcement-level': 'hard-mandatory',
    });
  });
});

describe('a document of another server', () => {
  it('is read without what is null, unknown or malformed in it', () => {
    const { data } = listDocument.parse({
      data: [
        {
          id: 'ws-1',
          type: 'workspaces',
          attributes: null,
          relationships: {
            project: { data: { id: 'prj-1', type: 'projects' } },
            'locked-by': null,
            'ssh-key': { data: null },
            vars: { links: { related: '/vars' } },
            odd: 'text',
          },
          links: null,
        },
      ],
      meta: 'text',
      jsonapi: { version: '1.0' },
    });
    expect(data).toEqual([
      { id: 'ws-1', attributes: {}, related: { project: [{ id: 'prj-1', type: 'projects' }], 'ssh-key': [] } },
    ]);
  });
});

describe('a state that passes', () => {
  it('gives its digest and lineage, in any chunks', async () => {
    const text = JSON.stringify({ version: 4, serial: 3, outputs: { lineage: { value: 'no' } }, lineage: 'a"b' });
    const bytes = Buffer.from(text);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    }
    const md5 = createHash('md5').update(text).digest('hex');
    expect(await fingerprintOf(chunks())).toEqual({ md5, lineage: 'a"b' });
  });
});

describe('the report', () => {
  it('counts, names what does not come, and fails only for what was skipped or failed', () => {
    const report = new Report('https://a.example', 'https://b.example', false);
    report.count('workspaces', 'created', 2);
    report.leave('sensitive-values', 1, 'acme/api/password');
    const { text, failed } = report.answer();
    expect(failed).toBe(false);
    expect(text).toMatch(/^workspaces +2 +0 +0 +0 +0$/m);
    expect(text).toContain('  acme/api/password');
    expect(text).toContain('Run it again with --apply to create or update 2 resources.');
    report.trouble({ kind: 'teams', name: 'acme/a', outcome: 'failed', detail: 'no' });
    expect(report.answer()).toMatchObject({ failed: true, text: expect.stringContaining('  teams acme/a: no') });
  });
});

describe('a request of the import', () => {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  function clientOf(url: URL) {
    const waits: number[] = [];
    const client = new FamilyClient(
      { side: 'source', url, token: 'secret' },
      new AbortController().signal,
      async (wait) => waits.push(wait),
    );
    return { client, waits };
  }

  const statuses = (...given: readonly (readonly [number, object?])[]) => {
    let at = 0;
    return serving((_, response) => {
      const [status, headers = {}] = given[Math.min(at, given.length - 1)] ?? [500];
      at += 1;
      response.writeHead(status, { ...headers }).end(status === 200 ? '{"data":[]}' : '{"errors":["not now"]}');
    });
  };

  it('waits as long as a 429 says, and longer each time after a 5xx', async () => {
    const { client, waits } = clientOf(await statuses([429, { 'Retry-After': '7' }], [500], [502], [200]));
    expect(await client.count('/organizations')).toBe(0);
    expect(waits).toEqual([7000, 1000, 2000]);
  });

  it('ends after eight tries', async () => {
    const { client, waits } = clientOf(await statuses([503]));
    await expect(client.count('/organizations')).rejects.toThrow('the source is unavailable: it responded with 503');
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  });

  it('is refused with the sentences of the server, which may be plain texts', async () => {
    const { client } = clientOf(await statuses([422]));
    await expect(client.send('POST', '/organizations', {})).rejects.toMatchObject({
      status: 422,
      message: 'the source refused it (422): not now',
    });
  });

  it('names a redirect of a write instead of following it', async () => {
    const { client } = clientOf(await statuses([301, { Location: 'https://elsewhere.example/' }]));
    await expect(client.lock('ws-1', 'why')).rejects.toThrow('the source redirects to https://elsewhere.example/');
  });

  it('reads all pages, and does not go in a circle', async () => {
    const seen: string[] = [];
    const { client } = clientOf(
      await serving(({ url }, response) => {
        const page = Number(new URL(url ?? '', 'http://a').searchParams.get('page[number]'));
        seen.push(url ?? '');
        const pagination = { 'next-page': page === 1 ? 2 : 1 };
        response.end(JSON.stringify({ data: [{ id: `${page}`, type: 'teams' }], meta: { pagination } }));
      }),
    );
    const ids: string[] = [];
    for await (const { id } of client.list('/teams?a=b')) ids.push(id);
    expect(ids).toEqual(['1', '2']);
    expect(seen[0]).toBe('/api/v2/teams?a=b&page[number]=1&page[size]=100');
  });

  it('passes a content on as it arrives, again from the beginning after a 500', async () => {
    const bytes = Buffer.alloc(3_000_000, 'abc');
    const got: string[] = [];
    const url = await serving((request, response) => {
      if (request.method === 'GET') {
        response.end(bytes);
        return;
      }
      const digest = createHash('md5');
      request.on('data', (chunk: Buffer) => digest.update(chunk));
      request.on('end', () => {
        got.push(digest.digest('hex'));
        response.writeHead(got.length === 1 ? 500 : 204).end();
      });
    });
    const { client, waits } = clientOf(url);
    await client.put(`${url.href}upload`, () => client.open(`${url.href}state`));
    const md5 = createHash('md5').update(bytes).digest('hex');
    expect(got).toEqual([md5, md5]);
    expect(waits).toEqual([500]);
  });

  it('sends the token to its own server only', async () => {
    const tokens: (string | undefined)[] = [];
    const note = (request: IncomingMessage, response: ServerResponse) => {
      tokens.push(request.headers.authorization);
      response.end('x');
    };
    const [own, other] = [await serving(note), await serving(note)];
    const { client } = clientOf(own);
    await client.read(`${own.href}state`, (bytes) => fingerprintOf(bytes));
    await client.read(`${other.href}state`, (bytes) => fingerprintOf(bytes));
    expect(tokens).toEqual(['Bearer secret', undefined]);
  });
});
