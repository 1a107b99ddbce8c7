import { describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  faultsIn,
  invalid,
  lacking,
  missing,
  namesIn,
  newName,
  prefix,
  refusal,
  startApi,
} from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');

const path = '/organizations/acme/projects';
const defaultName = 'Default Project';

const newProject = async (attributes: object = {}, organization = 'acme'): Promise<string> => {
  const body = doc('projects', { name: newName('project'), ...attributes });
  return (await admin.post(`/organizations/${organization}/projects`, body).expect(201)).body.data.id;
};

const defaultProject = async (organization = 'acme'): Promise<string> => {
  const { body } = await admin.get(`/organizations/${organization}`).expect(200);
  return body.data.relationships['default-project'].data.id;
};

const toProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
const workspaces = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });

const newWorkspace = async (projectId?: string, caller: Caller = admin): Promise<string> => {
  const body = doc('workspaces', { name: newName('ws') }, projectId === undefined ? undefined : toProject(projectId));
  return (await caller.post('/organizations/acme/workspaces', body).expect(201)).body.data.id;
};

const projectOf = async (workspaceId: string): Promise<string> =>
  (await admin.get(`/workspaces/${workspaceId}`).expect(200)).body.data.relationships.project.data.id;

/** A member whose only team has these organization-level permissions and this access to workspaces. */
const memberWith = async (access: object, grants: Readonly<Record<string, string>> = {}): Promise<Caller> => {
  const team = await api.team('acme', newName('team'), { 'organization-access': access });
  for (const [workspaceId, level] of Object.entries(grants)) await api.grant(team, workspaceId, { access: level });
  return api.member('acme', newName('person'), [team]);
};

const manager = await memberWith({ 'manage-projects': true });

