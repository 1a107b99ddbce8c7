import { describe, expect, it } from '@jest/globals';
import type { RetentionPlace } from '../../src/application/index.js';
import { type Caller, doc, missing, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const deleting = (days: unknown) => ({
  data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } },
});
const keeping = { data: { type: 'data-retention-policy-dont-deletes' } };
const pathOf = ({ workspaceId }: Bench) => `/workspaces/${workspaceId}/relationships/data-retention-policy`;
const day = 86_400;

describe('the data retention policy of a workspace', () => {
  const relation = async ({ workspaceId }: Bench) =>
    (await admin.get(`/workspaces/${workspaceId}`).expect(200)).body.data.relationships['data-retention-policy'];

  it('is set, shown, replaced and deleted', async () => {
    const bench = await Bench.make(api);
    const path = pathOf(bench);
    const related = `${prefix}${path}`;
    const none = refusal(404, 'not found', 'the workspace has no data retention policy');
    expect((await admin.get(path).expect(404)).body).toEqual(none);
    expect(await relation(bench)).toEqual({ data: null, links: { related } });
    const { data } = (await admin.post(path, deleting(30)).expect(201)).body;
    expect(data).toEqual({ ...deleting(30).data, id: expect.stringMatching(/^drp-/) });
    expect((await admin.get(path).expect(200)).body.data).toEqual(data);
    expect(await relation(bench)).toEqual({ data: { id: data.id, type: data.type }, links: { related } });
    const kept = (await admin.post(path, keeping).expect(201)).body.data;
    expect(kept).toEqual({ ...keeping.data, id: expect.not.stringContaining(data.id), attributes: {} });
    expect((await admin.get(path).expect(200)).body.data).toEqual(kept);
    await admin.delete(path).expect(204);
    expect((await admin.delete(path).expect(404)).body).toEqual(none);
  });

  it('has a number of days that makes sense', async () => {
    const path = pathOf(await Bench.make(api));
    for (const days of [0, -1, 1.5, '30', 36_501, undefined]) {
      const { body } = await admin.post(path, deleting(days)).expect(422);
      expect(body.errors[0].source).toEqual({ pointer: '/data/attributes/delete-older-than-n-days' });
    }
    await admin.post(path, { data: { type: 'data-retention-policies' } }).expect(422);
  });

  it('is set by administrators of the workspace only', async () => {
    const bench = await Bench.make(api);
    const path = pathOf(bench);
    const set = (caller: Caller) => caller.post(path, deleting(30));
    await set(await bench.member('admin')).expect(201);
    expect((await set(await bench.member('write')).expect(404)).body.errors[0].detail).toContain('workspace admin');
    await set(await api.organizationToken(bench.organization)).expect(404);
    await (await bench.member('read')).get(path).expect(200);
    expect((await (await bench.member()).get(path).expect(404)).body).toEqual(missing);
  });
});

describe('the data retention policy of an organization', () => {
  it('is set, shown, replaced and deleted by its owners', async () => {
    const bench = await Bench.make(api);
    const one = `/organizations/${bench.organization}`;
    const path = `${one}/relationships/data-retention-policy`;
    const relation = async () => (await admin.get(one).expect(200)).body.data.relationships['data-retention-policy'];
    const related = `${prefix}${path}`;
    const none = refusal(404, 'not found', 'the organization has no data retention policy');
    expect((await admin.get(path).expect(404)).body).toEqual(none);
    expect(await relation()).toEqual({ data: null, links: { related } });
    const { data } = (await admin.post(path, deleting(30)).expect(201)).body;
    expect(data).toEqual({ ...deleting(30).data, id: expect.stringMatching(/^drp-/) });
    expect(await relation()).toEqual({ data: { id: data.id, type: data.type }, links: { related } });
    await (await bench.member('read')).get(path).expect(200);
    await (await bench.member('admin')).post(path, keeping).expect(404);
    await (await api.organizationToken(bench.organization)).post(path, keeping).expect(404);
    const kept = (await admin.post(path, keeping).expect(201)).body.data;
    expect((await admin.get(path).expect(200)).body.data).toEqual(kept);
    await admin.patch(one, doc('organizations', { email: 'new@example.com' })).expect(200);
    expect((await relation()).data).toEqual({ id: kept.id, type: kept.type });
    // Its workspaces show only their own.
    await admin.get(pathOf(bench)).expect(404);
    await admin.delete(path).expect(204);
    expect((await admin.delete(path).expect(404)).body).toEqual(none);
  });
});

