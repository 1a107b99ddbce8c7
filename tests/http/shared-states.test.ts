import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { doc, missing, newName, pathOf, prefix, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });

/** A workspace next to that of a claimed run, with a state, and the base of what the run's program reads. */
async function place(settings: object = {}) {
  const bench = await Bench.make(api);
  const name = newName('shared');
  const created = await api.admin
    .post(`/organizations/${bench.organization}/workspaces`, doc('workspaces', { name, ...settings }))
    .expect(201);
  const id: string = created.body.data.id;
  await api.admin.post(`/workspaces/${id}/actions/lock`, {}).expect(200);
  const state = Buffer.from('{"version":4,"serial":7,"lineage":"l","outputs":{},"resources":[]}');
  const md5 = createHash('md5').update(state).digest('hex');
  const attributes = { serial: 7, lineage: 'l', md5, state: state.toString('base64') };
  await api.admin.post(`/workspaces/${id}/state-versions`, doc('state-versions', attributes)).expect(201);
  await bench.version();
  const runId = await bench.run();
  const job = await bench.claimed(runId);
  const base = pathOf(job.json['shared-states-url']);
  const get = (path: string) => api.anonymous.at('').get(`${base}${path}`);
  const consumers = `/workspaces/${id}/relationships/remote-state-consumers`;
  const share = () => api.admin.post(consumers, { data: [{ id: bench.workspaceId, type: 'workspaces' }] }).expect(204);
  return { bench, id, name, runId, job, state, base, get, share };
}

type Place = Awaited<ReturnType<typeof place>>;

const byName = ({ bench, get }: Place, name: string) => get(`/organizations/${bench.organization}/workspaces/${name}`);

const current = ({ get }: Place, id: string) => get(`/workspaces/${id}/current-state-version`);

describe('the states that are shared with a run', () => {
  it('are found by name and read from a URL, once the workspace names that of the run', async () => {
    const there = await place();
    await there.get('/ping').expect(204);
    const entitlements = await there.get(`/organizations/${there.bench.organization}/entitlement-set`).expect(200);
    expect(entitlements.body.data.attributes).toEqual({ operations: true, 'state-storage': true });
    for (const answer of [
      await byName(there, there.name),
      await byName(there, newName('nowhere')),
      await current(there, there.id),
      await current(there, 'ws-nobody'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, missing]);
    }
    await there.share();
    const found = await byName(there, there.name).expect(200);
    expect(found.body).toEqual({ data: { id: there.id, type: 'workspaces', attributes: { name: there.name } } });
    const { body } = await current(there, there.id).expect(200);
    expect(body.data.attributes).toMatchObject({ serial: 7, size: there.state.length, status: 'finalized' });
    const bytes = await api.anonymous.at('').get(pathOf(body.data.attributes['hosted-state-download-url'])).buffer();
    expect(Buffer.from(bytes.body)).toEqual(there.state);
  });

  it('are those of every workspace with global remote state in the same organization', async () => {
    const [there, elsewhere] = [
      await place({ 'global-remote-state': true }),
      await place({ 'global-remote-state': true }),
    ];
    await byName(there, there.name).expect(200);
    await current(there, there.id).expect(200);
    await current(there, elsewhere.id).expect(404);
    await elsewhere.get(`/organizations/${there.bench.organization}/entitlement-set`).expect(404);
    await elsewhere.get(`/organizations/${there.bench.organization}/workspaces/${there.name}`).expect(404);
  });

  it('end with the lease, and are bound to its URL', async () => {
    const there = await place({ 'global-remote-state': true });
    for (const base of [`${there.base}x`, there.base.replace('shared-states', 'object'), '/v1/shared-states/guess']) {
      await api.anonymous.at('').get(`${base}/ping`).expect(404);
    }
    await there.bench.act(there.runId, 'cancel');
    await there.job.report('plan', { status: 'canceled' });
    for (const path of ['/ping', `/workspaces/${there.id}/current-state-version`]) {
      expect((await there.get(path).expect(404)).body).toEqual(missing);
    }
  });

  it('are nothing where there is no state', async () => {
    const there = await place();
    const name = newName('empty');
    const path = `/organizations/${there.bench.organization}/workspaces`;
    const empty = await api.admin.post(path, doc('workspaces', { name, 'global-remote-state': true })).expect(201);
    await byName(there, name).expect(200);
    await current(there, empty.body.data.id).expect(404);
  });

  it('open nothing else with the URL', async () => {
    const there = await place({ 'global-remote-state': true });
    for (const path of ['/account/details', `/workspaces/${there.id}`, `/workspaces/${there.id}/vars`, '']) {
      await there.get(path).expect(404);
    }
  });
});
