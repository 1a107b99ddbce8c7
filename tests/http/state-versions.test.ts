import { beforeAll, describe, expect, it } from '@jest/globals';
import { missing, newName, pathOf, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { announcementOf } from '../support/reference-agent.js';

/** Oldest first. */
const ids: string[] = [];

const outputs = [
  { name: 'zone', type: 'string', value: 'eu', sensitive: false },
  { name: 'ids', type: ['tuple', ['string', 'number']], value: ['a', 1], sensitive: false },
  { name: 'password', type: ['object', { word: 'string' }], value: { word: 'hunter2' }, sensitive: true },
];

const provider = 'provider["terraform.io/builtin/terraform"]';
const resource = { mode: 'managed', type: 'terraform_data', name: 'disk', provider, instances: [{}, {}] };
const textOf = (serial: number): string =>
  JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, resources: serial === 3 ? [resource] : [] });

const api = await startApi({ prefix });
let bench: Bench;
let name: string;

beforeAll(async () => {
  bench = await Bench.make(api);
  await bench.version();
  const shown = await api.admin.get(`/workspaces/${bench.workspaceId}`).expect(200);
  name = shown.body.data.attributes.name;
  for (const serial of [1, 2, 3]) {
    const runId = await bench.run();
    await bench.planned(runId);
    await bench.act(runId, 'apply');
    const job = await bench.claimed(runId);
    ids.push(await job.writeState(textOf(serial), { serial, outputs: serial === 3 ? outputs : [] }));
    await job.applied();
  }
  await api.settle();
});

const last = (): string => ids.at(-1) ?? '';
const current = (what = ''): string => `/workspaces/${bench.workspaceId}/current-state-version${what}`;
const listed = (organization = bench.organization, workspace = name): string =>
  `/state-versions?filter[organization][name]=${organization}&filter[workspace][name]=${workspace}`;

it('a workspace shows its state and how many resources are in it, and is not safe to delete', async () => {
  const { attributes, relationships } = (await api.admin.get(`/workspaces/${bench.workspaceId}`).expect(200)).body.data;
  expect(attributes).toMatchObject({ 'resource-count': 2, 'runs-count': 3, 'workspace-kpis-runs-count': 3 });
  expect(relationships['current-state-version'].data).toEqual({ id: last(), type: 'state-versions' });
  const words = 'Workspace cannot be safely deleted because it is still managing resources';
  const answer = await api.admin.post(`/workspaces/${bench.workspaceId}/actions/safe-delete`).expect(409);
  expect(answer.body).toEqual(refusal(409, 'conflict', words));
});

it('states in a list are without their resources', async () => {
  const { data } = (await api.admin.get(listed()).expect(200)).body;
  const counts = { modules: null, providers: null, resources: null, 'resource-count': 2 };
  expect(data[0].attributes).toMatchObject({ ...counts, 'resources-processed': true, 'terraform-version': '1.11.4' });
});

/** The id of the output of this name. */
async function outputId(wanted: string): Promise<string> {
  const { body } = await api.admin.get(current('-outputs')).expect(200);
  return body.data.find(({ attributes }: { attributes: { name: string } }) => attributes.name === wanted).id;
}

it('a state is shown with all that is known of it', async () => {
  const { body } = await api.admin.get(`/state-versions/${last()}`).expect(200);
  const { md5, size } = announcementOf(Buffer.from(textOf(3)));
  expect(body).toEqual({
    data: {
      id: last(),
      type: 'state-versions',
      attributes: {
        'created-at': api.clock.now(),
        'hosted-json-state-download-url': null,
        'hosted-json-state-upload-url': null,
        'hosted-state-upload-url': null,
        'hosted-state-download-url': expect.stringMatching(`^http://gatehouse.test/v1/object/${last()}\\.`),
        intermediate: false,
        lineage: 'lineage-1',
        md5,
        modules: { root: { 'terraform-data': 2 } },
        'processing-error': null,
        'processing-warnings': [],
        providers: { [provider]: { 'terraform-data': 2 } },
        'resource-count': 2,
        resources: [{ name: 'disk', type: 'terraform_data', module: 'root', provider, count: 2 }],
        'resources-processed': true,
        serial: 3,
        size,
        'state-version': null,
        status: 'finalized',
        'terraform-version': '1.11.4',
        'vcs-commit-sha': null,
        'vcs-commit-url': null,
      },
      relationships: {
        'created-by': { data: { id: api.admin.id, type: 'users' } },
        outputs: {
          data: expect.arrayContaining([{ id: await outputId('zone'), type: 'state-version-outputs' }]),
          links: { related: `${prefix}/state-versions/${last()}/outputs` },
        },
        'rollback-state-version': { data: null },
        run: { data: { id: expect.stringMatching(/^run-/), type: 'runs' } },
        workspace: { data: { id: bench.workspaceId, type: 'workspaces' } },
      },
      links: { self: `${prefix}/state-versions/${last()}` },
    },
  });
  const { body: ofWorkspace } = await api.admin.get(current()).expect(200);
  expect(ofWorkspace.data.id).toBe(last());
});

