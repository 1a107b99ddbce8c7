import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { completedRunStatuses, runStatusesHoldingWorkspace } from '../../src/domain/index.js';
import { archiveOf } from '../../tests/support/archives.js';
import { ReferenceAgent } from '../../tests/support/reference-agent.js';
import { type Answer, type Client, type Json, orNone } from './client.js';
import { fromStore } from './journal.js';
import { missing, none } from './models.js';
import { lookAtPushes, push, readState, reportOnTask, showResult, visit, watch, writeState } from './people.js';
import { document, organization, sha256, type Token, to, type Version, type World } from './world.js';

let names = 0;
const newName = (): string => `passing-${++names}`;

type Step = (client: Client, world: World) => Promise<unknown>;

const versionPath = ({ id }: Version): string => `/api/v2/configuration-versions/${id}`;
const recent = <Item>(client: Client, items: readonly Item[], count = 12): Item | undefined =>
  items.length === 0 ? undefined : client.random.oneOf(items.slice(-count));

async function createVersion(client: Client, world: World): Promise<void> {
  const { random } = client;
  const workspaceId = random.oneOf(world.workspaceIds);
  const attributes = {
    'auto-queue-runs': random.chance(0.35),
    speculative: random.chance(0.2),
    provisional: random.chance(0.2),
  };
  const path = `/workspaces/${workspaceId}/configuration-versions`;
  const begun = client.now();
  const { outcome, json } = await client.api(
    { kind: 'create-version' },
    'POST',
    path,
    document('configuration-version', attributes),
  );
  if (outcome !== 'done') return;
  const uploadPath = new URL(json.data.attributes['upload-url']).pathname;
  const version = { id: json.data.id, workspaceId, uploadPath };
  client.note(`version ${version.id}`, 'create', '', begun);
  world.versions.push(version);
  await upload(client, world, version);
}

async function newArchive(client: Client, world: World): Promise<Buffer> {
  if (client.random.chance(0.04)) return client.random.oneOf(world.bigArchives);
  const noise = randomBytes(Math.floor(client.random.between(10, 60_000)));
  return archiveOf({ 'main.tf': `# ${noise.toString('base64')}` });
}

async function upload(client: Client, world: World, version: Version): Promise<void> {
  const bytes = await newArchive(client, world);
  const digest = sha256(bytes);
  const object = `version ${version.id}`;
  const put = (body: Buffer) => ({ method: 'PUT', path: version.uploadPath, body });
  const how = client.random.weighted({ whole: 75, broken: 13, malformed: 6, never: 6 });
  if (how === 'broken') {
    const breakAfter = Math.floor(client.random.between(0, bytes.length - 1));
    await client.send({ kind: 'break-off', object, value: digest }, { ...put(bytes), breakAfter });
  }
  if (how === 'malformed') {
    await client.send(
      {
        kind: 'upload-malformed',
        object,
        outcome: ({ status }) => (status === 422 ? 'done' : status >= 500 ? 'unknown' : 'refused'),
      },
      put(Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.from('broken')])),
    );
  }
  if (how !== 'whole') return;
  const said = await client.send({ kind: 'upload', object, value: digest }, put(bytes));
  if (said.outcome === 'done') world.done.bytes += bytes.length;
  // A client without a response sends the same again.
  else if (said.outcome === 'unknown' && client.random.chance(0.6)) {
    await client.send({ kind: 'upload', object, value: digest }, put(bytes));
  }
}

async function replaceUpload(client: Client, world: World): Promise<void> {
  const version = recent(client, world.versions);
  if (version !== undefined) await upload(client, world, version);
}

const actions = {
  archive: 'archive',
  'soft-delete': 'soft_delete_backing_data',
  restore: 'restore_backing_data',
  'permanently-delete': 'permanently_delete_backing_data',
} as const;

async function changeVersion(client: Client, world: World): Promise<void> {
  const version = recent(client, world.versions, 30);
  if (version === undefined) return;
  const kind = client.random.weighted({ archive: 3, 'soft-delete': 4, restore: 4, 'permanently-delete': 1 });
  const object = `version ${version.id}`;
  await client.api({ kind, object }, 'POST', `${versionPath(version)}/actions/${actions[kind]}`);
  if (client.random.chance(0.4)) await showVersion(client, version);
}

