import { describe, expect, it } from '@jest/globals';
import type { ConfigurationVersionState, IngressAttributes } from '../../src/domain/index.js';
import { missing, onePage, prefix, publicUrl, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { aConfigurationVersion } from '../support/builders.js';

let workspaces = 0;
let seeds = 0;

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
const bundle = await archiveOf({ 'main.tf': 'terraform {}' });

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

const commitDocument = (id: string, versionId: string) => ({
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
  links: { self: `${prefix}/configuration-versions/${versionId}/ingress-attributes` },
});

/** A version fetched from version control, with its commit, as the worker leaves it. */
async function newFetched(
  workspaceId: string,
  change: Partial<ConfigurationVersionState> = {},
): Promise<{ id: string; ingressId: string }> {
  seeds += 1;
  const [id, ingressId] = [`cv-seed${seeds}`, `ia-seed${seeds}`];
  await api.unitOfWork.run(async (tx) => {
    const given = { status: 'uploaded', origin: 'version-control', source: 'github' } as const;
    const version = aConfigurationVersion(
      { id: workspaceId },
      { ...given, id, ingressAttributesId: ingressId, createdAt: api.clock.now(), ...change },
    );
    await tx.configurationVersions.add(version);
    await tx.configurationVersions.addIngressAttributes(id, { ...commit, id: ingressId });
  });
  return { id, ingressId };
}

describe('configuration versions', () => {
  const collection = (workspaceId: string) => `/workspaces/${workspaceId}/configuration-versions`;
  const member = (id: string) => `/configuration-versions/${id}`;

  const resource = (id: unknown, attributes: object = {}, links: object = {}) => ({
    id,
    type: 'configuration-versions',
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
    const created = await admin.post(collection(workspaceId), { data: { type: 'configuration-versions' } }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^cv-[A-Za-z0-9]{16}$/);
    expect(created.headers['content-type']).toBe('application/vnd.api+json');
    expect(created.body).toEqual({
      data: resource(id, { 'upload-url': expect.stringMatching(`^${publicUrl}/v1/object/[^/?]{30,}$`) }),
    });
    expect((await admin.get(member(id)).expect(200)).body).toEqual({ data: resource(id) });
    expect((await admin.get(collection(workspaceId)).expect(200)).body).toEqual(
      onePage(collection(workspaceId), [resource(id)]),
    );
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
      { data: { type: 'configuration-versions', attributes: nulls } },
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

  it('show the commit they were fetched from, as its own document and included with them', async () => {
    const workspaceId = await newWorkspace();
    const { id, ingressId } = await newFetched(workspaceId);
    const included = [commitDocument(ingressId, id)];
    const related = `${prefix}/configuration-versions/${id}/ingress-attributes`;
    const relationship = { data: { id: ingressId, type: 'ingress-attributes' }, links: { related } };

    const own = await admin.get(`${member(id)}/ingress-attributes`).expect(200);
    expect(own.body).toEqual({ data: commitDocument(ingressId, id) });

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

  it('include the first run made of them on request', async () => {
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
    expect(both.included).toEqual([commitDocument(ingressId, fetched), await shownRun(`run-of-${fetched}`)]);

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

  it('know no other word to include', async () => {
    const workspaceId = await newWorkspace();
    const { id } = await api.version(workspaceId);
    for (const path of [member(id), collection(workspaceId)]) {
      for (const include of ['workspace', 'run,workspace', 'Run', 'constructor', 'run;ingress_attributes']) {
        const answer = await admin.get(`${path}?include=${include}`).expect(400);
        expect(answer.body).toEqual(refusal(400, 'bad request', 'Invalid include parameter', { parameter: 'include' }));
      }
      const twice = await admin.get(`${path}?include=run&include=run`).expect(422);
      expect(twice.body.errors[0].source).toEqual({ parameter: 'include' });
    }
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
    for (const mount of ['', '/api/v2'] as const) {
      const named = await admin
        .at(mount)
        .get(`${member(id)}/download?redirect=false`)
        .expect(200);
      expect(named.body).toEqual({ url: expect.stringMatching(`^${publicUrl}/v1/object/${id}.`) });
      expect(named.headers.location).toBeUndefined();
    }
    await admin.get(`${member(id)}/download?redirect=true`).expect(302);
    const { body } = await admin.get(`${member(id)}/download?redirect=no`).expect(422);
    expect(body.errors[0].source).toEqual({ parameter: 'redirect' });
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
});
