import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const data = async (asked: ReturnType<Caller['get']>) => (await asked.expect(200)).body.data;

const comment = (id: string, body: unknown, caller: Caller = admin) =>
  caller.post(`/runs/${id}/comments`, doc('comments', { body }));

const aRun = async () => {
  const bench = await Bench.make(api);
  await bench.version();
  return { bench, id: await bench.run() };
};

interface Identified {
  readonly id: string;
  readonly type: string;
}

/** The run names these events and comments, wherever it is shown. */
const named = async (bench: Bench, id: string, ...lists: readonly (readonly Identified[])[]) => {
  const [events, comments] = lists.map((list) => list.map(({ id, type }) => ({ id, type })));
  for (const path of [
    `/runs/${id}`,
    `/workspaces/${bench.workspaceId}/runs`,
    `/organizations/${bench.organization}/runs`,
  ]) {
    const shown = [await data(admin.get(path))].flat()[0].relationships;
    expect({ path, events: shown['run-events'].data, comments: shown.comments.data }).toEqual({
      path,
      events,
      comments,
    });
  }
};

describe('comments on a run', () => {
  it('are added, shown and listed with their event', async () => {
    const { bench, id } = await aRun();
    const shown = await bench.shown(id);
    expect(shown.attributes.permissions['can-comment']).toBe(true);
    expect(shown.relationships.comments.links.related).toBe(`${prefix}/runs/${id}/comments`);
    expect(await data(admin.get(`/runs/${id}/comments`))).toEqual([]);

    const added = (await comment(id, 'Wait for Monday').expect(201)).body.data;
    const eventId = added.id.replace('wsc-', 're-');
    const eventLink = `${prefix}/run-events/${eventId}`;
    expect(added).toEqual({
      id: expect.stringMatching(/^wsc-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'comments',
      attributes: { body: 'Wait for Monday' },
      relationships: {
        'run-event': { data: { id: eventId, type: 'run-events' }, links: { related: eventLink } },
      },
      links: { self: `${prefix}/comments/${added.id}` },
    });
    expect(await data(admin.get(`/comments/${added.id}`))).toEqual(added);
    expect(await data(admin.get(`/runs/${id}/comments`))).toEqual([added]);

    const event = await data(admin.get(`/run-events/${eventId}`));
    expect(event).toMatchObject({
      attributes: { action: 'commented', comment: 'Wait for Monday', 'created-at': api.clock.now() },
      relationships: {
        actor: { data: { id: api.admin.id, type: 'users' } },
        comment: { data: { id: added.id, type: 'comments' } },
        run: { data: { id, type: 'runs' } },
      },
      links: { self: eventLink },
    });
    const events = await data(admin.get(`/runs/${id}/run-events`));
    expect(events.at(-1)).toEqual(event);
    await named(bench, id, events, [added]);
  });

  it('are those of actions too', async () => {
    const { bench, id } = await aRun();
    await bench.planned(id);
    await admin.post(`/runs/${id}/actions/discard`, { comment: 'Too expensive' }).expect(202);
    const [given, ...others] = await data(admin.get(`/runs/${id}/comments`));
    await named(bench, id, await data(admin.get(`/runs/${id}/run-events`)), [given]);
    expect(others).toEqual([]);
    const part = `${id.replace('run-', '')}-discarded`;
    expect(given).toMatchObject({
      id: `wsc-${part}`,
      attributes: { body: 'Too expensive' },
      relationships: { 'run-event': { data: { id: `re-${part}` } } },
    });
    expect(await data(admin.get(`/comments/wsc-${part}`))).toEqual(given);
    const event = await data(admin.get(`/run-events/re-${part}`));
    expect(event.relationships.comment.data.id).toBe(given.id);
    expect((await data(admin.get(`/runs/${id}/run-events`))).at(-1)).toEqual(event);
  });

  it('are kept of a cancellation that the agent has not followed yet', async () => {
    const { bench, id } = await aRun();
    await bench.planned(id);
    await bench.act(id, 'apply');
    const job = await bench.claimed(id);
    await admin.post(`/runs/${id}/actions/cancel`, { comment: 'Stop it' }).expect(202);
    const comments = () => data(admin.get(`/runs/${id}/comments`));
    const [given] = await comments();
    expect(given).toMatchObject({
      id: `wsc-${id.replace('run-', '')}-cancel-requested`,
      attributes: { body: 'Stop it' },
    });
    api.clock.advance(1);
    await job.applied();
    expect(await comments()).toEqual([given]);
  });

  it('are included with events, as their authors are', async () => {
    const { bench, id } = await aRun();
    const member = await bench.member('plan');
    const added = (await comment(id, 'Looks good', member).expect(201)).body.data;
    for (const path of [`/runs/${id}/run-events`, `/run-events/${added.id.replace('wsc-', 're-')}`]) {
      expect((await admin.get(path).expect(200)).body.included).toBeUndefined();
      const { included } = (await admin.get(`${path}?include=actor,comment`).expect(200)).body;
      expect(included.map(({ type }: { type: string }) => type).sort()).toEqual(
        path.startsWith('/runs') ? ['comments', 'users', 'users'] : ['comments', 'users'],
      );
      expect(included[0]).toEqual(added);
    }
    await admin.get(`/runs/${id}/run-events?include=target`).expect(400);
  });

  it('are refused without a text, beyond its length, and beyond their number', async () => {
    const { id } = await aRun();
    const pointer = { pointer: '/data/attributes/body' };
    for (const [body, sentence] of [
      ['', "Body can't be blank"],
      [' \n', "Body can't be blank"],
      ['x'.repeat(4097), expect.stringContaining('4096')],
      [5, 'Body must be a string'],
    ]) {
      expect((await comment(id, body).expect(422)).body).toEqual(refusal(422, 'invalid attribute', sentence, pointer));
    }
    for (let count = 0; count < 100; count += 1) await comment(id, 'Again').expect(201);
    const { body } = await comment(id, 'Once more').expect(422);
    expect(body).toEqual(refusal(422, 'invalid attribute', 'A run can have at most 100 comments'));
  });

  it('are written by those who may plan, read by those who may read, and missing for others', async () => {
    const { bench, id } = await aRun();
    const [reader, planner] = [await bench.member('read'), await bench.member('plan')];
    expect((await comment(id, 'No', reader).expect(404)).body.errors[0].detail).toContain('runs: plan');
    expect((await data(reader.get(`/runs/${id}`))).attributes.permissions['can-comment']).toBe(false);
    const added = (await comment(id, 'Yes', planner).expect(201)).body.data;
    expect(await data(reader.get(`/comments/${added.id}`))).toEqual(added);
    const outsider = await api.user(newName('outsider'));
    const eventId = added.id.replace('wsc-', 're-');
    for (const path of [`/comments/${added.id}`, `/run-events/${eventId}`, `/runs/${id}/comments`]) {
      expect((await outsider.get(path).expect(404)).body).toEqual(missing);
    }
    const part = id.replace('run-', '');
    for (const path of ['/comments/wsc-nobody', `/comments/wsc-${part}-created`, `/run-events/re-${part}-applied`]) {
      expect((await admin.get(path).expect(404)).body).toEqual(missing);
    }
  });

  it('are in the audit trail of the organization, without their text', async () => {
    const { bench, id } = await aRun();
    const added = (await comment(id, 'A text that stays here').expect(201)).body.data;
    const { text } = await admin.get(`/organizations/${bench.organization}/audit-events`).expect(200);
    const event = JSON.parse(text).data.find(
      ({ attributes }: { attributes: { action: string } }) => attributes.action === 'runs/comment',
    );
    expect(JSON.stringify(event)).toContain(added.id);
    expect(text).not.toContain('A text that stays here');
  });
});

describe('the comment on an override', () => {
  it('belongs to the event of the override, with its author', async () => {
    const bench = await Bench.make(api);
    const policies = [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' }];
    await bench.policySet({ overridable: true, policies });
    await bench.version();
    const id = await bench.run();
    await bench.planned(id, 'failed');
    const [stage] = await data(admin.get(`/runs/${id}/task-stages`));
    expect((await admin.post(`/task-stages/${stage.id}/actions/override`, { comment: 5 }).expect(422)).body).toEqual(
      refusal(422, 'invalid attribute', 'Comment must be a string', { pointer: '/comment' }),
    );
    await admin.post(`/task-stages/${stage.id}/actions/override`, { comment: 'It is fine' }).expect(200);
    const events = await data(admin.get(`/runs/${id}/run-events`));
    const overridden = events.find(
      ({ attributes }: { attributes: { action: string } }) => attributes.action === 'post_plan_completed',
    );
    expect(overridden).toMatchObject({
      attributes: { comment: 'It is fine' },
      relationships: { actor: { data: { id: api.admin.id, type: 'users' } } },
    });
  });
});
