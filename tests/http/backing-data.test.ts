import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { type Caller, doc, missing, pathOf, refusal, startApi } from '../support/api.js';
import { Bench, runOf } from '../support/bench.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const changes = ['soft_delete', 'restore', 'permanently_delete'] as const;
type Change = (typeof changes)[number];

const done = { soft_delete: 'soft deleted', restore: 'restored', permanently_delete: 'permanently deleted' };

const bundleStore = new MemoryBundleStore();

const api = await startApi({ bundleStore });

const pathOfChange = (id: string, change: Change) => `/configuration-versions/${id}/actions/${change}_backing_data`;

const days = (count: number): number => count * 86_400;

const change = (id: string, what: Change, caller: Caller = api.admin) =>
  caller.at('/api/v2').post(pathOfChange(id, what));

const refused = (what: Change, because: string) =>
  refusal(400, 'transition not allowed', `configuration could not be ${done[what]} because ${because}`);

/** The version as listed; the list goes on showing it. */
async function listed(bench: Bench, id: string) {
  const { body } = await bench.api.admin
    .get(`/workspaces/${bench.workspaceId}/configuration-versions?page[size]=100`)
    .expect(200);
  return body.data.find((version: { id: string }) => version.id === id);
}

const statusOf = async (bench: Bench, id: string): Promise<string> => (await listed(bench, id)).attributes.status;

const keyOf = async (id: string): Promise<string> =>
  (await api.unitOfWork.read((tx) => tx.configurationVersions.find(id)))?.state.bundle?.key ?? '';

/** A version whose backing data may be deleted. */
const deletable = (bench: Bench): Promise<string> => bench.version({ speculative: true });

async function softDeleted(bench: Bench): Promise<string> {
  const id = await deletable(bench);
  await change(id, 'soft_delete').expect(200);
  return id;
}

describe('the backing data of a version', () => {
  it('is changed whatever the body of the request is', async () => {
    const bench = await Bench.make(api);
    const id = await softDeleted(bench);
    await change(id, 'restore').set('Content-Type', 'text/klingon').send('{"').expect(200);
  });

  it.each(changes)('can be asked to %s only at /api/v2', async (what) => {
    const bench = await Bench.make(api);
    const id = await deletable(bench);
    const answer = await api.admin.at('').post(pathOfChange(id, what)).expect(404);
    expect(answer.body).toEqual(missing);
    expect(await statusOf(bench, id)).toBe('uploaded');
  });

  it('once soft-deleted is not to be had anywhere, and is all back once it is restored', async () => {
    const bench = await Bench.make(api);
    const id = await deletable(bench);
    const run = await bench.run({}, id);
    await bench.act(run, 'cancel');
    const member = `/configuration-versions/${id}`;
    const shown = (await api.admin.get(`${member}?include=run`).expect(200)).body;
    const { location } = (await api.admin.get(`${member}/download`).expect(302)).headers;

    api.clock.advance(5);
    const deletedAt = api.clock.now();
    await change(id, 'soft_delete').expect(200);
    for (const prefix of ['', '/api/v2'] as const) {
      const admin = api.admin.at(prefix);
      for (const path of [
        member,
        `${member}?include=run`,
        `${member}/ingress-attributes`,
        `${member}/download`,
        `/runs/${run}/configuration-version`,
        `/runs/${run}/configuration-version/download`,
      ]) {
        expect((await admin.get(path).expect(404)).body).toEqual(missing);
      }
      const beside = await admin.get(`/runs/${run}?include=configuration_version`).expect(200);
      expect(beside.body).not.toHaveProperty('included');
      const list = (await admin.get(`/workspaces/${bench.workspaceId}/configuration-versions?include=run`).expect(200))
        .body;
      const [own] = list.data.filter((version: { id: string }) => version.id === id);
      expect(own.attributes).toMatchObject({
        status: 'backing_data_soft_deleted',
        'status-timestamps': { 'uploaded-at': expect.any(String), 'soft-delete-backing-data-at': deletedAt },
      });
      expect(own.links).not.toHaveProperty('download');
      expect(own.relationships.run).toEqual({ data: null });
      expect(list).not.toHaveProperty('included');
    }
    expect(
      (
        await supertest(api.app)
          .get(pathOf(location as string))
          .expect(404)
      ).body,
    ).toEqual(missing);
    await api.admin.post(`${member}/actions/archive`).expect(409);
    await api.admin.post('/runs', doc('runs', {}, runOf(bench.workspaceId, id))).expect(422);
    expect(await statusOf(bench, id)).toBe('backing_data_soft_deleted');

    api.clock.advance(5);
    const restoredAt = api.clock.now();
    await change(id, 'restore').expect(200);
    const again = (await api.admin.get(`${member}?include=run`).expect(200)).body;
    const stamps = { 'soft-delete-backing-data-at': deletedAt, 'restore-backing-data-at': restoredAt };
    const { attributes } = shown.data;
    expect(again).toEqual({
      ...shown,
      data: {
        ...shown.data,
        attributes: { ...attributes, 'status-timestamps': { ...attributes['status-timestamps'], ...stamps } },
      },
    });
    const bytes = await supertest(api.app)
      .get(pathOf(location as string))
      .responseType('blob')
      .expect(200);
    expect(bytes.body.equals(bench.bundle)).toBe(true);
    await api.admin.post('/runs', doc('runs', {}, runOf(bench.workspaceId, id))).expect(201);
  });
});

