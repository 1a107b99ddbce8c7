import { beforeAll, describe, expect, it } from '@jest/globals';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import {
  ConfigurationVersion,
  type ConfigurationVersionState,
  type FixedLevel,
  type IngressAttributes,
  issueToken,
  type RunStatus,
} from '../../src/domain/index.js';
import { type Caller, lacking, missing, publicUrl, refusal, startApi, type TestApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { giveGrant } from '../support/builders.js';

const mounts = [
  { prefix: '', type: 'configuration-version' },
  { prefix: '/api/v2', type: 'configuration-versions' },
] as const;

let api: TestApi;
let bundle: Buffer;
let workspaces = 0;
let seeds = 0;

beforeAll(async () => {
  api = await startApi();
  await api.organization('acme');
  bundle = await archiveOf({ 'main.tf': 'terraform {}' });
});

const newWorkspace = (): Promise<string> => {
  workspaces += 1;
  return api.workspace('acme', `workspace-${workspaces}`);
};

/** An uploaded version that is not its workspace's current one. */
async function newUploaded(workspaceId: string, attributes: object = { speculative: true }): Promise<string> {
  const { id, uploadUrl } = await api.version(workspaceId, attributes);
  await api.upload(uploadUrl, bundle).expect(200);
  return id;
}

const commit: IngressAttributes = {
  id: 'ia-1',
  branch: 'main',
  cloneUrl: 'https://git.example.com/acme/api.git',
  commitMessage: 'Add a bucket',
  commitSha: 'abc123',
  commitUrl: 'https://git.example.com/acme/api/commit/abc123',
  compareUrl: null,
  identifier: 'acme/api',
  isPullRequest: true,
  onDefaultBranch: false,
  pullRequestNumber: 7,
  pullRequestUrl: 'https://git.example.com/acme/api/pull/7',
  pullRequestTitle: 'A bucket',
  pullRequestBody: null,
  tag: null,
  senderUsername: 'octo',
  senderAvatarUrl: null,
  senderHtmlUrl: 'https://git.example.com/octo',
};

const commitDocument = (id: string) => ({
  id,
  type: 'ingress-attributes',
  attributes: {
    branch: 'main',
    'clone-url': 'https://git.example.com/acme/api.git',
    'commit-message': 'Add a bucket',
    'commit-sha': 'abc123',
    'commit-url': 'https://git.example.com/acme/api/commit/abc123',
    'compare-url': null,
    identifier: 'acme/api',
    'is-pull-request': true,
    'on-default-branch': false,
    'pull-request-number': 7,
    'pull-request-url': 'https://git.example.com/acme/api/pull/7',
    'pull-request-title': 'A bucket',
    'pull-request-body': null,
    tag: null,
    'sender-username': 'octo',
    'sender-avatar-url': null,
    'sender-html-url': 'https://git.example.com/octo',
  },
});

/** A version fetched from version control, with its commit, as whoever fetches would leave it. */
async function newFetched(
  workspaceId: string,
  change: Partial<ConfigurationVersionState> = {},
): Promise<{ id: string; ingressId: string }> {
  seeds += 1;
  const [id, ingressId] = [`cv-seed${seeds}`, `ia-seed${seeds}`];
  await api.unitOfWork.run(async (tx) => {
    const sequence = await tx.workspaces.takeSequence(workspaceId, id, false);
    const version = ConfigurationVersion.restore({
      id,
      workspaceId,
      sequence,
      status: 'uploaded',
      origin: 'version-control',
      source: 'github',
      autoQueueRuns: true,
      speculative: false,
      provisional: false,
      failure: null,
      statusTimestamps: {},
      bundle: null,
      ingressAttributesId: ingressId,
      purgeAt: null,
      createdBy: null,
      createdAt: api.clock.now(),
      revision: 0,
      ...change,
    });
    await tx.configurationVersions.add(version);
    await tx.configurationVersions.addIngressAttributes(id, { ...commit, id: ingressId });
  });
  return { id, ingressId };
}

/** What may be done to the backing data of a version, served to the clients alone. */
const changeBackingData = async (id: string, change: 'soft_delete' | 'restore' | 'permanently_delete') => {
  await api.admin.at('/api/v2').post(`/configuration-versions/${id}/actions/${change}_backing_data`).expect(200);
};

const seedRun = (workspaceId: string, configurationVersionId: string, status: RunStatus): Promise<void> =>
  api.seedRun({
    id: `run-${configurationVersionId}`,
    workspaceId,
    configurationVersionId,
    status,
    createdBy: null,
  });

/** A member whose only team has this level on the workspace. */
async function memberWith(access: FixedLevel, workspaceId: string): Promise<Caller> {
  const name = `${access}-${workspaceId}`;
  const team = await api.team('acme', name);
  await api.unitOfWork.run((tx) => giveGrant(tx, team, workspaceId, { access }));
  return api.member('acme', name, [team]);
}

describe.each(mounts)('configuration versions at "$prefix"', ({ prefix, type }) => {
  const collection = (workspaceId: string) => `/workspaces/${workspaceId}/configuration-versions`;
  const member = (id: string) => `/configuration-versions/${id}`;
  let admin: Caller;

  beforeAll(() => {
    admin = api.admin.at(prefix);
  });

  const resource = (id: unknown, attributes: object = {}, links: object = {}) => ({
    id,
    type,
    attributes: {
      'auto-queue-runs': true,
      error: null,
      'error-message': null,
      provisional: false,
      source: 'tfe-api',
      speculative: false,
      status: 'pending',
      'status-timestamps': {},
      ...attributes,
    },
    relationships: {
      'ingress-attributes': {
        data: null,
        links: { related: `${prefix}/configuration-versions/${id}/ingress-attributes` },
      },
    },
    links: { self: `${prefix}/configuration-versions/${id}`, ...links },
  });

  it('are created pending, with the upload URL in that answer alone', async () => {
    const workspaceId = await newWorkspace();
    const created = await admin.post(collection(workspaceId), { data: { type } }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^cv-[A-Za-z0-9]{16}$/);
    expect(created.headers['content-type']).toBe('application/vnd.api+json');
    expect(created.body).toEqual({
      data: resource(id, { 'upload-url': expect.stringMatching(`^${publicUrl}/v1/object/[^/?]{30,}$`) }),
    });
    expect((await admin.get(member(id)).expect(200)).body).toEqual({ data: resource(id) });
    const list = `${prefix}${collection(workspaceId)}?page%5Bnumber%5D=1&page%5Bsize%5D=20`;
    expect((await admin.get(collection(workspaceId)).expect(200)).body).toEqual({
      data: [resource(id)],
      links: { self: list, first: list, prev: null, next: null, last: list },
      meta: {
        pagination: {
          'current-page': 1,
          'page-size': 20,
          'prev-page': null,
          'next-page': null,
          'total-pages': 1,
          'total-count': 1,
        },
      },
    });
  });

  it('say when they were uploaded, and where from', async () => {
    const id = await newUploaded(await newWorkspace());
    const uploaded = resource(
      id,
      { speculative: true, status: 'uploaded', 'status-timestamps': { 'uploaded-at': api.clock.now() } },
      { download: `${prefix}/configuration-versions/${id}/download` },
    );
    expect((await admin.get(member(id)).expect(200)).body).toEqual({ data: uploaded });
  });

  it('take every attribute they are created with', async () => {
    const workspaceId = await newWorkspace();
    for (const name of ['auto-queue-runs', 'speculative', 'provisional']) {
      for (const value of [true, false]) {
        const answer = await admin
          .post(collection(workspaceId), { data: { attributes: { [name]: value } } })
          .expect(201);
        const shown = (await admin.get(member(answer.body.data.id)).expect(200)).body.data.attributes;
        expect({ [name]: shown[name] }).toEqual({ [name]: value });
      }
    }
  });

  it('are created by a body that says little or nothing', async () => {
    const workspaceId = await newWorkspace();
    const nulls = { 'auto-queue-runs': null, speculative: null, provisional: null };
    for (const body of [
      undefined,
      {},
      { data: {} },
      { data: null },
      { data: { attributes: {} } },
      { data: { attributes: null } },
      { data: { type, attributes: nulls } },
    ]) {
      const answer = await admin.post(collection(workspaceId), body).expect(201);
      const { attributes, id } = answer.body.data;
      expect(attributes).toEqual(resource(id, { 'upload-url': expect.any(String) }).attributes);
    }
    await admin
      .post(collection(workspaceId))
      .set('Content-Type', 'application/vnd.api+json')
      .set('Content-Length', '0')
      .expect(201);
  });

  it('are refused with one error for each attribute of a wrong type', async () => {
    const attributes = { 'auto-queue-runs': 'yes', speculative: 1, provisional: [] };
    const answer = await admin.post(collection(await newWorkspace()), { data: { attributes } }).expect(422);
    const fault = (name: string, label: string) => ({
      status: '422',
      title: 'invalid attribute',
      detail: `${label} must be a boolean`,
      source: { pointer: `/data/attributes/${name}` },
    });
    expect(answer.body.errors).toEqual([
      fault('auto-queue-runs', 'Auto queue runs'),
      fault('speculative', 'Speculative'),
      fault('provisional', 'Provisional'),
    ]);
  });

  it('are refused when the body is no document', async () => {
    const workspaceId = await newWorkspace();
    const faults = [
      { body: [], pointer: '' },
      { body: { data: [] }, pointer: '/data' },
      { body: { data: { attributes: 'none' } }, pointer: '/data/attributes' },
    ];
    for (const { body, pointer } of faults) {
      const answer = await admin.post(collection(workspaceId), body).expect(422);
      expect(answer.body.errors).toEqual([expect.objectContaining({ status: '422', source: { pointer } })]);
    }
  });

  const words = [undefined, 'configuration-version', 'configuration-versions', '', 'workspaces', 5, null];
  const taken = prefix === '' ? words.slice(0, 2) : words.slice(0, 4);
  it.each(taken)('are created by a request of the type %j', async (given) => {
    const answer = await admin.post(collection(await newWorkspace()), { data: { type: given } }).expect(201);
    expect(answer.body.data.type).toBe(type);
  });

  it.each(words.filter((word) => !taken.includes(word)))('are refused in a request of the type %j', async (given) => {
    const answer = await admin.post(collection(await newWorkspace()), { data: { type: given } }).expect(422);
    const pointer = '/data/type';
    expect(answer.body).toEqual(refusal(422, 'invalid attribute', `Type must be ${type}`, { pointer }));
  });

  it('become the current version of their workspace at once, unless provisional or speculative', async () => {
    const workspaceId = await newWorkspace();
    const current = async () =>
      (await admin.get(`/workspaces/${workspaceId}`).expect(200)).body.data.relationships[
        'current-configuration-version'
      ];
    expect(await current()).toEqual({ data: null });
    const { id } = await api.version(workspaceId);
    await api.version(workspaceId, { provisional: true });
    await api.version(workspaceId, { speculative: true });
    expect(await current()).toEqual({
      data: { id, type },
      links: { related: `${prefix}/configuration-versions/${id}` },
    });
    const newer = await api.version(workspaceId);
    expect((await current()).data.id).toBe(newer.id);
  });

  it('show the commit they were fetched from, in a document of its own and beside them', async () => {
    const workspaceId = await newWorkspace();
    const { id, ingressId } = await newFetched(workspaceId);
    const included = [commitDocument(ingressId)];
    const related = `${prefix}/configuration-versions/${id}/ingress-attributes`;
    const relationship = { data: { id: ingressId, type: 'ingress-attributes' }, links: { related } };

    const own = await admin.get(`${member(id)}/ingress-attributes`).expect(200);
    expect(own.body).toEqual({ data: commitDocument(ingressId) });

    const plain = (await admin.get(member(id)).expect(200)).body;
    expect(plain.included).toBeUndefined();
    expect(plain.data.relationships).toEqual({ 'ingress-attributes': relationship });
    expect(plain.data.attributes.source).toBe('github');

    for (const spelling of ['ingress_attributes', 'ingress-attributes', 'ingress_attributes,ingress-attributes']) {
      const shown = (await admin.get(`${member(id)}?include=${spelling}`).expect(200)).body;
      expect(shown.included).toEqual(included);
      expect(shown.data.relationships).toEqual({ 'ingress-attributes': relationship });
      expect((await admin.get(`${collection(workspaceId)}?include=${spelling}`).expect(200)).body.included).toEqual(
        included,
      );
    }
    for (const both of ['run,ingress_attributes', 'ingress-attributes%2Crun']) {
      for (const path of [member(id), collection(workspaceId)]) {
        const shown = (await admin.get(`${path}?include=${both}`).expect(200)).body;
        expect(shown.included).toEqual(included);
        expect([shown.data].flat()[0].relationships).toEqual({
          'ingress-attributes': relationship,
          run: { data: null },
        });
      }
    }
  });

  it('without a commit include nothing, and have no ingress attributes', async () => {
    const workspaceId = await newWorkspace();
    const { id } = await api.version(workspaceId);
    for (const path of [member(id), collection(workspaceId)]) {
      for (const include of ['', 'ingress_attributes', 'run', 'ingress-attributes,run']) {
        expect((await admin.get(`${path}?include=${include}`).expect(200)).body.included).toBeUndefined();
      }
    }
    const run = (await admin.get(`${member(id)}?include=run`).expect(200)).body.data.relationships.run;
    expect(run).toEqual({ data: null });
    expect((await admin.get(`${member(id)}/ingress-attributes`).expect(404)).body).toEqual(missing);
  });

  it('show the first run made of them beside them, when it is asked for', async () => {
    const workspaceId = await newWorkspace();
    const [used, unused] = [await newUploaded(workspaceId), await newUploaded(workspaceId)];
    const { id: fetched, ingressId } = await newFetched(workspaceId);
    const first = `run-first-${used}`;
    const run = { workspaceId, status: 'applied' } as const;
    await api.seedRun({ ...run, id: first, configurationVersionId: used });
    await api.seedRun({ ...run, id: `run-second-${used}`, configurationVersionId: used, status: 'pending' });
    await api.seedRun({ ...run, id: `run-of-${fetched}`, configurationVersionId: fetched, createdBy: api.admin.id });
    const shownRun = async (id: string) => (await admin.get(`/runs/${id}`).expect(200)).body.data;
    const relationOf = (id: string) => ({ data: { id, type: 'runs' } });

    const shown = (await admin.get(`${member(used)}?include=run`).expect(200)).body;
    expect(shown.data.relationships.run).toEqual(relationOf(first));
    expect(shown.included).toEqual([await shownRun(first)]);
    expect(shown.included[0]).toMatchObject({
      attributes: { status: 'applied' },
      links: { self: `${prefix}/runs/${first}` },
    });
    expect((await admin.get(member(used)).expect(200)).body.data.relationships).not.toHaveProperty('run');

    const both = (await admin.get(`${member(fetched)}?include=run,ingress_attributes`).expect(200)).body;
    expect(both.data.relationships).toMatchObject({
      run: relationOf(`run-of-${fetched}`),
      'ingress-attributes': { data: { id: ingressId, type: 'ingress-attributes' } },
    });
    expect(both.included).toEqual([commitDocument(ingressId), await shownRun(`run-of-${fetched}`)]);

    const list = (await admin.get(`${collection(workspaceId)}?include=run`).expect(200)).body;
    const relations = list.data.map(({ id, relationships }: { id: string; relationships: { run: object } }) => [
      id,
      relationships.run,
    ]);
    expect(relations).toEqual([
      [fetched, relationOf(`run-of-${fetched}`)],
      [unused, { data: null }],
      [used, relationOf(first)],
    ]);
    expect(list.included).toEqual([await shownRun(`run-of-${fetched}`), await shownRun(first)]);
    const lean = (await admin.get(collection(workspaceId)).expect(200)).body;
    expect(lean.included).toBeUndefined();
    expect(lean.data[0].relationships).not.toHaveProperty('run');
  });

  it('name no run while their backing data is deleted', async () => {
    const workspaceId = await newWorkspace();
    const id = await newUploaded(workspaceId);
    await seedRun(workspaceId, id, 'applied');
    const listed = async () => {
      const { data, included } = (await admin.get(`${collection(workspaceId)}?include=run`).expect(200)).body;
      return [data[0].relationships.run, included?.length];
    };
    expect(await listed()).toEqual([{ data: { id: `run-${id}`, type: 'runs' } }, 1]);
    await changeBackingData(id, 'soft_delete');
    expect(await listed()).toEqual([{ data: null }, undefined]);
    expect((await admin.get(`${member(id)}?include=run`).expect(404)).body).toEqual(missing);
    await changeBackingData(id, 'restore');
    expect(await listed()).toEqual([{ data: { id: `run-${id}`, type: 'runs' } }, 1]);
    await changeBackingData(id, 'soft_delete');
    await changeBackingData(id, 'permanently_delete');
    expect(await listed()).toEqual([{ data: null }, undefined]);
  });

  it('know no other word to include', async () => {
    const workspaceId = await newWorkspace();
    const { id } = await api.version(workspaceId);
    for (const path of [member(id), collection(workspaceId)]) {
      for (const include of ['workspace', 'run,workspace', 'Run', 'constructor', 'run;ingress_attributes']) {
        const answer = await admin.get(`${path}?include=${include}`).expect(400);
        expect(answer.body).toEqual(refusal(400, 'bad request', 'Invalid include parameter'));
      }
      const twice = await admin.get(`${path}?include=run&include=run`).expect(422);
      expect(twice.body.errors[0].source).toEqual({ parameter: 'include' });
    }
  });

  it('stay in the list without their backing data, and read as missing everywhere else', async () => {
    const workspaceId = await newWorkspace();
    const id = await newUploaded(workspaceId);
    const fetched = await newFetched(workspaceId, { status: 'backing_data_soft_deleted' });
    await changeBackingData(id, 'soft_delete');
    const statuses = async () => {
      const answer = await admin.get(`${collection(workspaceId)}?include=ingress_attributes`).expect(200);
      expect(answer.body.included).toBeUndefined();
      for (const { links, relationships } of answer.body.data) {
        expect(links).not.toHaveProperty('download');
        expect(relationships['ingress-attributes'].data).toBeNull();
      }
      return answer.body.data.map((version: { id: string; attributes: { status: string } }) => [
        version.id,
        version.attributes.status,
      ]);
    };
    const unreadable = async () => {
      for (const path of [id, fetched.id].map(member)) {
        for (const rest of ['', '?include=ingress_attributes', '/ingress-attributes', '/download']) {
          expect((await admin.get(path + rest).expect(404)).body).toEqual(missing);
        }
      }
    };
    expect(await statuses()).toEqual([
      [fetched.id, 'backing_data_soft_deleted'],
      [id, 'backing_data_soft_deleted'],
    ]);
    await unreadable();
    await changeBackingData(id, 'permanently_delete');
    expect((await statuses())[1]).toEqual([id, 'backing_data_permanently_deleted']);
    await unreadable();
  });

  it('are listed newest first, page by page', async () => {
    const workspaceId = await newWorkspace();
    const ids: string[] = [];
    for (let made = 0; made < 45; made += 1) ids.unshift((await api.version(workspaceId, { speculative: true })).id);
    const page = async (query: string) => {
      const { body } = await admin.get(`${collection(workspaceId)}?${query}`).expect(200);
      return { ids: body.data.map(({ id }: { id: string }) => id), links: body.links, meta: body.meta.pagination };
    };
    const link = (number: number, size: number, more = '') =>
      `${prefix}${collection(workspaceId)}?${more}page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
    const totals = { 'page-size': 20, 'total-pages': 3, 'total-count': 45 };

    expect(await page('')).toEqual({
      ids: ids.slice(0, 20),
      links: { self: link(1, 20), first: link(1, 20), prev: null, next: link(2, 20), last: link(3, 20) },
      meta: { ...totals, 'current-page': 1, 'prev-page': null, 'next-page': 2 },
    });
    expect(await page('page%5Bnumber%5D=3')).toEqual({
      ids: ids.slice(40),
      links: { self: link(3, 20), first: link(1, 20), prev: link(2, 20), next: null, last: link(3, 20) },
      meta: { ...totals, 'current-page': 3, 'prev-page': 2, 'next-page': null },
    });
    expect((await page('page[size]=100')).ids).toEqual(ids);
    expect((await page('page[size]=1&page[number]=45')).ids).toEqual(ids.slice(44));
    expect((await page('page[size]=7&page[number]=4')).ids).toEqual(ids.slice(21, 28));
    expect(await page('include=run&page[number]=1&page[size]=45')).toMatchObject({
      ids,
      links: { self: link(1, 45, 'include=run&'), next: null },
      meta: { 'next-page': null, 'total-pages': 1 },
    });
    expect(await page('page%5Bnumber%5D=999&page%5Bsize%5D=100')).toEqual({
      ids: [],
      links: { self: link(999, 100), first: link(1, 100), prev: link(1, 100), next: null, last: link(1, 100) },
      meta: {
        'current-page': 999,
        'page-size': 100,
        'prev-page': 1,
        'next-page': null,
        'total-pages': 1,
        'total-count': 45,
      },
    });
  });

  it('are not listed by a page that cannot be', async () => {
    const workspaceId = await newWorkspace();
    const refused = async (query: string) =>
      (await admin.get(`${collection(workspaceId)}?${query}`).expect(422)).body.errors;
    for (const size of ['0', '101', 'abc', '-1', '1.5', '', '1e2', '99999999999']) {
      expect(await refused(`page[size]=${size}`)).toEqual([
        {
          status: '422',
          title: 'invalid attribute',
          detail: 'page[size] must be between 1 and 100',
          source: { parameter: 'page[size]' },
        },
      ]);
    }
    for (const number of ['0', 'abc', '-1', '1.5', '']) {
      expect(await refused(`page[number]=${number}`)).toEqual([
        expect.objectContaining({ status: '422', source: { parameter: 'page[number]' } }),
      ]);
    }
    expect((await refused('page[size]=0&page[number]=0')).map(({ source }: { source: object }) => source)).toEqual([
      { parameter: 'page[number]' },
      { parameter: 'page[size]' },
    ]);
    for (const parameter of ['page[size]', 'page[number]']) {
      expect(await refused(`${parameter}=2&${parameter}=2`)).toEqual([
        expect.objectContaining({ detail: `${parameter} may be given only once`, source: { parameter } }),
      ]);
    }
  });

  it('that the CLI creates are remembered as its own', async () => {
    const workspaceId = await newWorkspace();
    const source = async (integration: string) => {
      const answer = await admin.post(collection(workspaceId)).set('X-Terraform-Integration', integration).expect(201);
      return (await admin.get(member(answer.body.data.id)).expect(200)).body.data.attributes.source;
    };
    expect(await source('cloud')).toBe('terraform');
    expect(await source('something else')).toBe('tfe-api');
  });

  it('lead to their bytes by a temporary URL while they are uploaded', async () => {
    const workspaceId = await newWorkspace();
    const { id, uploadUrl } = await api.version(workspaceId, { speculative: true });
    expect((await admin.get(`${member(id)}/download`).expect(404)).body).toEqual(missing);
    await api.upload(uploadUrl, bundle).expect(200);
    const answer = await admin.get(`${member(id)}/download`).expect(302);
    expect(answer.headers.location).toMatch(`${publicUrl}/v1/object/${id}.`);
    expect(answer.headers.location).not.toBe(uploadUrl);
    expect(answer.text).toBe('');
    expect((await admin.send('head', `${member(id)}/download`).expect(302)).headers.location).toBeDefined();
    await admin.post(`${member(id)}/actions/archive`).expect(202);
    expect((await admin.get(`${member(id)}/download`).expect(404)).body).toEqual(missing);
  });

  it('are archived once nothing uses them, and their bytes are gone soon after', async () => {
    const id = await newUploaded(await newWorkspace());
    const key = (await api.unitOfWork.read((tx) => tx.configurationVersions.find(id)))?.state.bundle?.key ?? '';
    const answer = await admin.post(`${member(id)}/actions/archive`).expect(202);
    expect(answer.text).toBe('');
    expect(answer.headers).not.toHaveProperty('content-type');
    const shown = (await admin.get(member(id)).expect(200)).body.data;
    const stamps = { 'uploaded-at': api.clock.now(), 'archived-at': api.clock.now() };
    expect(shown).toEqual(resource(id, { speculative: true, status: 'archived', 'status-timestamps': stamps }));
    expect(await api.bundleStore.read(key)).toBeDefined();
    await api.settle();
    expect(await api.bundleStore.read(key)).toBeUndefined();
  });

  it('are archived whatever the request has for a body', async () => {
    const workspaceId = await newWorkspace();
    const bodies = [
      { type: 'application/vnd.api+json', text: '{"data":{"type":"nonsense","attributes":7}}' },
      { type: 'application/vnd.api+json', text: '{oops' },
      { type: 'text/plain; charset=klingon', text: '{oops' },
      { type: 'application/octet-stream', text: '\0\u0001' },
    ];
    for (const { type: contentType, text } of bodies) {
      const id = await newUploaded(workspaceId);
      const request = admin.post(`${member(id)}/actions/archive`).set('Content-Type', contentType);
      await request.send(text).expect(202);
    }
  });

  const because = (reason: string) =>
    refusal(409, 'transition not allowed', `configuration could not be archived because ${reason}`);

  it('are not archived while one of the rules forbids it, the first of which is named', async () => {
    const workspaceId = await newWorkspace();
    const archive = async (id: string) => (await admin.post(`${member(id)}/actions/archive`).expect(409)).body;
    const fetched = await newFetched(workspaceId);
    const fetching = await newFetched(workspaceId, { status: 'fetching' });
    expect(await archive(fetched.id)).toEqual(because('it was created from version control'));
    expect(await archive(fetching.id)).toEqual(because('it was created from version control'));

    const pending = await api.version(workspaceId);
    expect(await archive(pending.id)).toEqual(because('its status is pending'));

    await api.upload(pending.uploadUrl, bundle).expect(200);
    await seedRun(workspaceId, pending.id, 'planning');
    expect(await archive(pending.id)).toEqual(because('it is current'));

    await api.version(workspaceId);
    expect(await archive(pending.id)).toEqual(because('a run in progress uses it'));
    await seedRun(workspaceId, pending.id, 'applied');
    await admin.post(`${member(pending.id)}/actions/archive`).expect(202);
    expect(await archive(pending.id)).toEqual(because('its status is archived'));

    const deleted = await newUploaded(workspaceId);
    await changeBackingData(deleted, 'soft_delete');
    expect(await archive(deleted)).toEqual(because('its status is backing_data_soft_deleted'));

    const errored = await api.version(workspaceId, { speculative: true });
    await api.upload(errored.uploadUrl, Buffer.from('not an archive')).expect(422);
    expect(await archive(errored.id)).toEqual(because('its status is errored'));
  });

  it('that do not exist are 404', async () => {
    for (const path of ['', '/ingress-attributes', '/download']) {
      expect((await admin.get(member('nonexisting') + path).expect(404)).body).toEqual(missing);
    }
    expect((await admin.post(`${member('nonexisting')}/actions/archive`).expect(404)).body).toEqual(missing);
    expect((await admin.get(collection('nonexisting')).expect(404)).body).toEqual(missing);
    expect((await admin.post(collection('nonexisting'), {}).expect(404)).body).toEqual(missing);
  });

  it('are gone with their workspace', async () => {
    const workspaceId = await newWorkspace();
    const { id } = await api.version(workspaceId);
    await admin.delete(`/workspaces/${workspaceId}`).expect(204);
    for (const path of [member(id), collection(workspaceId), `${member(id)}/download`]) {
      expect((await admin.get(path).expect(404)).body).toEqual(missing);
    }
    expect((await admin.post(`${member(id)}/actions/archive`).expect(404)).body).toEqual(missing);
  });
});

describe('the right to configuration versions', () => {
  it('an organization token lists, shows, downloads and archives, and never creates', async () => {
    const workspaceId = await newWorkspace();
    const id = await newUploaded(workspaceId);
    const { id: fetched } = await newFetched(workspaceId);
    const token = await api.organizationToken('acme');
    for (const { prefix } of mounts) {
      const caller = token.at(prefix);
      await caller.get(`/workspaces/${workspaceId}/configuration-versions`).expect(200);
      await caller.get(`/configuration-versions/${id}`).expect(200);
      await caller.get(`/configuration-versions/${id}/download`).expect(302);
      await caller.get(`/configuration-versions/${fetched}/ingress-attributes`).expect(200);
      const refused = await caller.post(`/workspaces/${workspaceId}/configuration-versions`, {}).expect(404);
      expect(refused.body).toEqual(lacking('runs: plan'));
    }
    await token.post(`/configuration-versions/${id}/actions/archive`).expect(202);
  });

  it('reading runs is enough to read, and queueing plans is needed to create and archive', async () => {
    const workspaceId = await newWorkspace();
    const id = await newUploaded(workspaceId);
    const reader = await memberWith('read', workspaceId);
    const planner = await memberWith('plan', workspaceId);
    for (const caller of [reader, planner]) {
      const list = await caller.get(`/workspaces/${workspaceId}/configuration-versions`).expect(200);
      expect(list.body.meta.pagination['total-count']).toBeGreaterThan(0);
      await caller.get(`/configuration-versions/${id}`).expect(200);
      await caller.get(`/configuration-versions/${id}/download`).expect(302);
    }
    const created = await reader.post(`/workspaces/${workspaceId}/configuration-versions`, {}).expect(404);
    expect(created.body).toEqual(lacking('runs: plan'));
    const archived = await reader.post(`/configuration-versions/${id}/actions/archive`).expect(404);
    expect(archived.body).toEqual(lacking('runs: plan'));
    await planner.post(`/workspaces/${workspaceId}/configuration-versions`, {}).expect(201);
    await planner.post(`/configuration-versions/${id}/actions/archive`).expect(202);
  });

  it('a grant on one workspace says nothing of another, and a refusal nothing of what is there', async () => {
    const [mine, other] = [await newWorkspace(), await newWorkspace()];
    const id = await newUploaded(other);
    const caller = await memberWith('admin', mine);
    expect((await caller.get(`/configuration-versions/${id}`).expect(404)).body).toEqual(missing);
    expect((await caller.get(`/workspaces/${other}/configuration-versions`).expect(404)).body).toEqual(missing);
    expect((await caller.post(`/configuration-versions/${id}/actions/archive`).expect(404)).body).toEqual(missing);
  });

  it('a team token acts with the rights of its team', async () => {
    const workspaceId = await newWorkspace();
    const team = await api.team('acme', `token-${workspaceId}`);
    const { secret, digest } = new RandomSecrets().generate();
    await api.unitOfWork.run(async (tx) => {
      await giveGrant(tx, team, workspaceId, { access: 'plan' });
      const createdAt = api.clock.now();
      const owner = { kind: 'team', id: team } as const;
      const token = { id: 'at-team', owner, secretDigest: digest, description: null, createdBy: null, createdAt };
      await tx.tokens.add(issueToken({ ...token, expiresAt: null }));
    });
    await api.as(secret).post(`/workspaces/${workspaceId}/configuration-versions`, {}).expect(201);
    await api
      .as(secret)
      .get(`/workspaces/${await newWorkspace()}/configuration-versions`)
      .expect(404);
  });
});
