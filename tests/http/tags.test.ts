import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FixedLevel } from '../../src/domain/index.js';
import { type Caller, doc, missing, newName, prefix, startApi } from '../support/api.js';
import { giveGrant } from '../support/builders.js';

const api = await startApi({ prefix });
const { admin } = api;

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  readonly relationships: any;
}

let organization: string;
let workspaces: string;
let tagsPath: string;
beforeAll(async () => {
  organization = newName('org');
  await api.organization(organization);
  workspaces = `/organizations/${organization}/workspaces`;
  tagsPath = `/organizations/${organization}/tags`;
});

const read = async (path: string, caller = admin) => (await caller.get(path).expect(200)).body;

const tagged = (...names: readonly string[]) => ({
  data: names.map((name) => ({ type: 'tags', attributes: { name } })),
});
const byIds = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });
const bound = (values: Readonly<Record<string, string>>) => ({
  data: Object.entries(values).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
});

const created = async (attributes: object = {}, relationships: object = {}): Promise<Resource> =>
  (await admin.post(workspaces, doc('workspaces', { name: newName('w'), ...attributes }, relationships)).expect(201))
    .body.data;

const tagsOf = (id: string): string => `/workspaces/${id}/relationships/tags`;
const namesOn = async (id: string) => (await read(`/workspaces/${id}`)).data.attributes['tag-names'];

const counted = async (path: string, caller = admin): Promise<readonly string[]> => {
  const { data, meta } = await read(path, caller);
  expect(meta.pagination['total-count']).toBe(data.length);
  return data.map(({ attributes }: Resource) => `${attributes.name} ${attributes['instance-count']}`);
};

const idOf = async (name: string): Promise<string> =>
  (await read(`${tagsPath}?q=${name}`)).data.find(({ attributes }: Resource) => attributes.name === name).id;

async function memberWith(access: FixedLevel, ...workspaceIds: readonly string[]): Promise<Caller> {
  const team = await api.team(organization, newName('team'));
  for (const id of workspaceIds) await api.unitOfWork.run((tx) => giveGrant(tx, team, id, { access }));
  return api.member(organization, newName('member'), [team]);
}

const faultOf = (answer: { body: { errors: readonly { source?: object; detail: string }[] } }) =>
  answer.body.errors[0]?.source;

