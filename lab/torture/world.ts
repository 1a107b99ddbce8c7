import { createHash, randomBytes } from 'node:crypto';
import { archiveOf } from '../../tests/support/archives.js';
import type { Answer, Client, Json } from './client.js';
import type { Neighbours } from './neighbours.js';

export interface Version {
  readonly id: string;
  readonly workspaceId: string;
  /** Its path on any instance. */
  readonly uploadPath: string;
}

export interface Token {
  readonly object: string;
  readonly id: string;
  readonly secret: string;
}

/** State that the clients share. */
export interface World {
  readonly workspaceIds: readonly string[];
  readonly lockableId: string;
  /** The workspace whose states one client writes. */
  readonly keptId: string;
  /** The workspace that streams are about. */
  readonly watchedId: string;
  /** The workspace that is linked to the repository, and its webhook; without git there is none. */
  readonly linkedId: string;
  readonly hook: { readonly path: string; readonly key: string } | undefined;
  readonly neighbours: Neighbours;
  readonly teamIds: readonly string[];
  readonly userIds: readonly string[];
  /** Who asks for everything. */
  readonly callerId: string;
  readonly policySetIds: readonly string[];
  readonly agentSecret: string;
  readonly bigArchives: readonly Buffer[];
  readonly versions: Version[];
  readonly runIds: Set<string>;
  /** Runs whose log was acknowledged, and then the plan that it belongs to. */
  readonly loggedIds: Set<string>;
  /** Every secret that was ever issued. */
  readonly tokens: Token[];
  /** Short-lived objects: created, changed and deleted. */
  readonly passing: {
    readonly object: string;
    readonly path: string;
    readonly type: string;
    readonly attribute: string;
  }[];
  readonly holders: { readonly workspaceId: string; readonly runs: readonly string[] }[];
  /** Results that the run task was asked for. */
  readonly resultIds: Set<string>;
  /** Hashes of the commits that were delivered. */
  readonly pushed: Set<string>;
  /** Streams that neither reported a change nor ended. */
  readonly silentStreams: string[];
  readonly done: { bytes: number; applied: number; serial: number; visits: number; pushes: number; heard: number };
}

export const document = (type: string, attributes: object = {}, relationships?: object) => ({
  data: { type, attributes, ...(relationships === undefined ? {} : { relationships }) },
});
export const to = (type: string, id: string) => ({ data: { type, id } });
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const organization = '/organizations/acme';

/** Setup requests must all succeed. */
async function needed(said: Promise<Answer>): Promise<Json> {
  const { status, json } = await said;
  if (status >= 300) throw new Error(`setting up was answered ${status}: ${JSON.stringify(json)}`);
  return json?.data;
}

export async function setUp(client: Client, neighbours: Neighbours): Promise<World> {
  const post = (path: string, body?: object) => needed(client.api({ kind: 'set-up' }, 'POST', path, body));
  await post('/organizations', document('organizations', { name: 'acme', email: 'ops@example.com' }));
  const workspace = async (name: string, attributes: object = {}) =>
    (await post(`${organization}/workspaces`, document('workspaces', { name, ...attributes }))).id as string;
  const workspaceIds = [
    await workspace('first', { 'auto-apply': true }),
    await workspace('second', { 'auto-apply': true }),
    await workspace('third'),
    await workspace('fourth', { 'auto-apply': true }),
  ];
  const teamIds: string[] = [];
  for (const name of ['red', 'green', 'blue']) {
    teamIds.push((await post(`${organization}/teams`, document('teams', { name }))).id);
  }
  const userIds: string[] = [];
  for (const username of ['ada', 'grace', 'edsger']) {
    const email = `${username}@example.com`;
    userIds.push((await post('/admin/users', document('users', { username, email }))).id);
    await post(`${organization}/organization-memberships`, document('organization-memberships', { email }));
  }
  const policies = [{ name: 'sober', 'enforcement-level': 'mandatory' }];
  const sets = `${organization}/policy-sets`;
  await post(sets, document('policy-sets', { name: 'all', global: true, overridable: true, policies }));
  const policySetIds: string[] = [];
  for (const name of ['one', 'two'])
    policySetIds.push((await post(sets, document('policy-sets', { name, policies }))).id);
  const pool = await post('/admin/agent-pools', document('agent-pools', { name: 'pool' }));
  const agentToken = await post(`/admin/agent-pools/${pool.id}/authentication-tokens`);
  const task = await post(
    `${organization}/tasks`,
    document('tasks', { name: 'scanner', url: neighbours.task.url, category: 'task' }),
  );
  const stages = ['pre_plan', 'post_plan'];
  const attachment = document(
    'workspace-tasks',
    { 'enforcement-level': 'mandatory', stages },
    { task: to('tasks', task.id) },
  );
  await post(`/workspaces/${workspaceIds[1]}/tasks`, attachment);
  const { cloneUrl } = neighbours;
  const linkedId = await workspace('linked');
  const link = document('workspaces', { 'vcs-repo': { 'clone-url': cloneUrl } });
  const hook =
    cloneUrl === undefined
      ? undefined
      : (await needed(client.api({ kind: 'set-up' }, 'PATCH', `/workspaces/${linkedId}`, link))).attributes['vcs-repo'];
  return {
    workspaceIds,
    lockableId: await workspace('lockable'),
    keptId: await workspace('kept'),
    watchedId: await workspace('watched'),
    linkedId,
    hook: hook && { path: hook['webhook-url'], key: hook['webhook-key'] },
    neighbours,
    teamIds,
    userIds,
    callerId: (await needed(client.api({ kind: 'set-up' }, 'GET', '/account/details'))).id,
    policySetIds,
    agentSecret: agentToken.attributes.token,
    // Large enough for a multipart upload.
    bigArchives: await Promise.all(
      [6, 11].map((size) => archiveOf({ 'noise.bin': randomBytes(size * 1_000_000).toString('latin1') })),
    ),
    versions: [],
    runIds: new Set(),
    loggedIds: new Set(),
    tokens: [],
    passing: [],
    holders: [],
    resultIds: new Set(),
    pushed: new Set(),
    silentStreams: [],
    done: { bytes: 0, applied: 0, serial: 0, visits: 0, pushes: 0, heard: 0 },
  };
}
