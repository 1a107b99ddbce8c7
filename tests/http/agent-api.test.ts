import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { doc, newName, pathOf, refusal, startApi, type TestApi } from '../support/api.js';
import { agentOf, Bench, runOf } from '../support/bench.js';
import {
  announcementOf,
  type Job,
  type PolicySetReport,
  type ReferenceAgent,
  type Said,
} from '../support/reference-agent.js';

const startMark = '\x02';

const api = await startApi();

/** A bench with a queued run. */
async function queued(attributes: object = {}, settings: object = {}): Promise<{ bench: Bench; runId: string }> {
  const bench = await Bench.make(api, settings);
  await bench.version();
  return { bench, runId: await bench.run(attributes) };
}

/** The same, with the run claimed by the agent. */
async function planning(): Promise<{ bench: Bench; runId: string; job: Job }> {
  const { bench, runId } = await queued();
  return { bench, runId, job: await bench.claimed(runId) };
}

const inSeconds = (seconds: number): string => new Date(Date.parse(api.clock.now()) + seconds * 1000).toISOString();

const leaseLost = refusal(409, 'lease lost', expect.any(String));
const refusedTransition = (detail: string) => refusal(409, 'transition not allowed', detail);
const invalidAt = (pointer: string, detail: unknown = expect.any(String)) =>
  refusal(422, 'invalid attribute', detail, { pointer });
const invalidParameter = (parameter: string, detail: unknown = expect.any(String)) =>
  refusal(422, 'invalid attribute', detail, { parameter });

/** Every call about a run, made with the given lease. */
const callsAbout = (agent: ReferenceAgent, runId: string, lease: Readonly<Record<string, string>>) => {
  const path = (what: string) => `/agent/v1/runs/${runId}/${what}`;
  const report = JSON.stringify({ status: 'finished' });
  const policies = JSON.stringify({ 'policy-tool-version': '1', 'policy-sets': [] });
  const bytes = Buffer.from('stolen');
  return {
    heartbeat: () => agent.json('post', path('heartbeat'), lease, '{}'),
    configuration: () => agent.json('get', path('configuration'), lease),
    code: () => agent.json('get', path('policies/digest'), lease),
    'policy archive': () => agent.json('get', path('policy-set-versions/polsetver-1'), lease),
    log: () => agent.json('put', `${path('log')}?offset=0`, lease, Buffer.from('stolen')),
    state: () => agent.json('get', path('state'), lease),
    announce: () => agent.json('post', path('state-versions'), lease, JSON.stringify(announcementOf(bytes))),
    'upload of a state': () => agent.json('put', path('state-versions/sv-1/content'), lease, bytes),
    artifact: () => agent.json('put', path('artifacts/plan-json'), lease, bytes),
    'plan file': () => agent.json('get', path('artifacts/plan-file'), lease),
    plan: () => agent.json('post', path('plan'), lease, report),
    apply: () => agent.json('post', path('apply'), lease, report),
    policies: () => agent.json('post', path('policy-evaluations/poleval-1'), lease, policies),
  };
};

const logOf = async (runId: string, phase: 'plan' | 'apply'): Promise<string> => {
  const path = phase === 'plan' ? '/plans/' : '/applies/';
  const { body } = await api.admin.get(path + runId.replace('run', phase)).expect(200);
  return (await supertest(api.app).get(pathOf(body.data.attributes['log-read-url'])).expect(200)).text;
};

describe('an agent', () => {
  it('has a token that is good for nothing else', async () => {
    const { bench, runId } = await queued();
    const token = await api.admin.post(`/agent-pools/${bench.poolId}/authentication-tokens`).expect(201);
    const agent = api.as(token.body.data.attributes.token);
    for (const path of ['/account/details', '/organizations', `/runs/${runId}`, `/workspaces/${bench.workspaceId}`]) {
      await agent.get(path).expect(401);
      await agent.at('/api/v2').get(path).expect(401);
    }
  });

  it('shows when its token was used', async () => {
    const { bench } = await queued();
    await bench.agent.claim();
    await api.flushTokenUses();
    const { body } = await api.admin.get(`/agent-pools/${bench.poolId}/authentication-tokens`).expect(200);
    expect(body.data[0].attributes['last-used-at']).toBe(api.clock.now());
    expect(body.data[0].attributes.token).toBeNull();
  });
});

