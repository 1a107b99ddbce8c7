import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { MemoryBundleStore } from '../../src/adapters/bundles/memory-bundle-store.js';
import { type Caller, doc, lacking, missing, pathOf, refusal, startApi, type TestApi } from '../support/api.js';
import { Bench, runOf } from '../support/bench.js';

const changes = ['soft_delete', 'restore', 'permanently_delete'] as const;
type Change = (typeof changes)[number];

const done = { soft_delete: 'soft deleted', restore: 'restored', permanently_delete: 'permanently deleted' };

const bundleStore = new MemoryBundleStore();
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ bundleStore });
});

const pathOfChange = (id: string, change: Change) => `/configuration-versions/${id}/actions/${change}_backing_data`;

const days = (count: number): number => count * 86_400;

const change = (id: string, what: Change, caller: Caller = api.admin) =>
  caller.at('/api/v2').post(pathOfChange(id, what));

const refused = (what: Change, because: string) =>
  refusal(400, 'transition not allowed', `configuration could not be ${done[what]} because ${because}`);

/** What the list says of a version, which goes on showing it. */
async function listed(bench: Bench, id: string) {
  const { body } = await bench.api.admin
    .get(`/workspaces/${bench.workspaceId}/configuration-versions?page[size]=100`)
    .expect(200);
  return body.data.find((version: { id: string }) => version.id === id);
}

const statusOf = async (bench: Bench, id: string): Promise<string> => (await listed(bench, id)).attributes.status;

const keyOf = async (id: string): Promise<string> =>
  (await api.unitOfWork.read((tx) => tx.configurationVersions.find(id)))?.state.bundle?.key ?? '';

/** A version whose backing data nothing stands in the way of deleting. */
const deletable = (bench: Bench): Promise<string> => bench.version({ speculative: true });

async function softDeleted(bench: Bench): Promise<string> {
  const id = await deletable(bench);
  await change(id, 'soft_delete').expect(200);
  return id;
}

let repositories = 0;

/** A version fetched from version control, before its run is queued. */
async function fetched(): Promise<{ bench: Bench; id: string }> {
  repositories += 1;
  const cloneUrl = `https://git.example.com/acme/${repositories}.git`;
  const bench = await Bench.make(api, { 'vcs-repo': { 'clone-url': cloneUrl } });
  api.repositories.push(cloneUrl, 'main', bench.bundle);
  const made = await api.admin.post(`/workspaces/${bench.workspaceId}/actions/fetch`).expect(201);
  await api.performEffects('slow');
  return { bench, id: made.body.data.id };
}

