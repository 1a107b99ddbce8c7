import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { doc, missing, newName, prefix, refusal, startApi, unusableUrl } from '../support/api.js';
import { archiveOf, packed } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const environment = { MAX_ARCHIVE_BYTES: '5000', MAX_UNPACKED_BYTES: '50000', MAX_ARCHIVE_ENTRIES: '8' };
const bundleStore = new MemoryBundleStore();
const api = await startApi({ prefix, environment, bundleStore });
const { admin } = api;
await api.organization('acme');

const rego = 'package owners\n\ndeny contains "no owner" if not input.plan\n';
const configurationOf = (...names: readonly string[]): string =>
  names
    .map((name) => `policy "${name}" {\n  query = "data.${name}.deny"\n  enforcement_level = "mandatory"\n}\n`)
    .join('\n');
const good = await archiveOf({ './policies.hcl': configurationOf('owners'), './owners.rego': rego });
const other = await archiveOf({ 'policies.hcl': configurationOf('owners', 'size'), 'lib/size.rego': rego });

const newSet = async (attributes: object = {}, organization = 'acme', caller = admin): Promise<string> => {
  const body = doc('policy-sets', { name: newName('set'), kind: 'opa', ...attributes });
  return (await caller.post(`/organizations/${organization}/policy-sets`, body).expect(201)).body.data.id;
};

const shownSet = async (id: string, query = '') => (await admin.get(`/policy-sets/${id}${query}`).expect(200)).body;

interface Created {
  readonly id: string;
  readonly uploadUrl: string;
}

const newVersion = async (setId: string, caller = admin): Promise<Created> => {
  const { data } = (await caller.post(`/policy-sets/${setId}/versions`).expect(201)).body;
  return { id: data.id, uploadUrl: data.links.upload };
};

const shown = async (id: string) => (await admin.get(`/policy-set-versions/${id}`).expect(200)).body.data;

const uploaded = async (setId: string, bytes = good): Promise<string> => {
  const { id, uploadUrl } = await newVersion(setId);
  await api.upload(uploadUrl, bytes).expect(200);
  return id;
};

const leftBehind = () => bundleStore.unsettled(-60);

const faulty: readonly (readonly [what: string, bytes: Buffer, reason: string])[] = [
  [
    'no gzip',
    Buffer.from('nothing'),
    'the archive is not gzip or is damaged (incorrect header check): pack the files as .tar.gz, as tar -czf does',
  ],
  ['no policies.hcl', await archiveOf({ 'a.rego': rego }), 'the archive has no policies.hcl in its root'],
  [
    'policies.hcl in a folder',
    await archiveOf({ 'a/policies.hcl': '', 'a.rego': rego }),
    'the archive has no policies.hcl in its root',
  ],
  ['no code', await archiveOf({ 'policies.hcl': '', 'a_test.rego': rego }), 'the archive has no .rego file'],
  [
    'a fault',
    await archiveOf({ 'policies.hcl': '\npolicy "a" {', 'a.rego': rego }),
    'policies.hcl, line 2: expected } at the end of the block policy',
  ],
  [
    'two of them',
    await archiveOf({ 'policies.hcl': '', './policies.hcl': '', 'a.rego': rego }),
    'policies.hcl is in the archive twice',
  ],
  [
    'no text',
    await packed([{ header: { name: 'policies.hcl' }, body: Buffer.from([0xff]) }]),
    'policies.hcl is not UTF-8 text',
  ],
  [
    'a link',
    await packed([
      { header: { name: 'policies.hcl', type: 'symlink', linkname: 'b.hcl' } },
      { header: { name: 'a.rego' }, body: rego },
    ]),
    'the archive has no policies.hcl in its root',
  ],
  ['a way out', await archiveOf({ '../policies.hcl': '' }), 'the entry "../policies.hcl" leaves the archive with ".."'],
];