describe('tags of a workspace', () => {
  it('are given by attribute or by relationship, in lowercase, and each once', async () => {
    const [one, other] = [newName('one'), newName('other')];
    const { id, attributes } = await created({ 'tag-names': [other.toUpperCase(), one, other] });
    expect(attributes['tag-names']).toEqual([one, other].sort());
    const related = await created({}, { tags: tagged(one, 'app:net_1') });
    expect(related.attributes['tag-names']).toEqual(['app:net_1', one]);
    expect(await namesOn(related.id)).toEqual(['app:net_1', one]);
    const change = doc('workspaces', { 'tag-names': ['x'] });
    expect((await admin.patch(`/workspaces/${id}`, change).expect(200)).body.data.attributes['tag-names']).toEqual([
      'x',
    ]);
    const byId = doc('workspaces', {}, { tags: byIds('tags', await idOf(one)) });
    expect((await admin.patch(`/workspaces/${id}`, byId).expect(200)).body.data.attributes['tag-names']).toEqual([one]);
    await admin.patch(`/workspaces/${id}`, doc('workspaces', { description: 'other' })).expect(200);
    expect(await namesOn(id)).toEqual([one]);
    await admin.patch(`/workspaces/${id}`, doc('workspaces', { 'tag-names': [] })).expect(200);
    expect(await namesOn(id)).toEqual([]);
    const twice = doc('workspaces', { 'tag-names': ['x'] }, { tags: tagged('x') });
    expect(faultOf(await admin.patch(`/workspaces/${id}`, twice).expect(422))).toEqual({
      pointer: '/data/relationships/tags',
    });
  });

  it('are added and removed by name or id, and listed', async () => {
    const { id } = await created();
    const names = ['c', 'a', 'b'].map((letter) => newName(letter));
    await admin.post(tagsOf(id), tagged(...names)).expect(204);
    await admin.post(tagsOf(id), tagged(...names)).expect(204);
    expect(await namesOn(id)).toEqual(names.toSorted());
    const { data, meta } = await read(`${tagsOf(id)}?page[size]=2`);
    expect(meta.pagination['total-count']).toBe(3);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^tag-/),
      type: 'tags',
      attributes: { name: names.toSorted()[0], 'created-at': expect.any(String), 'instance-count': 1 },
      relationships: { organization: { data: { type: 'organizations', id: organization } } },
    });
    expect(await counted(`${tagsOf(id)}?name=${names[0]?.toUpperCase()}`)).toEqual([`${names[0]} 1`]);
    const other = await created();
    await admin.post(tagsOf(other.id), byIds('tags', data[0].id)).expect(204);
    await admin.post(tagsOf(other.id), { data: [{ type: 'tags', id: '', attributes: { name: 'named' } }] }).expect(204);
    expect(await namesOn(other.id)).toEqual([names.toSorted()[0], 'named'].sort());
    await admin.send('delete', tagsOf(id), byIds('tags', data[0].id)).expect(204);
    await admin.send('delete', tagsOf(id), tagged(names[0] as string, 'nothing')).expect(204);
    expect(await namesOn(id)).toHaveLength(1);
  });

  it.each([
    ['a blank', 'two words'],
    ['a comma', 'a,b'],
    ['a hyphen at the end', 'a-'],
    ['nothing', ''],
    ['a letter beyond a to z', 'ä'],
    ['more than 255 characters', 'a'.repeat(256)],
  ])('are refused with %s', async (_, name) => {
    const { id } = await created();
    const added = await admin.post(tagsOf(id), tagged(name)).expect(422);
    expect(faultOf(added)).toMatchObject({ pointer: expect.stringMatching(/^\/data/) });
    const attributes = await admin.patch(`/workspaces/${id}`, doc('workspaces', { 'tag-names': [name] })).expect(422);
    expect(faultOf(attributes)).toMatchObject({ pointer: expect.stringMatching(/^\/data\/attributes\/tag-names/) });
    expect(await namesOn(id)).toEqual([]);
  });

  it('are at most 100, and known if named by id', async () => {
    const { id } = await created();
    const many = Array.from({ length: 100 }, (_, n) => `many-${n}`);
    await admin.post(tagsOf(id), tagged(...many)).expect(204);
    const more = await admin.post(tagsOf(id), tagged('one-more')).expect(422);
    expect(more.body.errors[0].detail).toBe('A workspace can have at most 100 tags');
    await admin.post(tagsOf(id), tagged('many-7')).expect(204);
    for (const method of ['post', 'delete'] as const) {
      const unknown = await admin.send(method, tagsOf(id), byIds('tags', 'tag-nobody')).expect(422);
      expect(faultOf(unknown)).toEqual({ pointer: '/data' });
    }
    expect(faultOf(await admin.post(tagsOf(id), { data: [{ type: 'tags' }] }).expect(422))).toEqual({
      pointer: '/data/0',
    });
  });

  it('are changed by those who may update the workspace', async () => {
    const { id } = await created({ 'tag-names': ['seen'] });
    const [reader, boss] = [await memberWith('write', id), await memberWith('admin', id)];
    expect(await counted(tagsOf(id), reader)).toEqual(['seen 1']);
    for (const method of ['post', 'delete'] as const) {
      await reader.send(method, tagsOf(id), tagged('seen')).expect(404);
      await boss.send(method, tagsOf(id), tagged('other')).expect(204);
    }
    const permissions = async (caller: Caller) => (await read(`/workspaces/${id}`, caller)).data.attributes.permissions;
    expect(await permissions(reader)).toMatchObject({ 'can-manage-tags': false });
    expect(await permissions(boss)).toMatchObject({ 'can-manage-tags': true });
    expect((await (await memberWith('read')).get(tagsOf(id)).expect(404)).body).toEqual(missing);
  });
});

