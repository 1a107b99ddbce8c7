import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from './process.js';
import { over, ReferenceAgent } from './reference-agent.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** Only what never happens takes this long. */
const timeout = 100_000;

/** Polls until there is a result; throws with the name of the condition on a timeout. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
  milliseconds = timeout,
): Promise<Answer> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await pause(50);
  }
}

/** A running service as a person uses it, usually its administrator: each step is one request, which must succeed. */
export class ServiceSteps {
  constructor(
    readonly service: ServiceProcess,
    private readonly token?: string,
  ) {}

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const { status, json } = await this.service.api(method, path, body, this.token);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
    return json?.data;
  }

  /** The token of a new user, who is a member of a new team of acme with this organization-level access. */
  async memberToken(name: string, access: object): Promise<string> {
    const team = await this.ask('POST', '/organizations/acme/teams', {
      data: { type: 'teams', attributes: { name, 'organization-access': access } },
    });
    const email = `${name}@example.com`;
    const account = { data: { type: 'users', attributes: { username: name, email } } };
    const { json } = await this.service.api('POST', '/admin/users', account);
    const teams = { data: [{ id: team.id, type: 'teams' }] };
    await this.ask('POST', '/organizations/acme/organization-memberships', {
      data: { type: 'organization-memberships', attributes: { email }, relationships: { teams } },
    });
    return json.included[0].attributes.token;
  }

  /** The secret of an agent of a new site pool, or of a pool that the organization takes by default. */
  async agentToken(organization?: string): Promise<string> {
    const document = { data: { type: 'agent-pools', attributes: { name: 'pool' } } };
    if (organization === undefined) {
      const pool = await this.ask('POST', '/admin/agent-pools', document);
      return (await this.ask('POST', `/admin/agent-pools/${pool.id}/authentication-tokens`)).attributes.token;
    }
    const { id } = await this.ask('POST', `/organizations/${organization}/agent-pools`, document);
    const attributes = { 'default-execution-mode': 'agent' };
    const relationships = { 'default-agent-pool': { data: { id, type: 'agent-pools' } } };
    const defaults = { data: { type: 'organizations', attributes, relationships } };
    await this.ask('PATCH', `/organizations/${organization}`, defaults);
    return (await this.ask('POST', `/agent-pools/${id}/authentication-tokens`)).attributes.token;
  }

  agent(token: string, name?: string): ReferenceAgent {
    return new ReferenceAgent(over(this.service.url), token, name);
  }

  async update(workspaceId: string, attributes: object): Promise<Json> {
    return this.ask('PATCH', `/workspaces/${workspaceId}`, { data: { type: 'workspaces', attributes } });
  }

  async workspace(name: string, attributes: object = {}, organization = 'acme'): Promise<string> {
    const document = { data: { type: 'workspaces', attributes: { name, ...attributes } } };
    return (await this.ask('POST', `/organizations/${organization}/workspaces`, document)).id;
  }

  /** A version that holds the bytes. */
  async uploaded(workspaceId: string, bytes: Buffer, attributes: object = {}): Promise<string> {
    const document = { data: { type: 'configuration-version', attributes } };
    const version = await this.ask('POST', `/workspaces/${workspaceId}/configuration-versions`, document);
    const upload = await fetch(version.attributes['upload-url'], { method: 'PUT', body: new Uint8Array(bytes) });
    if (upload.status !== 200) throw new Error(`the upload answered ${upload.status}`);
    return version.id;
  }

  /** A run of the workspace's current version, or of the one given. */
  async run(workspaceId: string, versionId?: string, attributes: object = {}): Promise<string> {
    const version = versionId && {
      'configuration-version': { data: { id: versionId, type: 'configuration-version' } },
    };
    const relationships = { workspace: { data: { id: workspaceId, type: 'workspaces' } }, ...version };
    return (await this.ask('POST', '/runs', { data: { type: 'runs', attributes, relationships } })).id;
  }

  versions(workspaceId: string): Promise<readonly Json[]> {
    return this.ask('GET', `/workspaces/${workspaceId}/configuration-versions?page[size]=100`);
  }

  runs(workspaceId: string): Promise<readonly Json[]> {
    return this.ask('GET', `/workspaces/${workspaceId}/runs?page[size]=100`);
  }

  async statusOf(runId: string): Promise<string> {
    return (await this.ask('GET', `/runs/${runId}`)).attributes.status;
  }

  async versionBecomes(versionId: string, status: string): Promise<Json> {
    return until(`${versionId} is ${status}`, async () => {
      const version = await this.ask('GET', `/configuration-versions/${versionId}`);
      return version.attributes.status === status && version;
    });
  }

  async runBecomes(runId: string, status: string): Promise<Json> {
    return until(`${runId} is ${status}`, async () => {
      const run = await this.ask('GET', `/runs/${runId}`);
      return run.attributes.status === status && run;
    });
  }
}