describe('soft-deleted backing data', () => {
  it('is kept for seven days, can be restored until then, and is purged after them', async () => {
    const bench = await Bench.make(api);
    const [kept, purged] = [await deletable(bench), await deletable(bench)];
    const key = await keyOf(purged);
    for (const id of [kept, purged]) await change(id, 'soft_delete').expect(200);
    api.clock.advance(days(7) - 1);
    await api.settle();
    for (const id of [kept, purged]) expect(await statusOf(bench, id)).toBe('backing_data_soft_deleted');
    await change(kept, 'restore').expect(200);
    api.clock.advance(1);
    await api.settle();
    expect([await statusOf(bench, kept), await statusOf(bench, purged)]).toEqual([
      'uploaded',
      'backing_data_permanently_deleted',
    ]);
    expect(await bundleStore.read(key)).toBeUndefined();
    expect((await listed(bench, purged)).attributes['status-timestamps']).toMatchObject({
      'permanently-delete-backing-data-at': api.clock.now(),
    });
    expect((await change(purged, 'restore').expect(400)).body).toEqual(
      refused('restore', 'its status is backing_data_permanently_deleted'),
    );
    api.clock.advance(days(7));
    await api.settle();
    expect(await statusOf(bench, kept)).toBe('uploaded');
  });

  it('is kept for as long as the service is configured to', async () => {
    const brief = await startApi({ environment: { SOFT_DELETE_DAYS: '1' } });
    const bench = await Bench.make(brief);
    const id = await bench.version({ speculative: true });
    await brief.admin.at('/api/v2').post(pathOfChange(id, 'soft_delete')).expect(200);
    for (const [more, status] of [
      [days(1) - 1, 'backing_data_soft_deleted'],
      [1, 'backing_data_permanently_deleted'],
    ] as const) {
      brief.clock.advance(more);
      await brief.settle();
      expect(await statusOf(bench, id)).toBe(status);
    }
  });
});

describe('the hosted edition', () => {
  it('has no such actions, and no other that differs', async () => {
    const hosted = await startApi({ environment: { EDITION: 'hosted' } });
    const bench = await Bench.make(hosted);
    const id = await bench.version({ speculative: true });
    for (const prefix of ['', '/api/v2'] as const) {
      const unknown = await hosted.admin.at(prefix).post(`/configuration-versions/${id}/actions/unknown`).expect(404);
      for (const what of changes) {
        const answer = await hosted.admin.at(prefix).post(pathOfChange(id, what)).expect(404);
        expect(answer.body).toEqual(missing);
        expect(answer.text).toBe(unknown.text);
      }
      await hosted.admin.at(prefix).get(`/configuration-versions/${id}`).expect(200);
    }
    await hosted.admin.at('/api/v2').post(`/configuration-versions/${id}/actions/archive`).expect(202);
  });
});

describe('all of it', () => {
  it('leaves no fault of the service in its log', () => {
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
