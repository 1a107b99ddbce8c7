import { describe, expect, it } from '@jest/globals';
import { doc, missing, newName, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { agentOf, Bench, takeByDefault } from '../support/bench.js';
import { into, ReferenceAgent } from '../support/reference-agent.js';
import { policyArchive } from '../support/route-bodies.js';

const api = await startApi();

const plan = JSON.stringify({ plan_format_version: '1.2', resource_changes: [] });
const workspaces = (...ids: readonly string[]) => ({
  workspaces: { data: ids.map((id) => ({ type: 'workspaces', id })) },
});

/** A bench with runs that have a plan; the policy set `tags` said `passed` of them. */
async function plannedBench(runs = 1, judge: 'passed' | 'failed' = 'passed') {
  const bench = await Bench.make(api);
  const setId = await bench.policySet({
    name: 'tags',
    policies: [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'advisory' }],
  });
  await bench.version();
  const ids: string[] = [];
  for (let n = 0; n < runs; n += 1) {
    const id = await bench.run({ 'plan-only': true });
    const job = await bench.claimed(id);
    await job.artifact('plan-json-redacted', Buffer.from(plan));
    await job.planned(false);
    await job.judgeAll(() => judge);
    ids.push(id);
    api.clock.advance(1);
  }
  return { bench, setId, runIds: ids };
}

const pathIn = (bench: Bench) => `/organizations/${bench.organization}/policy-trials`;
const ofSet = (id: string) => ({ 'policy-set': { data: { type: 'policy-sets', id } } });
const asked = (relationships: object, attributes: object = {}) =>
  doc('policy-trials', { archive: policyArchive, ...attributes }, relationships);

async function ask(bench: Bench, relationships: object, attributes: object = {}) {
  return (await api.admin.post(pathIn(bench), asked(relationships, attributes)).expect(201)).body.data;
}

/** A claim of the bench's agent that accepts trials. */
async function claim(bench: Bench, agent = bench.agent) {
  const body = JSON.stringify({ name: 'rack 4', accepts: ['policy-trials', 'dancing'] });
  return (await agent.json('post', '/agent/v1/claims', {}, body)).json;
}

const reportOf = (trialId: string, policies: readonly object[], given: object = {}) =>
  JSON.stringify({
    'policy-tool-version': '1.0.0',
    'policy-sets': [{ 'policy-set-id': trialId, policies }],
    ...given,
  });

const said = (status: string, more: object = {}) => ({ name: 'tags', status, output: ['no owner'], ...more });

async function report(bench: Bench, job: Awaited<ReturnType<typeof claim>>, index: number, body: string) {
  const lease = { Lease: job.lease.token };
  return bench.agent.json('post', job['policy-trial'].plans[index].url, lease, body);
}

const shown = async (id: string) => (await api.admin.get(`/policy-trials/${id}`).expect(200)).body.data;
const resultsOf = async (id: string) => (await api.admin.get(`/policy-trials/${id}/results`).expect(200)).body.data;