/** Resolves with the result of the next call of a use case. */
const called = <Given extends unknown[], Answer>(useCase: { execute(...given: Given): Promise<Answer> }) =>
  new Promise<Answer>((resolve) => {
    const execute = useCase.execute.bind(useCase);
    Object.assign(useCase, {
      execute: async (...given: Given) => {
        Object.assign(useCase, { execute });
        const answer = await execute(...given);
        resolve(answer);
        return answer;
      },
    });
  });

/** Waits for the next search for a run, which finds none. */
const looked = async ({ useCases }: TestApi): Promise<void> => expect(await called(useCases.claimRun)).toBeUndefined();

describe('a claim', () => {
  const claim = (bench: Bench, body: string | undefined, query = ''): Promise<Said> =>
    bench.agent.json('post', `/agent/v1/claims${query}`, {}, body);

  it('is answered with an empty 204 when there is nothing to do', async () => {
    const bench = await Bench.make(api);
    expect(await claim(bench, '{"name":"a"}')).toEqual({ status: 204, json: undefined });
    expect(await claim(bench, '{"name":"a"}', '?wait=0')).toEqual({ status: 204, json: undefined });
  });

  it('is answered with all the agent needs for the plan, and nothing else', async () => {
    const bench = await Bench.make(api, {
      'terraform-version': '1.9.0',
      'working-directory': 'live',
      'vcs-repo': { 'clone-url': 'https://git.example.com/acme/api.git', credential: 'a-credential' },
    });
    await bench.version();
    const sibling = await api.workspace(bench.organization, 'sibling');
    const [opa, sentinel] = [
      await bench.policySet({
        name: 'baseline',
        description: 'for people',
        policies: [
          { name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' },
          { name: 'cost', query: 'data.cost.warn', description: 'for people' },
        ],
      }),
      await bench.policySet({ name: 'classic', kind: 'sentinel', policies: [{ name: 'names' }] }),
    ];
    await api.admin
      .post(
        `/organizations/${bench.organization}/policy-sets`,
        doc('policy-sets', { name: 'of-the-sibling' }, { workspaces: { data: [{ type: 'workspaces', id: sibling }] } }),
      )
      .expect(201);
    const asked = {
      message: 'Add a bucket',
      'plan-only': true,
      'is-destroy': true,
      'refresh-only': true,
      'allow-config-generation': true,
      'debugging-mode': true,
      'target-addrs': ['aws_s3_bucket.one'],
      'replace-addrs': ['aws_s3_bucket.two'],
      variables: [{ key: 'region', value: '"eu"' }],
    };
    const runId = await bench.run(asked);
    const shown = await bench.shown(runId);
    const stageId = shown.relationships['task-stages'].data[0].id;
    const evaluations = await api.admin.get(`/task-stages/${stageId}/policy-evaluations`).expect(200);
    const [ofOpa, ofSentinel] = evaluations.body.data.map(({ id }: { id: string }) => id);
    const answer = await supertest(api.app)
      .post('/agent/v1/claims')
      .set('Authorization', `Bearer ${await tokenOf(bench)}`)
      .send({ name: 'rack-4-a' })
      .expect(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body).toEqual({
      lease: { token: expect.stringMatching(/^\S{40,}$/), 'expires-at': inSeconds(60) },
      phase: 'plan',
      run: {
        id: runId,
        ...asked,
        'save-plan': false,
        'auto-apply': false,
        refresh: true,
        'allow-empty-apply': false,
      },
      workspace: {
        id: bench.workspaceId,
        name: expect.stringContaining('workspace-'),
        organization: bench.organization,
        'working-directory': 'live',
        'terraform-version': '1.9.0',
        variables: [],
      },
      state: null,
      'shared-states-url': expect.stringMatching(/^http:\/\/gatehouse\.test\/v1\/shared-states\/[\w.-]{100,}$/),
      'plan-file': null,
      configuration: {
        id: shown.relationships['configuration-version'].data.id,
        url: `/agent/v1/runs/${runId}/configuration`,
      },
      'policy-evaluations': [
        {
          id: ofOpa,
          'policy-kind': 'opa',
          'policy-sets': [
            {
              id: opa,
              name: 'baseline',
              'policy-tool-version': null,
              policies: [
                { name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory', code: null },
                { name: 'cost', query: 'data.cost.warn', 'enforcement-level': 'advisory', code: null },
              ],
              archive: null,
              parameters: [],
            },
          ],
        },
        {
          id: ofSentinel,
          'policy-kind': 'sentinel',
          'policy-sets': [
            {
              id: sentinel,
              name: 'classic',
              'policy-tool-version': null,
              policies: [{ name: 'names', query: null, 'enforcement-level': 'advisory', code: null }],
              archive: null,
              parameters: [],
            },
          ],
        },
      ],
    });
    expect(await bench.statusOf(runId)).toBe('planning');
  });

  const tokenOf = async (bench: Bench): Promise<string> =>
    (await api.admin.post(`/agent-pools/${bench.poolId}/authentication-tokens`).expect(201)).body.data.attributes.token;

  it('for an apply has no policies, and the program of the run before that of the workspace', async () => {
    const bench = await Bench.make(api, { 'terraform-version': '1.9.0' });
    await bench.policySet({ policies: [{ name: 'tags' }] });
    await bench.version();
    const runId = await bench.run({ 'terraform-version': '1.10.1', 'auto-apply': true });
    await bench.planned(runId);
    const { json } = await bench.claimed(runId);
    expect(json).toMatchObject({ phase: 'apply', workspace: { 'terraform-version': '1.10.1' } });
    expect(json['policy-evaluations']).toEqual([]);
    expect(await bench.statusOf(runId)).toBe('applying');
  });

  it('never stores or logs the token of its lease', async () => {
    const { job } = await planning();
    const token: string = job.json.lease.token;
    await job.heartbeat();
    expect(await api.stored()).not.toContain(token);
    expect(JSON.stringify(api.log.lines)).not.toContain(token);
  });

  it('gives each run to one agent, of the many that ask at once', async () => {
    const { bench, runId } = await queued();
    const agents = await Promise.all([1, 2, 3, 4].map((n) => agentOf(api, bench.poolId, `agent-${n}`)));
    const jobs = await Promise.all(agents.map((agent) => agent.claim()));
    expect(jobs.filter((job) => job !== undefined).map((job) => job.runId)).toEqual([runId]);
    expect(await bench.agent.claim()).toBeUndefined();
  });

  it('names what is wrong with it', async () => {
    const { bench, runId } = await queued();
    for (const [body, pointer] of [
      [undefined, '/name'],
      ['{}', '/name'],
      ['{"name":5}', '/name'],
      ['{"name":""}', '/name'],
      [`{"name":"${'x'.repeat(256)}"}`, '/name'],
      ['[]', ''],
    ] as const) {
      expect(await claim(bench, body)).toEqual({ status: 422, json: invalidAt(pointer) });
    }
    for (const wait of ['61', '-1', '1.5', 'long', '']) {
      const expected = { status: 422, json: invalidParameter('wait', 'wait must be a number from 0 to 60') };
      expect(await claim(bench, '{"name":"a"}', `?wait=${wait}`)).toEqual(expected);
    }
    expect((await claim(bench, '{"name":')).status).toBe(400);
    const text = await bench.agent.send('post', '/agent/v1/claims', { 'Content-Type': 'text/plain' }, 'a');
    expect(text.status).toBe(415);
    expect(await bench.statusOf(runId)).toBe('plan_queued');
  });

  it('that waits is given a run that is queued meanwhile', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const inVain = looked(api);
    const waiting = bench.agent.claim(30);
    await inVain;
    const runId = await bench.run();
    expect((await waiting)?.runId).toBe(runId);
  });

  it('that waits in vain ends after the seconds it asked for', async () => {
    const bench = await Bench.make(api);
    const begun = performance.now();
    expect(await bench.agent.claim(1)).toBeUndefined();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
  });

  it('that waits ends when the service stops', async () => {
    const stopping = await startApi();
    const bench = await Bench.make(stopping);
    const inVain = looked(stopping);
    const waiting = bench.agent.claim(60);
    await inVain;
    stopping.stopping.abort();
    expect(await waiting).toBeUndefined();
    expect(stopping.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('that waits is refused as soon as its token is revoked, and takes no run', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const inVain = looked(api);
    const waiting = claim(bench, '{"name":"a"}', '?wait=30');
    await inVain;
    const { body } = await api.admin.get(`/agent-pools/${bench.poolId}/authentication-tokens`).expect(200);
    await api.admin.delete(`/authentication-tokens/${body.data[0].id}`).expect(204);
    const runId = await bench.run();
    expect(await waiting).toEqual({
      status: 401,
      json: refusal(401, 'unauthorized', 'the token is unknown or was revoked, or is not that of an agent pool'),
    });
    expect(await bench.statusOf(runId)).toBe('plan_queued');
  });

  it('of an agent that hung up takes no run', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const token = await tokenOf(bench);
    const server = createServer(api.app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const asking = request({ port, path: '/agent/v1/claims?wait=60', method: 'POST', headers });
    asking.on('error', () => undefined);
    const reached = once(server, 'request');
    const inVain = looked(api);
    asking.end('{"name":"hangs up"}');
    const [, answer] = await reached;
    const left = once(answer, 'close');
    await inVain;
    const next = called(api.useCases.authenticateAgent);
    asking.destroy();
    await left;
    const runId = await bench.run();
    await next;
    await setImmediate();
    expect(await bench.statusOf(runId)).toBe('plan_queued');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a lease', () => {
  it('is renewed by each heartbeat, which returns the status of the run', async () => {
    const { runId, job } = await planning();
    api.clock.advance(40);
    expect(await job.heartbeat()).toEqual({
      status: 200,
      json: { lease: { 'expires-at': inSeconds(60) }, run: { status: 'planning' }, cancel: false },
    });
    api.clock.advance(59);
    expect(await api.reclaimLostRuns()).not.toContain(runId);
    const said = await job.planned();
    expect(said).toEqual({ status: 200, json: { run: { status: 'planned' } } });
  });

  it('is needed for every call about the run, and must be that run’s and that pool’s', async () => {
    const [{ bench, runId, job }, other] = [await planning(), await planning()];
    const lease = { Lease: job.json.lease.token };
    const attempts = [
      callsAbout(bench.agent, runId, {}),
      callsAbout(bench.agent, runId, { Lease: '' }),
      callsAbout(bench.agent, runId, { Lease: 'nonsense' }),
      callsAbout(bench.agent, runId, { Lease: other.job.json.lease.token }),
      callsAbout(bench.agent, other.runId, lease),
      callsAbout(bench.agent, 'run-nonexisting', lease),
      callsAbout(other.bench.agent, runId, lease),
    ];
    for (const calls of attempts) {
      for (const [name, call] of Object.entries(calls)) {
        expect({ name, ...(await call()) }).toEqual({ name, status: 409, json: leaseLost });
      }
    }
    expect(await bench.statusOf(runId)).toBe('planning');
    expect(await logOf(runId, 'plan')).toBe(startMark);
  });

  it('outlasts that the workspace is given to another pool, which the apply then goes to', async () => {
    const { bench, runId, job } = await planning();
    const pool = await api.admin
      .post(`/organizations/${bench.organization}/agent-pools`, doc('agent-pools', { name: newName('pool') }))
      .expect(201);
    const settings = doc('workspaces', { 'agent-pool-id': pool.body.data.id });
    await api.admin.patch(`/workspaces/${bench.workspaceId}`, settings).expect(200);
    expect((await job.planned()).json).toEqual({ run: { status: 'planned' } });
    await bench.act(runId, 'apply');
    expect(await bench.agent.claim()).toBeUndefined();
    expect((await (await agentOf(api, pool.body.data.id)).claimed()).runId).toBe(runId);
  });

  it('gives the files of the run', async () => {
    const { bench, job } = await planning();
    const { status, bytes } = await job.configuration();
    expect(status).toBe(200);
    expect(bytes.equals(bench.bundle)).toBe(true);
  });
});

describe('a log', () => {
  it('grows at its end; what is there already may be sent again', async () => {
    const { runId, job } = await planning();
    expect(await job.log(0, 'one ')).toEqual({ status: 200, json: { size: 4 } });
    expect(await job.log(4, 'two ')).toEqual({ status: 200, json: { size: 8 } });
    expect(await job.log(0, 'one ')).toEqual({ status: 200, json: { size: 8 } });
    expect(await job.log(4, 'two three')).toEqual({ status: 200, json: { size: 13 } });
    expect(await job.log(13, '')).toEqual({ status: 200, json: { size: 13 } });
    expect(await logOf(runId, 'plan')).toBe(`${startMark}one two three`);
  });

  it('has no gaps, and says where it ends', async () => {
    const { runId, job } = await planning();
    await job.log(0, 'one ');
    expect(await job.log(5, 'two')).toEqual({
      status: 422,
      json: invalidParameter('offset', 'Offset must be 4, the current size of the log'),
    });
    expect(await logOf(runId, 'plan')).toBe(`${startMark}one `);
  });

  it('requires the offset of its bytes', async () => {
    const { bench, runId, job } = await planning();
    const lease = { Lease: job.json.lease.token };
    const put = (query: string) =>
      bench.agent.json('put', `/agent/v1/runs/${runId}/log${query}`, lease, Buffer.from('x'));
    for (const query of ['', '?offset=', '?offset=-1', '?offset=end', '?offset=1e3']) {
      expect(await put(query)).toEqual({ status: 422, json: invalidParameter('offset') });
    }
    expect(await logOf(runId, 'plan')).toBe(startMark);
  });

  it('takes a mebibyte at once, and no byte more', async () => {
    const { job } = await planning();
    expect(await job.log(0, 'x'.repeat(1024 * 1024))).toEqual({ status: 200, json: { size: 1024 * 1024 } });
    const tooLarge = await job.log(1024 * 1024, 'x'.repeat(1024 * 1024 + 1));
    expect(tooLarge).toEqual({ status: 413, json: refusal(413, 'payload too large', expect.any(String)) });
    expect((await job.log(1024 * 1024, '')).json).toEqual({ size: 1024 * 1024 });
  });
});

describe('the report of a phase', () => {
  it('names what is wrong with it, and changes nothing then', async () => {
    const { bench, runId, job } = await planning();
    for (const [body, pointer] of [
      [{}, '/status'],
      [{ status: 'done' }, '/status'],
      [{ status: 'errored' }, '/message'],
      [{ status: 'errored', message: '' }, '/message'],
      [{ status: 'errored', message: 'x'.repeat(4097) }, '/message'],
      [{ status: 'finished', 'has-changes': 'yes' }, '/has-changes'],
      [{ status: 'finished', 'generated-configuration': 'yes' }, '/generated-configuration'],
      [{ status: 'finished', 'resource-additions': -1 }, '/resource-additions'],
      [{ status: 'finished', 'resource-changes': 1.5 }, '/resource-changes'],
      [{ status: 'finished', 'resource-destructions': '1' }, '/resource-destructions'],
      [{ status: 'finished', 'resource-imports': 1_000_001 }, '/resource-imports'],
      [[], ''],
    ] as const) {
      expect({ body, ...(await job.report('plan', body)) }).toEqual({ body, status: 422, json: invalidAt(pointer) });
    }
    expect(await bench.statusOf(runId)).toBe('planning');
  });

  it('is taken for changes when a plan says nothing of them', async () => {
    const { bench, runId, job } = await planning();
    expect((await job.report('plan', { status: 'finished' })).json).toEqual({ run: { status: 'planned' } });
    expect((await bench.shown(runId)).attributes['has-changes']).toBe(true);
  });
});

/** A claimed run with two evaluations: one with a mandatory and an advisory policy, one with a single policy. */
async function underPolicies(settings: object = {}) {
  const bench = await Bench.make(api);
  const set = await bench.policySet({
    policies: [{ name: 'tags', 'enforcement-level': 'mandatory' }, { name: 'cost' }],
    ...settings,
  });
  const classic = await bench.policySet({ kind: 'sentinel', policies: [{ name: 'names' }], ...settings });
  await bench.version();
  const runId = await bench.run();
  const stageId: string = (await bench.shown(runId)).relationships['task-stages'].data[0].id;
  const job = await bench.claimed(runId);
  const [opa, sentinel] = job.json['policy-evaluations'].map(({ id }: { id: string }) => id) as [string, string];
  return { bench, runId, stageId, job, set, classic, opa, sentinel };
}

const evaluationShown = async (id: string) =>
  (await api.admin.get(`/policy-evaluations/${id}`).expect(200)).body.data.attributes;

const outcomesOf = async (id: string) =>
  (await api.admin.get(`/policy-evaluations/${id}/policy-set-outcomes`).expect(200)).body.data;

describe('the report of a policy evaluation', () => {
  const passing = (set: string): PolicySetReport => ({
    'policy-set-id': set,
    policies: [
      { name: 'tags', status: 'passed' },
      { name: 'cost', status: 'passed' },
    ],
  });

  it('names what is wrong with it, and of a half-valid one nothing is kept', async () => {
    const { bench, runId, job, set, classic, opa } = await underPolicies();
    await job.planned();
    const [tags, cost] = [
      { name: 'tags', status: 'passed' },
      { name: 'cost', status: 'passed' },
    ];
    for (const [sets, pointer] of [
      [[], '/policy-sets'],
      [[passing('polset-nonexisting')], '/policy-sets/0/policy-set-id'],
      [[passing(set), passing(classic)], '/policy-sets/1/policy-set-id'],
      [[passing(set), passing(set)], '/policy-sets/1/policy-set-id'],
      [[{ 'policy-set-id': set, policies: [tags] }], '/policy-sets/0/policies'],
      [[{ 'policy-set-id': set }], '/policy-sets/0/policies'],
      [[{ 'policy-set-id': set, policies: [tags, cost, tags] }], '/policy-sets/0/policies/2/name'],
      [
        [{ 'policy-set-id': set, policies: [tags, { name: 'other', status: 'passed' }] }],
        '/policy-sets/0/policies/1/name',
      ],
      [
        [{ 'policy-set-id': set, policies: [tags, { name: 'cost', status: 'fine' }] }],
        '/policy-sets/0/policies/1/status',
      ],
      [[{ 'policy-set-id': set, policies: [{ ...tags, output: 'text' }, cost] }], '/policy-sets/0/policies/0/output'],
      [[{ policies: [tags, cost] }], '/policy-sets/0/policy-set-id'],
      [[{ 'policy-set-id': set, policies: [tags, cost], error: 5 }], '/policy-sets/0/error'],
    ] as const) {
      const said = await job.policies(opa, sets as unknown as PolicySetReport[]);
      expect({ sets, ...said }).toEqual({ sets, status: 422, json: invalidAt(pointer) });
      expect(await outcomesOf(opa)).toEqual([]);
    }
    const bare = `/agent/v1/runs/${runId}/policy-evaluations/${opa}`;
    const lease = { Lease: job.json.lease.token };
    expect((await bench.agent.json('post', bare, lease, '{}')).json.errors).toEqual(
      ['/policy-tool-version', '/policy-sets'].map((pointer) => expect.objectContaining({ source: { pointer } })),
    );
    expect(await evaluationShown(opa)).toMatchObject({ status: 'running', 'policy-tool-version': '' });
    expect(await bench.statusOf(runId)).toBe('post_plan_running');
    expect((await job.policies(opa, [passing(set)])).status).toBe(200);
    expect(await evaluationShown(opa)).toMatchObject({ status: 'passed', 'policy-tool-version': '1.0.0' });
  });

  it('is kept as the set has it: levels, queries and whether it may be overridden are not the agent’s to say', async () => {
    const { job, set, opa } = await underPolicies();
    await job.planned();
    const sets = [
      {
        'policy-set-id': set,
        overridable: true,
        warnings: ['deprecated'],
        policies: [
          { name: 'cost', status: 'failed', 'enforcement-level': 'mandatory', output: [{ cost: 5 }, 'too much'] },
          { name: 'tags', status: 'passed', enforcement_level: 'advisory' },
        ],
      },
    ];
    await job.policies(opa, sets as unknown as PolicySetReport[]);
    const [outcome, ...others] = await outcomesOf(opa);
    expect(others).toEqual([]);
    expect(outcome.attributes).toMatchObject({
      status: 'failed',
      'enforcement-level': 'advisory',
      overridable: false,
      warnings: ['deprecated'],
      error: '',
      outcomes: [
        { policy_name: 'tags', status: 'passed', enforcement_level: 'mandatory', output: null },
        { policy_name: 'cost', status: 'failed', enforcement_level: 'advisory', output: [{ cost: 5 }, 'too much'] },
      ],
    });
  });

  it('is taken once for each evaluation, and only for those of the run', async () => {
    const [{ job, set, opa, sentinel }, other] = [await underPolicies(), await underPolicies()];
    expect(await job.policies(opa, [passing(set)])).toEqual({
      status: 409,
      json: refusedTransition('policy evaluation could not be reported because its status is pending'),
    });
    await job.planned();
    for (const id of [other.opa, 'poleval-nonexisting']) {
      const said = await job.policies(id, [passing(set)]);
      expect(said).toEqual({
        status: 404,
        json: refusal(404, 'not found', 'the run has no such policy evaluation'),
      });
    }
    expect((await job.policies(opa, [passing(set)])).json).toEqual({ run: { status: 'post_plan_running' } });
    expect(await job.policies(opa, [passing(set)])).toEqual({
      status: 409,
      json: refusedTransition('policy evaluation could not be reported because its status is passed'),
    });
    expect((await outcomesOf(opa)).length).toBe(1);
    expect((await evaluationShown(sentinel)).status).toBe('running');
  });

  it('may be as large as its number of policies requires, up to 16 MiB', async () => {
    const { job, runId, bench, set, opa } = await underPolicies();
    await job.planned();
    const largest = 16 * 1024 * 1024;
    const output = [{ text: 'x'.repeat(2 * 1024 * 1024) }];
    const [tags, cost] = passing(set).policies ?? [];
    const report = JSON.stringify({
      'policy-tool-version': '1.0.0',
      'policy-sets': [{ 'policy-set-id': set, policies: [{ ...tags, output }, cost] }],
    });
    const path = `/agent/v1/runs/${runId}/policy-evaluations/${opa}`;
    const say = (body: string) => bench.agent.json('post', path, { Lease: job.json.lease.token }, body);
    expect(await say(report.padEnd(largest + 1))).toEqual({
      status: 413,
      json: refusal(413, 'payload too large', 'the body is larger than 16777216 bytes'),
    });
    expect((await evaluationShown(opa)).status).toBe('running');
    expect(await say(report.padEnd(largest))).toEqual({
      status: 200,
      json: { run: { status: 'post_plan_running' } },
    });
    const [outcome] = await outcomesOf(opa);
    expect(outcome.attributes.outcomes[0].output).toEqual(output);
  });
});

describe('an agent that falls silent', () => {
  it('is not lost a second before its time', async () => {
    const { bench, runId, job } = await planning();
    api.clock.advance(59);
    expect(await api.reclaimLostRuns()).not.toContain(runId);
    expect(await bench.statusOf(runId)).toBe('planning');
    expect((await job.planned()).status).toBe(200);
  });
});

describe('a run of another organization', () => {
  it('cannot be reached by an agent of another organization, whatever it is called', async () => {
    const { bench, runId } = await queued();
    const elsewhere = await Bench.make(api);
    const outsider = await elsewhere.member('admin');
    await outsider.get(`/runs/${runId}`).expect(404);
    await outsider.post('/runs', doc('runs', {}, runOf(bench.workspaceId))).expect(404);
    expect(await elsewhere.agent.claim()).toBeUndefined();
    const known = callsAbout(elsewhere.agent, runId, { Lease: 'guessed' });
    const unknown = callsAbout(elsewhere.agent, 'run-nonexisting', { Lease: 'guessed' });
    for (const name of ['heartbeat', 'configuration', 'log', 'plan', 'apply', 'policies'] as const) {
      expect(await known[name]()).toEqual(await unknown[name]());
    }
  });
});

describe('all of it', () => {
  it('leaves no fault of the service in its log', () => {
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
