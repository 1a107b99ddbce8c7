import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { effectLeaseSeconds, neverEnded } from '../../src/application/index.js';
import { later } from '../../src/domain/index.js';
import {
  type Caller,
  doc,
  invalid,
  lacking,
  newName,
  pathOf,
  prefix,
  refusal,
  startApi,
  unusableUrl,
} from '../support/api.js';
import { objectIdOf } from '../support/application.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });

interface Given {
  readonly serial?: number;
  readonly lineage?: string;
  readonly outputs?: object;
  readonly resources?: readonly object[];
}

const stateOf = ({ serial = 1, lineage = 'lineage-1', outputs = {}, resources = [] }: Given = {}): Buffer =>
  Buffer.from(JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, lineage, outputs, resources }));

const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** A workspace that its caller has locked. */
class Place {
  private constructor(
    readonly bench: Bench,
    readonly caller: Caller,
  ) {}

  static async make(caller?: (bench: Bench) => Promise<Caller>): Promise<Place> {
    const bench = await Bench.make(api);
    const place = new Place(bench, (await caller?.(bench)) ?? api.admin);
    await place.lock();
    return place;
  }

  get path(): string {
    return `/workspaces/${this.bench.workspaceId}/state-versions`;
  }

  lock(caller = this.caller) {
    return caller.post(`/workspaces/${this.bench.workspaceId}/actions/lock`, {}).expect(200);
  }

  unlock(caller = this.caller) {
    return caller.post(`/workspaces/${this.bench.workspaceId}/actions/unlock`).expect(200);
  }

  create(given: Given = {}, attributes: object = {}, relationships?: object) {
    const { serial = 1, lineage = 'lineage-1' } = given;
    const md5 = md5Of(stateOf(given));
    return this.caller.post(this.path, doc('state-versions', { serial, lineage, md5, ...attributes }, relationships));
  }

  /** With its bytes. */
  inline(given: Given = {}, attributes: object = {}) {
    return this.create(given, { state: stateOf(given).toString('base64'), ...attributes });
  }

  async urls(given: Given = {}, attributes: object = {}) {
    const { body } = await this.create(given, attributes).expect(201);
    const { 'hosted-state-upload-url': state, 'hosted-json-state-upload-url': json } = body.data.attributes;
    return { id: body.data.id as string, state: state as string, json: json as string };
  }

  roll(id: string) {
    const relationships = { 'rollback-state-version': { data: { type: 'state-versions', id } } };
    return this.caller.patch(this.path, doc('state-versions', {}, relationships));
  }

  async current() {
    return (await this.caller.get(`/workspaces/${this.bench.workspaceId}/current-state-version`).expect(200)).body.data;
  }

  noState() {
    return api.admin.get(`/workspaces/${this.bench.workspaceId}/current-state-version`).expect(404);
  }

  outputs() {
    return api.admin.get(`/workspaces/${this.bench.workspaceId}/current-state-version-outputs`);
  }
}

const conflict = (detail: unknown, attribute?: string) =>
  refusal(409, 'conflict', detail, attribute === undefined ? undefined : { pointer: `/data/attributes/${attribute}` });

const read = async (url: string): Promise<string> =>
  Buffer.from((await api.anonymous.at('').get(pathOf(url)).buffer().expect(200)).body).toString();

/** How many files are stored. */
const stored = async (): Promise<number> => (await Readable.from(api.bundleStore.all()).toArray()).length;

/** While the body is still sent. */
const upload = (url: string, body: AsyncIterable<Uint8Array>) =>
  api.useCases.uploadStateVersion.execute(objectIdOf(url), body);

const unreadable: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => {
    throw new Error('the body was read');
  },
};