it('the states of a workspace are listed, newest first, in pages', async () => {
  const { body } = await api.admin.get(listed()).expect(200);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse());
  expect(body.data[0].relationships.outputs).toEqual({
    links: { related: `${prefix}/state-versions/${last()}/outputs` },
  });
  const second = await api.admin.get(`${listed()}&page[size]=2&page[number]=2`).expect(200);
  expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
  expect(second.body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 2, 'next-page': null });
});

it('outputs come in order of name, and no sensitive value with others', async () => {
  const shown = [
    ['ids', 'array', ['a', 1], ['tuple', ['string', 'number']], false],
    ['password', 'object', null, ['object', { word: 'string' }], true],
    ['zone', 'string', 'eu', 'string', false],
  ].map(([name, type, value, detailed, sensitive]) => ({
    id: expect.stringMatching(/^wsout-/),
    type: 'state-version-outputs',
    attributes: { name, type, value, 'detailed-type': detailed, sensitive },
    links: { self: expect.stringMatching(`^${prefix}/state-version-outputs/wsout-`) },
  }));
  const caller = api.admin;
  expect((await caller.get(current('-outputs')).expect(200)).body).toEqual({ data: shown });
  const { body } = await caller.get(`/state-versions/${last()}/outputs?page[size]=2`).expect(200);
  expect(body.data).toEqual(shown.slice(0, 2));
  expect(body.meta.pagination['total-count']).toBe(3);
  for (const path of [`/state-versions/${last()}`, current()]) {
    const { included, data } = (await caller.get(`${path}?include=outputs`).expect(200)).body;
    await caller.get(`${path}?include=outputs,run`).expect(400);
    expect(included).toEqual(shown);
    expect(data.relationships.outputs.data).toHaveLength(3);
  }
});

it('outputs next to their workspace are what clients know as its outputs, with the same ids', async () => {
  const ids = await Promise.all(['ids', 'password', 'zone'].map(outputId));
  for (const path of [`/workspaces/${bench.workspaceId}`, `/organizations/${bench.organization}/workspaces/${name}`]) {
    const { data, included } = (await api.admin.get(`${path}?include=outputs`).expect(200)).body;
    expect(data.relationships.outputs.data).toEqual(ids.map((id) => ({ id, type: 'workspace-outputs' })));
    expect(included).toEqual(
      [
        { name: 'ids', 'output-type': 'array', value: ['a', 1], sensitive: false },
        { name: 'password', 'output-type': 'object', value: null, sensitive: true },
        { name: 'zone', 'output-type': 'string', value: 'eu', sensitive: false },
      ].map((attributes, index) => ({
        id: ids[index],
        type: 'workspace-outputs',
        attributes,
        links: { self: `${prefix}/state-version-outputs/${ids[index]}` },
      })),
    );
  }
});

it('a sensitive value is returned when it is requested on its own', async () => {
  const { body } = await api.admin.get(`/state-version-outputs/${await outputId('password')}`).expect(200);
  expect(body.data.attributes).toEqual({
    name: 'password',
    type: 'object',
    value: { word: 'hunter2' },
    'detailed-type': ['object', { word: 'string' }],
    sensitive: true,
  });
});

describe('a workspace without a state', () => {
  it('has no current one, and an empty list of outputs', async () => {
    const id = await api.workspace(bench.organization, newName('empty'));
    expect((await api.admin.get(`/workspaces/${id}/current-state-version`).expect(404)).body).toEqual(missing);
    const answer = await api.admin.get(`/workspaces/${id}/current-state-version-outputs`).expect(200);
    expect(answer.body).toEqual({ data: [] });
  });
});