describe('tags of an organization', () => {
  it('are those of workspaces that the caller may read, and only these are counted', async () => {
    const [seen, hidden, common] = [newName('seen'), newName('hidden'), newName('common')];
    const [first, second] = [
      await created({ 'tag-names': [seen, common] }),
      await created({ 'tag-names': [hidden, common] }),
    ];
    const member = await memberWith('read', first.id);
    expect(await counted(tagsPath, member)).toEqual([`${common} 1`, `${seen} 1`]);
    expect(await counted(`${tagsPath}?q=${hidden}`, member)).toEqual([]);
    expect(await counted(`${tagsPath}?q=${common.toUpperCase()}`)).toEqual([`${common} 2`]);
    const except = (id: string) => `${tagsPath}?filter[exclude][taggable][id]=${id}`;
    expect(await counted(except(first.id), member)).toEqual([]);
    expect(await counted(except(second.id), member)).toEqual([`${common} 1`, `${seen} 1`]);
    await admin.delete(`/workspaces/${second.id}`).expect(204);
    expect(await counted(`${tagsPath}?q=${common}`)).toEqual([`${common} 1`]);
    expect(await counted(`${tagsPath}?q=${hidden}`)).toEqual([]);
    const elsewhere = newName('org');
    await api.organization(elsewhere);
    const stranger = await api.member(elsewhere, newName('stranger'), []);
    expect((await stranger.get(tagsPath).expect(404)).body).toEqual(missing);
  });

  it('are added to workspaces that the caller may update', async () => {
    const name = newName('tag');
    const [first, second, third] = [await created({ 'tag-names': [name] }), await created(), await created()];
    const path = `/tags/${await idOf(name)}/relationships/workspaces`;
    await admin.post(path, byIds('workspaces', second.id, first.id, second.id)).expect(204);
    expect(await namesOn(second.id)).toEqual([name]);
    const boss = await memberWith('admin', second.id, third.id);
    await boss.post(path, byIds('workspaces', third.id)).expect(204);
    const hidden = await boss.post(path, byIds('workspaces', first.id)).expect(422);
    const unknown = await boss.post(path, byIds('workspaces', 'ws-nobody')).expect(422);
    expect(hidden.body).toEqual(unknown.body);
    const reader = await memberWith('read', first.id, second.id);
    await reader.post(path, byIds('workspaces', second.id)).expect(404);
    // Who sees no workspace with the tag does not see the tag.
    const apart = await created();
    const other = await memberWith('admin', apart.id);
    expect((await other.post(path, byIds('workspaces', apart.id)).expect(404)).body).toEqual(missing);
    const nowhere = '/tags/tag-nobody/relationships/workspaces';
    expect((await other.post(nowhere, byIds('workspaces', apart.id)).expect(404)).body).toEqual(missing);
    expect(await namesOn(apart.id)).toEqual([]);
  });

  it('are deleted by those who manage all workspaces', async () => {
    const [one, two] = [newName('one'), newName('two')];
    const { id } = await created({ 'tag-names': [one, two] });
    const tag = await idOf(one);
    await (await memberWith('admin', id)).send('delete', tagsPath, byIds('tags', tag)).expect(404);
    expect(faultOf(await admin.send('delete', tagsPath, byIds('tags', tag, 'tag-nobody')).expect(422))).toEqual({
      pointer: '/data',
    });
    const team = await api.team(organization, newName('team'), {
      'organization-access': { 'manage-workspaces': true },
    });
    const manager = await api.member(organization, newName('manager'), [team]);
    await manager.send('delete', tagsPath, byIds('tags', tag)).expect(204);
    expect(await namesOn(id)).toEqual([two]);
    const { data } = await read(`/organizations/${organization}/audit-events?filter[action]=tags/delete`);
    expect(data[0].attributes.detail ?? data[0].attributes).toMatchObject({ tags: [{ id: tag, name: one }] });
  });
});