describe('a state version that is created with its bytes', () => {
  it('is the current one at once, with its JSON form', async () => {
    const place = await Place.make();
    const json = Buffer.from('{"format_version":"1.0"}');
    const { body } = await place.inline({}, { 'json-state': json.toString('base64') }).expect(201);
    expect(body.data).toMatchObject({
      type: 'state-versions',
      attributes: {
        status: 'finalized',
        serial: 1,
        lineage: 'lineage-1',
        md5: md5Of(stateOf()),
        size: stateOf().length,
        'resources-processed': false,
        'hosted-state-upload-url': null,
        'hosted-json-state-upload-url': null,
      },
      relationships: {
        run: { data: null },
        'created-by': { data: { id: api.admin.id, type: 'users' } },
        'rollback-state-version': { data: null },
        outputs: { data: [] },
      },
    });
    const { id, attributes } = await place.current();
    expect(id).toBe(body.data.id);
    expect(await read(attributes['hosted-state-download-url'])).toBe(stateOf().toString());
    expect(await read(attributes['hosted-json-state-download-url'])).toBe(json.toString());
  });

  it('is answered whole when it is sent again, and stored once', async () => {
    const place = await Place.make();
    const outputs = { size: { value: 5, type: 'number' } };
    const resources = [{ mode: 'managed', type: 'null_resource', name: 'one', provider: 'x', instances: [{}] }];
    const send = () =>
      place.inline({ outputs, resources }, { 'json-state': Buffer.from('{}').toString('base64') }).expect(201);
    await send();
    await api.settle();
    const before = await stored();
    const { body } = await send();
    expect(body.data).toEqual(await place.current());
    expect(body.data.attributes).toMatchObject({ 'resources-processed': true, resources: [{ name: 'one' }] });
    expect([await stored(), await api.bundleStore.unsettled(0)]).toEqual([before, []]);
  });

  it('has outputs as soon as they are read', async () => {
    const place = await Place.make();
    const outputs = {
      zone: { value: 'eu', type: 'string' },
      password: { value: { word: 'hunter3' }, type: ['object', { word: 'string' }], sensitive: true },
    };
    const { body } = await place.inline({ outputs }).expect(201);
    const unread = refusal(503, 'service unavailable', expect.stringContaining('are being read'));
    const paths = [
      `/workspaces/${place.bench.workspaceId}/current-state-version-outputs`,
      `/workspaces/${place.bench.workspaceId}/current-state-version?include=outputs`,
      `/state-versions/${body.data.id}/outputs`,
    ];
    for (const path of paths) {
      const answer = await api.admin.get(path).expect(503);
      expect(answer.body).toEqual(unread);
      expect(answer.headers['retry-after']).toBe('2');
    }
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await api.settle();
    expect((await place.current()).attributes['resources-processed']).toBe(true);
    for (const path of paths) await api.admin.get(path).expect(200);
    const shown = (await place.outputs().expect(200)).body.data;
    expect(shown.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      {
        name: 'password',
        sensitive: true,
        type: 'object',
        value: null,
        'detailed-type': ['object', { word: 'string' }],
      },
      { name: 'zone', sensitive: false, type: 'string', value: 'eu', 'detailed-type': 'string' },
    ]);
    const one = await api.admin.get(`/state-version-outputs/${shown[0].id}`).expect(200);
    expect(one.body.data.attributes.value).toEqual({ word: 'hunter3' });
  });

  it('says why its outputs were not read, once no attempt to read them ended', async () => {
    const place = await Place.make();
    await api.settle();
    const { body } = await place.inline({ outputs: { zone: { value: 'eu', type: 'string' } } }).expect(201);
    for (let attempt = 1; attempt <= neverEnded.max; attempt += 1) {
      const lane = attempt <= neverEnded.alone ? 'local' : 'alone';
      const now = api.clock.now();
      const until = later(now, effectLeaseSeconds);
      await api.unitOfWork.run((tx) => tx.effects.claim({ now, until, lane, limit: 1, after: '', except: [] }));
      api.clock.advance(effectLeaseSeconds);
    }
    await api.settle();
    const because = expect.stringContaining('the process ended during 5 attempts in a row');
    for (const path of [
      `/workspaces/${place.bench.workspaceId}/current-state-version-outputs`,
      `/workspaces/${place.bench.workspaceId}/current-state-version?include=outputs`,
      `/state-versions/${body.data.id}/outputs`,
    ]) {
      expect((await api.admin.get(path).expect(422)).body).toEqual(refusal(422, 'unprocessable entity', because));
    }
  });

  it('is a state whatever its bytes are, and then has no outputs', async () => {
    const place = await Place.make();
    const bytes = Buffer.from('not a state');
    await place.inline({}, { md5: md5Of(bytes), state: bytes.toString('base64') }).expect(201);
    await api.settle();
    expect((await place.outputs().expect(200)).body.data).toEqual([]);
  });

  it('must have the MD5 that it is sent with', async () => {
    const place = await Place.make();
    const told = expect.stringContaining(md5Of(stateOf()));
    const answer = await place.inline({}, { md5: '0'.repeat(32) }).expect(422);
    expect(answer.body).toEqual(refusal(422, 'invalid attribute', told));
    await place.noState();
    expect(await api.bundleStore.unsettled(0)).toEqual([]);
  });

  it('may name a run of its workspace, and no other', async () => {
    const place = await Place.make();
    const other = await Bench.make(api);
    await other.version();
    const foreign = await other.run();
    const run = (id: string) => ({ run: { data: { type: 'runs', id } } });
    const bytes = { state: stateOf().toString('base64') };
    for (const id of [foreign, 'run-none']) {
      const answer = await place.create({}, bytes, run(id)).expect(422);
      const source = { pointer: '/data/relationships/run' };
      expect(answer.body).toEqual(refusal(422, 'invalid attribute', 'Run must be one of the workspace', source));
    }
    await place.bench.version();
    const own = await place.bench.run();
    const { body } = await place.create({}, bytes, run(own)).expect(201);
    expect(body.data.relationships.run).toEqual({ data: { id: own, type: 'runs' } });
  });
});