/** Returns the status in the response, or `missing`. */
export async function showVersion(client: Client, version: Version): Promise<string> {
  const object = `version ${version.id}`;
  const status = (json: Json): string => json?.data?.attributes?.status ?? missing;
  return status(
    (await client.api({ kind: 'show', object, value: status, ...orNone }, 'GET', versionPath(version))).json,
  );
}

async function readVersion(client: Client, world: World): Promise<void> {
  const version = recent(client, world.versions, 30);
  if (version === undefined) return;
  await (client.random.chance(0.5) ? showVersion(client, version) : download(client, version));
}

/** Downloads the files and journals their digest. */
export async function download(client: Client, version: Version): Promise<void> {
  const begun = client.now();
  const { outcome, headers } = await client.api({ kind: 'locate' }, 'GET', `${versionPath(version)}/download`);
  if (outcome !== 'done' || headers.location === undefined) return;
  const target = new URL(headers.location);
  // Any instance accepts a capability URL of the service; a URL of the store is signed for its address.
  const [kind, url] = target.pathname.startsWith('/v1/')
    ? ['read-bundle', client.elsewhere() + target.pathname]
    : [fromStore, headers.location];
  const answer = await client.send({ kind }, { method: 'GET', path: '' }, url);
  if (answer.status === 200) client.note(`version ${version.id}`, 'download', sha256(answer.bytes), begun);
}

async function createRun(client: Client, world: World): Promise<void> {
  const { random } = client;
  const version = random.chance(0.4) ? recent(client, world.versions) : undefined;
  const workspaceId = version?.workspaceId ?? random.oneOf(world.workspaceIds);
  const relationships = {
    workspace: to('workspaces', workspaceId),
    ...(version === undefined ? {} : { 'configuration-version': to('configuration-version', version.id) }),
  };
  const attributes = { 'plan-only': random.chance(0.3), 'save-plan': random.chance(0.1) };
  const body = document('runs', attributes['plan-only'] ? { 'plan-only': true } : attributes, relationships);
  const begun = client.now();
  const { outcome, json } = await client.api({ kind: 'create-run' }, 'POST', '/runs', body);
  if (outcome !== 'done') return;
  client.note(`run ${json.data.id}`, 'create', '', begun);
  world.runIds.add(json.data.id);
  await pause(random.between(0, 300));
  if (random.chance(0.35)) await wish(client, json.data.id, random.oneOf(['cancel', 'discard', 'apply']));
  await showRun(client, json.data.id);
  await pause(random.between(0, 300));
}

const wish = (client: Client, id: string, kind: 'cancel' | 'discard' | 'apply'): Promise<Answer> =>
  client.api({ kind, object: `run ${id}` }, 'POST', `/runs/${id}/actions/${kind}`);

export async function showRun(client: Client, id: string): Promise<string> {
  const status = (json: Json): string => json?.data?.attributes?.status ?? missing;
  return status(
    (await client.api({ kind: 'show', object: `run ${id}`, value: status, ...orNone }, 'GET', `/runs/${id}`)).json,
  );
}

/** Lists a workspace's runs and confirms, discards or overrides those that wait for a decision. */
async function decide(client: Client, world: World): Promise<void> {
  const workspaceId = client.random.oneOf(world.workspaceIds);
  const begun = client.now();
  const { outcome, json } = await client.api(
    { kind: 'list-runs' },
    'GET',
    `/workspaces/${workspaceId}/runs?page[size]=20`,
  );
  if (outcome !== 'done') return;
  const holding = json.data.filter(
    ({ attributes }: Json) => !attributes['plan-only'] && runStatusesHoldingWorkspace.includes(attributes.status),
  );
  if (holding.length > 1) world.holders.push({ workspaceId, runs: holding.map(({ id }: Json) => id) });
  for (const { id, attributes } of json.data) {
    world.runIds.add(id);
    client.note(`run ${id}`, 'show', attributes.status, begun);
    if (['planned', 'post_plan_completed', 'planned_and_saved'].includes(attributes.status)) {
      await wish(client, id, client.random.oneOf(['apply', 'discard']));
    }
    if (attributes.status === 'post_plan_awaiting_decision') await override(client, id);
  }
}

