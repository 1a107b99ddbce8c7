import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig } from '../../src/infrastructure/config.js';
import { type RunningService, startService } from '../../src/infrastructure/service.js';
import { archiveOf } from '../support/archives.js';
import { gatehouse } from '../support/command-line.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { inTemporaryDirectory, temporaryDirectory } from '../support/process.js';
import { over, ReferenceAgent } from '../support/reference-agent.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { until } from '../support/service-steps.js';
import { bytesOf, githubHeaders, signersBy } from '../support/webhook-deliveries.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

const adminToken = 'an-administrator-token-for-tests';
const secretNamed = (name: string) => `a signing secret for tests, long enough: ${name}`.replaceAll(/[\s,]+/g, '-');

/** One running service of several, and requests to it. */
class Instance {
  constructor(
    readonly service: RunningService,
    readonly directory: string,
    readonly log: readonly Json[],
  ) {}

  get url(): string {
    return this.service.publicUrl;
  }

  async call(method: string, path: string, body?: object, token = adminToken): Promise<{ status: number; json: Json }> {
    const response = await fetch(this.here(path), {
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const { status, json } = await this.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
    return json?.data;
  }

  status(path: string, token: string): Promise<number> {
    return this.call('GET', path, undefined, token).then(({ status }) => status);
  }

  /** The same path or URL on this instance, whichever instance issued it. */
  here(url: string): string {
    return this.url + (url.startsWith('http') ? url.replace(/^https?:\/\/[^/]+/, '') : url);
  }

  agent(token: string): ReferenceAgent {
    return new ReferenceAgent(over(this.url), token);
  }
}

/** Instances that share the settings' database and store, each with its own data directory. */
class Group {
  private readonly started: Instance[] = [];
  private readonly directories: string[] = [];

  private constructor(
    readonly settings: Readonly<Record<string, string>>,
    private readonly dropRows: () => Promise<void>,
  ) {}

  static async onPostgres(settings: Readonly<Record<string, string>> = {}): Promise<Group> {
    const { url, drop } = await freshSchema();
    return new Group({ DATABASE_URL: url, SIGNING_SECRET: secretNamed('usual'), ...settings }, drop);
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<Instance> {
    const directory = await temporaryDirectory();
    this.directories.push(directory);
    const config = loadConfig({
      PORT: '0',
      DATA_DIR: directory,
      RATE_LIMIT_PER_SECOND: '0',
      ADMIN_TOKEN: adminToken,
      ...this.settings,
      ...settings,
    });
    const log: Json[] = [];
    const sink = { write: (line: string) => log.push(JSON.parse(line)) };
    const service = await startService(config, pino({ level: 'info' }, sink), { uploads: 800, answers: 400 });
    const instance = new Instance(service, directory, log);
    this.started.push(instance);
    return instance;
  }

  async stop(instance: Instance): Promise<void> {
    this.started.splice(this.started.indexOf(instance), 1);
    await instance.service.stop();
  }

  async end(): Promise<void> {
    await Promise.all([...this.started].map((instance) => this.stop(instance)));
    for (const directory of this.directories) await rm(directory, { recursive: true, force: true });
    await this.dropRows();
  }
}

const document = (type: string, attributes: object, relationships: object = {}) => ({
  data: { type, attributes, relationships },
});
const organization = document('organizations', { name: 'acme', email: 'ops@example.com' });
const onPostgres = skipPostgres ? describe.skip : describe;

onPostgres('three instances on one Postgres and one bucket', () => {
  let store: S3Server;
  let group: Group;
  let [a, b, c] = [] as Instance[] as [Instance, Instance, Instance];
  let workspaceId: string;
  let count = 0;
  const unique = () => {
    count += 1;
    return `thing-${count}`;
  };

  beforeAll(async () => {
    store = await startS3Server();
    // The store's client reads its credentials from the environment, whatever the settings are.
    Object.assign(process.env, store.environment);
    group = await Group.onPostgres(store.environment);
    [a, b, c] = await Promise.all([group.start(), group.start(), group.start()]);
    await a.ask('POST', '/organizations', organization);
    workspaceId = await newWorkspace();
  });
  afterAll(async () => {
    await group.end();
    for (const name of Object.keys(store.environment)) delete process.env[name];
    await store.close();
  });

  const newWorkspace = async (attributes: object = {}): Promise<string> =>
    (await a.ask('POST', '/organizations/acme/workspaces', document('workspaces', { name: unique(), ...attributes })))
      .id;
  const newUser = async () => {
    const attributes = { username: unique(), email: `${unique()}@example.com` };
    const { json } = await a.call('POST', '/admin/users', document('users', attributes));
    return {
      id: json.data.id as string,
      email: attributes.email,
      token: json.included[0].attributes.token as string,
      tokenId: json.included[0].id as string,
    };
  };
  const newMember = async (teamIds: readonly string[] = []) => {
    const user = await newUser();
    const teams = { data: teamIds.map((id) => ({ id, type: 'teams' })) };
    const body = document('organization-memberships', { email: user.email }, { teams });
    const membership = await a.ask('POST', '/organizations/acme/organization-memberships', body);
    return { ...user, membershipId: membership.id as string };
  };
  const newTeam = async (): Promise<string> =>
    (await a.ask('POST', '/organizations/acme/teams', document('teams', { name: unique() }))).id;
  const newAccess = async (teamId: string, access: string): Promise<string> => {
    const relationships = {
      team: { data: { id: teamId, type: 'teams' } },
      workspace: { data: { id: workspaceId, type: 'workspaces' } },
    };
    return (await a.ask('POST', '/team-workspaces', document('team-workspaces', { access }, relationships))).id;
  };
  const tokenOf = async (path: string, body?: object): Promise<string> =>
    (await a.ask('POST', path, body)).attributes.token;
  const versionsPath = () => `/workspaces/${workspaceId}/configuration-versions`;

  it('serve a version between them: created at one, uploaded at the next, downloaded from the third', async () => {
    const bytes = await archiveOf({ 'main.tf': '# shared' });
    const version = await a.ask('POST', versionsPath(), { data: { attributes: { 'auto-queue-runs': false } } });
    const upload = b.here(version.attributes['upload-url']);
    expect((await fetch(upload, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
    const download = await fetch(c.here(`/configuration-versions/${version.id}/download`), {
      redirect: 'manual',
      headers: { Authorization: `Bearer ${adminToken}` },
    });
    const got = await fetch(download.headers.get('location') ?? '');
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('share an agent, its run and the readers of its log', async () => {
    const pool = await a.ask('POST', '/organizations/acme/agent-pools', document('agent-pools', { name: unique() }));
    const token = await tokenOf(`/agent-pools/${pool.id}/authentication-tokens`);
    const own = await newWorkspace({ 'execution-mode': 'agent', 'agent-pool-id': pool.id });
    const version = await a.ask('POST', `/workspaces/${own}/configuration-versions`);
    const bytes = new Uint8Array(await archiveOf({ 'main.tf': '# planned' }));
    expect((await fetch(a.here(version.attributes['upload-url']), { method: 'PUT', body: bytes })).status).toBe(200);
    const claimed = await a.agent(token).claimed();
    const [atB, atC] = [b.agent(token).resumed(claimed), c.agent(token).resumed(claimed)];
    expect((await atB.heartbeat()).status).toBe(200);
    expect((await atC.configuration()).status).toBe(200);
    expect((await atB.log(0, 'planning\n')).status).toBe(200);
    const run = await c.ask('GET', `/runs/${claimed.runId}`);
    const plan = await c.ask('GET', `/plans/${run.relationships.plan.data.id}`);
    expect(await (await fetch(b.here(plan.attributes['log-read-url']))).text()).toContain('planning');
    expect((await atC.planned(false)).json.run.status).toBe('planned_and_finished');
    expect((await a.ask('GET', `/runs/${claimed.runId}`)).attributes.status).toBe('planned_and_finished');
  });

  /** Each creates a right, and returns how to use it at an instance and how to revoke it at the first. */
  const rights: Readonly<
    Record<
      string,
      () => Promise<{ readonly use: (at: Instance) => Promise<number>; readonly revoke: () => Promise<unknown> }>
    >
  > = {
    'a token': async () => {
      const { token, tokenId } = await newUser();
      return {
        use: (at) => at.status('/account/details', token),
        revoke: () => a.call('DELETE', `/authentication-tokens/${tokenId}`, undefined, token),
      };
    },
    'a user who is suspended': async () => {
      const { token, id } = await newUser();
      return {
        use: (at) => at.status('/account/details', token),
        revoke: () => a.ask('POST', `/admin/users/${id}/actions/suspend`),
      };
    },
    'a membership of the organization': async () => {
      const { token, membershipId } = await newMember();
      return {
        use: (at) => at.status('/organizations/acme', token),
        revoke: () => a.ask('DELETE', `/organization-memberships/${membershipId}`),
      };
    },
    'a membership of a team': async () => {
      const teamId = await newTeam();
      await newAccess(teamId, 'read');
      const { token, membershipId } = await newMember([teamId]);
      const body = { data: [{ id: membershipId, type: 'organization-memberships' }] };
      return {
        use: (at) => at.status(versionsPath(), token),
        revoke: () => a.ask('DELETE', `/teams/${teamId}/relationships/organization-memberships`, body),
      };
    },
    'the access of a team': async () => {
      const teamId = await newTeam();
      const accessId = await newAccess(teamId, 'write');
      const { token } = await newMember([teamId]);
      return {
        use: (at) => at.status(versionsPath(), token),
        revoke: () => a.ask('DELETE', `/team-workspaces/${accessId}`),
      };
    },
    'a level of access that is lowered': async () => {
      const teamId = await newTeam();
      const accessId = await newAccess(teamId, 'write');
      const { token } = await newMember([teamId]);
      const body = { data: { attributes: { speculative: true } } };
      const lower = document('team-workspaces', { access: 'read' });
      return {
        use: (at) => at.call('POST', versionsPath(), body, token).then(({ status }) => status),
        revoke: () => a.ask('PATCH', `/team-workspaces/${accessId}`, lower),
      };
    },
    'a token of a team that gets another': async () => {
      const teamId = await newTeam();
      const newToken = () => tokenOf(`/teams/${teamId}/authentication-token`, document('authentication-token', {}));
      const token = await newToken();
      return {
        use: (at) => at.status('/organizations/acme', token),
        revoke: newToken,
      };
    },
    'a token of the organization': async () => {
      const token = await tokenOf('/organizations/acme/authentication-token');
      return {
        use: (at) => at.status('/organizations/acme', token),
        revoke: () => a.ask('DELETE', '/organizations/acme/authentication-token'),
      };
    },
    'a token of an agent': async () => {
      const pool = await a.ask('POST', '/organizations/acme/agent-pools', document('agent-pools', { name: unique() }));
      const issued = await a.ask('POST', `/agent-pools/${pool.id}/authentication-tokens`);
      const { token } = issued.attributes;
      return {
        use: async (at) => (await at.agent(token).json('post', '/agent/v1/claims?wait=0', {}, '{"name":"x"}')).status,
        revoke: () => a.ask('DELETE', `/authentication-tokens/${issued.id}`),
      };
    },
  };

  it.each(Object.keys(rights))('refuse, each at its next request, %s that was revoked at one of them', async (name) => {
    const { use, revoke } = await (rights[name] as (typeof rights)[string])();
    for (const at of [a, b, c]) expect(await use(at)).toBeLessThan(300);
    await revoke();
    for (const at of [b, c, a]) expect([401, 404]).toContain(await use(at));
  });

  it('continue when one of them stops, and perform the effects it ordered', async () => {
    const leaving = await group.start();
    const bytes = new Uint8Array(await archiveOf({ 'main.tf': '# left behind' }));
    const own = await newWorkspace();
    const version = await leaving.ask('POST', `/workspaces/${own}/configuration-versions`);
    expect((await fetch(version.attributes['upload-url'], { method: 'PUT', body: bytes })).status).toBe(200);
    const stopped = group.stop(leaving);
    const statuses: number[] = [];
    for (let asked = 0; asked < 20; asked += 1) {
      statuses.push(await (asked % 2 === 0 ? b : c).status('/account/details', adminToken));
    }
    await stopped;
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect(fetch(leaving.url)).rejects.toThrow();
    await until('the run that its upload orders is there', async () => {
      const runs: readonly Json[] = await b.ask('GET', `/workspaces/${own}/runs`);
      return runs.length === 1;
    });
  });
});

onPostgres('instances on one Postgres', () => {
  let group: Group;
  afterEach(() => group.end());

  it('start together on an empty database, during manual migrations: one creates the administrator', async () => {
    group = await Group.onPostgres({ ADMIN_TOKEN: '' });
    const byHand = [1, 2, 3].map(() => gatehouse(['migrate'], group.settings));
    const instances = await Promise.all([1, 2, 3, 4, 5].map(() => group.start()));
    for (const { status, err } of await Promise.all(byHand)) expect({ status, err }).toEqual({ status: 0, err: '' });
    const made = instances.filter(({ service }) => service.adminSecret !== undefined);
    expect(made).toHaveLength(1);
    for (const instance of instances) {
      expect(await instance.status('/admin/users', made[0]?.service.adminSecret ?? '')).toBe(200);
    }
  });

  it('let a caller pass together what one alone would', async () => {
    group = await Group.onPostgres({ RATE_LIMIT_PER_SECOND: '30' });
    const instances = await Promise.all([group.start(), group.start(), group.start()]);
    let over = false;
    const passed: number[] = [];
    const flood = async (at: Instance) => {
      while (!over) {
        if ((await at.status('/account/details', adminToken)) === 200) passed.push(performance.now());
        // Evenly, and well above the limit.
        await pause(5);
      }
    };
    const begun = performance.now();
    const floods = instances.map(flood);
    await pause(3_000);
    // 1.5 seconds overlap at most three of the one-second windows of the limit.
    const lately = () => passed.filter((moment) => moment > performance.now() - 1_500).length;
    const some = async () => lately() > 0 && lately() <= 3 * (30 + 3 * 3);
    await until('some pass, and no more than may', some).finally(() => {
      over = true;
    });
    await Promise.all(floods);
    expect(passed.length).toBeLessThanOrEqual(3 * 30 * Math.ceil((performance.now() - begun) / 1000 + 1));
    expect(instances.flatMap(({ log }) => log).filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('do not start with a signing secret that the others do not have', async () => {
    group = await Group.onPostgres();
    await group.start();
    for (const SIGNING_SECRET of ['', secretNamed('another')]) {
      await expect(group.start({ SIGNING_SECRET })).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(/SIGNING_SECRET.*delete from signing_keys/s),
      });
    }
  });

  it('of an older release do not start once the database is a newer one’s', async () => {
    group = await Group.onPostgres();
    await group.start();
    const client = new pg.Client({ connectionString: group.settings.DATABASE_URL });
    await client.connect();
    await client.query("insert into knex_migrations (name, batch, migration_time) values ('9999_later.ts', 9, now())");
    await client.end();
    await expect(group.start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching('9999_later.ts'),
    });
  });

  it('change their signing secret one after the other, and URLs and webhooks work throughout', async () => {
    group = await Group.onPostgres();
    const lists = ['old', 'old,new', 'new,old', 'new'].map((list) => list.split(',').map(secretNamed).join(','));
    await throughout(
      lists.flatMap((list, step) =>
        step === 0
          ? [[list, list]]
          : [
              [list, lists[step - 1] ?? ''],
              [list, list],
            ],
      ),
      (SIGNING_SECRET) => group.start({ SIGNING_SECRET }),
      (instance) => group.stop(instance),
    );
  });
});

describe('one service on SQLite', () => {
  it('changes its signing secret, and URLs and webhooks work throughout', async () => {
    await inTemporaryDirectory(async (DATA_DIR) => {
      const start = async (list: string) => {
        await writeFile(join(DATA_DIR, 'signing-secret'), `${list.replaceAll(',', '\n')}\n`);
        const config = loadConfig({ PORT: '0', DATA_DIR, ADMIN_TOKEN: adminToken });
        const log: Json[] = [];
        const sink = { write: (line: string) => log.push(JSON.parse(line)) };
        return new Instance(await startService(config, pino({ level: 'info' }, sink)), DATA_DIR, log);
      };
      const [old, both, alone] = ['old', 'new,old', 'new'].map((list) => list.split(',').map(secretNamed).join(','));
      await throughout([[old], [both], [alone]] as string[][], start, ({ service }) => service.stop());
    });
  });
});

/** Starts, in each step, one instance for each list of secrets; uses at each what the others and earlier steps issued. */
async function throughout(
  steps: readonly (readonly string[])[],
  start: (list: string) => Promise<Instance>,
  stop: (instance: Instance) => Promise<void>,
): Promise<void> {
  const bytes = new Uint8Array(await archiveOf({ 'main.tf': '' }));
  let uploads: { readonly url: string; readonly signed: string; readonly by: Instance }[] = [];
  let across = 0;
  let hook = { path: '', key: '' };
  let deliveries = 0;
  const deliver = async (at: Instance) => {
    deliveries += 1;
    const body = bytesOf({ zen: 'Keep it logically awesome.' });
    const headers = { ...githubHeaders('ping', `delivery-${deliveries}`), ...signersBy(hook.key).hub(body) };
    const response = await fetch(at.here(hook.path), {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    return response.status;
  };

  for (const [number, lists] of steps.entries()) {
    const instances: Instance[] = [];
    for (const list of lists) instances.push(await start(list));
    const [first] = instances;
    if (first === undefined) throw new Error('every step has an instance');
    if (number === 0) {
      await first.ask('POST', '/organizations', organization);
      const repository = { 'clone-url': 'https://git.example.com/acme/api.git' };
      const attributes = { name: 'api', 'vcs-repo': repository };
      const made = await first.ask('POST', '/organizations/acme/workspaces', document('workspaces', attributes));
      hook = { path: made.attributes['vcs-repo']['webhook-url'], key: made.attributes['vcs-repo']['webhook-key'] };
    }
    for (const [index, instance] of instances.entries()) {
      await until('stored secrets are sealed as they should be', async () =>
        instance.log.some(({ msg }) => /^every stored secret is sealed/.test(msg)),
      );
      const workspace = await instance.ask('GET', '/organizations/acme/workspaces/api');
      for (let given = 0; given < 3; given += 1) {
        const body = { data: { attributes: { 'auto-queue-runs': false } } };
        const version = await instance.ask('POST', `/workspaces/${workspace.id}/configuration-versions`, body);
        const signed = (lists[index] ?? '').split(',')[0] ?? '';
        uploads.push({ url: version.attributes['upload-url'], signed, by: instance });
      }
    }
    for (const [index, instance] of instances.entries()) {
      expect(await deliver(instance)).toBeLessThan(300);
      const known = (lists[index] ?? '').split(',');
      // Waits until those signed with a dropped secret have expired.
      const fromOthers = uploads.filter(({ signed, by }) => known.includes(signed) && by !== instance);
      const used = new Set([fromOthers.at(0), fromOthers.at(-1)]);
      for (const upload of used) {
        if (upload === undefined) continue;
        expect((await fetch(instance.here(upload.url), { method: 'PUT', body: bytes })).status).toBe(200);
        across += 1;
      }
      uploads = uploads.filter((upload) => !used.has(upload));
    }
    for (const instance of instances) await stop(instance);
  }
  expect(across).toBeGreaterThanOrEqual(2 * (steps.length - 1));
}
