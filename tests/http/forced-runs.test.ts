import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, missing, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const data = async (asked: ReturnType<Caller['get']>) => (await asked.expect(200)).body.data;

const transitionRefused = (reason: string) => refusal(409, 'transition not allowed', reason);

const eventsOf = async (id: string): Promise<readonly { attributes: Record<string, unknown> }[]> =>
  data(admin.get(`/runs/${id}/run-events`));

const aBench = async (): Promise<Bench> => {
  const bench = await Bench.make(api);
  await bench.version();
  return bench;
};

describe('a run that is canceled by force', () => {
  /** A run that an agent applies. */
  const applying = async () => {
    const bench = await aBench();
    const id = await bench.run();
    await bench.planned(id);
    await bench.act(id, 'apply');
    return { bench, id, job: await bench.claimed(id) };
  };

  const force = (id: string, caller: Caller = admin, comment?: string) =>
    caller.post(`/runs/${id}/actions/force-cancel`, comment === undefined ? {} : { comment });

  const forcing = async (bench: Bench, id: string) => {
    const { attributes } = await bench.shown(id);
    return [attributes.actions['is-force-cancelable'], attributes['force-cancel-available-at']];
  };

  it('was asked to stop, and had three minutes for it', async () => {
    const { bench, id, job } = await applying();
    expect(await forcing(bench, id)).toEqual([false, null]);
    expect((await force(id).expect(409)).body).toEqual(
      transitionRefused('run could not be canceled by force because cancellation was not requested'),
    );
    await bench.act(id, 'cancel');
    const available = new Date(Date.parse(api.clock.now()) + 180_000).toISOString();
    expect(await forcing(bench, id)).toEqual([true, available]);
    api.clock.advance(179);
    expect((await force(id).expect(409)).body).toEqual(
      transitionRefused(
        'run could not be canceled by force because its agent still has time to stop, until `force-cancel-available-at`',
      ),
    );
    expect((await job.heartbeat()).status).toBe(200);
    api.clock.advance(1);
    await force(id, admin, 'It hangs').expect(202);
    expect(await bench.shown(id)).toMatchObject({
      attributes: {
        status: 'canceled',
        'canceled-at': api.clock.now(),
        'force-cancel-available-at': available,
        'status-timestamps': { 'force-canceled-at': api.clock.now() },
      },
      relationships: { 'canceled-by': { data: { id: api.admin.id, type: 'users' } } },
    });
    const [requested, canceled] = (await eventsOf(id)).slice(-2);
    expect(requested?.attributes).toMatchObject({ action: 'cancel_requested' });
    expect(canceled?.attributes).toMatchObject({ action: 'canceled', comment: 'It hangs' });
  });

  it('has no lease any more, and lets the next run start', async () => {
    const { bench, id, job } = await applying();
    const next = await bench.run();
    await bench.act(id, 'cancel');
    api.clock.advance(180);
    await job.heartbeat();
    await force(id).expect(202);
    expect((await job.heartbeat()).json.errors[0].title).toBe('lease lost');
    expect((await job.applied()).status).toBe(409);
    expect(await bench.statusOf(id)).toBe('canceled');
    expect(await bench.statusOf(next)).toBe('plan_queued');
  });

  it('is refused in other statuses, and to those who are not administrators of the workspace', async () => {
    const { bench, id } = await applying();
    await bench.act(id, 'cancel');
    api.clock.advance(180);
    const [writer, administrator] = [await bench.member('write'), await bench.member('admin')];
    expect((await force(id, writer).expect(404)).body.errors[0].detail).toContain('workspace admin');
    expect((await force(id, await bench.member()).expect(404)).body).toEqual(missing);
    await force(id, await api.organizationToken(bench.organization)).expect(404);
    await force(id, administrator).expect(202);
    expect((await force(id, administrator).expect(409)).body).toEqual(
      transitionRefused('run could not be canceled by force because its status is canceled'),
    );
  });
});

