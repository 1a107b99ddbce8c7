import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig } from '../../src/infrastructure/config.js';
import { type RunningService, startService } from '../../src/infrastructure/service.js';
import { archiveOf } from '../support/archives.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { temporaryDirectory } from '../support/process.js';
import { over, ReferenceAgent } from '../support/reference-agent.js';
import { until } from '../support/service-steps.js';
import { bytesOf, githubHeaders, signersBy } from '../support/webhook-deliveries.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** The answers of the first release, and the secrets it issued, when it was killed. */
interface Manifest {
  readonly signingSecret: string;
  readonly administrator: string;
  readonly tokens: readonly { readonly of: string; readonly secret: string; path: string; status: number }[];
  /** SHA-256 of each version's download. */
  readonly bundles: Readonly<Record<string, string>>;
  /** The logs an agent wrote, by run. */
  readonly logs: Readonly<Record<string, Readonly<Record<'plan' | 'apply', string>>>>;
  readonly pendingUpload: { readonly id: string; readonly path: string };
  readonly softDeleted: string;
  readonly webhook: { readonly path: string; readonly key: string };
  readonly leased: { readonly agentToken: string; readonly runId: string; readonly lease: string };
  /** Orders of its last requests that were not performed. */
  readonly ordered: Readonly<Record<'workspace' | 'archived' | 'uploaded' | 'fetching', string>>;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly documents: ReadonlyMap<string, Json>;
}

/** An address without a server: a fetch fails at once. */
const nowhere = '127.0.0.1:9';

async function read(kind: string, name: string): Promise<string> {
  const text = await readFile(new URL(`../fixtures/first-release/${kind}/${name}`, import.meta.url), 'utf8');
  return text.replaceAll('git.example:3080', nowhere);
}

async function manifestOf(kind: string): Promise<Manifest> {
  const lines = (await read(kind, 'manifest.jsonl')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as [string, Json]);
  const file = 'file ';
  const named = entries.filter(([name]) => name.startsWith(file));
  return {
    ...(Object.fromEntries(entries) as Json),
    files: new Map(named.map(([name, base64]) => [name.slice(file.length), Buffer.from(base64, 'base64')])),
    documents: new Map(entries.filter(([name]) => name.startsWith('/'))),
  };
}

/** The environment of a service on the first release's data, and its disposal. */
interface Restored {
  readonly environment: Readonly<Record<string, string>>;
  readonly drop: () => Promise<void>;
}

async function onSqlite(dataDir: string, { signingSecret }: Manifest): Promise<Restored> {
  const database = new Database(join(dataDir, 'gatehouse.sqlite'));
  // Tables are in the order of their names.
  database.pragma('foreign_keys = OFF');
  database.exec(await read('sqlite', 'dump.sql'));
  database.close();
  await writeFile(join(dataDir, 'signing-secret'), `${signingSecret}\n`);
  return { environment: {}, drop: async () => {} };
}

async function onPostgres(_dataDir: string, { signingSecret }: Manifest): Promise<Restored> {
  const { url, drop } = await freshSchema();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(await read('postgres', 'dump.sql'));
  await client.end();
  return { environment: { DATABASE_URL: url, SIGNING_SECRET: signingSecret }, drop };
}