describe('a state with hundreds of outputs', () => {
  it('has them listed whole where it is the current one, and in pages elsewhere', async () => {
    const other = await Bench.make(api);
    await other.version();
    const runId = await other.run();
    await other.planned(runId);
    await other.act(runId, 'apply');
    const names = Array.from({ length: 250 }, (_, index) => `o${String(index).padStart(3, '0')}`);
    const many = names.map((name) => ({ name, type: 'string', value: name, sensitive: false }));
    const id = await (await other.claimed(runId)).writeState('large', { outputs: many });
    const shown = (body: { data: { attributes: { name: string } }[] }) =>
      body.data.map(({ attributes }) => attributes.name);
    const path = `/workspaces/${other.workspaceId}/current-state-version-outputs`;
    expect(shown((await api.admin.get(path).expect(200)).body)).toEqual(names);
    const { body } = await api.admin.get(`/state-versions/${id}/outputs?page[size]=100&page[number]=3`).expect(200);
    expect(shown(body)).toEqual(names.slice(200));
    const whole = await api.admin.get(`/state-versions/${id}?include=outputs`).expect(200);
    expect(whole.body.included).toHaveLength(250);
  });
});

describe('outputs with long values', () => {
  it('come piece by piece, in the same documents', async () => {
    const other = await Bench.make(api);
    await other.version();
    const runId = await other.run();
    await other.planned(runId);
    await other.act(runId, 'apply');
    const long = ['a', 'b', 'c', 'd'].map((name) => ({
      name,
      type: 'string',
      value: name.repeat(name === 'd' ? 3 : 200_000),
      sensitive: name === 'b',
    }));
    const id = await (await other.claimed(runId)).writeState('long', { outputs: long });
    const values = long.map(({ value, sensitive }) => (sensitive ? null : value));
    for (const [path, member] of [
      [`/workspaces/${other.workspaceId}/current-state-version-outputs`, 'data'],
      [`/workspaces/${other.workspaceId}/current-state-version?include=outputs`, 'included'],
      [`/state-versions/${id}?include=outputs`, 'included'],
      [`/workspaces/${other.workspaceId}?include=outputs`, 'included'],
      [`/state-versions/${id}/outputs`, 'data'],
    ] as const) {
      const { body, headers } = await api.admin.get(path).expect(200);
      expect({ path, length: headers['content-length'] }).toEqual({ path, length: undefined });
      const shown = body[member].map(({ attributes }: { attributes: { value: unknown } }) => attributes.value);
      expect(shown).toEqual(values);
    }
    const { body } = await api.admin.get(`/state-versions/${id}/outputs`).expect(200);
    expect(body.meta.pagination).toMatchObject({ 'total-count': 4 });
    expect(Object.keys(body)).toEqual(['data', 'links', 'meta']);
  });
});

describe('the download URL', () => {
  const urlOf = async (): Promise<string> => {
    const { body } = await api.admin.get(current()).expect(200);
    return pathOf(body.data.attributes['hosted-state-download-url']);
  };

  it('returns the bytes to every client, with any token', async () => {
    const url = await urlOf();
    for (const caller of [api.anonymous, api.admin, api.as('no such secret')]) {
      const answer = await caller.at('').get(url).buffer().expect(200);
      expect(Buffer.from(answer.body).toString()).toBe(textOf(3));
      expect(answer.headers['content-disposition']).toBe('attachment; filename="terraform.tfstate"');
    }
    await api.anonymous.at('').send('put', url, {}).expect(404);
  });

  it('ends with its time', async () => {
    const url = await urlOf();
    api.clock.advance(299);
    await api.anonymous.at('').get(url).expect(200);
    api.clock.advance(1);
    expect((await api.anonymous.at('').get(url).expect(404)).body).toEqual(missing);
  });
});

describe('a list of states', () => {
  it.each([
    ['filter[workspace][name]', () => `/state-versions?filter[organization][name]=${bench.organization}`],
    ['filter[organization][name]', () => `/state-versions?filter[workspace][name]=${name}`],
  ])('needs %s', async (parameter, path) => {
    const detail = `${parameter} is required`;
    const told = refusal(422, 'invalid attribute', detail, { parameter });
    expect((await api.admin.get(path()).expect(422)).body).toEqual(told);
  });

  it('is missing where the workspace is', async () => {
    for (const path of [listed('nowhere'), listed(bench.organization, 'nothing')]) {
      expect((await api.admin.get(path).expect(404)).body).toEqual(missing);
    }
  });
});

describe('who may', () => {
  it('gives the same answer to a stranger and about a missing resource', async () => {
    const stranger = await api.user(newName('stranger'));
    const hidden = [current(), current('-outputs'), `/state-versions/${last()}`, listed()];
    const none = ['/state-versions/sv-nobody', '/state-versions/sv-nobody/outputs', '/state-version-outputs/wsout-no'];
    for (const path of [...hidden, ...none]) expect((await stranger.get(path).expect(404)).body).toEqual(missing);
    for (const path of none) expect((await api.admin.get(path).expect(404)).body).toEqual(missing);
  });
});

it('sensitive values are sealed where they are kept', async () => {
  expect(await api.stored()).not.toContain('hunter2');
});
