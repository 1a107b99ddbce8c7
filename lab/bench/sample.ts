import { archiveOf } from '../../tests/support/archives.js';
import { over, ReferenceAgent } from '../../tests/support/reference-agent.js';
import { adminToken } from './servers.js';

/** The objects and callers of the requests, in a medium-sized organization. */
export interface Sample {
  readonly workspaceId: string;
  /** Workspaces in which the writer may create versions, including the one above. */
  readonly writable: readonly string[];
  /** Teams whose tokens the administrator may issue. */
  readonly teams: readonly string[];
  /** One of many uploaded versions of the workspace. */
  readonly versionId: string;
  /** An evaluation with more than one page of policy set outcomes. */
  readonly evaluationId: string;
  /** A member whose only team grants the right. */
  readonly readerToken: string;
  /** Another, whose team has `write` on several. */
  readonly writerToken: string;
  /** A member whose team has no access to any of it. */
  readonly strangerToken: string;
}

const middling = {
  workspaces: 100,
  writable: 32,
  teams: 120,
  granted: 100,
  users: 200,
  versions: 1_000,
  uploaded: 40,
  policySets: 30,
};

const atOnce = 8;

const document = (type: string, attributes: object, relationships: object = {}) => ({
  data: { type, attributes, relationships },
});

const one = (type: string, id: string) => ({ data: { type, id } });

export type SampleSize = Readonly<typeof middling>;

/** Fills an empty service through its API, as its administrator. */
export async function seed(url: string, size: SampleSize = middling): Promise<Sample> {
  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const post = (path: string, body?: object) => ask('POST', path, body);

  await post('/organizations', document('organizations', { name: 'acme', email: 'ops@example.com' }));
  const workspaces = await each(size.workspaces, async (index) => {
    const body = document('workspaces', { name: `service-${index}` });
    return (await post('/organizations/acme/workspaces', body)).data.id as string;
  });
  const workspaceId = workspaces[0] as string;
  const teams = await each(size.teams, async (index) => {
    const body = document('teams', { name: `team-${index}`, visibility: 'organization' });
    return (await post('/organizations/acme/teams', body)).data.id as string;
  });
  const grant = (access: string | undefined, workspace: string, team: string | undefined) => {
    const relationships = { workspace: one('workspaces', workspace), team: one('teams', team ?? '') };
    return post('/team-workspaces', document('team-workspaces', { access }, relationships));
  };
  const levels = ['read', 'write', 'plan', 'admin'];
  await each(size.granted, (index) => grant(levels[index % levels.length], workspaceId, teams[index]));
  const writable = workspaces.slice(0, size.writable);
  await each(size.writable - 1, (index) => grant('write', writable[index + 1] as string, teams[1]));
  const tokens = await each(size.users, async (index) => {
    const email = `user-${index}@example.com`;
    const user = await post('/admin/users', document('users', { username: `person-${index}`, email }));
    const team = { teams: { data: [{ type: 'teams', id: teams[index % size.teams] as string }] } };
    await post('/organizations/acme/organization-memberships', document('organization-memberships', { email }, team));
    return user.included[0].attributes.token as string;
  });

  const bundle = new Uint8Array(await archiveOf({ 'main.tf': '# nothing to plan\n' }));
  let versionId = '';
  for (let made = 0; made < size.versions; made += size.uploaded) {
    const last = made + size.uploaded >= size.versions;
    await each(size.uploaded, async () => {
      const path = `/workspaces/${workspaceId}/configuration-versions`;
      const { data } = await post(path, document('configuration-version', { 'auto-queue-runs': false }));
      if (!last) return;
      const uploaded = await fetch(data.attributes['upload-url'], { method: 'PUT', body: bundle });
      if (!uploaded.ok) throw new Error(`the upload answered ${uploaded.status}`);
      versionId = data.id;
    });
  }

  for (let index = 0; index < size.policySets; index += 1) {
    const policies = ['tags', 'regions', 'sizes', 'costs', 'owners'].map((name, position) => ({
      name: `${name}-${index}`,
      description: `Planned resources must have good ${name}`,
      query: `data.policies.${name}.deny`,
      'enforcement-level': position === 0 ? 'mandatory' : 'advisory',
    }));
    const name = `policies-${String(index).padStart(2, '0')}`;
    const attributes = { name, description: 'The rules of the house', kind: 'opa', global: true, policies };
    await post('/organizations/acme/policy-sets', document('policy-sets', attributes));
  }
  const pool = (await post('/admin/agent-pools', document('agent-pools', { name: 'racks' }))).data;
  const secret = (await post(`/admin/agent-pools/${pool.id}/authentication-tokens`)).data.attributes.token;
  const relationships = {
    workspace: one('workspaces', workspaceId),
    'configuration-version': one('configuration-version', versionId),
  };
  await post('/runs', document('runs', {}, relationships));
  const job = await new ReferenceAgent(over(url), secret).claimed();
  await job.planned();
  const evaluation = job.json['policy-evaluations'][0];
  await job.judgeAll((name) => (name.startsWith('costs') ? 'failed' : 'passed'));
  return {
    workspaceId,
    writable,
    teams,
    versionId,
    evaluationId: evaluation.id,
    readerToken: tokens[0] as string,
    writerToken: tokens[1] as string,
    strangerToken: tokens[size.granted] as string,
  };
}

async function each<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
