import { createHash } from 'node:crypto';
import { adminToken } from '../../tests/support/process.js';
import { bytesOf, githubHeaders, signersBy } from '../../tests/support/webhook-deliveries.js';
import { type Answer, type Client, type Json, orNone } from './client.js';
import { none } from './models.js';
import { document, type World } from './world.js';

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** As `terraform apply` does where a workspace is executed locally: locks it, writes a state, unlocks it. */
export async function writeState(client: Client, world: World): Promise<void> {
  const { keptId } = world;
  const path = `/workspaces/${keptId}`;
  await client.api({ kind: 'add', object: `lock ${keptId}`, value: 'locked' }, 'POST', `${path}/actions/lock`, {});
  world.done.serial += 1;
  const serial = world.done.serial;
  const state = Buffer.from(
    JSON.stringify({ version: 4, terraform_version: '1.9.0', serial, lineage, outputs: {}, resources: [] }),
  );
  const attributes = { serial, lineage, md5: md5(state), state: state.toString('base64') };
  const meant = { kind: 'put', object: `state ${keptId}`, value: md5(state) };
  await client.api(meant, 'POST', `${path}/state-versions`, document('state-versions', attributes));
  if (client.random.chance(0.8))
    await client.api({ kind: 'remove', object: `lock ${keptId}` }, 'POST', `${path}/actions/unlock`);
  if (client.random.chance(0.3)) await readState(client, world);
}

const lineage = '9d2c1f7e-3b5a-4c8d-9e6f-7a8b9c0d1e2f';

/** Downloads the current state and journals its digest. */
export async function readState(client: Client, { keptId }: World): Promise<void> {
  const begun = client.now();
  const meant = { kind: 'locate-state', ...orNone };
  const { outcome, status, json } = await client.api(meant, 'GET', `/workspaces/${keptId}/current-state-version`);
  if (outcome !== 'done') return;
  if (status === 404) return client.note(`state ${keptId}`, 'read', none, begun);
  const { pathname, search } = new URL(json.data.attributes['hosted-state-download-url']);
  const url = client.elsewhere() + pathname + search;
  const { status: read, bytes } = await client.send({ kind: 'read-state' }, { method: 'GET', path: '' }, url);
  if (read === 200) client.note(`state ${keptId}`, 'read', md5(bytes), begun);
}

/** Reports on a call until the report is acknowledged or refused, as run tasks do. Calls that are repeated get the same. */
export async function reportOnTask(client: Client, world: World): Promise<void> {
  const call = world.neighbours.task.calls.shift();
  if (call === undefined || call.stage === 'test') return;
  const resultId = call.task_result_id;
  const callback = new URL(call.task_result_callback_url).pathname;
  world.resultIds.add(resultId);
  const status = createHash('sha256').update(resultId).digest().readUInt8() < 50 ? 'failed' : 'passed';
  const meant = { kind: 'put', object: `result ${resultId}`, value: status };
  const body = document('task-results', { status });
  await client.insist(() => client.as(call.access_token, meant, 'PATCH', callback, body), 20);
}

export const showResult = (client: Client, id: string): Promise<Answer> =>
  client.api({ kind: 'read', object: `result ${id}`, value: verdictIn, ...orNone }, 'GET', `/task-results/${id}`);

/** The verdict of a run task; a result that ended without one has none. */
const verdictIn = (json: Json): string => {
  const status = json?.data?.attributes?.status;
  return ['passed', 'failed'].includes(status) ? status : none;
};

