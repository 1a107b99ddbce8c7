import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commands } from '../../src/infrastructure/cli/commands.js';
import { runCommandLine } from '../../src/infrastructure/cli/run-command-line.js';
import { type Ended, gatehouse, program } from '../support/command-line.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';
import { stateOf, writeState } from '../support/written-states.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** Carries requests to a service, refuses some of them for a moment, and notes what was written. */
class FaultyProxy {
  readonly writes: string[] = [];
  /** Every request of this number is refused. */
  every = 0;
  private seen = 0;
  private waiting: { readonly test: (request: string) => boolean; readonly call: () => void } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly to: URL,
  ) {
    server.on('request', (near, answer) => {
      this.seen += 1;
      const { waiting } = this;
      if (waiting?.test(`${near.method} ${near.url}`)) {
        this.waiting = undefined;
        waiting.call();
      }
      if (this.every > 0 && this.seen % this.every === 0) {
        const status = this.seen % (2 * this.every) === 0 ? 429 : 500;
        answer.writeHead(status, { 'Retry-After': '0' }).end('{"errors":["later"]}');
        return;
      }
      if (near.method !== 'GET') this.writes.push(`${near.method} ${near.url}`);
      const { hostname, port } = this.to;
      const far = request(
        { hostname, port, method: near.method, path: near.url, headers: near.headers },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
        },
      );
      far.on('error', () => answer.destroy());
      near.pipe(far);
    });
  }

  static async start(to: string): Promise<FaultyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, new URL(to));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Calls back at the first request from now on that passes the test. */
  when(test: (request: string) => boolean, call: () => void): void {
    this.waiting = { test, call };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let directory: string;
let source: ServiceProcess;
let target: ServiceProcess;
let from: ServiceSteps;
let to: ServiceSteps;
let proxy: FaultyProxy;

beforeAll(async () => {
  directory = await temporaryDirectory();
  source = await ServiceProcess.start({ DATA_DIR: join(directory, 'source') });
  target = await ServiceProcess.start({ DATA_DIR: join(directory, 'target') });
  [from, to] = [new ServiceSteps(source), new ServiceSteps(target)];
  proxy = await FaultyProxy.start(source.url);
  await everythingAt(from);
});

afterAll(async () => {
  await proxy?.close();
  await source?.end();
  await target?.end();
});

const relating = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });

async function make(steps: ServiceSteps, path: string, type: string, attributes: object, relationships: object = {}) {
  return steps.ask('POST', `/api/v2${path}`, { data: { type, attributes, relationships } });
}

async function writeLocked(steps: ServiceSteps, workspaceId: string, ...serials: readonly number[]): Promise<void> {
  await steps.ask('POST', `/api/v2/workspaces/${workspaceId}/actions/lock`);
  for (const serial of serials) await writeState(steps, workspaceId, stateOf(serial, `10.${serial}.0.0/16`, ['a']));
  await steps.ask('POST', `/api/v2/workspaces/${workspaceId}/actions/unlock`);
}