/** Members that later releases add to the first one's, by type of resource. */
const added: readonly string[] = [
  'agent-pools/relationships/allowed-workspaces',
  'agent-pools/relationships/excluded-workspaces',
  'ingress-attributes/links',
  'organizations/attributes/aggregated-commit-status-enabled',
  'organizations/attributes/allow-force-delete-workspaces',
  'organizations/attributes/assessments-enforced',
  'organizations/attributes/collaborator-auth-policy',
  'organizations/attributes/cost-estimation-enabled',
  'organizations/attributes/default-execution-mode',
  'organizations/attributes/enforce-hyok',
  'organizations/attributes/max-ttl-enabled',
  'organizations/attributes/owners-team-saml-role-id',
  'organizations/attributes/registry-monorepo-support-enabled',
  'organizations/attributes/send-passing-statuses-for-untriggered-speculative-plans',
  'organizations/attributes/session-remember',
  'organizations/attributes/session-timeout',
  'organizations/attributes/speculative-plan-management-enabled',
  'organizations/attributes/stacks-enabled',
  'organizations/attributes/user-tokens-enabled',
  'organizations/relationships/default-agent-pool',
  'organizations/relationships/default-project',
  'policy-sets/attributes/agent-enabled',
  'policy-sets/attributes/policies-path',
  'policy-sets/attributes/policy-tool-version',
  'policy-sets/attributes/policy-update-patterns',
  'policy-sets/attributes/vcs-repo',
  'policy-sets/relationships/current-version',
  'policy-sets/relationships/newest-version',
  'policy-sets/relationships/policies',
  'policy-sets/relationships/workspace-exclusions',
  'runs/attributes/debugging-mode',
  'runs/attributes/force-cancel-available-at',
  'runs/attributes/policy-paths',
  'runs/attributes/position-in-queue',
  'runs/attributes/updated-at',
  'runs/relationships/canceled-by',
  'runs/relationships/comments',
  'runs/relationships/confirmed-by',
  'runs/relationships/run-events',
  'team-workspaces/attributes/policy-overrides',
  'teams/attributes/organization-access/delegate-policy-overrides',
  'teams/attributes/organization-access/manage-modules',
  'teams/attributes/organization-access/manage-projects',
  'teams/attributes/organization-access/manage-providers',
  'teams/attributes/organization-access/manage-public-modules',
  'teams/attributes/organization-access/manage-public-providers',
  'teams/attributes/organization-access/manage-run-tasks',
  'teams/attributes/organization-access/read-projects',
  'teams/attributes/sso-team-id',
  'teams/relationships/organization-memberships',
  'users/attributes/avatar-url',
  'users/attributes/is-site-admin',
  'users/attributes/two-factor',
  'users/attributes/unconfirmed-email',
  'workspaces/attributes/actions',
  'workspaces/attributes/allow-destroy-plan',
  'workspaces/attributes/assessments-enabled',
  'workspaces/attributes/auto-apply-run-trigger',
  'workspaces/attributes/auto-destroy-activity-duration',
  'workspaces/attributes/auto-destroy-at',
  'workspaces/attributes/environment',
  'workspaces/attributes/file-triggers-enabled',
  'workspaces/attributes/global-remote-state',
  'workspaces/attributes/permissions/can-archive-configuration-version',
  'workspaces/attributes/permissions/can-create-state-versions',
  'workspaces/attributes/permissions/can-force-delete',
  'workspaces/attributes/permissions/can-link-repository',
  'workspaces/attributes/permissions/can-manage-backing-data',
  'workspaces/attributes/permissions/can-manage-run-tasks',
  'workspaces/attributes/permissions/can-manage-tags',
  'workspaces/attributes/permissions/can-manage-team-access',
  'workspaces/attributes/permissions/can-read-state-outputs',
  'workspaces/attributes/permissions/can-read-state-versions',
  'workspaces/attributes/permissions/can-read-variable',
  'workspaces/attributes/permissions/can-schedule-destroy',
  'workspaces/attributes/permissions/can-set-retention',
  'workspaces/attributes/permissions/can-update-variable',
  'workspaces/attributes/queue-all-runs',
  'workspaces/attributes/resource-count',
  'workspaces/attributes/runs-count',
  'workspaces/attributes/setting-overwrites',
  'workspaces/attributes/source',
  'workspaces/attributes/source-name',
  'workspaces/attributes/source-url',
  'workspaces/attributes/speculative-enabled',
  'workspaces/attributes/tag-names',
  'workspaces/attributes/trigger-patterns',
  'workspaces/attributes/trigger-prefixes',
  'workspaces/attributes/workspace-kpis-runs-count',
  'workspaces/relationships/current-run',
  'workspaces/relationships/current-state-version',
  'workspaces/relationships/data-retention-policy',
  'workspaces/relationships/effective-tag-bindings',
  'workspaces/relationships/latest-run',
  'workspaces/relationships/outputs',
  'workspaces/relationships/project',
  'workspaces/relationships/tag-bindings',
  'workspaces/relationships/vars',
];