/** Each situation a version can be in, how it comes there, and what is said to each change: undefined when it is made. */
const situations: readonly {
  readonly name: string;
  readonly status: string;
  readonly make: () => Promise<{ bench: Bench; id: string }>;
  readonly because: Readonly<Record<Change, string | undefined>>;
}[] = [
  {
    name: 'waiting for its upload',
    status: 'pending',
    make: async () => {
      const bench = await Bench.make(api);
      return { bench, id: (await api.version(bench.workspaceId, { speculative: true })).id };
    },
    because: everyChange('its status is pending'),
  },
  {
    name: 'uploaded, with nothing that uses it',
    status: 'uploaded',
    make: async () => {
      const bench = await Bench.make(api);
      return { bench, id: await deletable(bench) };
    },
    because: { ...everyChange('its status is uploaded'), soft_delete: undefined },
  },
  {
    name: 'uploaded, with a run that is over',
    status: 'uploaded',
    make: async () => {
      const bench = await Bench.make(api);
      const id = await deletable(bench);
      await bench.act(await bench.run({}, id), 'cancel');
      return { bench, id };
    },
    because: { ...everyChange('its status is uploaded'), soft_delete: undefined },
  },
  {
    name: 'uploaded and current',
    status: 'uploaded',
    make: async () => {
      const bench = await Bench.make(api);
      return { bench, id: await bench.version() };
    },
    because: { ...everyChange('its status is uploaded'), soft_delete: 'it is current' },
  },
  {
    name: 'uploaded, with a run in progress',
    status: 'uploaded',
    make: async () => {
      const bench = await Bench.make(api);
      const id = await deletable(bench);
      await bench.run({}, id);
      return { bench, id };
    },
    because: { ...everyChange('its status is uploaded'), soft_delete: 'a run in progress uses it' },
  },
  {
    name: 'errored',
    status: 'errored',
    make: async () => {
      const bench = await Bench.make(api);
      const { id, uploadUrl } = await api.version(bench.workspaceId, { speculative: true });
      await api.upload(uploadUrl, Buffer.from('no archive')).expect(422);
      return { bench, id };
    },
    because: everyChange('its status is errored'),
  },
  {
    name: 'archived',
    status: 'archived',
    make: async () => {
      const bench = await Bench.make(api);
      const id = await deletable(bench);
      await api.admin.post(`/configuration-versions/${id}/actions/archive`).expect(202);
      return { bench, id };
    },
    because: everyChange('its status is archived'),
  },
  {
    name: 'soft-deleted',
    status: 'backing_data_soft_deleted',
    make: async () => {
      const bench = await Bench.make(api);
      return { bench, id: await softDeleted(bench) };
    },
    because: {
      soft_delete: 'its status is backing_data_soft_deleted',
      restore: undefined,
      permanently_delete: undefined,
    },
  },
  {
    name: 'permanently deleted',
    status: 'backing_data_permanently_deleted',
    make: async () => {
      const bench = await Bench.make(api);
      const id = await softDeleted(bench);
      await change(id, 'permanently_delete').expect(200);
      return { bench, id };
    },
    because: everyChange('its status is backing_data_permanently_deleted'),
  },
  {
    name: 'fetched from version control',
    status: 'uploaded',
    make: fetched,
    because: { ...everyChange('it was created from version control'), restore: 'its status is uploaded' },
  },
  {
    name: 'fetched from version control, and archived',
    status: 'archived',
    make: async () => {
      const { bench, id } = await fetched();
      await api.settle();
      const [run] = await bench.runs();
      await bench.act(run?.id ?? '', 'cancel');
      await api.settle();
      return { bench, id };
    },
    because: { ...everyChange('it was created from version control'), restore: 'its status is archived' },
  },
];

function everyChange(because: string): Record<Change, string> {
  return { soft_delete: because, restore: because, permanently_delete: because };
}

const results = {
  soft_delete: 'backing_data_soft_deleted',
  restore: 'uploaded',
  permanently_delete: 'backing_data_permanently_deleted',
};