/** Signs in with a token, uses the session at any instance, and ends it. */
export async function visit(client: Client, world: World): Promise<void> {
  world.done.visits += 1;
  const object = `session ${world.done.visits}`;
  const ofPage = { 'Sec-Fetch-Site': 'same-origin', 'X-Gatehouse-Console': '1' };
  const headers = { ...ofPage, 'Content-Type': 'application/vnd.api+json' };
  const body = Buffer.from(JSON.stringify(document('sessions', { token: adminToken })));
  const begun = await client.send(
    { kind: 'add', object, value: 'open' },
    { method: 'POST', path: '/session', headers, body },
  );
  const cookie = begun.headers['set-cookie']?.[0]?.split(';')[0];
  if (begun.outcome !== 'done' || cookie === undefined) return;
  const look = async () => {
    const at = client.now();
    const sent = { method: 'GET', path: '', headers: { ...ofPage, Cookie: cookie } };
    const { status } = await client.send({ kind: 'look' }, sent, `${client.elsewhere()}/account/details`);
    if (status === 200 || status === 401) client.note(object, status === 200 ? 'accepted' : 'rejected', 'open', at);
  };
  await look();
  await look();
  await client.send(
    { kind: 'drop', object },
    { method: 'DELETE', path: '/session', headers: { ...ofPage, Cookie: cookie } },
  );
  await look();
}

/** Commits to the repository, and delivers the push until that is acknowledged, as forges do. */
export async function push(client: Client, world: World): Promise<void> {
  const { neighbours, hook } = world;
  if (hook === undefined) return;
  world.done.pushes += 1;
  const sha = await neighbours.commit(`# change ${world.done.pushes}\n`);
  world.pushed.add(sha);
  const repository = { full_name: 'harbour/app', clone_url: neighbours.cloneUrl, default_branch: 'main' };
  const body = Buffer.from(
    bytesOf({ ref: 'refs/heads/main', after: sha, repository, head_commit: { id: sha, message: 'change' } }),
  );
  const headers = {
    'Content-Type': 'application/json',
    ...githubHeaders('push', `delivery-${world.done.pushes}`),
    ...signersBy(hook.key).hub(body),
  };
  const meant = { kind: 'put', object: `push ${sha}`, value: 'taken once' };
  await client.insist(() => client.send(meant, { method: 'POST', path: hook.path, headers, body }), 20);
}

/** The longest that a stream may be silent about a change, in milliseconds. */
const silentWithin = 90_000;

/** Opens a stream at one instance and changes the workspace at another: the stream must report it, or end. */
export async function watch(client: Client, world: World): Promise<void> {
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), silentWithin);
  try {
    const url = `${client.elsewhere()}/api/v2/workspaces/${world.watchedId}/changes`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${adminToken}` }, signal: leaving.signal });
    if (answer.status !== 200 || answer.body === null) return;
    const description = `watched ${client.now()}`;
    const body = document('workspaces', { description });
    const changed = await client.api({ kind: 'change-watched' }, 'PATCH', `/workspaces/${world.watchedId}`, body);
    if (changed.outcome !== 'done') return;
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      if (!part.includes('data:')) continue;
      world.done.heard += 1;
      return;
    }
  } catch {
    if (leaving.signal.aborted) world.silentStreams.push(`a stream was silent about a change for ${silentWithin} ms`);
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}

/** Journals how often each pushed commit became a configuration version. */
export async function lookAtPushes(client: Client, world: World): Promise<void> {
  const counts = new Map<string, number>();
  const begun = client.now();
  for (let number = 1; ; number += 1) {
    const path = `/workspaces/${world.linkedId}/configuration-versions?include=ingress_attributes&page[size]=100&page[number]=${number}`;
    const { status, json } = await client.api({ kind: 'list-pushed' }, 'GET', path);
    if (status !== 200) throw new Error(`the list of what was pushed was answered ${status}`);
    for (const { attributes } of json.included ?? []) {
      const sha = attributes['commit-sha'];
      counts.set(sha, (counts.get(sha) ?? 0) + 1);
    }
    if (json.meta.pagination['next-page'] === null) break;
  }
  for (const sha of world.pushed) {
    const count = counts.get(sha) ?? 0;
    client.note(`push ${sha}`, 'read', count === 0 ? none : count === 1 ? 'taken once' : `taken ${count} times`, begun);
  }
}
