import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, newName, prefix, startApi } from '../support/api.js';
import { Bench, runOf } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const data = async (asked: ReturnType<Caller['get']>) => (await asked.expect(200)).body.data;

/** Another workspace with a run of its own. */
const anotherRun = async (bench: Bench): Promise<{ readonly workspaceId: string; readonly id: string }> => {
  const body = doc('workspaces', { name: newName('workspace') });
  const made = await api.admin.post(`/organizations/${bench.organization}/workspaces`, body).expect(201);
  const workspaceId: string = made.body.data.id;
  const version = await bench.version({}, workspaceId);
  const run = await api.admin.post('/runs', doc('runs', {}, runOf(workspaceId, version))).expect(201);
  return { workspaceId, id: run.body.data.id };
};

describe('what happened to a run', () => {
  it('is listed from its creation on, in full, and linked from the run', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const id = await bench.run();
    const created = api.clock.now();
    api.clock.advance(5);
    const planned = api.clock.now();
    await bench.planned(id);
    api.clock.advance(5);
    const discarded = api.clock.now();
    await bench.act(id, 'discard');

    const shown = await data(admin.get(`/runs/${id}`));
    const path = shown.relationships['run-events'].links.related;
    expect(path).toBe(`${prefix}/runs/${id}/run-events`);
    const { body } = await admin.get(path.slice(prefix.length)).expect(200);
    const event = (action: string, description: string, at: string, actor: object | null = null) => ({
      id: `${id.replace('run-', 're-')}-${action.replaceAll('_', '-')}`,
      type: 'run-events',
      attributes: { action, description, 'created-at': at, comment: null },
      relationships: { actor: { data: actor }, comment: { data: null }, run: { data: { id, type: 'runs' } } },
      links: { self: `${prefix}/run-events/${id.replace('run-', 're-')}-${action.replaceAll('_', '-')}` },
    });
    expect(body).toEqual({
      data: [
        event('created', 'The run was created', created, { id: api.admin.id, type: 'users' }),
        event('plan_queued', 'The plan is waiting for an agent', created),
        event('planning', 'An agent started the plan', planned),
        event('planned', 'The plan finished', planned),
        event('discarded', 'The run was discarded', discarded, { id: api.admin.id, type: 'users' }),
      ],
    });
  });
});

describe('the queue of an organization', () => {
  it('has what is executed and what waits, and each in its place', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const nextRun = async () => {
      api.clock.advance(1);
      return bench.run();
    };
    const [holding, waiting, last] = [await nextRun(), await nextRun(), await nextRun()];
    api.clock.advance(1);
    const other = await anotherRun(bench);
    await bench.claimed(holding);
    const path = `/organizations/${bench.organization}/runs/queue`;
    const queue = async (query = '') => {
      const { body } = await admin.get(path + query).expect(200);
      const places = body.data.map((run: { id: string; attributes: Record<string, unknown> }) => [
        run.id,
        run.attributes.status,
        run.attributes['position-in-queue'],
      ]);
      return { places, total: body.meta.pagination['total-count'] };
    };
    expect(await queue()).toEqual({
      places: [
        [holding, 'planning', 0],
        [waiting, 'pending', 2],
        [last, 'pending', 3],
        [other.id, 'plan_queued', 0],
      ],
      total: 4,
    });
    expect((await queue('?page[size]=1&page[number]=4')).places).toEqual([[other.id, 'plan_queued', 0]]);
    const capacity = await admin.get(`/organizations/${bench.organization}/capacity`).expect(200);
    expect(capacity.body).toEqual({
      data: { id: bench.organization, type: 'organization-capacity', attributes: { pending: 3, running: 1 } },
    });
    const { body } = await admin.get(path).expect(200);
    expect(body.data[0]).toEqual(await data(admin.get(`/runs/${holding}`)));
    expect(body.data[1]).toEqual(await data(admin.get(`/runs/${body.data[1].id}`)));
    const listed = await data(admin.get(`/workspaces/${bench.workspaceId}/runs`));
    expect(listed.find(({ id }: { id: string }) => id === body.data[2].id)).toEqual(body.data[2]);
  });

  it('shows members the runs of workspaces they may read, and others nothing', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const own = await bench.run();
    await anotherRun(bench);
    const [member, outsider] = [await bench.member('read'), await api.user(newName('outsider'))];
    const path = `/organizations/${bench.organization}`;
    const seen = await data(member.get(`${path}/runs/queue`));
    expect(seen.map(({ id }: { id: string }) => id)).toEqual([own]);
    expect(seen[0].attributes.permissions['can-apply']).toBe(false);
    expect(await data((await bench.member()).get(`${path}/runs/queue`))).toEqual([]);
    for (const part of ['runs/queue', 'capacity']) {
      const hidden = await outsider.get(`${path}/${part}`).expect(404);
      expect((await admin.get(`/organizations/nowhere/${part}`).expect(404)).text).toBe(hidden.text);
    }
  });
});

describe('the current run of a workspace', () => {
  it('is the one that holds it, or else the one that waits longest, or else the one that held it last', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const { workspaceId } = bench;
    const current = async () => (await data(admin.get(`/workspaces/${workspaceId}`))).relationships['current-run'].data;
    expect(await current()).toBeNull();
    const first = await bench.run();
    expect(await current()).toEqual({ id: first, type: 'runs' });
    await bench.act(first, 'cancel');
    expect(await current()).toEqual({ id: first, type: 'runs' });
    const canceled = `/organizations/${bench.organization}/workspaces?filter[current-run][status]=canceled`;
    expect((await admin.get(canceled).expect(200)).body.data).toHaveLength(1);
    await data(admin.post(`/workspaces/${workspaceId}/actions/lock`, {}));
    const second = await bench.run();
    const third = await bench.run();
    const { relationships } = await data(admin.get(`/workspaces/${workspaceId}`));
    expect(relationships['latest-run'].data.id).toBe(third);
    expect(await current()).toEqual({ id: second, type: 'runs' });
    const { body } = await admin.get(`/organizations/${bench.organization}/workspaces`).expect(200);
    expect(body.data[0].relationships['current-run'].data.id).toBe(second);
    const beside = await admin.get(`/runs/${first}?include=workspace`).expect(200);
    expect(beside.body.included[0].relationships['current-run'].data.id).toBe(second);
    const described = await admin.patch(`/workspaces/${workspaceId}`, doc('workspaces', { description: 'ours' }));
    expect(described.body.data.relationships['current-run'].data.id).toBe(second);
    expect((await admin.get(canceled).expect(200)).body.data).toEqual([]);
    for (const waiting of [second, third]) await bench.act(waiting, 'cancel');
    expect(await current()).toEqual({ id: first, type: 'runs' });
    expect((await admin.get(canceled).expect(200)).body.data).toHaveLength(1);
  });
});