describe('the worker', () => {
  const statusOf = async (id: string) =>
    (await admin.get(`/state-versions/${id}`).expect(200)).body.data.attributes.status;

  const apply = async () => {
    const done = { archived: 0, deleted: 0 };
    let place: RetentionPlace | undefined;
    do {
      const { next, ...batch } = await api.useCases.applyDataRetention.execute(place);
      done.archived += batch.archived;
      done.deleted += batch.deleted;
      place = next;
    } while (place !== undefined);
    await api.settle();
    return done;
  };

  /** Two versions and two states, of which the first are old and no longer current. */
  const aged = async () => {
    const bench = await Bench.make(api);
    const versions: string[] = [];
    const states: string[] = [];
    for (const serial of [1, 2]) {
      versions.push(await bench.version());
      const id = await bench.run();
      await bench.planned(id);
      await bench.act(id, 'apply');
      const job = await bench.claimed(id);
      states.push(await job.writeState(JSON.stringify({ version: 4, serial }), { serial }));
      await job.applied();
      api.clock.advance(20 * day);
    }
    return { bench, versions, states };
  };

  it('removes old files that are not current, and leaves their rows', async () => {
    const { bench, versions, states } = await aged();
    await admin.post(pathOf(bench), deleting(50)).expect(201);
    expect(await apply()).toEqual({ archived: 0, deleted: 0 });
    await admin.post(pathOf(bench), deleting(30)).expect(201);
    expect(await apply()).toEqual({ archived: 1, deleted: 1 });
    expect(await apply()).toEqual({ archived: 0, deleted: 0 });
    const [first, second] = await Promise.all(versions.map((id) => bench.versionStatus(id)));
    expect([first, second]).toEqual(['archived', 'uploaded']);
    expect(await Promise.all(states.map(statusOf))).toEqual(['backing_data_permanently_deleted', 'finalized']);
    const { attributes } = (await admin.get(`/state-versions/${states[0]}`).expect(200)).body.data;
    expect(attributes['hosted-state-download-url']).toBeNull();
    api.clock.advance(100 * day);
    expect(await apply()).toEqual({ archived: 0, deleted: 0 });
    const { data } = (await admin.get(`/organizations/${bench.organization}/audit-events`).expect(200)).body;
    const events = data.map(({ attributes }: { attributes: { action: string } }) => attributes.action);
    expect(events).toEqual(expect.arrayContaining(['state-versions/delete-data', 'configuration-versions/archive']));
    await admin.delete(pathOf(bench)).expect(204);
  });

  it('follows the organization for workspaces without a policy', async () => {
    const { bench, versions, states } = await aged();
    const path = `/organizations/${bench.organization}/relationships/data-retention-policy`;
    await admin.post(path, deleting(30)).expect(201);
    await admin.post(pathOf(bench), keeping).expect(201);
    expect(await apply()).toEqual({ archived: 0, deleted: 0 });
    await admin.delete(pathOf(bench)).expect(204);
    expect(await apply()).toEqual({ archived: 1, deleted: 1 });
    expect(await bench.versionStatus(versions[0] ?? '')).toBe('archived');
    expect(await statusOf(states[0] ?? '')).toBe('backing_data_permanently_deleted');
    await admin.delete(path).expect(204);
  });

  it('removes nothing from a workspace that keeps everything', async () => {
    const { bench, versions, states } = await aged();
    await admin.post(pathOf(bench), keeping).expect(201);
    api.clock.advance(1000 * day);
    expect(await apply()).toEqual({ archived: 0, deleted: 0 });
    await api.useCases.archiveOldVersions.execute();
    expect(await bench.versionStatus(versions[0] ?? '')).toBe('uploaded');
    expect(await Promise.all(states.map(statusOf))).toEqual(['finalized', 'finalized']);
  });
});