/** One of everything that comes, and of what does not. */
async function everythingAt(steps: ServiceSteps): Promise<void> {
  const org = '/organizations/acme';
  await make(steps, '/organizations', 'organizations', {
    name: 'acme',
    email: 'ops@example.com',
    'default-execution-mode': 'local',
  });
  const platform = await make(steps, `${org}/teams`, 'teams', {
    name: 'Platform',
    visibility: 'organization',
    'organization-access': { 'manage-workspaces': true },
  });
  await make(
    steps,
    `${org}/organization-memberships`,
    'organization-memberships',
    { email: 'bob@example.com' },
    { teams: relating('teams', platform.id) },
  );
  const network = await make(
    steps,
    `${org}/projects`,
    'projects',
    { name: 'Network', description: 'Shared' },
    { 'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'owner', value: 'net' } }] } },
  );
  const one = (type: string, id: string) => ({ data: { type, id } });
  await make(
    steps,
    '/team-projects',
    'team-projects',
    {
      access: 'custom',
      'project-access': { settings: 'update' },
      'workspace-access': { runs: 'apply', locking: true },
    },
    { team: one('teams', platform.id), project: one('projects', network.id) },
  );
  const api = await make(
    steps,
    `${org}/workspaces`,
    'workspaces',
    {
      name: 'api',
      description: 'The API',
      'auto-apply': true,
      'execution-mode': 'local',
      'terraform-version': '1.9.0',
      'working-directory': 'infra',
      'trigger-prefixes': ['modules'],
      'tag-names': ['blue', 'green'],
    },
    {
      project: one('projects', network.id),
      'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] },
    },
  );
  const web = await make(steps, `${org}/workspaces`, 'workspaces', {
    name: 'web',
    'auto-destroy-at': '2999-01-01T00:00:00Z',
  });
  const busy = await make(steps, `${org}/workspaces`, 'workspaces', { name: 'busy' });
  const pool = await make(
    steps,
    `${org}/agent-pools`,
    'agent-pools',
    { name: 'private', 'organization-scoped': false },
    { 'allowed-workspaces': relating('workspaces', busy.id), 'allowed-projects': relating('projects', network.id) },
  );
  await make(steps, `/agent-pools/${pool.id}/authentication-tokens`, 'authentication-tokens', { description: 'rack' });
  await steps.update(busy.id, { 'execution-mode': 'agent', 'agent-pool-id': pool.id });
  await steps.ask(
    'POST',
    `/api/v2/workspaces/${api.id}/relationships/remote-state-consumers`,
    relating('workspaces', web.id),
  );
  for (const [key, value, more] of [
    ['region', 'eu-west-1', {}],
    ['zones', '["a", "b"]', { hcl: true, description: 'Where' }],
    ['TF_LOG', 'info', { category: 'env' }],
    ['password', 'never-copied', { sensitive: true }],
  ] as const) {
    await make(steps, `/workspaces/${api.id}/vars`, 'vars', { key, value, category: 'terraform', ...more });
  }
  await make(
    steps,
    '/team-workspaces',
    'team-workspaces',
    { access: 'custom', runs: 'apply', variables: 'write', 'workspace-locking': true },
    { team: one('teams', platform.id), workspace: one('workspaces', api.id) },
  );
  const set = await make(
    steps,
    `${org}/varsets`,
    'varsets',
    { name: 'credentials', priority: true },
    { workspaces: relating('workspaces', web.id), projects: relating('projects', network.id) },
  );
  await make(steps, `/varsets/${set.id}/relationships/vars`, 'vars', { key: 'account', value: '42', category: 'env' });
  await make(steps, `${org}/varsets`, 'varsets', { name: 'everywhere', global: true });
  await make(
    steps,
    `${org}/varsets`,
    'varsets',
    { name: 'of the project' },
    { parent: one('projects', network.id), workspaces: relating('workspaces', api.id) },
  );
  const policy = await make(steps, `${org}/policies`, 'policies', {
    name: 'no-public',
    kind: 'opa',
    query: 'data.p.deny',
    'enforcement-level': 'mandatory',
  });
  await fetch(`${steps.service.url}/api/v2/policies/${policy.id}/upload`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${adminToken}` },
    body: 'package p\ndeny contains "x" if false\n',
  });
  const policySet = await make(
    steps,
    `${org}/policy-sets`,
    'policy-sets',
    { name: 'rules', kind: 'opa', overridable: true },
    { policies: relating('policies', policy.id), workspaces: relating('workspaces', api.id) },
  );
  await make(steps, `/policy-sets/${policySet.id}/parameters`, 'vars', {
    key: 'limit',
    value: '3',
    category: 'policy-set',
  });
  const versioned = await make(steps, `${org}/policy-sets`, 'policy-sets', { name: 'uploaded', kind: 'opa' });
  await make(steps, `/policy-sets/${versioned.id}/versions`, 'policy-set-versions', {});
  await writeLocked(steps, api.id, 1, 2, 4);
  await writeLocked(steps, web.id, 7);
  await writeLocked(steps, busy.id, 1);
  await steps.ask('POST', `/api/v2/workspaces/${busy.id}/actions/lock`, { reason: 'an upgrade' });
}

const environment = { IMPORT_FROM_TOKEN: adminToken, IMPORT_TO_TOKEN: adminToken };

const imported = (...more: readonly string[]): Promise<Ended> =>
  gatehouse(['import', '--from', proxy.url, '--to', target.url, ...more], environment);

const byName = async (steps: ServiceSteps, list: string): Promise<Map<string, Json>> =>
  new Map(
    (await steps.ask('GET', `/api/v2${list}`)).map((one: Json) => [one.attributes.name ?? one.attributes.key, one]),
  );

const workspacesOf = (steps: ServiceSteps) => byName(steps, '/organizations/acme/workspaces');

/** Each state of a workspace, oldest first, by its digest. */
async function statesOf(steps: ServiceSteps, name: string): Promise<readonly string[]> {
  const query = `filter[organization][name]=acme&filter[workspace][name]=${name}`;
  const versions: Json[] = await steps.ask('GET', `/api/v2/state-versions?${query}`);
  return versions.map(({ attributes }) => `${attributes.serial} ${attributes.lineage} ${attributes.md5}`).reverse();
}

describe('an import from one service to another', () => {
  it('first shows what comes and what cannot, and changes nothing', async () => {
    const { status, json, out } = await imported();
    expect(status).toBe(0);
    expect(json.applied).toBe(false);
    expect(json.resources.workspaces).toMatchObject({ created: 3, unchanged: 0 });
    expect(json.resources['state versions']).toMatchObject({ created: 3 });
    expect(json.resources.variables).toMatchObject({ created: 3 });
    expect(json['not-imported']).toContainEqual(
      expect.objectContaining({ what: 'sensitive variables', count: 1, names: ['acme/api/password'] }),
    );
    expect(json.resources['agent pools']).toMatchObject({ created: 1 });
    expect(json.resources['execution mode agent']).toMatchObject({ created: 1 });
    expect(json['not-imported']).toContainEqual(
      expect.objectContaining({ what: 'tokens of agent pools', count: null, names: ['acme/private'] }),
    );
    expect(out).not.toContain('never-copied');
    expect((await target.api('GET', '/api/v2/organizations/acme')).status).toBe(404);
    expect(proxy.writes).toEqual([]);
  });

  it('unlocks both sides when it is interrupted', async () => {
    const child = start('--apply', '--all-states');
    await passed(child, (one) => one.endsWith('/actions/lock'));
    child.kill('SIGINT');
    await ended(child);
    expect(child.exitCode).toBe(1);
    expect(await locked(from)).toEqual(['busy']);
    expect(await locked(to)).toEqual([]);
  });

  it('goes on where it was killed, however often, and copies everything once', async () => {
    // Each time a little later.
    for (const requests of [8, 20, 45, 70]) {
      const child = start('--apply', '--all-states');
      let left = requests;
      await passed(child, () => {
        left -= 1;
        return left === 0;
      });
      child.kill('SIGKILL');
      await ended(child);
    }
    proxy.every = 5;
    const { status, json, err } = await imported('--apply', '--all-states');
    proxy.every = 0;
    expect(err).toBe('');
    // The locked workspace.
    expect(status).toBe(1);
    expect(json.troubles).toEqual([
      {
        kind: 'state versions',
        name: 'acme/busy',
        outcome: 'skipped',
        detail: expect.stringContaining('the source did not lock it'),
      },
    ]);
    expect(await statesOf(to, 'api')).toEqual(await statesOf(from, 'api'));
    expect(await statesOf(to, 'api')).toHaveLength(3);
    expect(await statesOf(to, 'web')).toEqual(await statesOf(from, 'web'));
    expect(await statesOf(to, 'busy')).toEqual([]);
  });

  it('leaves no lock but that of another user, and writes nothing else to the source', async () => {
    expect(await locked(from)).toEqual(['busy']);
    expect(await locked(to)).toEqual([]);
    expect(proxy.writes.filter((one) => !/^POST \/api\/v2\/workspaces\/ws-\w+\/actions\/(un)?lock$/.test(one))).toEqual(
      [],
    );
  });

  it('changes nothing the second time, and says so', async () => {
    await from.ask('POST', `/api/v2/workspaces/${(await workspacesOf(from)).get('busy').id}/actions/unlock`);
    expect((await imported('--apply', '--all-states')).json.resources['state versions']).toMatchObject({ created: 1 });
    const writes = proxy.writes.length;
    const again = await imported('--apply', '--all-states');
    expect(again.status).toBe(0);
    for (const counts of Object.values<Json>(again.json.resources)) {
      expect(counts).toMatchObject({ created: 0, updated: 0, skipped: 0, failed: 0 });
    }
    expect(proxy.writes).toHaveLength(writes);
    const { out } = await inTerminal(['import', '--from', proxy.url, '--to', target.url, '--apply']);
    expect(out).toContain('Nothing to change: the target has all that can come.');
  });

  it('brings settings, tags, variables, access and policies as they were', async () => {
    const [workspaces, projects] = [await workspacesOf(to), await byName(to, '/organizations/acme/projects')];
    const api = workspaces.get('api');
    const wanted = (await workspacesOf(from)).get('api').attributes;
    for (const name of [
      'description',
      'auto-apply',
      'execution-mode',
      'terraform-version',
      'working-directory',
      'trigger-prefixes',
      'tag-names',
      'setting-overwrites',
    ]) {
      expect(api.attributes[name]).toEqual(wanted[name]);
    }
    expect(workspaces.get('web').attributes['setting-overwrites']).toEqual({
      'execution-mode': false,
      'agent-pool': false,
    });
    expect(workspaces.get('web').attributes['auto-destroy-at']).toBe('2999-01-01T00:00:00.000Z');
    const network = projects.get('Network');
    const pool = (await byName(to, '/organizations/acme/agent-pools')).get('private');
    const busy = workspaces.get('busy');
    expect(pool.attributes['organization-scoped']).toBe(false);
    expect(pool.relationships).toMatchObject({
      'allowed-workspaces': relating('workspaces', busy.id),
      'allowed-projects': relating('projects', network.id),
    });
    expect(busy.attributes['execution-mode']).toBe('agent');
    expect(busy.relationships['agent-pool'].data.id).toBe(pool.id);
    expect(api.relationships.project.data.id).toBe(network.id);
    expect(network.attributes.description).toBe('Shared');
    const bindings = async (path: string) =>
      (await to.ask('GET', `/api/v2${path}/tag-bindings`)).map(
        ({ attributes: { key, value } }: Json) => `${key}=${value}`,
      );
    expect(await bindings(`/workspaces/${api.id}`)).toEqual(['env=prod']);
    expect(await bindings(`/projects/${network.id}`)).toEqual(['owner=net']);
    const variables = await byName(to, `/workspaces/${api.id}/vars`);
    expect([...variables.keys()].sort()).toEqual(['TF_LOG', 'region', 'zones']);
    expect(variables.get('zones').attributes).toMatchObject({ value: '["a", "b"]', hcl: true, description: 'Where' });
    const [access] = await to.ask('GET', `/api/v2/team-workspaces?filter[workspace][id]=${api.id}`);
    expect(access.attributes).toMatchObject({
      access: 'custom',
      runs: 'apply',
      variables: 'write',
      'workspace-locking': true,
    });
    const [projectAccess] = await to.ask('GET', `/api/v2/team-projects?filter[project][id]=${network.id}`);
    expect(projectAccess.attributes).toMatchObject({ access: 'custom', 'project-access': { settings: 'update' } });
    const teams = await byName(to, '/organizations/acme/teams');
    expect(teams.get('Platform').attributes['organization-access']['manage-workspaces']).toBe(true);
    const members: Json[] = await to.ask('GET', '/api/v2/organizations/acme/organization-memberships');
    const bob = members.find(({ attributes }) => attributes.email === 'bob@example.com');
    expect(bob.attributes.status).toBe('invited');
    expect(bob.relationships.teams.data.map(({ id }: Json) => id)).toEqual([teams.get('Platform').id]);
    const sets = await byName(to, '/organizations/acme/varsets');
    expect([...sets.keys()].sort()).toEqual(['credentials', 'everywhere', 'of the project']);
    expect(sets.get('credentials').relationships.projects.data).toEqual([{ id: network.id, type: 'projects' }]);
    expect(sets.get('of the project').relationships.parent.data.id).toBe(network.id);
    const policy = (await byName(to, '/organizations/acme/policies')).get('no-public');
    const download = await fetch(`${target.url}/api/v2/policies/${policy.id}/download`, {
      headers: { Authorization: `Bearer ${adminToken}` },
    });
    expect(await download.text()).toBe('package p\ndeny contains "x" if false\n');
    const policySets = await byName(to, '/organizations/acme/policy-sets');
    expect([...policySets.keys()]).toEqual(['rules']);
    expect(policySets.get('rules').relationships.policies.data.map(({ id }: Json) => id)).toEqual([policy.id]);
    const consumers: Json[] = await to.ask('GET', `/api/v2/workspaces/${api.id}/relationships/remote-state-consumers`);
    expect(consumers.map(({ attributes }) => attributes.name)).toEqual(['web']);
  });

  it('updates what has changed, and removes nothing', async () => {
    const [there, here] = [(await workspacesOf(from)).get('web'), (await workspacesOf(to)).get('web')];
    await from.update(there.id, { description: 'Changed' });
    await make(to, `/workspaces/${here.id}/vars`, 'vars', { key: 'own', value: '1', category: 'terraform' });
    await writeLocked(from, there.id, 8, 9);
    const { status, json } = await imported('--apply', '--organization', 'acme');
    expect(status).toBe(0);
    expect(json.resources.workspaces).toMatchObject({ updated: 1, unchanged: 2 });
    expect(json.resources['state versions']).toMatchObject({ created: 1, unchanged: 2 });
    expect((await workspacesOf(to)).get('web').attributes.description).toBe('Changed');
    expect((await statesOf(to, 'web')).map((one) => one.split(' ')[0])).toEqual(['7', '9']);
    expect([...(await byName(to, `/workspaces/${here.id}/vars`)).keys()]).toEqual(['own']);
  });

  it('does not replace a state that the target has continued, or that the source never had', async () => {
    const [web, api] = [(await workspacesOf(to)).get('web'), (await workspacesOf(from)).get('api')];
    await writeLocked(to, web.id, 10);
    await writeLocked(to, (await workspacesOf(to)).get('api').id, 5);
    await writeLocked(from, api.id, 6);
    const { status, json } = await imported('--apply');
    expect(status).toBe(1);
    expect(json.troubles).toMatchObject([{ name: 'acme/api', outcome: 'skipped' }]);
    expect(json['not-imported']).toContainEqual(
      expect.objectContaining({ what: 'states that are older than at the target', names: ['acme/web'] }),
    );
    expect((await statesOf(to, 'web')).at(-1)).toMatch(/^10 /);
    expect((await statesOf(to, 'api')).at(-1)).toMatch(/^5 /);
  });

  it.each([
    [['import', '--from', 'https://a.example', '--to', 'https://a.example'], 'different servers'],
    [['import', '--from', 'https://a.example/sub', '--to', 'https://b.example'], 'must not have a path'],
    [['import', '--from', 'https://u:p@a.example', '--to', 'https://b.example'], 'without a user'],
    [['import', '--from', 'https://a.example'], '--to is required'],
  ])('refuses %j', async (words, sentence) => {
    const { status, err } = await inTerminal(words);
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(sentence) });
  });

  it('says which token is missing or refused, and never prints one', async () => {
    const words = ['import', '--from', proxy.url, '--to', target.url];
    const without = await inTerminal(words, {});
    expect(without).toMatchObject({ status: 2, err: expect.stringContaining('IMPORT_FROM_TOKEN') });
    const wrong = await inTerminal(words, { ...environment, IMPORT_FROM_TOKEN: 'not-the-token-of-anyone' });
    expect(wrong).toMatchObject({ status: 1, err: expect.stringContaining('the source refused the token') });
    expect(wrong.err).not.toContain('not-the-token');
    expect(await inTerminal([...words, '--organization', 'nobody'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('no organization nobody'),
    });
  });
});

const start = (...more: readonly string[]): ChildProcess =>
  spawn(process.execPath, [program, 'import', '--from', proxy.url, '--to', target.url, ...more], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'ignore',
  });

/** Runs the command in this process, as in a terminal, which a test does not have. */
async function inTerminal(words: readonly string[], given: Readonly<Record<string, string>> = environment) {
  const printed = { out: '', err: '' };
  const writing = (to: keyof typeof printed) => (text: string) => {
    printed[to] += text;
  };
  const status = await runCommandLine(words, commands, {
    environment: given,
    out: { isTTY: true, write: writing('out') },
    err: { write: writing('err') },
  });
  return { status, ...printed };
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Resolves at a request to the source that passes the test, or at the end of the process. */
function passed(child: ChildProcess, test: (request: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    proxy.when(test, resolve);
  });
}

const locked = async (steps: ServiceSteps): Promise<readonly string[]> =>
  [...(await workspacesOf(steps)).values()]
    .filter(({ attributes }) => attributes.locked)
    .map(({ attributes }) => attributes.name);
