/**
 * Walks the life of a configuration version, of a team's access and of a run with policies, on a temporary directory:
 * `npm run demo`. It prints one line per step; with `-- --verbose`, also every request and its whole answer.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { pino } from 'pino';
import { pack } from 'tar-stream';
import { loadConfig } from '../src/infrastructure/config.js';
import { startService } from '../src/infrastructure/service.js';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const indented = (text: string): string => text.replaceAll(/^/gm, '      ');

/** Capability URLs and secrets end in what a reader need not see whole. */
const shortened = (text: string): string => text.replaceAll(/((?:\.v1\.|\/v1\/object\/)[\w.-]{20})[\w.-]+/g, '$1…');

interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the walk reads answers the way a person with curl would.
  readonly json: any;
  readonly location: string | null;
}

const verbose = process.argv.includes('--verbose');

const detail = (text: string): void => {
  if (verbose) say(text);
};

/** Sends requests as a person would. Prints each step with the status of its requests, or both sides of every exchange. */
class Narrator {
  private step = 0;
  /** The step that is being walked, until its statuses are known. */
  private untold: { readonly text: string; readonly statuses: number[] } | undefined;

  constructor(
    private readonly base: string,
    private token: string,
  ) {}

  /** Sends what follows with another token, until the answered function puts the old one back. */
  actAs(token: string): () => void {
    const before = this.token;
    this.token = token;
    return () => {
      this.token = before;
    };
  }

  heading(text: string): void {
    this.tell();
    this.step += 1;
    const title = `${String(this.step).padStart(2)}. ${text}`;
    if (verbose) say(`\n${title}`);
    else this.untold = { text: title, statuses: [] };
  }

  /** Ends a step, and says how its requests were answered. */
  tell(): void {
    if (this.untold === undefined) return;
    const { text, statuses } = this.untold;
    this.untold = undefined;
    say(statuses.length === 0 ? text : `${text} → ${statuses.join(', ')}`);
  }

  answered({ status, statusText }: Response): void {
    detail(`   ← ${status} ${statusText}`);
    this.untold?.statuses.push(status);
  }

  async call(method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}): Promise<Told> {
    detail(`   → ${method} ${path}`);
    if (body !== undefined) detail(indented(JSON.stringify(body, null, 2)));
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/vnd.api+json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === '' ? undefined : JSON.parse(text);
    const location = response.headers.get('location');
    this.answered(response);
    if (location !== null) detail(indented(shortened(`Location: ${location}`)));
    if (json !== undefined) detail(indented(shortened(JSON.stringify(json, null, 2))));
    return { status: response.status, json, location };
  }
}

const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});

/** Packs a folder the way clients do: paths relative to its root, gzipped. */
async function packed(folder: string): Promise<Buffer> {
  const tar = pack();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name);
    tar.entry({ name: relative(folder, path) }, await readFile(path));
  }
  tar.finalize();
  return buffer(tar.pipe(createGzip()));
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The ids of the objects that `provision` created. */
interface Made {
  readonly teamId: string;
  readonly workspaceId: string;
}

async function provision(http: Narrator): Promise<Made> {
  http.heading('Create an organization, a team and a workspace');
  await http.call('POST', '/organizations', document('organizations', { name: 'acme', email: 'ops@acme.example' }));
  const team = await http.call(
    'POST',
    '/organizations/acme/teams',
    document('teams', { name: 'platform', visibility: 'organization' }),
  );
  const workspace = await http.call(
    'POST',
    '/organizations/acme/workspaces',
    document('workspaces', { name: 'network' }),
  );
  return { teamId: team.json.data.id, workspaceId: workspace.json.data.id };
}

async function configurationVersions(http: Narrator, { workspaceId }: Made): Promise<void> {
  const versions = `/workspaces/${workspaceId}/configuration-versions`;

  http.heading('Create a configuration version; its upload URL is shown only once');
  const created = await http.call('POST', versions, document('configuration-version', { 'auto-queue-runs': false }));
  const { id, attributes } = created.json.data;

  http.heading('Upload a directory of Terraform files as a .tar.gz archive');
  const archive = await packed(fileURLToPath(new URL('../examples/configuration', import.meta.url)));
  detail(`   → PUT ${shortened(attributes['upload-url'])} (${archive.length} bytes, no token)`);
  const uploaded = await fetch(attributes['upload-url'], { method: 'PUT', body: new Uint8Array(archive) });
  http.answered(uploaded);

  http.heading("List the workspace's versions");
  await http.call('GET', versions);

  http.heading('Show the version: its status is uploaded');
  await http.call('GET', `/configuration-versions/${id}`);

  http.heading('Download it and compare the bytes');
  const { location } = await http.call('GET', `/configuration-versions/${id}/download`);
  const bytes = new Uint8Array(await (await fetch(location ?? '')).arrayBuffer());
  const same = sha256(bytes) === sha256(archive);
  http.tell();
  say(
    `    ${bytes.length} bytes, ${same ? 'identical' : 'NOT identical'} to those sent (sha256 ${sha256(bytes).slice(0, 16)}…)`,
  );
  if (!same) throw new Error('the downloaded bytes differ');

  http.heading('Archive it: refused while it is the current version');
  await http.call('POST', `/configuration-versions/${id}/actions/archive`);

  http.heading('Create the next version, then archive the first one: its archive is discarded');
  await http.call('POST', versions, document('configuration-version', {}));
  await http.call('POST', `/configuration-versions/${id}/actions/archive`);
  await http.call('GET', `/configuration-versions/${id}`);
  await http.call('GET', `/configuration-versions/${id}/download`);
}