async function override(client: Client, id: string): Promise<void> {
  if (client.random.chance(0.3)) {
    await wish(client, id, 'discard');
    return;
  }
  const stages = await client.api({ kind: 'list-stages' }, 'GET', `/runs/${id}/task-stages`);
  const isDue = ({ attributes }: Json) => attributes.status === 'awaiting_override';
  const stage = stages.json?.data?.find(isDue)?.id;
  if (stage !== undefined)
    await client.api({ kind: 'override', object: `run ${id}` }, 'POST', `/task-stages/${stage}/actions/override`);
}

/** Claims a run and executes it as an agent does. Some agents die in the middle. */
async function execute(client: Client, world: World): Promise<void> {
  const { random } = client;
  const agent = new ReferenceAgent(
    async (method, path, headers, body) => {
      const sent = typeof body === 'string' ? Buffer.from(body) : body;
      const kind = `agent-${path
        .split('?')[0]
        ?.split('/')
        .at(path.includes('policy-evaluations') ? -2 : -1)}`;
      return client.send(
        { kind },
        { method: method.toUpperCase(), path, headers, ...(sent === undefined ? {} : { body: sent }) },
      );
    },
    world.agentSecret,
    client.name,
  );
  const job = await agent.claim().catch(() => undefined);
  if (job === undefined) {
    await pause(100);
    return;
  }
  const { runId } = job;
  world.runIds.add(runId);
  const dies = () => random.chance(0.02);
  const report = async (send: () => Promise<{ readonly status: number; readonly json: Json }>) => {
    const begun = client.now();
    const said = await client.insist(send, 8);
    const status = said.json?.run?.status;
    if (said.status === 200 && status !== undefined) client.note(`run ${runId}`, 'show', status, begun);
    return said.status === 200;
  };
  if (job.phase === 'apply') {
    if (dies() || !(await report(() => job.applied()))) return;
    world.done.applied += 1;
    return;
  }
  const begun = client.now();
  const { status, bytes } = await job.configuration();
  const versionId: string = job.json.configuration.id;
  if (status === 200) client.note(`version ${versionId}`, 'download', sha256(bytes), begun);
  if (dies()) return;
  if (!(await report(() => job.log(0, planLog(runId))))) return;
  if (random.chance(0.3) && !(await report(() => job.heartbeat()))) return;
  const written = client.now();
  if (!(await report(() => job.planned(random.chance(0.7))))) return;
  // A lost plan loses its log; the next plan writes the same.
  if (!world.loggedIds.has(runId)) client.note(`log ${runId}`, 'put', 'written', written);
  world.loggedIds.add(runId);
  if (dies()) return;
  const verdict = random.chance(0.8) ? 'passed' : 'failed';
  if (job.json['policy-evaluations'].length > 0) await report(() => job.judgeAll(() => verdict));
}

/** A token that replaces its predecessor: of a team, or of the organization. */
const soleTokens = (world: World) => [
  ...world.teamIds.map((id) => ({ object: `token team ${id}`, path: `/teams/${id}/authentication-token` })),
  { object: 'token organization', path: `${organization}/authentication-token` },
];

async function changeSoleToken(client: Client, world: World): Promise<void> {
  const { random } = client;
  const { object, path } = random.oneOf(soleTokens(world));
  const act = random.weighted({ issue: 4, revoke: 2, probe: 6, show: 2 });
  if (act === 'issue') {
    const said = await client.api(
      { kind: 'put', object, value: ({ data }) => data.id },
      'POST',
      path,
      object.includes('team') ? document('authentication-token') : {},
    );
    if (said.outcome === 'done')
      world.tokens.push({ object, id: said.json.data.id, secret: said.json.data.attributes.token });
  }
  if (act === 'revoke') await client.api({ kind: 'remove', object }, 'DELETE', path);
  if (act === 'show') await showSoleToken(client, object, path);
  const token = recent(
    client,
    world.tokens.filter((one) => one.object === object),
    3,
  );
  if (act === 'probe' && token !== undefined) await probe(client, token);
}