describe('a policy set version', () => {
  it('is created with an empty body, and shows its creator the upload URL while it waits for its archive', async () => {
    const setId = await newSet();
    const answer = await admin.post(`/policy-sets/${setId}/versions`).expect(201);
    const { id } = answer.body.data;
    const resource = {
      id: expect.stringMatching(/^polsetver-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'policy-set-versions',
      attributes: {
        source: 'tfe-api',
        status: 'pending',
        'status-timestamps': { 'pending-at': api.clock.now() },
        error: null,
        'error-message': null,
        'ingress-attributes': null,
        'created-at': api.clock.now(),
        'updated-at': api.clock.now(),
      },
      relationships: { 'policy-set': { data: { id: setId, type: 'policy-sets' } } },
      links: { self: `${prefix}/policy-set-versions/${id}` },
    };
    const upload = expect.stringMatching(/^http:\/\/gatehouse\.test\/v1\/policies\/polsetver-/);
    expect(answer.body.data).toEqual({ ...resource, links: { ...resource.links, upload } });
    const pending = await shown(id);
    expect(pending).toEqual({ ...resource, links: { ...resource.links, upload } });
    const include = '?include=newest_version';
    for (const path of [`/policy-sets/${setId}${include}`, `/organizations/acme/policy-sets${include}`]) {
      const { included } = (await admin.get(path).expect(200)).body;
      expect(included.find((one: { id: string }) => one.id === id)).toEqual(resource);
    }
    const others = await api.team('acme', newName(), { 'organization-access': { 'manage-policies': true } });
    const manager = await api.member('acme', newName(), [others]);
    expect((await manager.get(`/policy-set-versions/${id}`).expect(200)).body.data).toEqual(resource);
    const outsider = await api.member('acme', newName());
    const hidden = await outsider.get(`/policy-set-versions/${id}`).expect(404);
    expect(hidden.text).toBe((await outsider.get('/policy-set-versions/polsetver-nothing').expect(404)).text);
    await api.upload(pending.links.upload, good).expect(200);
    expect((await shown(id)).links).toEqual(resource.links);
  });

  it('shows no upload URL once an archive was refused', async () => {
    const { id, uploadUrl } = await newVersion(await newSet());
    await api.upload(uploadUrl, Buffer.from('nothing')).expect(422);
    expect(await shown(id)).toMatchObject({
      attributes: { status: 'errored' },
      links: { self: `${prefix}/policy-set-versions/${id}` },
    });
    expect((await shown(id)).links).not.toHaveProperty('upload');
  });

  it('gives its set the policies once its archive is uploaded', async () => {
    const setId = await newSet();
    const { id, uploadUrl } = await newVersion(setId);
    expect((await shownSet(setId)).data).toMatchObject({
      attributes: { versioned: true, 'policy-count': 0 },
      relationships: { 'newest-version': { data: { id } }, 'current-version': { data: null } },
    });
    const answer = await api.upload(uploadUrl, good).expect(200);
    expect(answer.text).toBe('');
    expect((await shown(id)).attributes).toMatchObject({
      status: 'ready',
      'status-timestamps': { 'pending-at': api.clock.now(), 'ready-at': api.clock.now() },
    });
    const set = await shownSet(setId, '?include=current_version,newest_version');
    expect(set.data.attributes).toMatchObject({
      'policy-count': 1,
      policies: [{ name: 'owners', query: 'data.owners.deny', description: '', 'enforcement-level': 'mandatory' }],
    });
    expect(set.data.relationships).toMatchObject({
      'newest-version': { data: { id, type: 'policy-set-versions' } },
      'current-version': { data: { id, type: 'policy-set-versions' } },
      policies: { data: [] },
    });
    expect(set.included).toEqual([await shown(id)]);
    expect(await leftBehind()).toEqual([]);
  });

  it('does not become current if a newer one already is', async () => {
    const setId = await newSet();
    const [older, newer] = [await newVersion(setId), await newVersion(setId)];
    await api.upload(newer.uploadUrl, other).expect(200);
    await api.upload(older.uploadUrl, good).expect(200);
    expect((await shown(older.id)).attributes.status).toBe('ready');
    const { data } = await shownSet(setId, '?include=current_version');
    expect(data.relationships['current-version'].data.id).toBe(newer.id);
    expect(data.attributes['policy-count']).toBe(2);
  });

  it('takes the same bytes again, and no others', async () => {
    const { id, uploadUrl } = await newVersion(await newSet());
    await api.upload(uploadUrl, good).expect(200);
    await api.upload(uploadUrl, good).expect(200);
    const refused = await api.upload(uploadUrl, other).expect(409);
    const reason =
      'policy set version could not be uploaded because its status is ready; upload to a new policy set version';
    expect(refused.body).toEqual(refusal(409, 'transition not allowed', reason));
    expect((await shown(id)).attributes.status).toBe('ready');
  });

  it.each(faulty)('is errored by an archive with %s', async (_, bytes, reason) => {
    const setId = await newSet();
    const { id, uploadUrl } = await newVersion(setId);
    const told = `${reason}; upload a correct archive to a new policy set version`;
    expect((await api.upload(uploadUrl, bytes).expect(422)).body).toEqual(refusal(422, 'invalid archive', told));
    expect((await shown(id)).attributes).toMatchObject({
      status: 'errored',
      error: 'bad-archive',
      'error-message': told,
    });
    expect((await shownSet(setId)).data.relationships['current-version'].data).toBeNull();
    expect(await leftBehind()).toEqual([]);
    await api.upload(uploadUrl, good).expect(409);
  });

  it('stays pending if the archive exceeds a limit', async () => {
    const { id, uploadUrl } = await newVersion(await newSet());
    const large = await archiveOf({ 'policies.hcl': '', 'a.rego': '#'.repeat(60_000) });
    const refused = await api.upload(uploadUrl, large).expect(413);
    expect(refused.body.errors[0].detail).toContain('MAX_UNPACKED_BYTES');
    expect((await shown(id)).attributes.status).toBe('pending');
    await api.upload(uploadUrl, good).expect(200);
  });

  it('reads sentinel.hcl for a set of kind sentinel', async () => {
    const setId = await newSet({ kind: 'sentinel' });
    const text = 'policy "a" {\n  source = "./a.sentinel"\n  enforcement_level = "soft-mandatory"\n}';
    await uploaded(setId, await archiveOf({ 'sentinel.hcl': text, 'a.sentinel': 'main = rule { true }' }));
    expect((await shownSet(setId)).data.attributes.policies).toEqual([
      { name: 'a', query: null, description: '', 'enforcement-level': 'mandatory' },
    ]);
  });

  it('is refused for a set that has policies of its own', async () => {
    const setId = await newSet({ policies: [{ name: 'a', query: 'data.a' }] });
    const sentence = 'The policy set has policies of its own. Detach them, or create another set for versions';
    const refused = await admin.post(`/policy-sets/${setId}/versions`).expect(422);
    expect(refused.body.errors[0].detail).toBe(sentence);
    expect((await shownSet(setId)).data.attributes.versioned).toBe(false);
  });

  it('makes its set one of those that a list of versioned sets has', async () => {
    await api.organization('filtered');
    const own = await newSet({}, 'filtered');
    const versioned = await newSet({}, 'filtered');
    await newVersion(versioned);
    for (const [value, id] of [
      ['true', versioned],
      ['false', own],
    ]) {
      const list = `/organizations/filtered/policy-sets?filter[versioned]=${value}`;
      const { data, meta } = (await admin.get(list).expect(200)).body;
      expect([data.map((set: Created) => set.id), meta.pagination['total-count']]).toEqual([[id], 1]);
    }
  });

  it('keeps others from attaching policies to its set, and from changing its kind', async () => {
    const setId = await newSet();
    await uploaded(setId);
    const sentence = 'The policies of a versioned policy set come from its current version. Upload a new version';
    const body = doc('policies', { name: newName('policy'), kind: 'opa', query: 'data.a' });
    const policy = (await admin.post('/organizations/acme/policies', body).expect(201)).body.data.id;
    const listed = { data: [{ id: policy, type: 'policies' }] };
    const path = `/policy-sets/${setId}`;
    const details = [
      await admin.post(`${path}/relationships/policies`, listed).expect(422),
      await admin.patch(path, doc('policy-sets', { policies: [] })).expect(422),
      await admin.patch(path, doc('policy-sets', { kind: 'sentinel' })).expect(422),
    ].map((answer) => answer.body.errors[0].detail);
    expect(details).toEqual([sentence, sentence, sentence]);
    await admin.patch(path, doc('policy-sets', { kind: 'opa', description: 'Same' })).expect(200);
  });

  it('is missing for those who may not manage policies, and with its set', async () => {
    const setId = await newSet();
    const { id, uploadUrl } = await newVersion(setId);
    const member = await api.member('acme', newName('member'));
    await member.post(`/policy-sets/${setId}/versions`).expect(404);
    await member.get(`/policy-set-versions/${id}`).expect(404);
    await admin.delete(`/policy-sets/${setId}`).expect(204);
    expect((await admin.get(`/policy-set-versions/${id}`).expect(404)).body).toEqual(missing);
    expect((await api.upload(uploadUrl, good).expect(404)).body).toEqual(unusableUrl('policy set version'));
  });
});

describe('the upload URL of a policy set version', () => {
  const manager = async () => {
    const team = await api.team('acme', newName('team'), { 'organization-access': { 'manage-policies': true } });
    const caller = await api.member('acme', newName('manager'), [team]);
    const loseRight = () =>
      admin.patch(`/teams/${team}`, doc('teams', { 'organization-access': { 'manage-policies': false } })).expect(200);
    return { caller, loseRight };
  };

  it('ends when its creator loses the right, before a byte is read', async () => {
    const { caller, loseRight } = await manager();
    const { id, uploadUrl } = await newVersion(await newSet(), caller);
    await loseRight();
    expect((await api.upload(uploadUrl, Buffer.from('nothing')).expect(404)).body).toEqual(
      unusableUrl('policy set version'),
    );
    expect((await shown(id)).attributes.status).toBe('pending');
  });

  it('is no other URL: neither altered, nor of another purpose, nor read from', async () => {
    const { uploadUrl } = await newVersion(await newSet());
    for (const [altered, noun] of [
      [`${uploadUrl.slice(0, -1)}${uploadUrl.endsWith('A') ? 'B' : 'A'}`, 'policy set version'],
      [uploadUrl.replace('/v1/policies/', '/v1/object/'), 'configuration version'],
      [uploadUrl.replace('/v1/policies/', '/v1/state/'), 'state version'],
    ] as const) {
      expect((await api.upload(altered, good).expect(404)).body).toEqual(unusableUrl(noun));
    }
    const workspaceId = await api.workspace('acme', newName());
    const configuration = (await api.version(workspaceId)).uploadUrl;
    await api.upload(configuration.replace('/v1/object/', '/v1/policies/'), good).expect(404);
  });

  it('is recorded in the audit trail without its signature', async () => {
    const { id, uploadUrl } = await newVersion(await newSet());
    await api.upload(uploadUrl, good).expect(200);
    const { body } = await admin.get('/organizations/acme/audit-events?page[size]=5').expect(200);
    expect(JSON.stringify(body)).not.toContain(uploadUrl.split('.').at(-1));
    expect(body.data.map((event: { attributes: { action: string } }) => event.attributes.action)).toContain(
      'policy-sets/upload',
    );
    expect(body.data[0].attributes).toMatchObject({ action: 'policy-sets/upload', outcome: 'done' });
    expect(JSON.stringify(body.data[0])).toContain(id);
  });
});

describe('a run under a versioned policy set', () => {
  it('is evaluated with the version from the time of its creation', async () => {
    const bench = await Bench.make(api);
    const setId = await newSet({ global: true, name: 'versioned' }, bench.organization);
    const first = await uploaded(setId);
    await bench.version();
    const runId = await bench.run();
    await uploaded(setId, other);
    const job = await bench.claimed(runId);
    const url = `/agent/v1/runs/${runId}/policy-set-versions/${first}`;
    expect(job.json['policy-evaluations'][0]['policy-sets']).toEqual([
      {
        id: setId,
        name: 'versioned',
        'policy-tool-version': null,
        policies: [{ name: 'owners', query: 'data.owners.deny', 'enforcement-level': 'mandatory', code: null }],
        archive: { id: first, sha256: createHash('sha256').update(good).digest('hex'), size: good.length, url },
        parameters: [],
      },
    ]);
    const read = await job.read(url);
    expect({ status: read.status, same: read.bytes.equals(good) }).toEqual({ status: 200, same: true });
    expect((await job.read(url.replace(first, await uploaded(await newSet())))).status).toBe(404);
  });

  it('keeps the archive of its version until it is over, also if the set is deleted', async () => {
    const bench = await Bench.make(api);
    const setId = await newSet({ global: true }, bench.organization);
    const first = await uploaded(setId);
    await bench.version();
    const runId = await bench.run();
    await admin.delete(`/policy-sets/${setId}`).expect(204);
    const isKept = () =>
      api.unitOfWork.read(async (tx) => (await tx.storedFiles.page(1000)).some((file) => file.of === first));
    api.clock.advance(4 * 3600);
    await api.useCases.discardPolicyArchives.execute();
    const job = await bench.claimed(runId);
    const { archive } = job.json['policy-evaluations'][0]['policy-sets'][0];
    expect((await job.read(archive.url)).bytes.equals(good)).toBe(true);
    await job.report('plan', { status: 'errored', message: 'over' });
    expect(await isKept()).toBe(true);
    await api.useCases.discardPolicyArchives.execute();
    expect(await isKept()).toBe(false);
  });

  it('frees the bytes of superseded versions some hours later', async () => {
    const setId = await newSet();
    await uploaded(setId);
    const current = await uploaded(setId, other);
    await api.useCases.discardPolicyArchives.execute();
    const kept = () => api.unitOfWork.read(async (tx) => (await tx.storedFiles.page(1000)).map((file) => file.of));
    const before = await kept();
    api.clock.advance(4 * 3600);
    expect(await api.useCases.discardPolicyArchives.execute()).toBeGreaterThan(0);
    await api.settle();
    const after = await kept();
    expect(after.length).toBeLessThan(before.length);
    expect(after).toContain(current);
    expect(await api.useCases.discardPolicyArchives.execute()).toBe(0);
  });
});