async function teamAccess(http: Narrator, { teamId, workspaceId }: Made): Promise<void> {
  const tokenPath = `/teams/${teamId}/authentication-token`;

  http.heading('Issue a team token; its secret is shown only once');
  const issued = await http.call('POST', tokenPath, document('authentication-token', {}));
  const asAdministrator = http.actAs(issued.json.data.attributes.token);

  http.heading('As the team, show the workspace: 404, because the team has no access to it');
  await http.call('GET', `/workspaces/${workspaceId}/configuration-versions`);
  asAdministrator();

  http.heading('Add plan access for the team to the workspace; the response shows the implied permissions');
  const relationships = {
    workspace: { data: { type: 'workspaces', id: workspaceId } },
    team: { data: { type: 'teams', id: teamId } },
  };
  const added = await http.call(
    'POST',
    '/team-workspaces',
    document('team-workspaces', { access: 'plan' }, relationships),
  );

  http.heading('As the team, create a configuration version');
  http.actAs(issued.json.data.attributes.token);
  await http.call('POST', `/workspaces/${workspaceId}/configuration-versions`, document('configuration-version', {}));
  asAdministrator();

  http.heading('Detailed permissions are refused with a fixed access level and accepted with custom access');
  const grant = `/team-workspaces/${added.json.data.id}`;
  await http.call('PATCH', grant, document('team-workspaces', { runs: 'apply' }));
  await http.call('PATCH', grant, document('team-workspaces', { access: 'custom', runs: 'apply', variables: 'read' }));
  await http.call('GET', `/team-workspaces?filter[workspace][id]=${workspaceId}`);

  http.heading("List the organization's team tokens, then revoke this one: it is rejected immediately");
  await http.call('GET', '/organizations/acme/team-tokens?q=plat&sort=-last-used-at');
  await http.call('DELETE', tokenPath);
  http.actAs(issued.json.data.attributes.token);
  await http.call('GET', `/workspaces/${workspaceId}`);
  asAdministrator();
}

async function policyOutcomes(http: Narrator, { workspaceId }: Made): Promise<void> {
  http.heading('Add a policy set whose policies can be overridden');
  const policies = [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' }];
  await http.call(
    'POST',
    '/organizations/acme/policy-sets',
    document('policy-sets', { name: 'baseline', global: true, overridable: true, policies }),
  );

  http.heading('Create a site agent pool and issue an agent token');
  const pool = await http.call('POST', '/admin/agent-pools', document('agent-pools', { name: 'ours' }));
  const token = await http.call(
    'POST',
    `/admin/agent-pools/${pool.json.data.id}/authentication-tokens`,
    document('authentication-tokens', { description: 'the demo' }),
  );

  http.heading('Upload another version: a run is queued for it');
  const versions = `/workspaces/${workspaceId}/configuration-versions`;
  const created = await http.call('POST', versions, document('configuration-version', {}));
  const archive = await packed(fileURLToPath(new URL('../examples/configuration', import.meta.url)));
  await fetch(created.json.data.attributes['upload-url'], { method: 'PUT', body: new Uint8Array(archive) });

  http.heading('As an agent, claim the run, and report the plan and the policy results');
  const asAdministrator = http.actAs(token.json.data.attributes.token);
  const job = await http.call('POST', '/agent/v1/claims?wait=10', { name: 'the demo' });
  const lease = { Lease: job.json.lease.token };
  const run = `/agent/v1/runs/${job.json.run.id}`;
  await http.call('POST', `${run}/plan`, { status: 'finished', 'has-changes': true, 'resource-additions': 1 }, lease);
  const [evaluation] = job.json['policy-evaluations'];
  const said = { 'policy-set-id': evaluation['policy-sets'][0].id, policies: [{ name: 'tags', status: 'failed' }] };
  const report = { 'policy-tool-version': '1.0.0', 'policy-sets': [said] };
  await http.call('POST', `${run}/policy-evaluations/${evaluation.id}`, report, lease);
  asAdministrator();

  http.heading('List the policy set outcomes, then only those that failed a mandatory policy');
  const stages = await http.call('GET', `/runs/${job.json.run.id}/task-stages`);
  const stage = `/task-stages/${stages.json.data[0].id}`;
  await http.call('GET', `${stage}/policy-evaluations`);
  const failed = 'filter[0][status]=failed&filter[0][enforcementLevel]=mandatory';
  await http.call('GET', `/policy-evaluations/${evaluation.id}/policy-set-outcomes?${failed}`);

  http.heading('Override the failed policy, then confirm the run');
  await http.call('POST', `${stage}/actions/override`);
  await http.call('POST', `/runs/${job.json.run.id}/actions/apply`);

  http.heading('As an agent, claim the apply and report it finished');
  const back = http.actAs(token.json.data.attributes.token);
  const apply = await http.call('POST', '/agent/v1/claims?wait=10', { name: 'the demo' });
  await http.call('POST', `${run}/apply`, { status: 'finished' }, { Lease: apply.json.lease.token });
  back();
  await http.call('GET', `/runs/${job.json.run.id}`);
}

const directory = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'));
const config = loadConfig({ PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0' });
const service = await startService(config, pino({ level: config.LOG_LEVEL }));
try {
  say(`Gatehouse serves at ${service.publicUrl}, with a temporary data directory.\n`);
  const http = new Narrator(service.publicUrl, service.adminSecret ?? '');
  const made = await provision(http);
  await configurationVersions(http, made);
  await teamAccess(http, made);
  await policyOutcomes(http, made);
  http.tell();
  say('\nThat was the life cycle of a configuration version, of a team with access to it, and of a run with policies.');
  if (!verbose) say('npm run demo -- --verbose prints every request and its answer.');
} finally {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
}