const showSoleToken = (client: Client, object: string, path: string): Promise<Answer> =>
  client.api({ kind: 'read', object, value: (json) => json.data?.id ?? none, ...orNone }, 'GET', path);

/** Whether an instance accepts the secret. */
async function probe(client: Client, { object, id, secret }: Token): Promise<void> {
  const begun = client.now();
  const { status } = await client.as(secret, { kind: 'probe' }, 'GET', organization);
  if (status === 0 || status >= 500) return;
  client.note(object, status === 401 ? 'rejected' : 'accepted', id, begun);
}

async function changeUserToken(client: Client, world: World): Promise<void> {
  const mine = world.tokens.filter(({ object }) => object.startsWith('user-token'));
  const token = recent(client, mine, 5);
  if (token === undefined || client.random.chance(0.3)) {
    const path = `/users/${world.callerId}/authentication-tokens`;
    const begun = client.now();
    const said = await client.api({ kind: 'issue-user-token' }, 'POST', path, document('authentication-tokens'));
    if (said.outcome !== 'done') return;
    const { id, attributes } = said.json.data;
    client.note(`user-token ${id}`, 'add', id, begun);
    world.tokens.push({ object: `user-token ${id}`, id, secret: attributes.token });
    return;
  }
  if (client.random.chance(0.3))
    await client.api({ kind: 'remove', object: token.object }, 'DELETE', `/authentication-tokens/${token.id}`);
  else await probe(client, token);
}

async function changeAccess(client: Client, world: World): Promise<void> {
  const { random } = client;
  const teamId = random.oneOf(world.teamIds);
  const workspaceId = random.oneOf(world.workspaceIds.slice(0, 2));
  const object = `access ${teamId} ${workspaceId}`;
  const access = random.oneOf(['read', 'plan', 'write', 'admin']);
  const found = await showAccess(client, teamId, workspaceId);
  if (found === undefined) {
    const body = document(
      'team-workspaces',
      { access },
      { team: to('teams', teamId), workspace: to('workspaces', workspaceId) },
    );
    await client.api({ kind: 'add', object, value: access }, 'POST', '/team-workspaces', body);
  } else if (random.chance(0.6)) {
    await client.api(
      { kind: 'change', object, value: access },
      'PATCH',
      `/team-workspaces/${found}`,
      document('team-workspaces', { access }),
    );
  } else await client.api({ kind: 'remove', object }, 'DELETE', `/team-workspaces/${found}`);
}

/** The grant's id, if there is one. */
async function showAccess(client: Client, teamId: string, workspaceId: string): Promise<string | undefined> {
  const grantIn = (json: Json) => json.data.find(({ relationships }: Json) => relationships.team.data.id === teamId);
  const value = (json: Json): string => grantIn(json)?.attributes.access ?? none;
  const path = `/team-workspaces?filter[workspace][id]=${workspaceId}`;
  const { outcome, json } = await client.api(
    { kind: 'read', object: `access ${teamId} ${workspaceId}`, value },
    'GET',
    path,
  );
  return outcome === 'done' ? grantIn(json)?.id : undefined;
}

async function changeMembers(client: Client, world: World): Promise<void> {
  const teamId = client.random.oneOf(world.teamIds);
  const userId = client.random.oneOf(world.userIds);
  const [method, kind] = client.random.chance(0.5) ? (['POST', 'put'] as const) : (['DELETE', 'drop'] as const);
  const object = `member ${teamId} ${userId}`;
  const body = { data: [{ type: 'users', id: userId }] };
  await client.api({ kind, object, value: 'member' }, method, `/teams/${teamId}/relationships/users`, body);
  if (client.random.chance(0.2)) await showMembers(client, world, teamId);
}

async function showMembers(client: Client, world: World, teamId: string): Promise<void> {
  const begun = client.now();
  const { outcome, json } = await client.api({ kind: 'show-team' }, 'GET', `/teams/${teamId}`);
  if (outcome !== 'done') return;
  const members = json.data.relationships.users.data.map(({ id }: Json) => id);
  for (const userId of world.userIds)
    client.note(`member ${teamId} ${userId}`, 'read', members.includes(userId) ? 'member' : none, begun);
}