describe('a state version that is created without its bytes', () => {
  it('is pending until they are uploaded, with no token', async () => {
    const place = await Place.make();
    const { id, state, json } = await place.urls();
    expect(state).toMatch(/^http:\/\/gatehouse\.test\/v1\/state\//);
    const shown = (await api.admin.get(`/state-versions/${id}`).expect(200)).body.data.attributes;
    expect(shown).toMatchObject({
      status: 'pending',
      size: 0,
      'hosted-state-download-url': null,
      'hosted-state-upload-url': null,
    });
    await place.noState();
    await api.upload(json, Buffer.from('{}')).expect(200);
    await api.upload(state, stateOf()).expect(200);
    const current = await place.current();
    expect(current.id).toBe(id);
    expect(current.attributes).toMatchObject({ status: 'finalized', size: stateOf().length });
    expect(await read(current.attributes['hosted-state-download-url'])).toBe(stateOf().toString());
    expect(await read(current.attributes['hosted-json-state-download-url'])).toBe('{}');
  });

  it('takes the same bytes again, and no others', async () => {
    const place = await Place.make();
    const { state, json } = await place.urls();
    const other = conflict(expect.stringContaining('create another state version'));
    for (const [url, bytes] of [
      [state, stateOf()],
      [json, Buffer.from('{}')],
    ] as const) {
      await api.upload(url, bytes).expect(200);
      const before = await stored();
      await api.upload(url, bytes).expect(200);
      expect(await stored()).toBe(before);
      expect((await api.upload(url, Buffer.from('other')).expect(409)).body).toEqual(other);
    }
    expect(await api.bundleStore.unsettled(0)).toEqual([]);
  });

  it('keeps nothing of bytes with another MD5', async () => {
    const place = await Place.make();
    const { id, state } = await place.urls();
    const answer = await api.upload(state, Buffer.from('other')).expect(422);
    expect(answer.body).toEqual(refusal(422, 'invalid attribute', expect.stringContaining('Md5')));
    await place.noState();
    expect(await api.bundleStore.unsettled(0)).toEqual([]);
    await api.upload(state, stateOf()).expect(200);
    expect((await place.current()).id).toBe(id);
  });

  it('is replaced by the next one, with its JSON form', async () => {
    const place = await Place.make();
    const first = await place.urls();
    await api.upload(first.json, Buffer.from('{}')).expect(200);
    const before = await stored();
    const second = await place.urls();
    await api.settle();
    expect(await stored()).toBe(before - 1);
    await api.admin.get(`/state-versions/${first.id}`).expect(404);
    for (const url of [first.state, first.json]) {
      expect((await api.upload(url, stateOf()).expect(404)).body).toEqual(unusableUrl('state version'));
    }
    await api.upload(second.state, stateOf()).expect(200);
    await api.settle();
    const { attributes } = await place.current();
    expect(attributes['hosted-json-state-download-url']).toBeNull();
  });

  it('is answered again when it is the current one, as its client wrote it', async () => {
    const place = await Place.make();
    const first = await place.urls();
    await api.upload(first.state, stateOf()).expect(200);
    const again = await place.urls();
    expect(again.id).toBe(first.id);
    await api.upload(again.state, stateOf()).expect(200);
  });

  it('refuses altered, foreign and expired URLs', async () => {
    const place = await Place.make();
    const { state } = await place.urls();
    const { uploadUrl } = await api.version(place.bench.workspaceId);
    const foreign = uploadUrl.replace('/v1/object/', '/v1/state/');
    for (const url of [`${state}x`, foreign, state.replace('/v1/state/', '/v1/object/')]) {
      expect((await api.upload(url, stateOf()).expect(404)).body).toEqual(
        unusableUrl(url.includes('/object/') ? 'configuration version' : 'state version'),
      );
    }
    api.clock.advance(90_000);
    expect((await api.upload(state, stateOf()).expect(404)).body).toEqual(unusableUrl('state version'));
  });

  it('ends with the right and with the lock of its client', async () => {
    const place = await Place.make((bench) => bench.member('write'));
    const { state, json } = await place.urls();
    await place.unlock();
    for (const url of [state, json]) {
      const answer = await api.upload(url, stateOf()).expect(409);
      expect(answer.body).toEqual(conflict(expect.stringContaining('not locked')));
      await expect(upload(url, unreadable)).rejects.toMatchObject({ code: 'workspace/lock-refused' });
    }
    await place.lock(api.admin);
    const held = await api.upload(state, stateOf()).expect(409);
    expect(held.body).toEqual(conflict(expect.stringContaining('another user or team')));
    await place.unlock(api.admin);
    await place.lock();
    await api.admin.post(`/admin/users/${place.caller.id}/actions/suspend`).expect(200);
    for (const url of [state, json])
      expect((await api.upload(url, stateOf()).expect(404)).body).toEqual(unusableUrl('state version'));
    await place.noState();
  });
});

describe('an upload in progress', () => {
  const suspend = ({ caller }: Place) => api.admin.post(`/admin/users/${caller.id}/actions/suspend`).expect(200);
  it.each([
    ['the lock', 'state', 'workspace/lock-refused', (place: Place) => place.unlock()],
    ['the lock', 'json', 'workspace/lock-refused', (place: Place) => place.unlock()],
    ['the right', 'state', 'resource/not-found', suspend],
  ] as const)('keeps nothing of what was being sent when %s was lost: %s', async (_, file, code, lose) => {
    const place = await Place.make((bench) => bench.member('write'));
    const { [file]: url, json } = await place.urls();
    async function* sent() {
      yield stateOf().subarray(0, 1);
      await lose(place);
      yield stateOf().subarray(1);
    }
    await expect(upload(url, sent())).rejects.toMatchObject({ code });
    if (code === 'resource/not-found') await api.upload(json, Buffer.from('{}')).expect(404);
    await place.noState();
    expect(await api.bundleStore.unsettled(0)).toEqual([]);
  });
});

it('two uploads of the same bytes at once are one', async () => {
  const place = await Place.make();
  const { state } = await place.urls();
  const before = await stored();
  async function* sent() {
    yield stateOf().subarray(0, 1);
    await api.upload(state, stateOf()).expect(200);
    yield stateOf().subarray(1);
  }
  await upload(state, sent());
  await place.current();
  expect([await stored(), await api.bundleStore.unsettled(0)]).toEqual([before + 1, []]);
});

describe('writing a state while a run is applied', () => {
  /** No sequence of requests leads there: a run never begins while its workspace is locked, nor the other way round. */
  const applying = ({ bench: { workspaceId } }: Place, configurationVersionId: string) =>
    api.seedRun({ id: newName('run'), workspaceId, configurationVersionId, status: 'applying' });

  it('is refused although the caller holds the lock, also when the apply begins while the bytes arrive', async () => {
    const place = await Place.make();
    const versionId = await place.bench.version();
    const { state } = await place.urls();
    async function* sent() {
      yield stateOf().subarray(0, 1);
      await applying(place, versionId);
      yield stateOf().subarray(1);
    }
    const refused = { code: 'runs/in-progress' };
    await expect(upload(state, sent())).rejects.toMatchObject(refused);
    const words = conflict(expect.stringContaining('is being applied: its agent writes the next state'));
    expect((await api.upload(state, stateOf()).expect(409)).body).toEqual(words);
    for (const send of [() => place.inline(), () => place.create()])
      expect((await send().expect(409)).body).toEqual(words);
    await place.noState();
    expect(await api.bundleStore.unsettled(0)).toEqual([]);
  });
});

describe('the next state', () => {
  it.each([
    ['serial', { serial: 3 }],
    ['serial', { serial: 2 }],
    ['lineage', { serial: 4, lineage: 'lineage-2' }],
  ])('is refused for its %s: %p', async (attribute, given) => {
    const place = await Place.make();
    await place.inline({ serial: 3 }).expect(201);
    const outputs = { a: { value: 1, type: 'number' } };
    for (const send of [() => place.inline({ ...given, outputs }), () => place.create({ ...given, outputs })]) {
      expect((await send().expect(409)).body).toEqual(conflict(expect.any(String), attribute));
    }
    const forced = await place.inline({ ...given, outputs }, { force: true }).expect(201);
    expect((await place.current()).id).toBe(forced.body.data.id);
    const { state } = await place.urls({ serial: 1 }, { force: true });
    await api.upload(state, stateOf({ serial: 1 })).expect(200);
    expect((await place.current()).attributes.serial).toBe(1);
  });

  it('is refused at its upload when another came before it', async () => {
    const place = await Place.make();
    const { state } = await place.urls({ serial: 2 });
    await place.bench.version();
    await place.unlock();
    const runId = await place.bench.run();
    await place.bench.planned(runId);
    await place.bench.act(runId, 'apply');
    const job = await place.bench.claimed(runId);
    const applying = await api.upload(state, stateOf({ serial: 2 })).expect(409);
    expect(applying.body).toEqual(conflict(expect.stringContaining('is not locked')));
    await job.writeState('state 5', { serial: 5 });
    await job.applied();
    await place.lock();
    const late = await api.upload(state, stateOf({ serial: 2 })).expect(409);
    expect(late.body).toEqual(conflict(expect.stringContaining('greater than 5'), 'serial'));
  });

  it('is not replaced by an older one that was announced with force before an apply wrote it', async () => {
    const place = await Place.make();
    const { state } = await place.urls({ serial: 2 }, { force: true });
    await place.bench.version();
    await place.unlock();
    const runId = await place.bench.run();
    await place.bench.planned(runId);
    await place.bench.act(runId, 'apply');
    const job = await place.bench.claimed(runId);
    await job.writeState('state 5', { serial: 5 });
    await job.applied();
    await place.lock();
    expect((await api.upload(state, stateOf({ serial: 2 })).expect(404)).body).toEqual(unusableUrl('state version'));
    expect((await place.current()).attributes.serial).toBe(5);
  });

  it('has any lineage after a state whose client named none', async () => {
    const place = await Place.make();
    await place.inline({ serial: 1 }, { lineage: null }).expect(201);
    const { body } = await place.inline({ serial: 2, lineage: 'lineage-7' }).expect(201);
    expect(body.data.attributes.lineage).toBe('lineage-7');
    await place.inline({ serial: 3, lineage: 'lineage-8' }).expect(409);
  });

  it('has the lineage of the current one where it names none', async () => {
    const place = await Place.make();
    await place.inline({ serial: 1, lineage: 'lineage-7' }).expect(201);
    const { body } = await place.inline({ serial: 2 }, { lineage: null }).expect(201);
    expect(body.data.attributes.lineage).toBe('lineage-7');
  });
});

describe('a rollback', () => {
  it('makes an earlier state the current one again, from which others count on', async () => {
    const place = await Place.make();
    const outputs = { zone: { value: 'eu', type: 'string' } };
    const first = (await place.inline({ serial: 1, outputs }).expect(201)).body.data.id;
    const second = (await place.inline({ serial: 2 }).expect(201)).body.data.id;
    await api.settle();
    const { body } = await place.roll(first).expect(201);
    expect(body.data).toMatchObject({
      attributes: { serial: 1, status: 'finalized', md5: md5Of(stateOf({ serial: 1, outputs })) },
      relationships: { 'rollback-state-version': { data: { id: first, type: 'state-versions' } } },
    });
    const current = await place.current();
    expect(current.id).toBe(body.data.id);
    expect([first, second]).not.toContain(current.id);
    const bytes = await read(current.attributes['hosted-state-download-url']);
    expect(bytes).toBe(stateOf({ serial: 1, outputs }).toString());
    await api.settle();
    expect((await place.outputs().expect(200)).body.data).toHaveLength(1);
    await place.inline({ serial: 2 }).expect(201);
  });

  it('replaces what the client announced', async () => {
    const place = await Place.make();
    const first = (await place.inline().expect(201)).body.data.id;
    const announced = await place.urls({ serial: 2 });
    await place.roll(first).expect(201);
    expect((await api.upload(announced.state, stateOf({ serial: 2 })).expect(404)).body).toEqual(
      unusableUrl('state version'),
    );
  });

  it('is of a state of the workspace, under its lock', async () => {
    const place = await Place.make();
    const other = await Place.make();
    const foreign = (await other.inline().expect(201)).body.data.id;
    const pending = (await place.urls()).id;
    const source = { pointer: '/data/relationships/rollback-state-version' };
    for (const id of [foreign, pending, 'sv-none']) {
      const told = 'Rollback state version must be a state of the workspace';
      expect((await place.roll(id).expect(422)).body).toEqual(refusal(422, 'invalid attribute', told, source));
    }
    const id = (await place.inline().expect(201)).body.data.id;
    await place.unlock();
    for (const one of [id, 'sv-none']) {
      expect((await place.roll(one).expect(409)).body).toEqual(conflict(expect.stringContaining('not locked')));
    }
  });
});

describe('a request for a state version', () => {
  it('is refused for what it lacks', async () => {
    const place = await Place.make();
    for (const [attribute, attributes, detail] of [
      ['serial', { serial: null }, 'Serial must be a number'],
      ['serial', { serial: -1 }, expect.any(String)],
      ['md5', { md5: 'zz' }, 'Md5 must be 32 hexadecimal digits'],
      ...['not base64!', 'e30', 'e3!='].map((state) => ['state', { state }, 'State must be base64'] as const),
      ['json-state', { 'json-state': 'e30=' }, 'Json state must come with state'],
    ] as const) {
      expect((await place.create({}, attributes).expect(422)).body).toEqual(invalid(attribute, detail));
    }
  });

  it('needs the lock of the caller, before anything else of it is looked at', async () => {
    const place = await Place.make();
    await place.unlock();
    for (const send of [() => place.create({}, { serial: 'x' }), () => place.inline()]) {
      expect((await send().expect(409)).body).toEqual(conflict(expect.stringContaining('not locked')));
    }
    const member = await place.bench.member('write');
    await place.lock(member);
    expect((await place.inline().expect(409)).body).toEqual(conflict(expect.stringContaining('another user or team')));
  });

  it('needs the right, and is shown to those who have it', async () => {
    const place = await Place.make();
    const { workspaceId } = place.bench;
    const reader = await place.bench.member('read');
    const body = doc('state-versions', { serial: 1, md5: md5Of(stateOf()), state: stateOf().toString('base64') });
    expect((await reader.post(place.path, body).expect(404)).body).toEqual(lacking('state-versions: write'));
    const token = await api.organizationToken(place.bench.organization);
    expect((await token.post(place.path, body).expect(404)).body).toEqual(lacking('state-versions: write'));
    const may = async (caller: Caller): Promise<boolean> => {
      const shown = await caller.get(`/workspaces/${workspaceId}`).expect(200);
      return shown.body.data.attributes.permissions['can-create-state-versions'];
    };
    expect([await may(api.admin), await may(reader), await may(token)]).toEqual([true, false, false]);
  });

  it('is recorded, as its upload and its refusals are', async () => {
    const place = await Place.make();
    const { id, state, json } = await place.urls();
    await api.upload(state, stateOf()).expect(200);
    await api.upload(json, Buffer.from('{}')).expect(200);
    await place.unlock();
    await place.inline({ serial: 9 }).expect(409);
    await api.flushRefusals(true);
    const { body } = await api.admin.get(`/organizations/${place.bench.organization}/audit-events`).expect(200);
    const told = body.data
      .map(({ attributes }: { attributes: Record<string, unknown> }) => attributes)
      .filter(({ action }: { action: string }) => action.startsWith('state-versions/'))
      .map(({ action, subject, outcome }: Record<string, unknown>) => [action, subject, outcome]);
    expect(told).toEqual([
      ['state-versions/create', place.bench.workspaceId, 'workspace/lock-refused'],
      ['state-versions/upload-json', id, 'done'],
      ['state-versions/upload', id, 'done'],
      ['state-versions/create', id, 'done'],
    ]);
  });
});

it('a state is kept although the organization may keep nothing more', async () => {
  const full = await startApi({ prefix, environment: { MAX_ORGANIZATION_BYTES: '10' } });
  await full.organization('full');
  const id = await full.workspace('full', 'place');
  await full.admin.post(`/workspaces/${id}/actions/lock`, {}).expect(200);
  for (const serial of [1, 2]) {
    const bytes = stateOf({ serial });
    const attributes = { serial, lineage: 'lineage-1', md5: md5Of(bytes), state: bytes.toString('base64') };
    await full.admin.post(`/workspaces/${id}/state-versions`, doc('state-versions', attributes)).expect(201);
  }
});