describe('the backing data of a version', () => {
  const cases = situations.flatMap(({ because, ...situation }) =>
    changes.map((what) => ({ ...situation, what, because: because[what], is: because[what] ?? 'changed' })),
  );

  it.each(cases)('$name, asked to $what: $is', async ({ status, make, what, because }) => {
    const { bench, id } = await make();
    expect(await statusOf(bench, id)).toBe(status);
    const before = await listed(bench, id);
    const answer = await change(id, what);
    if (because === undefined) {
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('');
      expect(answer.headers).not.toHaveProperty('content-type');
      expect(await statusOf(bench, id)).toBe(results[what]);
    } else {
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('application/vnd.api+json');
      expect(answer.body).toEqual(refused(what, because));
      expect(await listed(bench, id)).toEqual(before);
    }
  });

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

  it('is changed only by those who administer the workspace', async () => {
    const bench = await Bench.make(api);
    const outsiders = [await bench.member(), await api.user(`user-of-${bench.organization}`)];
    const writer = await bench.member('write');
    for (const what of changes) {
      const id = what === 'soft_delete' ? await deletable(bench) : await softDeleted(bench);
      const status = await statusOf(bench, id);
      for (const outsider of outsiders) {
        const hidden = await change(id, what, outsider).expect(404);
        expect(hidden.body).toEqual(missing);
        expect((await change('cv-nonexisting', what, outsider).expect(404)).text).toBe(hidden.text);
      }
      expect((await change(id, what, writer).expect(404)).body).toEqual(lacking('workspace admin'));
      await change(id, what, api.anonymous).expect(401);
      expect(await statusOf(bench, id)).toBe(status);
      await change(id, what, await bench.member('admin')).expect(200);
    }
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

  it('once soft-deleted queues no run that its upload had ordered', async () => {
    const bench = await Bench.make(api);
    const id = await bench.version({ speculative: true, 'auto-queue-runs': true });
    await change(id, 'soft_delete').expect(200);
    await api.settle();
    expect(await bench.runs()).toEqual([]);
    await change(id, 'restore').expect(200);
    await api.settle();
    expect(await bench.runs()).toEqual([]);
  });

  it('takes no upload any more once it is soft-deleted', async () => {
    const bench = await Bench.make(api);
    const { id, uploadUrl } = await api.version(bench.workspaceId, { speculative: true, 'auto-queue-runs': false });
    await api.upload(uploadUrl, bench.bundle).expect(200);
    await change(id, 'soft_delete').expect(200);
    const other = await Bench.make(api);
    await api.upload(uploadUrl, other.bundle).expect(409);
    expect(await statusOf(bench, id)).toBe('backing_data_soft_deleted');
  });

  it('is gone for good once it is permanently deleted, with its bytes', async () => {
    const bench = await Bench.make(api);
    const id = await deletable(bench);
    const key = await keyOf(id);
    await change(id, 'soft_delete').expect(200);
    await api.settle();
    expect(await bundleStore.read(key)).toBeDefined();
    api.clock.advance(5);
    await change(id, 'permanently_delete').expect(200);
    await api.settle();
    expect(await bundleStore.read(key)).toBeUndefined();
    expect((await listed(bench, id)).attributes).toMatchObject({
      status: 'backing_data_permanently_deleted',
      'status-timestamps': { 'permanently-delete-backing-data-at': api.clock.now() },
    });
    for (const rest of ['', '/ingress-attributes', '/download']) {
      const answer = await api.admin.get(`/configuration-versions/${id}${rest}`).expect(404);
      expect(answer.body).toEqual(missing);
    }
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

  it('is kept for seven days from the last time it was deleted', async () => {
    const bench = await Bench.make(api);
    const id = await softDeleted(bench);
    api.clock.advance(days(4));
    await change(id, 'restore').expect(200);
    await change(id, 'soft_delete').expect(200);
    for (const [more, status] of [
      [days(4), 'backing_data_soft_deleted'],
      [days(3) - 1, 'backing_data_soft_deleted'],
      [1, 'backing_data_permanently_deleted'],
    ] as const) {
      api.clock.advance(more);
      await api.settle();
      expect(await statusOf(bench, id)).toBe(status);
    }
  });

  it('leaves nothing to do when it was deleted for good, or went with its workspace, before that', async () => {
    const bench = await Bench.make(api);
    const id = await softDeleted(bench);
    await change(id, 'permanently_delete').expect(200);
    const stamps = (await listed(bench, id)).attributes['status-timestamps'];
    const doomed = await Bench.make(api);
    const key = await keyOf(await softDeleted(doomed));
    await api.admin.delete(`/workspaces/${doomed.workspaceId}`).expect(204);
    api.clock.advance(days(8));
    await api.settle();
    expect((await listed(bench, id)).attributes['status-timestamps']).toEqual(stamps);
    expect(await bundleStore.read(key)).toBeUndefined();
    expect((await api.admin.get('/admin/failing-effects').expect(200)).body.data).toEqual([]);
  });

  it('is kept for as long as the service is told to', async () => {
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