async function changeAttachment(client: Client, world: World): Promise<void> {
  const policySetId = client.random.oneOf(world.policySetIds);
  const workspaceId = client.random.oneOf(world.workspaceIds);
  const [method, kind] = client.random.chance(0.5) ? (['POST', 'put'] as const) : (['DELETE', 'drop'] as const);
  const object = `attachment ${policySetId} ${workspaceId}`;
  const body = { data: [{ type: 'workspaces', id: workspaceId }] };
  await client.api(
    { kind, object, value: 'attached' },
    method,
    `/policy-sets/${policySetId}/relationships/workspaces`,
    body,
  );
  if (client.random.chance(0.2)) await showAttachments(client, world, policySetId);
}

async function showAttachments(client: Client, world: World, policySetId: string): Promise<void> {
  const begun = client.now();
  const { outcome, json } = await client.api({ kind: 'show-policy-set' }, 'GET', `/policy-sets/${policySetId}`);
  if (outcome !== 'done') return;
  const attached = json.data.relationships.workspaces.data.map(({ id }: Json) => id);
  for (const id of world.workspaceIds)
    client.note(`attachment ${policySetId} ${id}`, 'read', attached.includes(id) ? 'attached' : none, begun);
}

/** Objects that are created, changed and deleted throughout, with their requests. */
const passingKinds = [
  { type: 'workspaces', collection: `${organization}/workspaces`, attribute: 'description', values: ['a', 'b', 'c'] },
  { type: 'teams', collection: `${organization}/teams`, attribute: 'visibility', values: ['secret', 'organization'] },
  { type: 'policy-sets', collection: `${organization}/policy-sets`, attribute: 'description', values: ['a', 'b', 'c'] },
] as const;

async function changePassing(client: Client, world: World): Promise<void> {
  const { random } = client;
  const thing = recent(client, world.passing, 8);
  if (thing === undefined || random.chance(0.3)) {
    const { type, collection, attribute, values } = random.oneOf(passingKinds);
    const value = random.oneOf<string>(values);
    const begun = client.now();
    const said = await client.api(
      { kind: `create-${type}` },
      'POST',
      collection,
      document(type, { name: newName(), [attribute]: value }),
    );
    if (said.outcome !== 'done') return;
    const { id } = said.json.data;
    client.note(`${type} ${id}`, 'add', value, begun);
    world.passing.push({ object: `${type} ${id}`, path: `/${type}/${id}`, type, attribute });
    return;
  }
  const act = random.weighted({ change: 5, remove: 2, show: 3 });
  if (act === 'show') await showPassing(client, thing);
  if (act === 'remove') await client.api({ kind: 'remove', object: thing.object }, 'DELETE', thing.path);
  if (act === 'change') {
    const value = random.oneOf<string>(passingKinds.find(({ type }) => type === thing.type)?.values ?? []);
    await client.api(
      { kind: 'change', object: thing.object, value },
      'PATCH',
      thing.path,
      document(thing.type, { [thing.attribute]: value }),
    );
  }
}

const showPassing = (client: Client, { object, path, attribute }: World['passing'][number]): Promise<Answer> =>
  client.api(
    { kind: 'read', object, value: (json) => json.data?.attributes[attribute] ?? none, ...orNone },
    'GET',
    path,
  );

async function changeLock(client: Client, world: World): Promise<void> {
  const object = `lock ${world.lockableId}`;
  const act = client.random.oneOf(['lock', 'unlock', 'show'] as const);
  if (act === 'show') await showLock(client, world.lockableId);
  else {
    const meant = { kind: act === 'lock' ? 'add' : 'remove', object, value: 'locked' };
    await client.api(meant, 'POST', `/workspaces/${world.lockableId}/actions/${act}`, ...(act === 'lock' ? [{}] : []));
  }
}

const showLock = (client: Client, id: string): Promise<Answer> =>
  client.api(
    { kind: 'read', object: `lock ${id}`, value: ({ data }) => (data.attributes.locked ? 'locked' : none) },
    'GET',
    `/workspaces/${id}`,
  );

