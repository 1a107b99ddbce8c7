import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { MemoryBudget } from '../../src/adapters/http/server/memory/memory-budget.js';
import { type Caller, doc, invalid, missing, newName, pathOf, prefix, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { parseExposition } from '../support/exposition-format.js';
import { RawClient } from '../support/raw-client.js';
import { noteSecret } from '../support/secrets-in-logs.js';

const KiB = 1024;

/** The payload of a call. */
interface Call {
  readonly [name: string]: string;
}

const calls: Call[] = [];
const server = createServer(async (request, response) => {
  const call = (await json(request)) as Call;
  noteSecret(call.access_token ?? '');
  calls.push(call);
  response.writeHead(200).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
afterAll(() => void server.close());

const api = await startApi({ prefix, environment: { RUN_TASK_ALLOWED_HOSTS: '127.0.0.1' } });
const { admin } = api;
await api.organization('acme');
const path = '/organizations/acme/tasks';
const relationTo = (type: string, id: string) => ({ data: { type, id } });

const newTask = async (attributes: object = {}, organization = 'acme'): Promise<string> => {
  const body = doc('tasks', { name: newName('scanner'), url, category: 'task', ...attributes });
  return (await admin.post(`/organizations/${organization}/tasks`, body).expect(201)).body.data.id;
};

const attach = async (workspace: string, task: string, attributes: object = {}): Promise<string> => {
  const body = doc('workspace-tasks', attributes, { task: relationTo('tasks', task) });
  return (await admin.post(`/workspaces/${workspace}/tasks`, body).expect(201)).body.data.id;
};

describe('run tasks of an organization', () => {
  const resource = (id: string, attributes: object) => ({
    id,
    type: 'tasks',
    attributes: {
      category: 'task',
      url,
      description: '',
      enabled: true,
      'hmac-key': null,
      'created-at': api.clock.now(),
      ...attributes,
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      'workspace-tasks': { data: [] },
    },
    links: { self: `${prefix}/tasks/${id}` },
  });

  it('are created, shown, changed and deleted, and never show their key', async () => {
    const name = newName('scanner');
    const body = doc('tasks', { name, url, 'hmac-key': 'a key of ours', category: 'task' });
    const { text, body: created } = await admin.post(path, body).expect(201);
    const { id } = created.data;
    expect(created).toEqual({ data: resource(id, { name }) });
    expect(text).not.toContain('a key of ours');
    expect((await admin.get(`/tasks/${id}`).expect(200)).body).toEqual(created);
    const change = doc('tasks', { enabled: false, description: 'Off', 'hmac-key': '' });
    const changed = await admin.patch(`/tasks/${id}`, change).expect(200);
    expect(changed.body).toEqual({ data: resource(id, { name, enabled: false, description: 'Off' }) });
    expect((await admin.get(`/tasks/${id}`).expect(200)).body).toEqual(changed.body);
    await admin.delete(`/tasks/${id}`).expect(204);
    expect((await admin.get(`/tasks/${id}`).expect(404)).body).toEqual(missing);
  });

  it('are listed by name, and searched', async () => {
    const names = [newName('a-scan'), newName('b-scan')];
    for (const name of names) await newTask({ name });
    const { body } = await admin.get(`${path}?search[name]=-scan`).expect(200);
    expect(body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)).toEqual(names);
    expect(body.meta.pagination['total-count']).toBe(2);
  });

  it('are refused with a name that is taken, an odd URL, another category, or for all workspaces', async () => {
    const name = newName('scanner');
    await newTask({ name });
    for (const [attributes, pointer] of [
      [{ name }, 'name'],
      [{ name: 'a b' }, 'name'],
      [{ url: 'ftp://scanner.example' }, 'url'],
      [{ category: 'advisory' }, 'category'],
      [{ 'global-configuration': { enabled: true } }, 'global-configuration'],
    ] as const) {
      const body = doc('tasks', { name: newName('scanner'), url, ...attributes });
      const refused = await admin.post(path, body).expect(422);
      expect(refused.body.errors[0].source.pointer).toBe(`/data/attributes/${pointer}`);
    }
  });
});

describe('run tasks of a workspace', () => {
  it('are attached, shown, changed and detached', async () => {
    const [workspace, task] = [await api.workspace('acme', newName()), await newTask()];
    const id = await attach(workspace, task);
    const resource = (attributes: object) => ({
      data: {
        id,
        type: 'workspace-tasks',
        attributes: { 'created-at': api.clock.now(), ...attributes },
        relationships: { task: relationTo('tasks', task), workspace: relationTo('workspaces', workspace) },
        links: { self: `${prefix}/workspaces/${workspace}/tasks/${id}` },
      },
    });
    const one = `/workspaces/${workspace}/tasks/${id}`;
    const initial = { 'enforcement-level': 'advisory', stage: 'post_plan', stages: ['post_plan'] };
    expect((await admin.get(one).expect(200)).body).toEqual(resource(initial));
    const change = doc('workspace-tasks', { 'enforcement-level': 'mandatory', stages: ['pre_apply', 'pre_plan'] });
    const changed = { 'enforcement-level': 'mandatory', stage: 'pre_plan', stages: ['pre_plan', 'pre_apply'] };
    expect((await admin.patch(one, change).expect(200)).body).toEqual(resource(changed));
    const older = await admin.patch(one, doc('workspace-tasks', { stage: 'post_apply' })).expect(200);
    expect(older.body.data.attributes.stages).toEqual(['post_apply']);
    expect((await admin.get(`/workspaces/${workspace}/tasks`).expect(200)).body.data).toEqual([older.body.data]);
    const ofTask = (await admin.get(`/tasks/${task}`).expect(200)).body.data.relationships['workspace-tasks'];
    expect(ofTask).toEqual({ data: [{ id, type: 'workspace-tasks' }] });
    await admin.patch(one, doc('workspace-tasks', { stages: [] })).expect(422);
    await admin.delete(one).expect(204);
    await admin.get(one).expect(404);
  });

  it.each([prefix, ''] as const)(
    'are included with their task, where the caller may read them, at %j',
    async (mount) => {
      const [seen, hidden] = [await api.workspace('acme', newName()), await api.workspace('acme', newName())];
      const task = await newTask({ name: newName('shared') });
      const [shown, other] = [await attach(seen, task), await attach(hidden, task)];
      const { name } = (await admin.get(`/tasks/${task}`).expect(200)).body.data.attributes;
      const team = await api.team('acme', newName(), { 'organization-access': { 'manage-run-tasks': true } });
      await api.grant(team, seen, { access: 'read' });
      const manager = await api.member('acme', newName(), [team]);
      const included = async (caller: Caller, target: string): Promise<readonly string[]> =>
        ((await caller.at(mount).get(target).expect(200)).body.included ?? [])
          .map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
          .sort();
      for (const target of [`/tasks/${task}?`, `${path}?search[name]=${name}&`]) {
        expect(await included(admin, `${target}include=workspace_tasks`)).toEqual(
          [`workspace-tasks ${shown}`, `workspace-tasks ${other}`].sort(),
        );
        expect(await included(manager, `${target}include=workspace_tasks`)).toEqual([`workspace-tasks ${shown}`]);
        expect(await included(manager, `${target}include=workspace-tasks.workspace`)).toEqual([
          `workspace-tasks ${shown}`,
          `workspaces ${seen}`,
        ]);
        expect(await included(manager, target)).toEqual([]);
      }
      const [beside] = (await manager.get(`/tasks/${task}?include=workspace_tasks`).expect(200)).body.included;
      expect(beside).toEqual((await manager.get(`/workspaces/${seen}/tasks/${shown}`).expect(200)).body.data);
    },
  );

  it.each([prefix, ''] as const)('of another organization are as ones that do not exist, at %j', async (mount) => {
    const elsewhere = newName('org');
    await api.organization(elsewhere);
    const [workspace, task] = [await api.workspace('acme', newName()), await newTask({}, elsewhere)];
    const attempt = (id: string) =>
      admin
        .at(mount)
        .post(`/workspaces/${workspace}/tasks`, doc('workspace-tasks', {}, { task: relationTo('tasks', id) }));
    const missingTask = await attempt('task-nothing').expect(422);
    expect((await attempt(task).expect(422)).text).toBe(missingTask.text);
    expect(missingTask.body.errors[0].source).toEqual({ pointer: '/data/relationships/task' });
    const none = { 'workspace-tasks': { data: [] } };
    expect((await admin.get(`/tasks/${task}`).expect(200)).body.data.relationships).toMatchObject(none);
    expect((await admin.get(`/workspaces/${workspace}/tasks`).expect(200)).body.data).toEqual([]);
  });

  it('are attached by who has run-tasks there, whether or not they see the task', async () => {
    const [workspace, task] = [await api.workspace('acme', newName()), await newTask()];
    const team = await api.team('acme', newName());
    await api.grant(team, workspace, { access: 'custom', 'run-tasks': true });
    const member = await api.member('acme', newName(), [team]);
    const body = doc('workspace-tasks', {}, { task: relationTo('tasks', task) });
    await member.post(`/workspaces/${workspace}/tasks`, body).expect(201);
    await member.get(`/tasks/${task}`).expect(404);
    const reader = await api.team('acme', newName(), { 'organization-access': { 'read-workspaces': true } });
    const other = await api.member('acme', newName(), [reader]);
    await other.get(`/workspaces/${workspace}/tasks`).expect(200);
    await other.post(`/workspaces/${workspace}/tasks`, body).expect(404);
  });
});

describe('a run with a run task', () => {
  let workspace: string;
  let run: string;
  let call: Call;
  const files = archiveOf({ 'main.tf': '# nothing' });

  const started = async (stages: readonly string[], attributes: object = {}): Promise<void> => {
    workspace = await api.workspace('acme', newName());
    await attach(workspace, await newTask(), { stages, 'enforcement-level': 'mandatory', ...attributes });
    const { id, uploadUrl } = await api.version(workspace, { 'auto-queue-runs': false });
    await api.upload(uploadUrl, await files).expect(200);
    const about = { workspace: relationTo('workspaces', workspace) };
    run = (await admin.post('/runs', doc('runs', { 'plan-only': true }, about)).expect(201)).body.data.id;
    expect(id).toBeDefined();
    await api.settle();
    call = calls.at(-1) as Call;
  };

  /** As a run task, at a URL that it was sent. */
  const asTask = (method: 'get' | 'patch', target = '', token = call.access_token) =>
    supertest(api.server)
      [method](new URL(target).pathname)
      .set('Authorization', `Bearer ${token}`)
      .set('Content-Type', 'application/vnd.api+json');

  const report = (attributes: object, relationships: object = {}, token = call.access_token) =>
    asTask('patch', call.task_result_callback_url, token).send(doc('task-results', attributes, relationships));

  const statusOf = async () => (await admin.get(`/runs/${run}`).expect(200)).body.data.attributes.status;

  describe('before the plan', () => {
    beforeAll(() => started(['pre_plan']));

    it('shows the stage with the result, which the call names', async () => {
      expect(await statusOf()).toBe('pre_plan_running');
      expect(call).toMatchObject({ payload_version: 1, stage: 'pre_plan', run_id: run, is_speculative: true });
      const { body } = await admin.get(`/runs/${run}/task-stages`).expect(200);
      const [stage] = body.data;
      expect(stage.attributes).toMatchObject({ stage: 'pre_plan', status: 'running' });
      expect(stage.relationships['task-results'].data).toEqual([{ id: call.task_result_id, type: 'task-results' }]);
      const shown = await admin.get(`/task-stages/${stage.id}?include=task_results`).expect(200);
      const result = await admin.get(`/task-results/${call.task_result_id}`).expect(200);
      expect(shown.body.included).toEqual([result.body.data]);
      expect(result.body.data).toMatchObject({
        type: 'task-results',
        attributes: {
          status: 'running',
          message: '',
          url: '',
          stage: 'pre_plan',
          'is-speculative': true,
          'task-url': url,
          'workspace-task-enforcement-level': 'mandatory',
        },
        relationships: { 'task-stage': relationTo('task-stages', stage.id) },
      });
    });

    it('lets its token read the configuration, and no plan before there is one', async () => {
      const { body } = await asTask('get', call.configuration_version_download_url).expect(200);
      expect(body).toEqual(await files);
      expect(call.plan_json_api_url).toBeUndefined();
      const planJson = `${call.configuration_version_download_url?.replace('configuration', 'plan-json')}`;
      await asTask('get', planJson).expect(404);
    });

    it.each([
      ['another token', 'gatehouse.v1.nothing', 401],
      ['a token of the API', admin.secret ?? '', 401],
    ])('refuses %s', async (_, token, status) => {
      await report({ status: 'passed' }, {}, token).expect(status);
      await asTask('get', call.configuration_version_download_url, token).expect(status);
      const other = (target = '') => target.replace(/taskrs-\w+/, 'taskrs-nobody');
      await asTask('patch', other(call.task_result_callback_url))
        .send(doc('task-results', { status: 'passed' }))
        .expect(404);
      await asTask('get', other(call.configuration_version_download_url)).expect(404);
      expect(await statusOf()).toBe('pre_plan_running');
    });

    it('lets its token reach nothing else', async () => {
      const token = api.as(call.access_token);
      for (const target of [`/runs/${run}`, `/workspaces/${workspace}`, '/account/details', '/organizations']) {
        await token.get(target).expect(401);
      }
      await token.get(`/task-results/${call.task_result_id}`).expect(401);
    });

    it('refuses reports that are none', async () => {
      for (const attributes of [{}, { status: 'errored' }, { status: 'passed', url: 'javascript:alert(1)' }]) {
        await report(attributes).expect(422);
      }
      await report({ status: 'passed', message: 'x'.repeat(8193) }).expect(422);
      const outcome = (url: string) => ({ type: 'task-result-outcomes', attributes: { 'outcome-id': 'any', url } });
      for (const url of [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'data:text/html,x',
        '//scanner.example',
        'https://',
      ]) {
        const outcomes = { data: [outcome('https://scanner.example'), outcome(url)] };
        expect((await report({ status: 'running' }, { outcomes }).expect(422)).body).toEqual(
          refusal(422, 'invalid attribute', 'Url must be an https:// or http:// URL', {
            pointer: '/data/relationships/outcomes/data/1/attributes/url',
          }),
        );
      }
      expect((await report({ status: 'running', url: 'https://' }).expect(422)).body).toEqual(
        invalid('url', 'Url must be an https:// or http:// URL'),
      );
      const listed = await admin.get(`/task-results/${call.task_result_id}/outcomes`).expect(200);
      expect(listed.body.data).toEqual([]);
    });

    it('takes progress, outcomes and a result, and ends the token with the stage', async () => {
      const outcome = {
        'outcome-id': 'bucket',
        description: 'A bucket is public',
        body: '# Close it',
        url: 'https://scanner.example/1',
        tags: { Severity: [{ label: 'High', level: 'error' }] },
      };
      const outcomes = { data: [{ type: 'task-result-outcomes', attributes: outcome }] };
      const running = await report({ status: 'running', message: 'half way' }, { outcomes }).expect(200);
      expect(running.body.data.attributes).toMatchObject({ status: 'running', message: 'half way' });
      // The other mount answers alike.
      const contract = `${call.task_result_callback_url?.replace('/api/v2', '')}`;
      const again = await asTask('patch', contract)
        .send(doc('task-results', { status: 'running' }))
        .expect(200);
      expect(again.body).toEqual(running.body);
      const listed = await admin.get(`/task-results/${call.task_result_id}/outcomes`).expect(200);
      expect(listed.body.data).toEqual([
        { id: `${call.task_result_id}-1`, type: 'task-result-outcomes', attributes: outcome },
      ]);
      await report({ status: 'passed', message: 'all is well', url: 'https://scanner.example' }).expect(200);
      expect(await statusOf()).toBe('plan_queued');
      await report({ status: 'failed' }).expect(401);
      await asTask('get', call.configuration_version_download_url).expect(401);
    });

    it('records who called and who reported', async () => {
      await api.flushRefusals(true);
      const { body } = await admin.get('/organizations/acme/audit-events?page[size]=100').expect(200);
      const about = body.data.map(({ attributes }: { attributes: Record<string, string> }) => attributes);
      const events = about.filter((event: Record<string, string>) => event.subject === call.task_result_id);
      expect(
        events
          .filter(({ outcome }: Record<string, string>) => outcome === 'done')
          .map((event: Record<string, string>) => [event.action, event['actor-kind']]),
      ).toEqual([
        ['task-results/report', 'run-task'],
        ['task-results/report', 'run-task'],
        ['task-results/report', 'run-task'],
        ['task-results/call', 'system'],
      ]);
      const refused = events.filter(({ outcome }: Record<string, string>) => outcome !== 'done');
      expect(refused.length).toBeGreaterThan(0);
      for (const event of refused) {
        expect(event).toMatchObject({
          ...{ action: 'task-results/report', 'actor-kind': 'run-task', outcome: 'attribute/invalid' },
        });
      }
    });
  });

  describe('after the plan', () => {
    it('lets its token read the plan, and takes one result, until every task of the stage has reported', async () => {
      const bench = await Bench.make(api);
      await bench.version();
      for (const stages of [['post_plan'], ['post_plan']]) {
        await attach(bench.workspaceId, await newTask({}, bench.organization), { stages });
      }
      run = await bench.run();
      const job = await bench.claimed(run);
      await job.artifact('plan-json-redacted', Buffer.from('{"password":null}'));
      await job.planned();
      await api.settle();
      const [first, second] = calls.slice(-2) as [Call, Call];
      call = first;
      expect(call.stage).toBe('post_plan');
      expect((await asTask('get', call.plan_json_api_url).expect(200)).body).toEqual({ password: null });
      await report({ status: 'passed' }).expect(200);
      await report({ status: 'failed' }).expect(409);
      expect(await statusOf()).toBe('post_plan_running');
      call = second;
      await report({ status: 'passed' }).expect(200);
      expect(await statusOf()).toBe('post_plan_completed');
      await asTask('get', call.plan_json_api_url).expect(401);
    });
  });

  it('takes memory of its own: what others of its address take does not stop it', async () => {
    const memory = new MemoryBudget(512 * KiB);
    const tight = await startApi({ unitOfWork: api.unitOfWork, bundleStore: api.bundleStore, memory });
    const bench = await Bench.make(api);
    await bench.version();
    await attach(bench.workspaceId, await newTask({}, bench.organization), { stages: ['post_plan'] });
    const job = await bench.claimed(await bench.run());
    // More than the system takes at once from the service for a client that does not read.
    const plan = JSON.stringify({ plan: 'x'.repeat(8 * KiB * KiB) });
    await job.artifact('plan-json-redacted', Buffer.from(plan));
    await job.planned();
    await api.settle();
    call = calls.at(-1) as Call;
    const linked = await admin.patch(
      `/workspaces/${bench.workspaceId}`,
      doc('workspaces', { 'vcs-repo': { 'clone-url': 'https://git.example/a/b.git' } }),
    );
    const hook: string = linked.body.data.attributes['vcs-repo']['webhook-url'];
    const other = await RawClient.connected(tight.server);
    const json = { 'Content-Type': 'application/json' };
    other.ask('POST', hook, { ...json, 'Content-Length': 16 * KiB }).write('{');
    while (memory.reserved === 0) await nextTurn();

    const body = JSON.stringify(doc('task-results', { status: 'running' })).padEnd(20 * KiB);
    await supertest(tight.server)
      .patch(pathOf(call.task_result_callback_url ?? ''))
      .set({ ...json, Authorization: `Bearer ${call.access_token}` })
      .send(body)
      .expect(200);
    const reader = await RawClient.connected(tight.server);
    const asked = { Authorization: `Bearer ${call.access_token}` };
    reader.stopReading().ask('GET', pathOf(call.plan_json_api_url ?? ''), asked);
    const metrics = async () => parseExposition((await tight.anonymous.get('/metrics')).text);
    const isCut = async () => (await metrics()).value('gatehouse_memory_refusals_total', { reason: 'unread' }) === 1;
    while (memory.waiting.size === 0 && !(await isCut())) await nextTurn();
    expect(await isCut()).toBe(false);
    reader.leave();
    other.leave();
  });

  describe('that fails', () => {
    beforeEach(() => started(['pre_plan']));

    it('is errored, and says why', async () => {
      await report({ status: 'failed', message: 'not today' }).expect(200);
      const { attributes } = (await admin.get(`/runs/${run}`).expect(200)).body.data;
      expect(attributes).toMatchObject({
        status: 'errored',
        'error-message': 'a mandatory run task before the plan did not pass',
      });
    });

    it('may be canceled while it waits, which ends the token', async () => {
      await admin.post(`/runs/${run}/actions/cancel`, {}).expect(202);
      await report({ status: 'passed' }).expect(401);
      expect(await statusOf()).toBe('canceled');
    });
  });
});