describe('projects', () => {
  const resource = (id: string, attributes: object, may: boolean) => ({
    id,
    type: 'projects',
    attributes: {
      description: '',
      'is-default': false,
      'is-unified': false,
      'auto-destroy-activity-duration': null,
      'default-execution-mode': 'remote',
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
      'created-at': api.clock.now(),
      'updated-at': api.clock.now(),
      ...attributes,
      permissions: {
        'can-update': may,
        'can-schedule-destroy': may,
        'can-destroy': may,
        'can-create-workspace': may,
        'can-move-workspace': may,
        'can-manage-teams': may,
      },
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      'default-agent-pool': { data: null },
      'tag-bindings': { links: { related: `${prefix}/projects/${id}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${prefix}/projects/${id}/effective-tag-bindings` } },
    },
    links: { self: `${prefix}/projects/${id}` },
  });

  it('begin with the default one, which every workspace belongs to that names no other', async () => {
    const id = await defaultProject();
    expect(id).toMatch(/^prj-[A-Za-z0-9]{16}$/);
    const shown = await admin.get(`/projects/${id}`).expect(200);
    expect(shown.body.data).toMatchObject({ id, attributes: { name: defaultName, 'is-default': true } });
    expect(await projectOf(await newWorkspace())).toBe(id);
    const answer = await admin.delete(`/projects/${id}`).expect(409);
    expect(answer.body).toEqual(refusal(409, 'conflict', 'the default project cannot be deleted'));
    await admin.patch(`/projects/${id}`, doc('projects', { description: 'Everything else' })).expect(200);
    const change = doc('organizations', {}, { 'default-project': { data: { type: 'projects', id: 'prj-1' } } });
    expect(faultsIn(await admin.patch('/organizations/acme', change).expect(422))).toEqual([
      ['/data/relationships/default-project', 'The default project cannot be changed'],
    ]);
  });

  it('are created, shown, changed and deleted', async () => {
    const name = newName('Project of 2');
    const created = await admin.post(path, doc('projects', { name, description: 'Networks' })).expect(201);
    const { id } = created.body.data;
    expect(created.body.data).toEqual(resource(id, { name, description: 'Networks' }, true));
    expect((await admin.get(`/projects/${id}`).expect(200)).body).toEqual(created.body);
    api.clock.advance(60);
    const changed = await admin.patch(`/projects/${id}`, doc('projects', { description: null })).expect(200);
    const createdAt = created.body.data.attributes['created-at'];
    expect(changed.body.data).toEqual(resource(id, { name, 'created-at': createdAt }, true));
    await admin.delete(`/projects/${id}`).expect(204);
    expect((await admin.get(`/projects/${id}`).expect(404)).body).toEqual(missing);
  });

  it('refuse malformed and taken names, and what they do not serve', async () => {
    const rule =
      'Name may only contain letters, digits, spaces, dashes and underscores, 3 to 40 of them, without a space at either end';
    for (const name of ['', 'ab', 'x'.repeat(41), ' abc', 'abc ', 'a/b', 'abc\n', 'ünï']) {
      const answer = await admin.post(path, doc('projects', { name })).expect(422);
      expect(answer.body).toEqual(invalid('name', rule));
    }
    for (const name of ['a b', 'x'.repeat(40)]) await newProject({ name });
    const answer = await admin.post(path, doc('projects', { name: 'a b' })).expect(422);
    expect(answer.body).toEqual(invalid('name', 'Name has already been taken'));
    const renamed = await admin.patch(`/projects/${await newProject()}`, doc('projects', { name: 'a b' })).expect(422);
    expect(renamed.body).toEqual(answer.body);
    await newProject({ name: 'a b' }, 'globex');
  });

  it('schedule the destruction of their workspaces that have no schedule of their own', async () => {
    const duration = 'auto-destroy-activity-duration';
    const id = await newProject({ [duration]: '14d' });
    const project = async () => (await admin.get(`/projects/${id}`).expect(200)).body.data.attributes[duration];
    const change = (value: string | null) => admin.patch(`/projects/${id}`, doc('projects', { [duration]: value }));
    const workspace = await newWorkspace(id);
    const schedule = async () => {
      const { attributes } = (await admin.get(`/workspaces/${workspace}`).expect(200)).body.data;
      return [attributes['inherits-project-auto-destroy'], attributes[duration], attributes['auto-destroy-at']];
    };
    const own = async (attributes: object) => {
      await admin.patch(`/workspaces/${workspace}`, doc('workspaces', attributes)).expect(200);
      return schedule();
    };
    expect(await project()).toBe('14d');
    expect(await schedule()).toEqual([true, '14d', null]);
    expect((await change('12h').expect(200)).body.data.attributes[duration]).toBe('12h');
    expect(await schedule()).toEqual([true, '12h', null]);
    expect((await change('0d').expect(422)).body).toEqual(
      invalid(duration, 'Auto destroy activity duration must be 1 to 9999, followed by d for days or h for hours'),
    );
    const at = '2040-01-31T09:00:00.000Z';
    expect(await own({ 'auto-destroy-at': at })).toEqual([false, null, at]);
    expect(await own({ 'auto-destroy-at': null })).toEqual([true, '12h', null]);
    expect(await own({ [duration]: '3d' })).toEqual([false, '3d', null]);
    expect(await own({ 'inherits-project-auto-destroy': true })).toEqual([true, '12h', null]);
    // As clients send back what they read.
    expect(await own({ [duration]: '12h', 'auto-destroy-at': null })).toEqual([true, '12h', null]);
    expect(await own({ 'inherits-project-auto-destroy': false })).toEqual([false, null, null]);
    const both = doc('workspaces', { 'inherits-project-auto-destroy': true, [duration]: '5d' });
    expect((await admin.patch(`/workspaces/${workspace}`, both).expect(422)).body).toEqual(
      invalid(
        'inherits-project-auto-destroy',
        'Inherits project auto destroy cannot be true with an auto destroy time or duration of the workspace',
      ),
    );
    await change(null).expect(200);
    expect(await project()).toBeNull();
  });

  it('cannot be deleted while they have workspaces', async () => {
    const id = await newProject();
    const workspace = await newWorkspace(id);
    const sentence = 'the project has workspaces: move or delete them first';
    expect((await admin.delete(`/projects/${id}`).expect(409)).body).toEqual(refusal(409, 'conflict', sentence));
    await admin.delete(`/workspaces/${workspace}`).expect(204);
    await admin.delete(`/projects/${id}`).expect(204);
  });

  it('are listed by name, and found by a part of it or by whole names', async () => {
    await api.organization('initech');
    for (const name of ['beta', 'Alpha', 'gamma']) await newProject({ name }, 'initech');
    const listed = async (query: string) => namesIn((await admin.get(`/organizations/initech/projects?${query}`)).body);
    expect(await listed('')).toEqual(['Alpha', 'beta', defaultName, 'gamma']);
    expect(await listed('sort=-name')).toEqual(['gamma', defaultName, 'beta', 'Alpha']);
    expect(await listed('page%5Bsize%5D=2&page%5Bnumber%5D=2')).toEqual([defaultName, 'gamma']);
    expect(await listed('q=ET')).toEqual(['beta']);
    expect(await listed(`filter%5Bnames%5D=gamma,${encodeURIComponent(defaultName)},alpha`)).toEqual([
      'Alpha',
      defaultName,
      'gamma',
    ]);
  });

  it('include their tag bindings, and are selected by them', async () => {
    const bound = (values: Readonly<Record<string, string>>) => ({
      data: Object.entries(values).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
    });
    const stage = newName('stage');
    const make = async (values: Readonly<Record<string, string>>): Promise<string> => {
      const body = doc('projects', { name: newName('tagged') }, { 'tag-bindings': bound(values) });
      return (await admin.post(path, body).expect(201)).body.data.id;
    };
    const [one, other] = [await make({ [stage]: 'prod', team: 'net' }), await make({ [stage]: 'test' })];
    const effective = (await admin.get(`/projects/${one}/effective-tag-bindings`).expect(200)).body.data;
    expect(effective.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      { key: stage, value: 'prod' },
      { key: 'team', value: 'net' },
    ]);
    const shown = (await admin.get(`/projects/${one}?include=effective_tag_bindings`).expect(200)).body;
    expect(shown.included).toEqual(effective);
    const identifiers = effective.map(({ id, type }: { id: string; type: string }) => ({ id, type }));
    expect(shown.data.relationships['effective-tag-bindings'].data).toEqual(identifiers);
    const alone = (await admin.get(`/projects/${one}`).expect(200)).body;
    expect(alone).not.toHaveProperty('included');
    expect(alone.data.relationships['effective-tag-bindings']).not.toHaveProperty('data');
    const list = async (query: string, caller = admin) => {
      const { body } = await caller.get(`${path}?include=effective_tag_bindings&${query}`).expect(200);
      expect(body.meta.pagination['total-count']).toBe(body.data.length);
      return body;
    };
    const keyed = `filter[tagged][0][key]=${stage}`;
    const both = await list(keyed);
    expect(both.data.map(({ id }: { id: string }) => id).sort()).toEqual([one, other].sort());
    expect(both.included).toHaveLength(3);
    expect(both.data.find(({ id }: { id: string }) => id === one)).toEqual(shown.data);
    expect((await list(`${keyed}&filter[tagged][0][value]=test`)).data).toMatchObject([{ id: other }]);
    expect((await list(`${keyed}&filter[tagged][a][value]=net`)).data).toEqual([shown.data]);
    expect((await list(`${keyed}x`)).data).toEqual([]);
    const reader = await memberWith({}, { [await newWorkspace(other)]: 'read' });
    const seen = await list(keyed, reader);
    expect(seen.data).toMatchObject([{ id: other }]);
    expect(seen.included).toHaveLength(1);
    for (const malformed of ['filter[tagged][0]=a', 'filter[tagged][0][key]=']) {
      expect((await admin.get(`${path}?${malformed}`).expect(400)).body.errors[0].source.parameter).toMatch(
        /^filter\[tagged\]\[0\]/,
      );
    }
  });

  it('are seen with access to a workspace in them, and then hidden no more than it', async () => {
    const [id, other] = [await newProject({ name: 'visible' }), await newProject()];
    const workspace = await newWorkspace(id);
    const reader = await memberWith({}, { [workspace]: 'read' });
    const shown = (await reader.get(`/projects/${id}`).expect(200)).body.data;
    expect(shown).toEqual(resource(id, { name: 'visible' }, false));
    const list = await reader.get(path).expect(200);
    expect(list.body.data).toEqual([shown]);
    expect((await reader.get(`/projects/${other}`).expect(404)).body).toEqual(missing);
    const vain = await reader.patch(`/projects/${id}`, doc('projects', { name: 'mine' })).expect(404);
    expect(vain.body).toEqual(lacking('project settings: update'));
    expect((await reader.post(path, doc('projects', { name: 'mine' })).expect(404)).body).toEqual(missing);
    await admin.delete(`/workspaces/${workspace}`).expect(204);
    expect((await reader.get(`/projects/${id}`).expect(404)).body).toEqual(missing);
    const all = await memberWith({ 'read-projects': true });
    await all.get(`/projects/${other}`).expect(200);
    await all.patch(`/projects/${other}`, doc('projects', { name: 'mine' })).expect(404);
  });

  it('are managed with manage-projects, which administers the workspaces too', async () => {
    const created = await manager.post(path, doc('projects', { name: newName('project') })).expect(201);
    const { id } = created.body.data;
    expect(created.body.data.attributes.permissions).toEqual({
      'can-update': true,
      'can-schedule-destroy': true,
      'can-destroy': true,
      'can-create-workspace': true,
      'can-move-workspace': true,
      'can-manage-teams': true,
    });
    const workspace = await newWorkspace(id, manager);
    await manager.patch(`/workspaces/${workspace}`, doc('workspaces', { description: 'mine' })).expect(200);
    await manager.delete(`/workspaces/${workspace}`).expect(204);
    await manager.delete(`/projects/${id}`).expect(204);
  });
});