/** The values of settings that later releases added. */
const newSettings = {
  'allow-destroy-plan': true,
  'auto-destroy-at': null,
  'file-triggers-enabled': true,
  'global-remote-state': false,
  'queue-all-runs': false,
  source: 'tfe-api',
  'source-name': null,
  'speculative-enabled': true,
  'structured-run-output-enabled': false,
  'trigger-prefixes': [],
  'trigger-patterns': [],
};

/** Workspaces without a pool follow their organization, whose agents served them before: `agent` with its only pool. */
const followingTheOrganization = (path: string, document: Json, pool: Json): Json => {
  if (!path.startsWith('/workspaces/ws-') || document.data?.type !== 'workspaces') return document;
  const { attributes, relationships } = document.data;
  const data = {
    ...document.data,
    attributes: { ...attributes, 'execution-mode': 'agent', 'agent-pool-id': pool.id },
    relationships: { ...relationships, 'agent-pool': { data: { id: pool.id, type: 'agent-pools' } } },
  };
  return { ...document, data };
};

/** Attributes of features that later releases added, by type. */
const newFeatures: Json = {
  'entitlement-sets': { 'run-tasks': true },
  runs: { permissions: { 'can-comment': true, 'can-force-cancel': true, 'can-force-execute': true } },
  'task-stages': { permissions: { 'can-override-tasks': true } },
};

const withNewFeatures = (then: Json): Json => {
  if (then === null || typeof then !== 'object') return then;
  if (Array.isArray(then)) return then.map(withNewFeatures);
  const inside = Object.fromEntries(Object.entries(then).map(([key, value]) => [key, withNewFeatures(value)]));
  if (then.attributes === undefined || newFeatures[then.type] === undefined) return inside;
  const { permissions, ...others } = newFeatures[then.type];
  const { attributes } = inside;
  const rights = permissions && { permissions: { ...attributes.permissions, ...permissions } };
  return { ...inside, attributes: { ...attributes, ...others, ...rights } };
};

/** Runs in progress lock their workspaces, which the first release did not show. */
const lockedByItsRun = (then: Json, now: Json): Json => {
  if (Array.isArray(then.data))
    return {
      ...then,
      data: then.data.map((one: Json, at: number) => lockedByItsRun({ data: one }, { data: now.data[at] }).data),
    };
  const by = now.data?.relationships?.['locked-by'];
  if (then.data?.type !== 'workspaces' || by?.data?.type !== 'runs') return then;
  expect(by).toEqual(now.data.relationships['current-run']);
  const { attributes, relationships } = then.data;
  const data = {
    ...then.data,
    attributes: { ...attributes, locked: true },
    relationships: { ...relationships, 'locked-by': by },
  };
  return { ...then, data };
};

/** Paths of members in `now` that `then` lacks; those of a resource begin with its type. */
const addedTo = (then: Json, now: Json, path = ''): readonly string[] => {
  if (then === null || now === null || typeof then !== 'object' || typeof now !== 'object') return [];
  const at = typeof now.type === 'string' ? now.type : path;
  return Object.keys(now).flatMap((key) => {
    const of = Array.isArray(now) ? at : `${at}/${key}`;
    return key in then ? addedTo(then[key], now[key], of) : [of];
  });
};

const backends = [
  { kind: 'sqlite', restore: onSqlite, skip: false },
  { kind: 'postgres', restore: onPostgres, skip: skipPostgres },
];