describe('a policy trial', () => {
  it('counts and lists the verdict before and now, with messages, and changes nothing of the run', async () => {
    const { bench, setId, runIds } = await plannedBench(2);
    const before = await bench.shown(runIds[0] ?? '');
    const trial = await ask(bench, ofSet(setId), { parameters: [{ key: 'limit', value: '3' }] });
    expect(trial.attributes).toMatchObject({
      status: 'queued',
      policies: [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' }],
      parameters: [{ key: 'limit', value: '3' }],
      archive: { size: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect((await shown(trial.id)).attributes.verdicts).toEqual([{ before: 'passed', now: null, plans: 2 }]);

    const job = await claim(bench);
    expect(job.phase).toBeUndefined();
    const { 'policy-set': set, plans, workspace } = job['policy-trial'];
    expect(plans.map((one: { run: { id: string } }) => one.run.id)).toEqual(runIds.toReversed());
    expect(workspace).toEqual({
      id: bench.workspaceId,
      name: expect.any(String),
      organization: bench.organization,
      'working-directory': '',
    });
    expect(set.parameters).toEqual([{ key: 'limit', value: '3', sensitive: false }]);
    const lease = { Lease: job.lease.token };
    const archive = await bench.agent.send('get', set.archive.url, lease);
    expect(archive.bytes.toString('base64')).toBe(policyArchive);
    expect((await bench.agent.send('get', plans[0].url, lease)).bytes.toString()).toBe(plan);
    const elsewhere = plans[0].url.replace(/run-.*/, 'run-unknown');
    expect((await bench.agent.json('get', elsewhere, lease)).status).toBe(404);
    const other = reportOf(trial.id, [said('failed')]);
    expect((await bench.agent.json('post', elsewhere, lease, other)).status).toBe(404);
    expect((await bench.agent.json('get', set.archive.url, { Lease: 'x' })).status).toBe(409);
    expect((await shown(trial.id)).attributes.status).toBe('running');

    expect((await report(bench, job, 0, reportOf(trial.id, [said('failed')]))).status).toBe(204);
    const repeated = await report(bench, job, 0, reportOf(trial.id, [said('passed')]));
    expect(repeated.status).toBe(204);
    const hidden = said('passed', { 'not-comparable': 'It reads input.plan.variables' });
    expect((await report(bench, job, 1, reportOf(trial.id, [hidden]))).status).toBe(204);
    expect((await bench.agent.json('post', `/agent/v1/policy-trials/${trial.id}/heartbeat`, lease, '{}')).status).toBe(
      409,
    );

    const { attributes } = await shown(trial.id);
    expect(attributes.status).toBe('finished');
    expect(attributes.verdicts).toHaveLength(2);
    expect(attributes.verdicts).toEqual(
      expect.arrayContaining([
        { before: 'passed', now: 'failed', plans: 1 },
        { before: 'passed', now: 'not-comparable', plans: 1 },
      ]),
    );
    const [first, second] = await resultsOf(trial.id);
    expect(first).toMatchObject({
      attributes: {
        before: { status: 'passed', 'policy-tool-version': '1.0.0' },
        now: { status: 'failed', reason: null },
        policies: [
          {
            name: 'tags',
            before: { status: 'passed' },
            now: { status: 'failed', 'enforcement-level': 'mandatory', output: ['no owner'], reason: null },
          },
        ],
      },
      relationships: { run: { data: { id: runIds[1] } }, workspace: { data: { id: bench.workspaceId } } },
    });
    expect(second.attributes.now).toMatchObject({
      status: 'not-comparable',
      reason: 'It reads input.plan.variables',
    });
    expect(second.attributes.policies[0].now.output).toBeNull();
    const { 'current-run': _, ...same } = (await bench.shown(runIds[0] ?? '')).relationships;
    expect(same).toEqual(before.relationships);
    const again = await api.admin.at('/api/v2').get(`/policy-trials/${trial.id}/results`).expect(200);
    expect(again.body.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    await api.admin.get(pathIn(bench)).expect(200);
    const listed = await api.admin.at('/api/v2').get(pathIn(bench)).expect(200);
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([trial.id]);
    expect(listed.body.data[0].attributes.verdicts).toBeUndefined();
  });

  it('is not comparable with what another version of OPA decided, and an error keeps its line', async () => {
    const { bench, setId } = await plannedBench(2);
    const trial = await ask(bench, ofSet(setId));
    const job = await claim(bench);
    const newer = { 'policy-tool-version': '1.10.0' };
    await report(bench, job, 0, reportOf(trial.id, [said('failed')], newer));
    await report(bench, job, 1, reportOf(trial.id, [said('errored', { output: ['tags.rego, line 3: bad'] })], newer));
    const [first, second] = await resultsOf(trial.id);
    expect(first.attributes.now).toMatchObject({
      status: 'not-comparable',
      reason: 'Recorded with OPA 1.0.0, evaluated with OPA 1.10.0',
    });
    expect(second.attributes.policies[0].now).toMatchObject({ status: 'errored', output: ['tags.rego, line 3: bad'] });
  });

  it('lists plans that are not kept as not comparable, and ends at once if there is nothing to evaluate', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const runId = await bench.run({ 'plan-only': true });
    await bench.planned(runId);
    const trial = await ask(bench, workspaces(bench.workspaceId));
    expect(trial.attributes.status).toBe('finished');
    const [only] = await resultsOf(trial.id);
    expect(only.attributes).toMatchObject({ before: null, now: { status: 'not-comparable' }, policies: [] });
  });

  it('evaluates at most the requested number of plans, of the workspaces that a set applies to', async () => {
    const { bench, setId, runIds } = await plannedBench(2);
    const excluded = doc('policy-sets', {}, { 'workspace-exclusions': workspaces(bench.workspaceId).workspaces });
    const one = await ask(bench, ofSet(setId), { plans: 1 });
    expect((await resultsOf(one.id)).map(({ id }: { id: string }) => id)).toEqual([`${one.id}.${runIds[1]}`]);
    await api.admin.post(`/policy-trials/${one.id}/actions/cancel`).expect(200);
    await api.admin.patch(`/policy-sets/${setId}`, excluded).expect(200);
    const none = await ask(bench, ofSet(setId));
    expect(none.attributes.status).toBe('finished');
    expect(await resultsOf(none.id)).toEqual([]);
  });

  it('is refused with what to change', async () => {
    const { bench } = await plannedBench();
    const refused = async (body: object, status: number) =>
      (await api.admin.post(pathIn(bench), body).expect(status)).body;
    const nowhere = await refused(doc('policy-trials', { archive: policyArchive }), 422);
    expect(nowhere.errors[0].source.pointer).toBe('/data/relationships');
    const here = workspaces(bench.workspaceId);
    await refused(asked(here, { archive: 'not base64!' }), 422);
    await refused(asked(here, { plans: 101 }), 422);
    await refused(asked(here, { parameters: [{ key: 'a', value: 'b', sensitive: true }] }), 422);
    await refused(asked(here, { parameters: [1, 2].map(() => ({ key: 'a', value: 'b' })) }), 422);
    const bad = await archiveOf({ 'policies.hcl': 'policy "tags" {\n  oops = 1\n}', 'tags.rego': 'package tags' });
    expect(await refused(asked(here, { archive: bad.toString('base64') }), 422)).toEqual(
      refusal(422, 'invalid archive', expect.stringContaining('policies.hcl, line 1')),
    );
    const sentinel = await bench.policySet({ kind: 'sentinel' });
    await refused(asked(ofSet(sentinel)), 422);
    await refused(asked(workspaces('ws-unknown')), 404);
    await api.admin.get(`${pathIn(bench)}?page[size]=0`).expect(422);
    await api.admin.get('/policy-trials/poltrial-any/results?page[size]=0').expect(422);
  });

  it('is one per caller and two per organization at a time', async () => {
    const { bench, setId } = await plannedBench();
    await ask(bench, ofSet(setId));
    const again = await api.admin.post(pathIn(bench), asked(ofSet(setId))).expect(429);
    expect(again.body.errors[0].detail).toContain('wait for it, or cancel it');
    for (const status of [201, 429]) {
      const member = await bench.member(undefined, { 'organization-access': { 'manage-policies': true } });
      await member.post(pathIn(bench), asked(ofSet(setId))).expect(status);
    }
  });

  it('is for callers who manage policies, and canceled by its asker or an owner', async () => {
    const { bench, setId } = await plannedBench();
    const rights = { 'organization-access': { 'manage-policies': true } };
    const [asker, other] = [await bench.member(undefined, rights), await bench.member(undefined, rights)];
    const reader = await bench.member('admin');
    expect((await reader.post(pathIn(bench), asked(ofSet(setId))).expect(404)).body).toEqual(missing);
    const client = asker.at('/api/v2');
    const { body } = await client.post(pathIn(bench), asked(ofSet(setId))).expect(201);
    const path = `/policy-trials/${body.data.id}`;
    for (const hidden of [path, `${path}/results`])
      expect((await reader.get(hidden).expect(404)).body).toEqual(missing);
    await other.get(path).expect(200);
    await other.at('/api/v2').get(path).expect(200);
    await other.post(`${path}/actions/cancel`).expect(404);
    await client.post(`${path}/actions/cancel`).expect(200);
    await api.admin.post(`${path}/actions/cancel`).expect(409);
  });

  it('is recorded with the digest of its code', async () => {
    const { bench, setId } = await plannedBench();
    const trial = await ask(bench, ofSet(setId));
    const { body } = await api.admin.get(
      `/organizations/${bench.organization}/audit-events?filter[action]=policy-trials/manage`,
    );
    expect(body.data[0].attributes).toMatchObject({
      detail: { code: [{ sha256: trial.attributes.archive.sha256 }] },
    });
  });

  it('waits an hour for an agent, is evaluated for ten minutes, and is kept for 30 days', async () => {
    const { bench, setId } = await plannedBench();
    const waiting = await ask(bench, ofSet(setId));
    api.clock.advance(3600);
    expect(await api.useCases.endPolicyTrials.execute()).toContain(waiting.id);
    expect((await shown(waiting.id)).attributes).toMatchObject({
      status: 'errored',
      'error-message': expect.stringContaining('No agent'),
    });
    const slow = await ask(bench, ofSet(setId));
    const job = await claim(bench);
    api.clock.advance(600);
    expect(await api.useCases.endPolicyTrials.execute()).toContain(slow.id);
    expect((await shown(slow.id)).attributes['error-message']).toContain('10 minutes');
    expect((await report(bench, job, 0, reportOf(slow.id, [said('passed')]))).status).toBe(409);
    api.clock.advance(31 * 24 * 3600);
    await api.useCases.endPolicyTrials.execute();
    await api.admin.get(`/policy-trials/${slow.id}`).expect(404);
  });
});

describe('an agent', () => {
  it('of a release before is never given a trial', async () => {
    const { bench, setId } = await plannedBench();
    await ask(bench, ofSet(setId));
    expect(await bench.agent.claim()).toBeUndefined();
  });

  it('gets no plan of a workspace that another pool serves', async () => {
    const { bench, setId } = await plannedBench();
    await ask(bench, ofSet(setId));
    const pool = await api.admin
      .post(`/organizations/${bench.organization}/agent-pools`, doc('agent-pools', { name: newName('pool') }))
      .expect(201);
    const other = await agentOf(api, pool.body.data.id);
    expect(await claim(bench, other)).toBeUndefined();
    const job = await claim(bench);
    const { status } = await other.json('get', job['policy-trial'].plans[0].url, { Lease: job.lease.token });
    expect(status).toBe(409);
    await takeByDefault(api, bench.organization, pool.body.data.id);
  });

  it('gets runs first, and a waiting run ends its lease; the results so far stay', async () => {
    const { bench, setId } = await plannedBench(2);
    const trial = await ask(bench, ofSet(setId));
    const runId = await bench.run({ 'plan-only': true });
    expect((await claim(bench)).run.id).toBe(runId);
    const job = await claim(bench);
    const lease = { Lease: job.lease.token };
    const beat = () => bench.agent.json('post', `/agent/v1/policy-trials/${trial.id}/heartbeat`, lease, '{}');
    expect((await beat()).json).toMatchObject({ interrupted: false });
    await report(bench, job, 0, reportOf(trial.id, [said('passed')]));
    const next = await bench.run({ 'plan-only': true });
    expect((await beat()).json).toMatchObject({ interrupted: true });
    expect((await beat()).status).toBe(409);
    expect((await shown(trial.id)).attributes.status).toBe('queued');
    expect((await claim(bench)).run.id).toBe(next);
    expect((await claim(bench))['policy-trial'].plans).toHaveLength(1);
  });

  it('whose lease has expired loses the plans to another', async () => {
    const { bench, setId } = await plannedBench();
    const trial = await ask(bench, ofSet(setId));
    const lost = await claim(bench);
    expect(await claim(bench)).toBeUndefined();
    api.clock.advance(61);
    const job = await claim(bench);
    expect((await report(bench, lost, 0, reportOf(trial.id, [said('passed')]))).status).toBe(409);
    expect((await report(bench, job, 0, reportOf(trial.id, []))).status).toBe(422);
    expect((await report(bench, job, 0, reportOf(trial.id, [said('passed')]))).status).toBe(204);
  });

  it('needs the token of a pool for every call', async () => {
    const { bench, setId } = await plannedBench();
    await ask(bench, ofSet(setId));
    const job = await claim(bench);
    const lease = { Lease: job.lease.token };
    const { 'policy-set': set, plans, id } = job['policy-trial'];
    const stranger = new ReferenceAgent(into(api.server), 'unknown');
    for (const [method, path] of [
      ['post', `/agent/v1/policy-trials/${id}/heartbeat`],
      ['get', set.archive.url],
      ['get', plans[0].url],
      ['post', plans[0].url],
    ] as const) {
      expect((await stranger.json(method, path, lease, method === 'post' ? '{}' : undefined)).status).toBe(401);
    }
  });
});