describe('the project of a workspace', () => {
  it('is named when it is created, shown, included and filtered by', async () => {
    const id = await newProject();
    const [workspace] = [await newWorkspace(id), await newWorkspace()];
    expect(await projectOf(workspace)).toBe(id);
    const shown = (await admin.get(`/projects/${id}`)).body.data;
    const single = await admin.get(`/workspaces/${workspace}?include=project`).expect(200);
    expect(single.body.included).toEqual([shown]);
    const list = '/organizations/acme/workspaces?include=project&filter%5Bproject%5D%5Bid%5D=';
    const listed = await admin.get(list + id).expect(200);
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([workspace]);
    expect(listed.body.included).toEqual([shown]);
    expect((await admin.get(`${list}prj-nothing`).expect(200)).body.data).toEqual([]);
  });

  it('is changed with rights on both sides', async () => {
    const [id, hidden] = [await newProject(), await newProject()];
    const workspace = await newWorkspace();
    const elsewhere = await newWorkspace(id);
    const change = (caller: Caller, project: string) =>
      caller.patch(`/workspaces/${workspace}`, doc('workspaces', {}, toProject(project)));
    const administrator = await memberWith({}, { [workspace]: 'admin', [elsewhere]: 'admin' });
    expect((await change(administrator, id).expect(404)).body).toEqual(lacking('move workspaces to the project'));
    const unseen = await change(administrator, hidden).expect(422);
    expect((await change(administrator, 'prj-nothing').expect(422)).text).toBe(unseen.text);
    expect((await change(admin, await newProject({}, 'globex')).expect(422)).text).toBe(unseen.text);
    expect(faultsIn(unseen)).toEqual([
      ['/data/relationships/project', 'Project must be a project of the organization that you can see'],
    ]);
    await change(administrator, await defaultProject()).expect(200);
    const moved = await change(manager, id).expect(200);
    expect(moved.body.data.relationships.project.data.id).toBe(id);
    expect(await projectOf(workspace)).toBe(id);
    await change(await api.organizationToken('acme'), hidden).expect(200);
    expect(await projectOf(workspace)).toBe(hidden);
  });

  it('may be any that manage-workspaces sees, when it is created', async () => {
    const creator = await memberWith({ 'manage-workspaces': true });
    const id = await newProject();
    expect(await projectOf(await newWorkspace(id, creator))).toBe(id);
    expect(await projectOf(await newWorkspace(undefined, creator))).toBe(await defaultProject());
    const outsider = await memberWith({ 'read-projects': true });
    const fresh = (relationships?: object) => doc('workspaces', { name: newName('ws') }, relationships);
    const list = '/organizations/acme/workspaces';
    for (const body of [fresh(), fresh(toProject(id))]) {
      expect((await outsider.post(list, body).expect(404)).body).toEqual(lacking('manage-workspaces'));
    }
    const member = await memberWith({});
    expect((await member.post(list, fresh()).expect(404)).body).toEqual(missing);
    const refused = await member.post(list, fresh(toProject(id))).expect(422);
    expect((await member.post(list, fresh(toProject('prj-nothing'))).expect(422)).text).toBe(refused.text);
  });
});