for (const { kind, restore, skip } of backends) {
  (skip ? describe.skip : describe)(`the data of the first release on ${kind}, after an upgrade`, () => {
    let service: RunningService;
    let manifest: Manifest;
    let dataDir: string;
    let drop = async () => {};

    const send = (path: string, init: RequestInit = {}, secret = manifest.administrator) =>
      fetch(service.publicUrl + path, {
        redirect: 'manual',
        ...init,
        headers: { Authorization: `Bearer ${secret}`, ...init.headers },
      });
    const ask = async (path: string, init?: RequestInit): Promise<Json> => {
      const response = await send(path, init);
      if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return response.json();
    };
    const download = async (versionId: string): Promise<Buffer> => {
      const { status, headers } = await send(`/configuration-versions/${versionId}/download`);
      expect(status).toBe(302);
      return Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer());
    };

    beforeAll(async () => {
      dataDir = await temporaryDirectory();
      manifest = await manifestOf(kind);
      for (const [path, bytes] of manifest.files) {
        await mkdir(dirname(join(dataDir, path)), { recursive: true });
        await writeFile(join(dataDir, path), bytes);
      }
      const restored = await restore(dataDir, manifest);
      drop = restored.drop;
      const config = loadConfig({
        DATA_DIR: dataDir,
        PORT: '0',
        RATE_LIMIT_PER_SECOND: '0',
        VCS_ALLOWED_HOSTS: '127.0.0.1',
        ...restored.environment,
      });
      service = await startService(config, pino({ level: 'silent' }));
    });

    afterAll(async () => {
      await service?.stop();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    });

    it('answers every document as the first release did', async () => {
      expect(service.adminSecret).toBeUndefined();
      expect(manifest.documents.size).toBeGreaterThan(50);
      const answered = new Map<string, Json>();
      for (const path of manifest.documents.keys()) {
        const response = await send(path);
        const text = (await response.text())
          .replaceAll(service.publicUrl, 'http://gatehouse.example')
          .replaceAll(/\/v1\/log\/[^"]+/g, '/v1/log/…');
        answered.set(path, response.status === 200 ? JSON.parse(text) : { status: response.status });
      }
      const [pool] = manifest.documents.get('/organizations/acme/agent-pools').data;
      const then = [...manifest.documents].map(
        ([path, document]) =>
          [
            path,
            lockedByItsRun(followingTheOrganization(path, withNewFeatures(document), pool), answered.get(path)),
          ] as const,
      );
      expect(Object.fromEntries(answered)).toMatchObject(Object.fromEntries(then));
      const more = [...manifest.documents].flatMap(([path, document]) => addedTo(document, answered.get(path)));
      expect([...new Set(more)].sort()).toEqual(added);
    });

    it('gives old workspaces the defaults of new settings', async () => {
      const { data } = await ask('/organizations/acme/workspaces?page[size]=100');
      expect(data.length).toBeGreaterThan(0);
      for (const { attributes } of data) expect(attributes).toMatchObject(newSettings);
    });

    it('knows how many bytes each organization keeps', async () => {
      const text = await (await send('/metrics')).text();
      const kept = [...text.matchAll(/^gatehouse_organization_bytes\{organization="(.*)"\} (\d+)$/gm)];
      const total = kept.reduce((sum, [, , bytes]) => sum + Number(bytes), 0);
      const stored = [...manifest.files].filter(([path]) => path.startsWith('bundles/'));
      // The archived version's bundle is not removed yet, but no longer counted.
      const archived = 163;
      expect(total).toBe(stored.reduce((sum, [, bytes]) => sum + bytes.length, -archived));
    });

    it('lets an agent go on with the run it was planning', async () => {
      const { agentToken, runId, lease } = manifest.leased;
      const agent = new ReferenceAgent(over(service.publicUrl), agentToken);
      const heartbeat = await agent.json('post', `/agent/v1/runs/${runId}/heartbeat`, { Lease: lease }, '{}');
      expect(heartbeat).toMatchObject({ status: 200, json: { run: { status: 'planning' } } });
    });

    it('takes and refuses the tokens as before', async () => {
      const now = [];
      for (const token of manifest.tokens)
        now.push({ ...token, status: (await send(token.path, {}, token.secret)).status });
      expect(now).toEqual(manifest.tokens);
    });

    it('gives its organizations audit tokens in addition to their own', async () => {
      const { data } = await ask('/organizations');
      const name: string = data[0].id;
      const path = `/organizations/${name}/authentication-token`;
      const own = async () => (await send(path)).text();
      const before = await own();
      const { data: issued } = await ask(`${path}?token=audit-trails`, { method: 'POST' });
      const secret: string = issued.attributes.token;
      expect((await send(`/organizations/${name}/audit-events`, {}, secret)).status).toBe(200);
      expect((await send('/organization/audit-trails', {}, secret)).status).toBe(200);
      expect((await send(`/organizations/${name}`, {}, secret)).status).toBe(404);
      expect(await own()).toBe(before);
    });

    it('downloads every version byte for byte', async () => {
      const digests: Record<string, string> = {};
      for (const id of Object.keys(manifest.bundles)) {
        digests[id] = createHash('sha256')
          .update(await download(id))
          .digest('hex');
      }
      expect(digests).toEqual(manifest.bundles);
    });

    it('reads the logs of the runs', async () => {
      for (const [runId, logs] of Object.entries(manifest.logs)) {
        for (const [phase, text] of Object.entries(logs)) {
          const path = `/${phase === 'plan' ? 'plans' : 'applies'}/${runId.replace('run-', `${phase}-`)}`;
          const url = (await ask(path)).data.attributes['log-read-url'];
          expect(await (await fetch(url)).text()).toContain(text);
        }
      }
    });

    it('takes an upload by the URL that was handed out then', async () => {
      const { id, path } = manifest.pendingUpload;
      const bytes = await archiveOf({ 'main.tf': '# much later' });
      const upload = await fetch(service.publicUrl + path, { method: 'PUT', body: new Uint8Array(bytes) });
      expect(upload.status).toBe(200);
      expect((await download(id)).equals(bytes)).toBe(true);
    });

    it('restores backing data that was soft-deleted', async () => {
      const path = `/api/v2/configuration-versions/${manifest.softDeleted}`;
      expect((await send(path)).status).toBe(404);
      const restored = await send(`${path}/actions/restore_backing_data`, { method: 'POST' });
      expect(restored.status).toBeLessThan(300);
      expect((await ask(path)).data.attributes.status).toBe('uploaded');
      expect((await download(manifest.softDeleted)).length).toBeGreaterThan(0);
    });

    it('knows the key of its webhook', async () => {
      const { path, key } = manifest.webhook;
      const body = bytesOf({
        ref: 'refs/heads/another',
        after: 'a'.repeat(40),
        repository: {
          full_name: 'harbour/app',
          clone_url: 'https://git.example/harbour/app.git',
          default_branch: 'main',
        },
        head_commit: { id: 'a'.repeat(40), message: 'Elsewhere', url: 'https://git.example/a' },
      });
      const deliver = async (signedWith: string) => {
        const headers = { ...githubHeaders('push', 'later'), ...signersBy(signedWith).hub(body) };
        const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
        return (await fetch(service.publicUrl + path, { ...init, body: new Uint8Array(body) })).status;
      };
      expect([await deliver(key), await deliver(`${key}x`)]).toEqual([204, 404]);
    });

    it('does what was ordered and not done', async () => {
      const { workspace, archived, uploaded, fetching } = manifest.ordered;
      const [run] = await until('the upload has queued its run', async () => {
        const { data } = await ask(`/workspaces/${workspace}/runs`);
        return data.length > 0 && data;
      });
      expect(run.relationships['configuration-version'].data.id).toBe(uploaded);
      expect((await ask(`/configuration-versions/${archived}`)).data.attributes.status).toBe('archived');
      await until('its bundle is gone, and no other', async () => {
        const missing = [...manifest.files.keys()].filter((path) => !existsSync(join(dataDir, path)));
        return missing.length === 1;
      });
      await until('the fetch was tried', async () => {
        const { data } = await ask(`/configuration-versions/${fetching}`);
        return data.attributes.status === 'errored';
      });
      expect((await ask('/admin/failing-effects')).data).toEqual([]);
    });

    it('lets the agents of the pool claim what they claimed before, and report on it', async () => {
      const agent = new ReferenceAgent(over(service.publicUrl), manifest.leased.agentToken);
      let job = await agent.claimed();
      while (job.phase !== 'plan') job = await agent.claimed();
      const { attributes } = (await ask(`/workspaces/${job.json.workspace.id}`)).data;
      const follows = { 'execution-mode': false, 'agent-pool': false };
      expect(attributes).toMatchObject({ 'execution-mode': 'agent', 'setting-overwrites': follows });
      await job.planned();
      expect((await ask(`/runs/${job.runId}`)).data.attributes.status).not.toMatch(/planning|queued/);
    });
  });
}