describe('tag bindings', () => {
  const bindings = (id: string, kind = 'workspaces') => `/${kind}/${id}/tag-bindings`;
  const valuesOf = async (path: string, caller = admin) => {
    const answer = await read(path, caller);
    expect(Object.keys(answer)).toEqual(['data']);
    return answer.data.map(({ attributes }: Resource) => `${attributes.key}=${attributes.value}`);
  };

  it('are given with a workspace, replaced with it, and added to', async () => {
    const { id, relationships } = await created({}, { 'tag-bindings': bound({ env: 'prod', team: '' }) });
    const related = `${prefix}${bindings(id)}`;
    expect(relationships).toMatchObject({ 'tag-bindings': { links: { related } } });
    expect(await valuesOf(bindings(id))).toEqual(['env=prod', 'team=']);
    const added = await admin.patch(bindings(id), bound({ zone: '1', env: 'test' })).expect(200);
    expect(added.body.data).toEqual([
      {
        id: expect.stringMatching(/^tb-/),
        type: 'tag-bindings',
        attributes: { key: 'zone', value: '1', 'created-at': expect.any(String) },
      },
      expect.objectContaining({ attributes: expect.objectContaining({ key: 'env', value: 'test' }) }),
    ]);
    expect((await read(bindings(id))).data.find(({ attributes }: Resource) => attributes.key === 'env')).toEqual(
      added.body.data[1],
    );
    expect(await valuesOf(bindings(id))).toEqual(['env=test', 'team=', 'zone=1']);
    const only = doc('workspaces', {}, { 'tag-bindings': bound({ only: 'this' }) });
    await admin.patch(`/workspaces/${id}`, only).expect(200);
    await admin.patch(`/workspaces/${id}`, doc('workspaces', { description: 'other' })).expect(200);
    expect(await valuesOf(bindings(id))).toEqual(['only=this']);
    await admin.patch(`/workspaces/${id}`, doc('workspaces', {}, { 'tag-bindings': { data: [] } })).expect(200);
    expect(await valuesOf(bindings(id))).toEqual([]);
  });

  it.each([
    ['a blank in the key', { 'a b': '' }],
    ['an empty key', { '': 'x' }],
    ['a key of 129 characters', { ['a'.repeat(129)]: '' }],
    ['a value of 257 characters', { a: 'x'.repeat(257) }],
    ['a slash in the value', { a: 'x/y' }],
    ['a reserved prefix', { 'hc:a': '' }],
    ['another reserved prefix', { 'hcp:a': '' }],
    ['more than ten keys', Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key-${n}`, '']))],
  ])('are refused with %s', async (_, values) => {
    const { id } = await created({}, { 'tag-bindings': bound({ 'Own.key=+-@:_': 'Own.value=+-@:_' }) });
    expect(faultOf(await admin.patch(bindings(id), bound(values)).expect(422))).toEqual({ pointer: '/data' });
    expect(await valuesOf(bindings(id))).toEqual(['Own.key=+-@:_=Own.value=+-@:_']);
    if (Object.keys(values).length > 1) return;
    const created422 = await admin
      .post(workspaces, doc('workspaces', { name: newName() }, { 'tag-bindings': bound(values) }))
      .expect(422);
    expect(faultOf(created422)).toEqual({ pointer: '/data/relationships/tag-bindings' });
  });

  it('are refused twice for one key', async () => {
    const { id } = await created();
    const twice = { data: [...bound({ a: '1' }).data, ...bound({ a: '2' }).data] };
    expect(faultOf(await admin.patch(bindings(id), twice).expect(422))).toEqual({ pointer: '/data' });
  });

  it('come from the project as well, where the workspace has none of the key', async () => {
    const body = doc('projects', { name: newName('project') }, { 'tag-bindings': bound({ env: 'prod', team: 'net' }) });
    const project = (await admin.post(`/organizations/${organization}/projects`, body).expect(201)).body.data.id;
    const inside = { project: { data: { type: 'projects', id: project } } };
    const own = await created({}, { ...inside, 'tag-bindings': bound({ env: 'test' }) });
    const none = await created({}, inside);
    const path = (id: string, kind = 'workspaces') => `/${kind}/${id}/effective-tag-bindings`;
    expect(await valuesOf(path(own.id))).toEqual(['env=test', 'team=net']);
    const { data } = await read(path(own.id));
    expect(data.map(({ links }: Resource) => links)).toEqual([
      undefined,
      { 'inherited-from': `${prefix}/projects/${project}` },
    ]);
    expect(await valuesOf(path(none.id))).toEqual(['env=prod', 'team=net']);
    expect(await valuesOf(path(project, 'projects'))).toEqual(['env=prod', 'team=net']);
    expect((await read(path(project, 'projects'))).data[0]).not.toHaveProperty('links');
    const found = async (query: string) =>
      (await read(`${workspaces}?${query}&filter[project][id]=${project}`)).data.map(({ id }: Resource) => id).sort();
    expect(await found('filter[tagged][0][key]=env')).toEqual([own.id, none.id].sort());
    expect(await found('filter[tagged][0][key]=env&filter[tagged][0][value]=prod')).toEqual([none.id]);
    expect(await found('filter[tagged][0][key]=env&filter[tagged][0][value]=&filter[tagged][1][value]=test')).toEqual([
      own.id,
    ]);

    await admin.patch(bindings(project, 'projects'), bound({ zone: '1' })).expect(200);
    expect(await valuesOf(bindings(project, 'projects'))).toEqual(['env=prod', 'team=net', 'zone=1']);
    await admin
      .patch(`/projects/${project}`, doc('projects', {}, { 'tag-bindings': bound({ env: 'live' }) }))
      .expect(200);
    expect(await valuesOf(path(none.id))).toEqual(['env=live']);

    const reader = await memberWith('read', none.id);
    expect(await valuesOf(path(none.id), reader)).toEqual(['env=live']);
    await reader.patch(bindings(none.id), bound({ a: '1' })).expect(404);
    await reader.patch(bindings(project, 'projects'), bound({ a: '1' })).expect(404);
    expect((await (await memberWith('read')).get(path(none.id)).expect(404)).body).toEqual(missing);
    for (const { id } of [own, none]) await admin.delete(`/workspaces/${id}`).expect(204);
    await admin.delete(`/projects/${project}`).expect(204);
  });

  it('are included with workspaces, each with its own', async () => {
    const [a, b] = [
      await created({}, { 'tag-bindings': bound({ env: 'prod' }) }),
      await created({}, { 'tag-bindings': bound({ env: 'test', zone: '1' }) }),
    ];
    const none = await created();
    const include = 'include=effective_tag_bindings';
    const { data, included } = await read(`${workspaces}?${include}&page[size]=100`);
    const linked = (id: string) =>
      data.find((workspace: Resource) => workspace.id === id).relationships['effective-tag-bindings'].data;
    const shown = (id: string) =>
      linked(id).map((one: Resource) => {
        const found = included.find((resource: Resource) => resource.id === one.id);
        return `${found.type} ${found.attributes.key}=${found.attributes.value}`;
      });
    expect(shown(a.id)).toEqual(['effective-tag-bindings env=prod']);
    expect(shown(b.id)).toEqual(['effective-tag-bindings env=test', 'effective-tag-bindings zone=1']);
    expect(linked(none.id)).toEqual([]);
    const alone = await read(`/workspaces/${b.id}?${include}`);
    expect(alone.included).toHaveLength(2);
    expect(alone.data.relationships['effective-tag-bindings'].data).toEqual(linked(b.id));
    expect(alone.data.relationships['effective-tag-bindings'].links).toEqual(
      (await read(`/workspaces/${b.id}`)).data.relationships['effective-tag-bindings'].links,
    );
  });
});

describe('a list of workspaces', () => {
  it('is searched by tags', async () => {
    const [net, app] = [newName('net'), newName('app')];
    const [both, one, none] = [
      await created({ 'tag-names': [net, app] }),
      await created({ 'tag-names': [net] }),
      await created({ 'tag-names': [newName()] }),
    ];
    const found = async (query: string, caller = admin) => {
      const { data, meta } = await read(`${workspaces}?${query}&page[size]=100`, caller);
      expect(meta.pagination['total-count']).toBe(data.length);
      return data.map(({ id }: Resource) => id);
    };
    expect(await found(`search[tags]=${net}`)).toEqual([both.id, one.id]);
    expect(await found(`search[tags]=${net.toUpperCase()},${app},${net}`)).toEqual([both.id]);
    expect(await found(`search[tags]=${net}&search[exclude-tags]=${app},nothing`)).toEqual([one.id]);
    expect(await found(`search[tags]=${net}&sort=-name`)).toEqual([one.id, both.id]);
    const rest = await found(`search[exclude-tags]=${net}`);
    expect(rest).toContain(none.id);
    expect(rest).not.toContain(one.id);
    expect(await found(`search[tags]=${net}`, await memberWith('read', one.id))).toEqual([one.id]);
    const many = Array.from({ length: 600 }, (_, n) => `t${n}`).join(',');
    expect(await found(`search[tags]=${many}`)).toEqual([]);
  });

  it.each([
    'filter[tagged][0][name]=a',
    'filter[tagged][0]=a',
    'filter[tagged][][key]=a',
    'filter[tagged][0][key]=&filter[tagged][0][value]=',
  ])('refuses %s with 400', async (query) => {
    const { body } = await admin.get(`${workspaces}?${query}`).expect(400);
    expect(body.errors[0].source.parameter).toMatch(/^filter\[tagged\]/);
  });
});