describe('moving workspaces to a project', () => {
  const move = (caller: Caller, id: string, ...ids: readonly string[]) =>
    caller.post(`/projects/${id}/relationships/workspaces`, workspaces(...ids));

  it('changes the project of each, and of none where one may not be moved', async () => {
    const [id, from] = [await newProject(), await newProject()];
    const [one, other, third] = [await newWorkspace(from), await newWorkspace(), await newWorkspace(id)];
    const absent = await move(admin, id, one, 'ws-nothing').expect(422);
    expect(absent.body).toEqual(
      refusal(422, 'invalid attribute', 'Workspaces must be workspaces of the organization that you can see', {
        pointer: '/data',
      }),
    );
    expect(await projectOf(one)).toBe(from);
    await move(admin, id, one, other, third, one).expect(204);
    for (const workspace of [one, other, third]) expect(await projectOf(workspace)).toBe(id);
    await move(admin, id).expect(204);
    const trail = await admin.get('/organizations/acme/audit-events?filter%5Baction%5D=projects/move-workspaces');
    expect(trail.body.data[0].attributes).toMatchObject({
      subject: id,
      detail: { workspaces: [one, other].sort().map((workspace) => ({ id: workspace })) },
    });
  });

  it('takes the right on the project', async () => {
    const id = await newProject();
    const workspace = await newWorkspace(id);
    const administrator = await memberWith({}, { [workspace]: 'admin' });
    expect((await move(administrator, id, workspace).expect(404)).body).toEqual(lacking('move workspaces'));
    expect((await move(administrator, 'prj-nothing', workspace).expect(404)).body).toEqual(missing);
    await move(manager, id, workspace).expect(204);
  });
});