/** The clients, and the steps that each repeats. */
export const roles: readonly {
  readonly name: string;
  readonly count: number;
  readonly pause: number;
  readonly steps: readonly Step[];
}[] = [
  { name: 'uploader', count: 3, pause: 80, steps: [createVersion, createVersion, replaceUpload] },
  { name: 'librarian', count: 1, pause: 40, steps: [changeVersion, changeVersion, readVersion] },
  { name: 'planner', count: 1, pause: 250, steps: [createRun] },
  { name: 'decider', count: 1, pause: 200, steps: [decide] },
  { name: 'agent', count: 2, pause: 0, steps: [execute] },
  { name: 'token-keeper', count: 2, pause: 60, steps: [changeSoleToken, changeSoleToken, changeUserToken] },
  {
    name: 'owner',
    count: 2,
    pause: 60,
    steps: [changeAccess, changeMembers, changeAttachment, changePassing, changePassing, changeLock],
  },
  { name: 'operator', count: 1, pause: 150, steps: [writeState] },
  { name: 'run task', count: 1, pause: 60, steps: [reportOnTask] },
  { name: 'visitor', count: 1, pause: 250, steps: [visit] },
  { name: 'forge', count: 1, pause: 600, steps: [push] },
  { name: 'watcher', count: 1, pause: 200, steps: [watch] },
];

/** Repeats the steps of a role until `over`. */
export async function live(
  client: Client,
  world: World,
  role: (typeof roles)[number],
  over: () => boolean,
): Promise<void> {
  while (!over()) {
    await client.random.oneOf(role.steps)(client, world);
    await pause(client.random.between(0, 2 * role.pause));
  }
}

/** Completes every run, with agents that no longer die. */
export async function finishRuns(client: Client, world: World): Promise<boolean> {
  let open = 0;
  for (const id of world.runIds) {
    const status = await showRun(client, id);
    // One that was lost never ends: the checker finds it.
    if (status !== missing && !completedRunStatuses.some((completed) => completed === status)) {
      open += 1;
      if (status !== 'applying')
        await wish(
          client,
          id,
          status === 'post_plan_awaiting_decision' || /^planned|completed$/.test(status) ? 'discard' : 'cancel',
        );
    }
  }
  return open === 0;
}

/** Steps that go on until every run has ended. */
export const unfinished: readonly Step[] = [execute, execute, reportOnTask];

/** The text of the log of a run's plan. */
async function showLog(client: Client, runId: string): Promise<void> {
  const begun = client.now();
  const { json } = await client.api({ kind: 'show-plan' }, 'GET', `/plans/${runId.replace('run-', 'plan-')}`);
  const { pathname, search } = new URL(json.data.attributes['log-read-url']);
  const { bytes } = await client.send(
    { kind: 'read-log' },
    { method: 'GET', path: '' },
    client.elsewhere() + pathname + search,
  );
  client.note(`log ${runId}`, 'read', bytes.includes(planLog(runId)) ? 'written' : none, begun);
}

const planLog = (runId: string): string => `planning ${runId}\n`;

/** Reads every object once more. */
export async function lookAtAll(clients: readonly Client[], world: World): Promise<void> {
  const [first] = clients as readonly [Client];
  for (const version of world.versions) {
    const status = await showVersion(first.random.oneOf(clients), version);
    if (status === 'uploaded') await download(first.random.oneOf(clients), version);
  }
  for (const id of world.runIds) {
    const status = await showRun(first.random.oneOf(clients), id);
    const planned = ['applied', 'planned_and_finished'].includes(status);
    if (planned && world.loggedIds.has(id)) await showLog(first.random.oneOf(clients), id);
  }
  for (const client of clients) {
    for (const { object, path } of soleTokens(world)) await showSoleToken(client, object, path);
    for (const token of world.tokens) await probe(client, token);
    for (const teamId of world.teamIds) {
      await showMembers(client, world, teamId);
      for (const workspaceId of world.workspaceIds) await showAccess(client, teamId, workspaceId);
    }
    for (const id of world.policySetIds) await showAttachments(client, world, id);
    for (const id of [world.lockableId, world.keptId]) await showLock(client, id);
    await readState(client, world);
  }
  for (const id of world.resultIds) await showResult(first.random.oneOf(clients), id);
  await lookAtPushes(first, world);
  for (const thing of world.passing) await showPassing(first.random.oneOf(clients), thing);
}
