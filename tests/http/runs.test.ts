import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import type { runStatuses } from '../../src/domain/index.js';
import { doc, faultsIn, missing, onePage, pathOf, prefix, publicUrl, refusal, startApi } from '../support/api.js';
import { Bench, runOf } from '../support/bench.js';

const startMark = '\x02';
const endMark = '\x03';

const api = await startApi({ prefix });
const { admin } = api;

const newBench = (settings: object = {}): Promise<Bench> => Bench.make(api, settings);

const later = (): string => {
  api.clock.advance(1);
  return api.clock.now();
};

const transitionRefused = (reason: string) => refusal(409, 'transition not allowed', reason);

/** The text behind a capability URL. */
const textAt = async (url: string): Promise<string> => {
  const answer = await supertest(api.app).get(pathOf(url)).responseType('blob').expect(200);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  return answer.body.toString('utf8');
};

describe('runs', () => {
  const create = (bench: Bench, attributes: object = {}, versionId?: string, caller = admin) =>
    caller.post('/runs', doc('runs', attributes, runOf(bench.workspaceId, versionId)));

  const versionPointer = { pointer: '/data/relationships/configuration-version' };
  const unusable = (because: string) =>
    refusal(422, 'invalid attribute', `Configuration version cannot be used because ${because}`, versionPointer);

  const everyRight = {
    'can-apply': true,
    'can-cancel': true,
    'can-comment': true,
    'can-discard': true,
    'can-force-cancel': true,
    'can-force-execute': true,
    'can-override-policy-check': true,
  };

  /** A queued run that was created with only its workspace. */
  const resource = (id: string, bench: Bench, versionId: string, attributes: object = {}, related: object = {}) => ({
    id,
    type: 'runs',
    attributes: {
      actions: {
        'is-cancelable': true,
        'is-confirmable': false,
        'is-discardable': false,
        'is-force-cancelable': false,
      },
      'allow-config-generation': false,
      'allow-empty-apply': false,
      'auto-apply': false,
      'canceled-at': null,
      'created-at': expect.any(String),
      'debugging-mode': false,
      'error-message': null,
      'force-cancel-available-at': null,
      'has-changes': false,
      'is-destroy': false,
      message: 'Queued by the API',
      permissions: everyRight,
      'plan-only': false,
      'policy-paths': [],
      'position-in-queue': 0,
      refresh: true,
      'refresh-only': false,
      'replace-addrs': null,
      'save-plan': false,
      source: 'tfe-api',
      status: 'plan_queued',
      'status-timestamps': { 'plan-queueable-at': expect.any(String), 'plan-queued-at': expect.any(String) },
      'target-addrs': null,
      'terraform-version': 'latest',
      'trigger-reason': 'manual',
      'updated-at': expect.any(String),
      variables: [],
      ...attributes,
    },
    relationships: {
      apply: { data: { id: id.replace('run-', 'apply-'), type: 'applies' } },
      'configuration-version': {
        data: { id: versionId, type: 'configuration-versions' },
        links: { related: `${prefix}/runs/${id}/configuration-version` },
      },
      'canceled-by': { data: null },
      'confirmed-by': { data: null },
      comments: { data: [], links: { related: `${prefix}/runs/${id}/comments` } },
      'created-by': { data: { id: api.admin.id, type: 'users' } },
      plan: { data: { id: id.replace('run-', 'plan-'), type: 'plans' } },
      'run-events': { data: expect.any(Array), links: { related: `${prefix}/runs/${id}/run-events` } },
      'task-stages': { data: [] },
      workspace: { data: { id: bench.workspaceId, type: 'workspaces' } },
      ...related,
    },
    links: { self: `${prefix}/runs/${id}` },
  });

  describe('that are created', () => {
    it('are shown in that answer, alone and in the list with the same document', async () => {
      const bench = await newBench();
      const versionId = await bench.version();
      const now = later();
      const created = await create(bench, { message: 'Add a bucket' }, versionId).expect(201);
      const { id } = created.body.data;
      expect(id).toMatch(/^run-[A-Za-z0-9]{16}$/);
      expect(created.headers['content-type']).toBe('application/vnd.api+json');
      const expected = resource(id, bench, versionId, {
        message: 'Add a bucket',
        'created-at': now,
        'status-timestamps': { 'plan-queueable-at': now, 'plan-queued-at': now },
      });
      expect(created.body).toEqual({ data: expected });
      expect((await admin.get(`/runs/${id}`).expect(200)).body).toEqual({ data: expected });
      const list = `/workspaces/${bench.workspaceId}/runs`;
      expect((await admin.get(list).expect(200)).body).toEqual(onePage(list, [expected]));
    });

    it('have the version that their workspace has when they are created', async () => {
      const bench = await newBench();
      await bench.version();
      const set = (version: string) =>
        admin
          .patch(`/workspaces/${bench.workspaceId}`, doc('workspaces', { 'terraform-version': version }))
          .expect(200);
      await set('1.9.0');
      const { id } = (await create(bench).expect(201)).body.data;
      await set('1.11.4');
      expect((await bench.shown(id)).attributes['terraform-version']).toBe('1.9.0');
      expect((await create(bench, { 'terraform-version': 'newest' }).expect(422)).body.errors[0].source).toEqual({
        pointer: '/data/attributes/terraform-version',
      });
    });

    it('are refused in words with what is not served', async () => {
      const bench = await newBench();
      await bench.version();
      for (const [name, value] of Object.entries({ 'policy-paths': ['policies'], 'invoke-action-addrs': ['a.b'] })) {
        expect((await create(bench, { [name]: value }).expect(422)).body.errors).toMatchObject([
          { source: { pointer: `/data/attributes/${name}` } },
        ]);
        await create(bench, { [name]: [] }).expect(201);
      }
    });

    it('keep every attribute they are created with', async () => {
      const bench = await newBench();
      const versionId = await bench.version();
      const attributes = {
        message: 'Everything at once',
        'auto-apply': true,
        'plan-only': true,
        'save-plan': true,
        'is-destroy': true,
        refresh: false,
        'refresh-only': true,
        'allow-empty-apply': true,
        'allow-config-generation': true,
        'debugging-mode': true,
        'target-addrs': ['aws_s3_bucket.one', 'aws_s3_bucket.two'],
        'replace-addrs': ['aws_s3_bucket.three'],
        variables: [{ key: 'region', value: '"eu"' }],
        'terraform-version': '1.9.8',
      };
      const { id } = (await create(bench, attributes, versionId).expect(201)).body.data;
      expect((await admin.get(`/runs/${id}`).expect(200)).body.data).toEqual(
        resource(id, bench, versionId, attributes),
      );
    });

    it('take null for what is left out', async () => {
      const bench = await newBench();
      const versionId = await bench.version();
      const nulls = {
        message: null,
        'auto-apply': null,
        'plan-only': null,
        'save-plan': null,
        'is-destroy': null,
        refresh: null,
        'refresh-only': null,
        'allow-empty-apply': null,
        'allow-config-generation': null,
        'debugging-mode': null,
        'target-addrs': null,
        'replace-addrs': null,
        variables: null,
        'terraform-version': null,
      };
      const relationships = { ...runOf(bench.workspaceId), 'configuration-version': { data: null } };
      const created = await admin.post('/runs', doc('runs', nulls, relationships)).expect(201);
      expect(created.body.data).toEqual(resource(created.body.data.id, bench, versionId));
    });

    it('name the fault and where it is, for each attribute of a wrong type', async () => {
      const bench = await newBench();
      await bench.version();
      const wrong = {
        message: 5,
        'auto-apply': 'yes',
        'plan-only': 1,
        'save-plan': [],
        'is-destroy': {},
        refresh: 'no',
        'refresh-only': 'no',
        'allow-empty-apply': 0,
        'allow-config-generation': 'x',
        'target-addrs': 'all',
        'replace-addrs': [1],
        variables: [{ key: '', value: 5 }],
        'terraform-version': '',
      };
      const { body } = await create(bench, wrong).expect(422);
      expect(body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).toEqual([
        '/data/attributes/message',
        '/data/attributes/auto-apply',
        '/data/attributes/plan-only',
        '/data/attributes/save-plan',
        '/data/attributes/is-destroy',
        '/data/attributes/refresh',
        '/data/attributes/refresh-only',
        '/data/attributes/allow-empty-apply',
        '/data/attributes/allow-config-generation',
        '/data/attributes/target-addrs',
        '/data/attributes/replace-addrs/0',
        '/data/attributes/variables/0/key',
        '/data/attributes/variables/0/value',
        '/data/attributes/terraform-version',
      ]);
      for (const error of body.errors) {
        expect(error).toMatchObject({ status: '422', title: 'invalid attribute', detail: expect.any(String) });
      }
      expect(await bench.runs()).toEqual([]);
    });

    it('take variables of 65536 characters in all, and not one more', async () => {
      const bench = await newBench();
      await bench.version();
      const full = [
        { key: 'a', value: 'x'.repeat(65_000) },
        { key: 'bc', value: 'x'.repeat(533) },
      ];
      const words = 'Variables are too long (the maximum is 65536 characters in all)';
      const tooLong = ['/data/attributes/variables', words];
      const faults = async (variables: object[]) => faultsIn(await create(bench, { variables }).expect(422));
      expect(await faults([...full, { key: 'd', value: '' }])).toEqual([tooLong]);
      expect(await faults([{ key: 'a', value: 'x'.repeat(65_536) }])).toEqual([tooLong]);
      expect(await faults([{ key: 'a', value: 'x'.repeat(65_537) }])).toEqual([
        ['/data/attributes/variables/0/value', 'Value is too long (the maximum is 65536)'],
        tooLong,
      ]);
      expect(await bench.runs()).toEqual([]);
      const { data } = (await create(bench, { variables: full }).expect(201)).body;
      expect(data.attributes.variables).toEqual(full);
    });

    it('are refused when the body is not a run document', async () => {
      const bench = await newBench();
      await bench.version();
      const workspace = runOf(bench.workspaceId);
      const faults: [unknown, string][] = [
        [undefined, '/data'],
        [{}, '/data'],
        [[], ''],
        [{ data: [] }, '/data'],
        [{ data: { type: 'workspaces', relationships: workspace } }, '/data/type'],
        [{ data: { type: 'runs', attributes: 'none', relationships: workspace } }, '/data/attributes'],
        [{ data: { type: 'runs' } }, '/data/relationships/workspace'],
        [{ data: { type: 'runs', relationships: { workspace: {} } } }, '/data/relationships/workspace/data'],
        [
          { data: { type: 'runs', relationships: { workspace: { data: { type: 'teams', id: 'ws-1' } } } } },
          '/data/relationships/workspace/data/type',
        ],
        [
          { data: { type: 'runs', relationships: { workspace: { data: { type: 'workspaces' } } } } },
          '/data/relationships/workspace/data/id',
        ],
        [
          { data: { type: 'runs', relationships: { ...workspace, 'configuration-version': { data: { id: 5 } } } } },
          '/data/relationships/configuration-version/data/id',
        ],
      ];
      for (const [body, pointer] of faults) {
        const answer = await admin.post('/runs', body as object | undefined).expect(422);
        expect(answer.body.errors).toEqual([expect.objectContaining({ status: '422', source: { pointer } })]);
      }
      await admin.post('/runs').set('Content-Type', 'text/plain').send('run').expect(415);
      await admin.post('/runs').set('Content-Type', 'application/json').send('{').expect(400);
      expect(await bench.runs()).toEqual([]);
    });

    it('use the current version of the workspace when they name none, and say why they cannot', async () => {
      const bench = await newBench();
      expect((await create(bench).expect(422)).body).toEqual(unusable('the workspace has no usable version'));
      const pending = await api.version(bench.workspaceId, { 'auto-queue-runs': false });
      expect((await create(bench).expect(422)).body).toEqual(unusable('its status is pending'));
      expect((await create(bench, {}, pending.id).expect(422)).body).toEqual(unusable('its status is pending'));
      await api.upload(pending.uploadUrl, bench.bundle).expect(200);
      const { relationships } = (await create(bench).expect(201)).body.data;
      expect(relationships['configuration-version'].data.id).toBe(pending.id);
    });

    it('show readers what they themselves may do', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const none = Object.fromEntries(Object.keys(everyRight).map((right) => [right, false]));
      const plans = { ...none, 'can-comment': true };
      const applies = {
        ...plans,
        'can-apply': true,
        'can-cancel': true,
        'can-discard': true,
        'can-force-execute': true,
      };
      const overrides = { ...none, 'can-override-policy-check': true };
      for (const [caller, rights] of [
        [await bench.member('read'), none],
        [await bench.member('plan'), plans],
        [await bench.member('write'), applies],
        [await bench.member(undefined, { 'organization-access': { 'manage-policy-overrides': true } }), overrides],
        [await api.organizationToken(bench.organization), none],
        [api.admin, everyRight],
      ] as const) {
        const { data } = (await caller.get(`/runs/${id}`).expect(200)).body;
        expect(data.attributes.permissions).toEqual(rights);
      }
    });
  });

  describe('in a list', () => {
    it('come newest first, page by page', async () => {
      const bench = await newBench();
      await bench.version();
      const ids: string[] = [];
      for (let made = 0; made < 5; made += 1) ids.unshift(await bench.run());
      const path = `/workspaces/${bench.workspaceId}/runs`;
      const page = async (query: string) => {
        const { body } = await admin.get(`${path}?${query}`).expect(200);
        return { ids: body.data.map(({ id }: { id: string }) => id), next: body.meta.pagination['next-page'] };
      };
      expect(await page('')).toEqual({ ids, next: null });
      expect(await page('page[size]=2')).toEqual({ ids: ids.slice(0, 2), next: 2 });
      expect(await page('page[size]=2&page[number]=3')).toEqual({ ids: ids.slice(4), next: null });
      expect(await page('page[size]=2&page[number]=9')).toEqual({ ids: [], next: null });
      const refused = await admin.get(`${path}?page[size]=0`).expect(422);
      expect(refused.body.errors[0].source).toEqual({ parameter: 'page[size]' });
    });

    it('show the task stages of each run', async () => {
      const bench = await newBench();
      await bench.version();
      const free = await bench.run();
      await bench.policySet();
      const held = await bench.run();
      const { data } = (await admin.get(`/workspaces/${bench.workspaceId}/runs`).expect(200)).body;
      const stages = data.map((run: { relationships: Record<string, { data: unknown[] }> }) => [
        (run as unknown as { id: string }).id,
        run.relationships['task-stages']?.data.length,
      ]);
      expect(stages).toEqual([
        [held, 1],
        [free, 0],
      ]);
    });
  });

  describe('with included documents', () => {
    const includedWith = async (runId: string, include: string) => {
      const { body } = await admin.get(`/runs/${runId}?include=${include}`).expect(200);
      return (body.included ?? []) as { id: string; type: string }[];
    };

    /** A run of a fetched version that a policy applies to. */
    async function fetchedRun(): Promise<{ bench: Bench; runId: string; versionId: string }> {
      const cloneUrl = `https://git.example.com/acme/${Math.random()}.git`;
      const bench = await newBench({ 'vcs-repo': { 'clone-url': cloneUrl } });
      await bench.policySet({ policies: [{ name: 'tags' }] });
      api.repositories.push(cloneUrl, 'main', bench.bundle, 'Add a bucket');
      const version = await api.admin.post(`/workspaces/${bench.workspaceId}/actions/fetch`).expect(201);
      await api.settle();
      const [run] = await bench.runs();
      return { bench, runId: run?.id ?? '', versionId: version.body.data.id };
    }

    it('have each of them only when it is asked for, in either spelling', async () => {
      const { bench, runId, versionId } = await fetchedRun();
      const { data } = (await admin.get(`/runs/${runId}`).expect(200)).body;
      const stageId = data.relationships['task-stages'].data[0].id;
      const ingress = (await admin.get(`/configuration-versions/${versionId}/ingress-attributes`).expect(200)).body;
      const own = async (path: string) => (await admin.get(path).expect(200)).body.data;
      const workspace = await own(`/workspaces/${bench.workspaceId}`);
      const version = await own(`/configuration-versions/${versionId}`);
      const stage = await own(`/task-stages/${stageId}`);
      const plan = { id: runId.replace('run', 'plan'), type: 'plans' };
      const apply = { id: runId.replace('run', 'apply'), type: 'applies' };
      for (const [include, expected] of [
        ['workspace', [workspace]],
        ['configuration_version', [version]],
        ['configuration-version', [version]],
        ['configuration_version.ingress_attributes', [version, ingress.data]],
        ['configuration-version.ingress-attributes', [version, ingress.data]],
        ['task_stages', [stage]],
        ['task-stages', [stage]],
        ['plan', [expect.objectContaining(plan)]],
        ['apply', [expect.objectContaining(apply)]],
        [
          'apply,task_stages,plan,configuration-version,workspace',
          [workspace, version, stage, expect.objectContaining(plan), expect.objectContaining(apply)],
        ],
      ] as const) {
        expect({ include, included: await includedWith(runId, include) }).toEqual({ include, included: expected });
      }
    });

    it('pass over words they do not know', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const unknown = 'comments,cost_estimate,run_events,constructor,Workspace,,policy_checks';
      const plain = (await admin.get(`/runs/${id}`).expect(200)).body;
      expect((await admin.get(`/runs/${id}?include=${unknown}`).expect(200)).body).toEqual(plain);
      expect(plain).not.toHaveProperty('included');
      expect((await includedWith(id, `${unknown},workspace`)).map(({ type }) => type)).toEqual(['workspaces']);
      const twice = await admin.get(`/runs/${id}?include=plan&include=apply`).expect(422);
      expect(twice.body.errors[0].source).toEqual({ parameter: 'include' });
    });

    it('leave out a version without its backing data', async () => {
      const bench = await newBench();
      const versionId = await bench.version({ speculative: true });
      const id = await bench.run({}, versionId);
      await bench.act(id, 'cancel');
      const backingData = api.admin.at('/api/v2');
      await backingData.post(`/configuration-versions/${versionId}/actions/soft_delete_backing_data`).expect(200);
      const { body } = await admin.get(`/runs/${id}?include=configuration_version.ingress_attributes`).expect(200);
      expect(body).not.toHaveProperty('included');
      expect(body.data.relationships['configuration-version'].data.id).toBe(versionId);
    });

    it('never lead in a circle through what is included', async () => {
      const { bench, runId, versionId } = await fetchedRun();
      const stageId = (await bench.shown(runId)).relationships['task-stages'].data[0].id;
      const everything = [
        `/runs/${runId}?include=workspace,plan,apply,task_stages,configuration_version.ingress_attributes`,
        `/task-stages/${stageId}?include=run,run.workspace,policy_evaluations`,
        `/configuration-versions/${versionId}?include=run,ingress_attributes`,
        `/workspaces/${bench.workspaceId}/configuration-versions?include=run,ingress_attributes`,
      ];
      for (const path of everything) {
        const included: Linked[] = (await admin.get(path).expect(200)).body.included;
        expect(included.length).toBeGreaterThan(1);
        const named = new Map(included.map((one) => [nameOf(one), one]));
        expect(named.size).toBe(included.length);
        for (const one of included) expect(reachable(one, named)).not.toContain(nameOf(one));
      }
    });

    interface Linked {
      readonly id: string;
      readonly type: string;
      readonly relationships?: Readonly<Record<string, { readonly data?: Linked | readonly Linked[] | null }>>;
    }

    const nameOf = ({ type, id }: Linked): string => `${type} ${id}`;

    /** The names of all included documents that a client reaches from this one. */
    function reachable(from: Linked, named: ReadonlyMap<string, Linked>): string[] {
      const seen = new Set<string>();
      const walk = (one: Linked): void => {
        for (const { data } of Object.values(one.relationships ?? {})) {
          for (const next of [data ?? []].flat() as Linked[]) {
            const included = named.get(nameOf(next));
            if (included === undefined || seen.has(nameOf(next))) continue;
            seen.add(nameOf(next));
            walk(included);
          }
        }
      };
      walk(from);
      return [...seen];
    }
  });

  describe('that are acted upon', () => {
    /** A run seeded in a status, without the steps that lead to it. */
    async function runIn(status: (typeof runStatuses)[number]): Promise<{ bench: Bench; id: string }> {
      const bench = await newBench();
      const versionId = await bench.version();
      const id = await bench.run();
      const lease = { poolId: bench.poolId, agent: 'seeded', digest: id, expiresAt: '2040-01-01T00:00:00.000Z' };
      const leased = ['planning', 'post_plan_running', 'applying'].includes(status);
      await api.seedRun({
        id,
        workspaceId: bench.workspaceId,
        configurationVersionId: versionId,
        status,
        lease: leased ? lease : null,
      });
      return { bench, id };
    }

    it('are asked once to be canceled while they are applied, and are not cancelable after that', async () => {
      const { bench, id } = await runIn('applying');
      await admin.post(`/runs/${id}/actions/cancel`).expect(202);
      expect((await bench.shown(id)).attributes.actions['is-cancelable']).toBe(false);
      expect((await admin.post(`/runs/${id}/actions/cancel`).expect(409)).body).toEqual(
        transitionRefused('run could not be canceled because it is already being canceled'),
      );
    });

    it('keep their workspace while they are applied', async () => {
      const { bench, id } = await runIn('applying');
      const { body } = await admin.delete(`/workspaces/${bench.workspaceId}`).expect(409);
      expect(body).toEqual(refusal(409, 'conflict', expect.stringContaining('run')));
      expect(await bench.statusOf(id)).toBe('applying');
    });

    it('are not applied while they wait for their plan', async () => {
      const { bench, id } = await runIn('pending');
      await admin.post(`/runs/${id}/actions/apply`).expect(409);
      expect(await bench.statusOf(id)).toBe('pending');
    });

    it('keep the comment that comes with an action, and who confirmed or canceled', async () => {
      const { bench, id } = await runIn('planned');
      const eventOf = async (action: string) => {
        const { data } = (await admin.get(`/runs/${id}/run-events`).expect(200)).body;
        return data.find(({ attributes }: { attributes: { action: string } }) => attributes.action === action);
      };
      const by = { data: { id: api.admin.id, type: 'users' } };
      for (const action of ['apply', 'discard', 'cancel', 'force-cancel', 'force-execute']) {
        expect((await admin.post(`/runs/${id}/actions/${action}`, { comment: 5 }).expect(422)).body).toEqual(
          refusal(422, 'invalid attribute', 'Comment must be a string', { pointer: '/comment' }),
        );
      }
      const confirmed = later();
      await admin.post(`/runs/${id}/actions/apply`, { comment: 'Looks good' }).expect(202);
      expect(await bench.shown(id)).toMatchObject({
        attributes: { 'updated-at': confirmed },
        relationships: { 'confirmed-by': by, 'canceled-by': { data: null } },
      });
      expect(await eventOf('confirmed')).toMatchObject({
        attributes: { comment: 'Looks good', 'created-at': confirmed },
        relationships: { actor: by },
      });
      await admin.post(`/runs/${id}/actions/cancel`, {}).expect(202);
      expect((await bench.shown(id)).relationships['canceled-by']).toEqual(by);
      expect(await eventOf('canceled')).toMatchObject({ attributes: { comment: null }, relationships: { actor: by } });
      expect(await eventOf('created')).toMatchObject({ attributes: { comment: null } });
    });

    it('take requests with bodies of any kind', async () => {
      const { bench, id } = await runIn('planned');
      const odd = admin.post(`/runs/${id}/actions/apply`).set('Content-Type', 'text/klingon').send('{"comment":');
      await odd.expect(202);
      expect(await bench.statusOf(id)).toBe('apply_queued');
    });
  });

  describe('that an upload queues', () => {
    const upload = async (bench: Bench, attributes: object = {}) => {
      const version = await api.version(bench.workspaceId, attributes);
      await api.upload(version.uploadUrl, bench.bundle).expect(200);
      return version;
    };

    it('are exactly one for each version that asks for it, whatever is uploaded again', async () => {
      const bench = await newBench();
      const { id, uploadUrl } = await upload(bench);
      await api.upload(uploadUrl, bench.bundle).expect(200);
      expect(await bench.runs()).toEqual([]);
      await api.settle();
      await api.settle();
      const [run, ...others] = await bench.runs();
      expect(others).toEqual([]);
      expect((await admin.get(`/runs/${run?.id}`).expect(200)).body.data).toEqual(
        resource(run?.id ?? '', bench, id, {
          source: 'tfe-configuration-version',
          message: 'Queued by the upload of its configuration',
        }),
      );
      await api.upload(uploadUrl, bench.bundle).expect(200);
      await api.settle();
      expect((await bench.runs()).length).toBe(1);
    });

    it('are included with their version', async () => {
      const bench = await newBench();
      const { id } = await upload(bench);
      await api.settle();
      const [run] = await bench.runs();
      const shown = (await admin.get(`/configuration-versions/${id}?include=run`).expect(200)).body;
      expect(shown.data.relationships.run).toEqual({ data: { id: run?.id, type: 'runs' } });
      const alone = (await admin.get(`/runs/${run?.id}`).expect(200)).body.data;
      expect(shown.included).toEqual([alone]);
    });
  });

  describe('and the version they use', () => {
    it('is shown as it is alone, and downloaded by a redirect', async () => {
      const bench = await newBench();
      const versionId = await bench.version();
      const id = await bench.run();
      const alone = (await admin.get(`/configuration-versions/${versionId}`).expect(200)).body;
      expect((await admin.get(`/runs/${id}/configuration-version`).expect(200)).body).toEqual(alone);
      const answer = await admin.get(`/runs/${id}/configuration-version/download`).expect(302);
      expect(answer.text).toBe('');
      const { location } = answer.headers;
      expect(location).toMatch(new RegExp(`^${publicUrl}/v1/object/[^/?]{30,}$`));
      for (const mount of ['', '/api/v2'] as const) {
        const path = `/runs/${id}/configuration-version/download?redirect=false`;
        const named = await admin.at(mount).get(path).expect(200);
        expect(named.body).toEqual({ url: expect.stringMatching(`^${publicUrl}/v1/object/`) });
      }
      const bytes = await supertest(api.app)
        .get(pathOf(location as string))
        .responseType('blob')
        .expect(200);
      expect(bytes.headers['content-type']).toBe('application/octet-stream');
      expect(bytes.body.equals(bench.bundle)).toBe(true);
    });

    it('has nothing to download before it is uploaded and after it is archived, and reads as missing when deleted', async () => {
      const bench = await newBench();
      const pending = await api.version(bench.workspaceId, { speculative: true });
      await api.seedRun({
        id: `run-of-${pending.id}`,
        workspaceId: bench.workspaceId,
        configurationVersionId: pending.id,
        status: 'canceled',
      });
      const download = `/runs/run-of-${pending.id}/configuration-version/download`;
      expect((await admin.get(download).expect(404)).body).toEqual(missing);
      const [archived, deleted] = [
        await bench.version({ speculative: true }),
        await bench.version({ speculative: true }),
      ];
      const runs = [await bench.run({}, archived), await bench.run({}, deleted)];
      for (const id of runs) await bench.act(id, 'cancel');
      await api.admin.post(`/configuration-versions/${archived}/actions/archive`).expect(202);
      await admin.get(`/runs/${runs[0]}/configuration-version`).expect(200);
      expect((await admin.get(`/runs/${runs[0]}/configuration-version/download`).expect(404)).body).toEqual(missing);
      const backingData = api.admin.at('/api/v2');
      await backingData.post(`/configuration-versions/${deleted}/actions/soft_delete_backing_data`).expect(200);
      for (const rest of ['', '/download']) {
        const answer = await admin.get(`/runs/${runs[1]}/configuration-version${rest}`).expect(404);
        expect(answer.body).toEqual(missing);
      }
    });
  });

  describe('and their plans and applies', () => {
    const planOf = async (id: string) => (await admin.get(`/plans/${id.replace('run', 'plan')}`).expect(200)).body.data;
    const applyOf = async (id: string) =>
      (await admin.get(`/applies/${id.replace('run', 'apply')}`).expect(200)).body.data;

    const logUrl = expect.stringMatching(`^${publicUrl}/v1/log/[^/?]{30,}$`);
    const counted = (additions: number | null, changes = additions, destructions = additions, imports = additions) => ({
      'resource-additions': additions,
      'resource-changes': changes,
      'resource-destructions': destructions,
      'resource-imports': imports,
    });

    it('are documents of their own, which follow the run through its life', async () => {
      const bench = await newBench();
      await bench.version();
      const queuedAt = later();
      const id = await bench.run();
      const plan = (attributes: object) => ({
        id: id.replace('run', 'plan'),
        type: 'plans',
        attributes: {
          'log-read-url': logUrl,
          'generated-configuration': false,
          'has-changes': false,
          ...counted(null),
          ...attributes,
        },
        relationships: {},
        links: { self: `${prefix}/plans/${id.replace('run', 'plan')}` },
      });
      const apply = (attributes: object) => ({
        id: id.replace('run', 'apply'),
        type: 'applies',
        attributes: { 'log-read-url': logUrl, ...counted(null), ...attributes },
        relationships: {},
        links: { self: `${prefix}/applies/${id.replace('run', 'apply')}` },
      });
      expect(await planOf(id)).toEqual(plan({ status: 'queued', 'status-timestamps': { 'queued-at': queuedAt } }));
      expect(await applyOf(id)).toEqual(apply({ status: 'pending', 'status-timestamps': {} }));

      const startedAt = later();
      const planning = await bench.claimed(id);
      const stamps = { 'queued-at': queuedAt, 'started-at': startedAt };
      expect(await planOf(id)).toEqual(plan({ status: 'running', 'status-timestamps': stamps }));

      const finishedAt = later();
      await planning.report('plan', {
        status: 'finished',
        'has-changes': true,
        'generated-configuration': true,
        ...counted(1, 2, 3, 4),
      });
      expect(await planOf(id)).toEqual(
        plan({
          status: 'finished',
          'has-changes': true,
          'generated-configuration': true,
          'status-timestamps': { ...stamps, 'finished-at': finishedAt },
          ...counted(1, 2, 3, 4),
        }),
      );
      expect((await applyOf(id)).attributes.status).toBe('pending');

      const confirmedAt = later();
      await bench.act(id, 'apply');
      expect(await applyOf(id)).toEqual(apply({ status: 'queued', 'status-timestamps': { 'queued-at': confirmedAt } }));
      const appliesAt = later();
      const applying = await bench.claimed(id);
      expect((await applyOf(id)).attributes.status).toBe('running');
      const appliedAt = later();
      await applying.report('apply', { status: 'finished', ...counted(4, 3, 2, 1) });
      expect(await applyOf(id)).toEqual(
        apply({
          status: 'finished',
          'status-timestamps': { 'queued-at': confirmedAt, 'started-at': appliesAt, 'finished-at': appliedAt },
          ...counted(4, 3, 2, 1),
        }),
      );
    });

    it('say what became of them when the run did not come that far', async () => {
      const bench = await newBench();
      await bench.version();
      const both = async (id: string) => [(await planOf(id)).attributes.status, (await applyOf(id)).attributes.status];
      const canceled = await bench.run();
      await bench.act(canceled, 'cancel');
      expect(await both(canceled)).toEqual(['canceled', 'canceled']);

      const failed = await bench.run();
      await (await bench.claimed(failed)).report('plan', { status: 'errored', message: 'no such provider' });
      expect(await both(failed)).toEqual(['errored', 'unreachable']);
      expect((await bench.shown(failed)).attributes).toMatchObject({
        status: 'errored',
        'error-message': 'no such provider',
      });

      const discarded = await bench.run();
      await bench.planned(discarded);
      await bench.act(discarded, 'discard');
      expect(await both(discarded)).toEqual(['finished', 'unreachable']);

      const broken = await bench.run();
      await bench.planned(broken);
      await bench.act(broken, 'apply');
      await (await bench.claimed(broken)).report('apply', { status: 'errored', message: 'out of quota' });
      expect(await both(broken)).toEqual(['finished', 'errored']);
    });

    it('are missing under an id of the other kind', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      for (const path of [
        `/plans/${id.replace('run', 'apply')}`,
        `/applies/${id.replace('run', 'plan')}`,
        `/plans/${id}`,
        '/plans/plan-nonexisting',
      ]) {
        expect((await admin.get(path).expect(404)).body).toEqual(missing);
      }
    });

    it('have a log that begins with a start mark, and ends with an end mark only when the phase is over', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const plan: string = (await planOf(id)).attributes['log-read-url'];
      const apply: string = (await applyOf(id)).attributes['log-read-url'];
      expect([await textAt(plan), await textAt(apply)]).toEqual([startMark, startMark]);
      const planning = await bench.claimed(id);
      await planning.log(0, 'Initializing… ');
      expect(await textAt(plan)).toBe(`${startMark}Initializing… `);
      await planning.log(Buffer.byteLength('Initializing… '), 'done');
      await planning.planned();
      expect(await textAt(plan)).toBe(`${startMark}Initializing… done${endMark}`);
      expect(await textAt(apply)).toBe(startMark);
      await bench.act(id, 'apply');
      const applying = await bench.claimed(id);
      await applying.log(0, 'Applying');
      expect(await textAt(apply)).toBe(`${startMark}Applying`);
      await applying.applied();
      expect(await textAt(apply)).toBe(`${startMark}Applying${endMark}`);
      expect(await textAt(plan)).toBe(`${startMark}Initializing… done${endMark}`);
    });

    it('are read by the program as it reads: piece after piece, until the end mark', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const job = await bench.claimed(id);
      const url: string = (await planOf(id)).attributes['log-read-url'];
      let read = Buffer.alloc(0);
      const readOn = async (): Promise<number> => {
        const answer = await supertest(api.app)
          .get(`${pathOf(url)}?limit=65536&offset=${read.length}`)
          .responseType('blob')
          .expect(200);
        read = Buffer.concat([read, answer.body]);
        return answer.body.length;
      };
      const log = Array.from({ length: 12_000 }, (_, line) => `line ${line}\n`).join('');
      const [first, second] = [log.slice(0, 70_000), log.slice(70_000)];
      expect(await readOn()).toBe(1);
      expect(await readOn()).toBe(0);
      await job.log(0, first);
      expect(await readOn()).toBe(65_536);
      expect(await readOn()).toBe(70_000 - 65_536);
      expect(await readOn()).toBe(0);
      await job.log(70_000, second);
      await job.planned();
      while (read.at(-1) !== endMark.charCodeAt(0)) expect(await readOn()).toBeGreaterThan(0);
      expect(read.toString()).toBe(startMark + log + endMark);
      expect(await readOn()).toBe(0);
    });

    it('are missing with their runs once the workspace is deleted, and so are their logs', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const url: string = (await planOf(id)).attributes['log-read-url'];
      await admin.delete(`/workspaces/${bench.workspaceId}`).expect(204);
      for (const settled of [false, true]) {
        if (settled) await api.settle();
        for (const path of [
          `/runs/${id}`,
          `/plans/${id.replace('run', 'plan')}`,
          `/runs/${id}/configuration-version`,
        ]) {
          expect((await admin.get(path).expect(404)).body).toEqual(missing);
        }
        expect((await supertest(api.app).get(pathOf(url)).expect(404)).body).toEqual(missing);
      }
    });

    it('return their logs to every client with the URL, until it expires, and by GET only', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const url: string = (await planOf(id)).attributes['log-read-url'];
      for (const path of ['/v1/log/nonsense', pathOf(url).slice(0, -3), pathOf(url).replace('/log/', '/object/')]) {
        expect((await supertest(api.app).get(path).expect(404)).body).toEqual(missing);
      }
      await supertest(api.app).put(pathOf(url)).expect(405);
      await supertest(api.app).get(pathOf(url)).expect(200);
      await bench.planned(id);
      api.clock.advance(299);
      await supertest(api.app).get(pathOf(url)).expect(200);
      api.clock.advance(1);
      expect((await supertest(api.app).get(pathOf(url)).expect(404)).body).toEqual(missing);
      expect(JSON.stringify(api.log.lines)).not.toContain(pathOf(url).split('/').at(-1));
    });

    it('keep their logs to those who follow them by an older URL, until a minute after the phase', async () => {
      const bench = await newBench();
      await bench.version();
      const id = await bench.run();
      const read = (url: string, status: number) => supertest(api.app).get(pathOf(url)).expect(status);
      /** Executes a phase that lasts longer than a URL. */
      const take = async (job: Awaited<ReturnType<Bench['claimed']>>) => {
        for (let beat = 0; beat < 10; beat += 1) {
          api.clock.advance(50);
          expect((await job.heartbeat()).status).toBe(200);
        }
      };
      const plan: string = (await planOf(id)).attributes['log-read-url'];
      api.clock.advance(3600);
      await read(plan, 200);
      const planning = await bench.claimed(id);
      await take(planning);
      await planning.log(0, 'done');
      await planning.planned();
      api.clock.advance(59);
      expect(await textAt(plan)).toBe(`${startMark}done${endMark}`);
      api.clock.advance(1);
      await read(plan, 404);
      await bench.act(id, 'apply');
      await read(plan, 404);
      const apply: string = (await applyOf(id)).attributes['log-read-url'];
      const applying = await bench.claimed(id);
      await take(applying);
      await read(apply, 200);
      await applying.applied();
      api.clock.advance(59);
      await read(apply, 200);
      api.clock.advance(1);
      for (const url of [plan, apply]) await read(url, 404);
    });

    it('keep their logs to those who follow them for a day at most', async () => {
      const bench = await newBench();
      await bench.version();
      const url: string = (await planOf(await bench.run())).attributes['log-read-url'];
      api.clock.advance(300 + 24 * 3600 - 1);
      await supertest(api.app).get(pathOf(url)).expect(200);
      api.clock.advance(1);
      expect((await supertest(api.app).get(pathOf(url)).expect(404)).body).toEqual(missing);
    });
  });
});

