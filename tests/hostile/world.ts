import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { archiveOf } from '../support/archives.js';
import { ServiceProcess } from '../support/process.js';
import type { Job } from '../support/reference-agent.js';
import { ServiceSteps } from '../support/service-steps.js';

/** A run that an agent holds, and the path of its requests. */
interface Leased {
  readonly runId: string;
  readonly lease: string;
}

/** An organization with the token of its team, and a workspace that the team has locked. */
export interface Organization {
  readonly name: string;
  readonly token: string;
  readonly workspaceId: string;
  /** A policy, whose code is the longest text that an organization sends. */
  readonly policyId: string;
}

/** The tokens and ids of the attackers and their neighbours. */
export interface World {
  readonly directory: string;
  /** Tokens of users without a membership. */
  readonly outsiders: readonly string[];
  /** Their ids, in the same order. */
  readonly outsiderIds: readonly string[];
  /** Organizations of attackers, who hold locks. */
  readonly holders: readonly Organization[];
  /** Organizations that have nothing to do with any attack. */
  readonly neighbours: readonly Organization[];
  /** A workspace that the administrator changes during each attack. */
  readonly workspaceId: string;
  readonly agentToken: string;
  readonly leased: readonly Leased[];
  /** The path of a webhook that exists. */
  readonly webhook: string;
  /** The URL of a long state, which needs no token; empty if none was wanted. */
  readonly download: string;
}

export interface Wanted {
  readonly outsiders: number;
  readonly holders: number;
  readonly neighbours: number;
  readonly leases: number;
  /** The length of a state to download. */
  readonly downloadMiB: number;
}

/** The settings of the service while nothing attacks it. */
export const unlimited = (directory: string) => ({
  DATA_DIR: join(directory, 'data'),
  VCS_ALLOWED_HOSTS: '127.0.0.1',
  RUN_TASK_ALLOWED_HOSTS: '127.0.0.1',
  DOWNLOAD_URL_SECONDS: '3600',
});

/** The service as it is attacked: with little memory and the usual limit of requests. */
export const attacked = (
  { directory }: Pick<World, 'directory'>,
  megabytes: number,
  more: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> =>
  ServiceProcess.start({
    ...unlimited(directory),
    NODE_OPTIONS: `--max-old-space-size=${megabytes}`,
    // The usual one.
    RATE_LIMIT_PER_SECOND: '',
    ...more,
  });

const times = <Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

async function anOrganization(steps: ServiceSteps, name: string): Promise<Organization> {
  const path = `/organizations/${name}`;
  const workspaceId = await steps.service.provision(name, 'state');
  const rights = { 'manage-workspaces': true, 'manage-policies': true };
  const team = await steps.ask('POST', `${path}/teams`, {
    data: { type: 'teams', attributes: { name: 'all', 'organization-access': rights } },
  });
  const issue = { data: { type: 'authentication-token', attributes: {} } };
  const { token } = (await steps.ask('POST', `/teams/${team.id}/authentication-token`, issue)).attributes;
  const attributes = { name: 'long', kind: 'opa', query: 'data.long.deny', 'enforcement-level': 'advisory' };
  const policy = await steps.ask('POST', `${path}/policies`, { data: { type: 'policies', attributes } });
  const locked = await fetch(`${steps.service.url}/workspaces/${workspaceId}/actions/lock`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  if (locked.status !== 200) throw new Error(`locking the workspace of ${name} answered ${locked.status}`);
  return { name, token, workspaceId, policyId: policy.id };
}

async function anOutsider(steps: ServiceSteps, index: number): Promise<{ id: string; token: string }> {
  const attributes = { username: `outsider-${index}`, email: `outsider-${index}@example.com` };
  const { status, json } = await steps.service.api('POST', '/admin/users', { data: { type: 'users', attributes } });
  if (status !== 201) throw new Error(`creating a user answered ${status}`);
  return { id: json.data.id, token: json.included[0].attributes.token };
}

async function leases(steps: ServiceSteps, agentToken: string, count: number): Promise<Leased[]> {
  const files = await archiveOf({ 'main.tf': '# nothing' });
  await times(count, async (index) => {
    const workspaceId = await steps.workspace(`leased-${index}`, {}, 'leased');
    await steps.uploaded(workspaceId, files);
  });
  const found: Leased[] = [];
  const agent = steps.agent(agentToken);
  while (found.length < count) {
    const job: Job = await agent.claimed();
    found.push({ runId: job.runId, lease: job.json.lease.token });
  }
  return found;
}

/** Renews every lease, as their agents do. Those of an agent that is silent for a minute end. */
export async function renewLeases({ agentToken, leased }: World, url: string): Promise<void> {
  const renewals = leased.map(({ runId, lease }) =>
    fetch(`${url}/agent/v1/runs/${runId}/heartbeat`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${agentToken}`, Lease: lease },
    }),
  );
  for (const { status } of await Promise.all(renewals)) {
    if (status !== 200) throw new Error(`a heartbeat answered ${status}`);
  }
}

/** Writes a state of this size. Returns the URL that downloads it. */
async function longDownload(steps: ServiceSteps, mebibytes: number): Promise<string> {
  const workspaceId = await steps.workspace('long', {}, 'home');
  await steps.ask('POST', `/workspaces/${workspaceId}/actions/lock`);
  const text = JSON.stringify({ version: 4, serial: 1, lineage: 'long', outputs: {}, resources: [] });
  const state = Buffer.alloc(mebibytes * 1024 * 1024, ' ');
  state.write(text);
  const attributes = { serial: 1, lineage: 'long', md5: createHash('md5').update(state).digest('hex') };
  const created = await steps.ask('POST', `/workspaces/${workspaceId}/state-versions`, {
    data: { type: 'state-versions', attributes },
  });
  const upload = await fetch(created.attributes['hosted-state-upload-url'], { method: 'PUT', body: state });
  if (upload.status !== 200) throw new Error(`uploading a state answered ${upload.status}`);
  const shown = await steps.ask('GET', `/state-versions/${created.id}`);
  return shown.attributes['hosted-state-download-url'];
}

/** Makes it through a service that has no limits, and has ended when this resolves. */
export async function makeWorld(directory: string, wanted: Partial<Wanted> = {}): Promise<World> {
  const service = await ServiceProcess.start(unlimited(directory));
  try {
    const steps = new ServiceSteps(service);
    const workspaceId = await service.provision('home', 'home');
    const outsiders = await times(wanted.outsiders ?? 0, (index) => anOutsider(steps, index));
    const holders = await times(wanted.holders ?? 0, (index) => anOrganization(steps, `holder-${index}`));
    const neighbours = await times(wanted.neighbours ?? 0, (index) => anOrganization(steps, `neighbour-${index}`));
    await service.provision('leased', 'first');
    const agentToken = await steps.agentToken();
    const linked = await steps.workspace('linked', {}, 'home');
    const repository = { 'vcs-repo': { 'clone-url': 'http://127.0.0.1:9/harbour/app.git' } };
    const { attributes } = await steps.update(linked, repository);
    return {
      directory,
      outsiders: outsiders.map(({ token }) => token),
      outsiderIds: outsiders.map(({ id }) => id),
      holders,
      neighbours,
      workspaceId,
      agentToken,
      download: wanted.downloadMiB === undefined ? '' : await longDownload(steps, wanted.downloadMiB),
      leased: await leases(steps, agentToken, wanted.leases ?? 0),
      webhook: attributes['vcs-repo']['webhook-url'],
    };
  } finally {
    await service.end();
  }
}