describe('a run that is executed by force', () => {
  const force = (id: string, caller: Caller = admin) => caller.post(`/runs/${id}/actions/force-execute`, {});

  it('starts, and those before it end', async () => {
    const bench = await aBench();
    const holding = await bench.run();
    await bench.planned(holding);
    const [waiting, run, after] = [await bench.run(), await bench.run(), await bench.run()];
    const speculative = await bench.run({ 'plan-only': true });
    api.clock.advance(1);
    await admin.post(`/runs/${run}/actions/force-execute`, { comment: 'Urgent' }).expect(202);
    const statuses = await Promise.all([holding, waiting, run, after, speculative].map((id) => bench.statusOf(id)));
    expect(statuses).toEqual(['discarded', 'discarded', 'plan_queued', 'pending', 'plan_queued']);
    const forced = (await eventsOf(run)).find(({ attributes }) => attributes.action === 'force_executed');
    expect(forced?.attributes).toMatchObject({ comment: 'Urgent', 'created-at': api.clock.now() });
    expect((await eventsOf(holding)).at(-1)).toMatchObject({
      attributes: { action: 'discarded' },
      relationships: { actor: { data: { id: api.admin.id } } },
    });
    const { data: events } = (await admin.get(`/organizations/${bench.organization}/audit-events`).expect(200)).body;
    const audited = events.filter(
      ({ attributes }: { attributes: { action: string } }) => attributes.action === 'runs/force-execute',
    );
    const named = [holding, waiting, run].filter((id) => JSON.stringify(audited).includes(id));
    expect([audited.length, named.length]).toEqual([1, 3]);
  });

  it('is 403 unless it waits for another run', async () => {
    const bench = await aBench();
    const running = await bench.run();
    const notBlocked = (reason: string) =>
      refusal(403, 'transition not allowed', `run could not be executed by force because ${reason}`);
    expect((await force(running).expect(403)).body).toEqual(notBlocked('its status is plan_queued'));
    await bench.act(running, 'cancel');
    const [canceled] = await data(admin.get(`/organizations/${bench.organization}/audit-events`));
    expect(canceled.attributes).toMatchObject({ action: 'runs/apply', detail: null });
    await admin.post(`/workspaces/${bench.workspaceId}/actions/lock`, {}).expect(200);
    const locked = await bench.run();
    expect((await force(locked).expect(403)).body).toEqual(notBlocked('no other run holds its workspace'));
  });

  it('is 409 while the run that holds the workspace cannot be discarded, and changes nothing', async () => {
    const bench = await aBench();
    const holding = await bench.run();
    const [waiting, run] = [await bench.run(), await bench.run()];
    expect((await force(run).expect(409)).body).toEqual(
      transitionRefused(
        `run could not be executed by force because the status of ${holding}, which holds its workspace, is plan_queued`,
      ),
    );
    expect([await bench.statusOf(holding), await bench.statusOf(waiting)]).toEqual(['plan_queued', 'pending']);
    expect((await eventsOf(run)).map(({ attributes }) => attributes.action)).toEqual(['created']);
  });

  it('is refused to those who may not apply', async () => {
    const bench = await aBench();
    await bench.planned(await bench.run());
    const run = await bench.run();
    expect((await force(run, await bench.member('plan')).expect(404)).body.errors[0].detail).toContain('runs: apply');
    await force(run, await bench.member('write')).expect(202);
  });

  it('ends at most a hundred others', async () => {
    const bench = await aBench();
    await bench.planned(await bench.run());
    const body = doc('runs', {}, { workspace: { data: { type: 'workspaces', id: bench.workspaceId } } });
    for (let count = 0; count < 99; count += 1) await admin.post('/runs', body).expect(201);
    const [allowed, run] = [await bench.run(), await bench.run()];
    expect((await force(run).expect(409)).body).toEqual(
      transitionRefused('run could not be executed by force because more than 100 runs wait before it'),
    );
    await force(allowed).expect(202);
  });
});