describe('a run with auto-apply', () => {
  it('was created by a team’s token, and has the rights of the team', async () => {
    const bench = await newBench();
    await bench.version();
    const team = await api.team(bench.organization, `team-${bench.organization}`);
    const grant = doc(
      'team-workspaces',
      { access: 'write' },
      { ...runOf(bench.workspaceId), team: { data: { type: 'teams', id: team } } },
    );
    const granted = await api.admin.post('/team-workspaces', grant).expect(200);
    const token = await api.admin.post(`/teams/${team}/authentication-token`, doc('authentication-token')).expect(201);
    const bearer = api.as(token.body.data.attributes.token);
    const runs: string[] = [];
    for (const message of ['kept', 'lost']) {
      const body = doc('runs', { message, 'auto-apply': true }, runOf(bench.workspaceId));
      const { data } = (await bearer.at('').post('/runs', body).expect(201)).body;
      expect(data.relationships['created-by']).toEqual({ data: { type: 'teams', id: team } });
      // Clients know only users there, and refuse a document that names any other type.
      for (const path of [`/runs/${data.id}`, `/workspaces/${data.relationships.workspace.data.id}/runs`]) {
        const { body } = await bearer.get(path).expect(200);
        expect([body.data].flat()[0].relationships['created-by']).toEqual({ data: null });
      }
      const events = await bearer.at('/api/v2').get(`/runs/${data.id}/run-events`).expect(200);
      expect(events.body.data[0].relationships.actor).toEqual({ data: null });
      runs.push(data.id);
    }
    const [kept, lost] = runs as [string, string];
    await bench.planned(kept);
    expect(await bench.statusOf(kept)).toBe('apply_queued');
    await (await bench.claimed(kept)).applied();
    await api.admin.delete(`/team-workspaces/${granted.body.data.id}`).expect(204);
    await bench.planned(lost);
    expect(await bench.statusOf(lost)).toBe('planned');
  });
});

describe('all of it', () => {
  it('leaves no fault of the service in its log', () => {
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
