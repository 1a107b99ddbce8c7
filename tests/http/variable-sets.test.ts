import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { aCustomGrant, giveGrant } from '../support/builders.js';
import { noteSecret } from '../support/secrets-in-logs.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

type Given = Readonly<Record<string, unknown>>;

const list = '/organizations/acme/varsets';
const listOf = (type: string, ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });

const newProject = async (): Promise<string> =>
  (await admin.post('/organizations/acme/projects', doc('projects', { name: newName() })).expect(201)).body.data.id;

const newWorkspace = async (projectId?: string): Promise<string> => {
  const project =
    projectId === undefined ? {} : { relationships: { project: { data: { type: 'projects', id: projectId } } } };
  const body = { data: { type: 'workspaces', attributes: { name: newName() }, ...project } };
  return (await admin.post('/organizations/acme/workspaces', body).expect(201)).body.data.id;
};

const setBody = (attributes: Given, relationships: Given = {}) => ({
  data: { type: 'varsets', attributes, relationships },
});

const create = (attributes: Given = {}, relationships: Given = {}, by: Caller = admin) =>
  by.post(list, setBody({ name: newName(), ...attributes }, relationships));

const newSet = async (attributes: Given = {}, relationships: Given = {}): Promise<string> =>
  (await create(attributes, relationships).expect(201)).body.data.id;

const ownedBy = (project: string) => ({ parent: { data: { type: 'projects', id: project } } });

const addVariable = async (set: string, attributes: Given) =>
  (
    await admin
      .post(`/varsets/${set}/relationships/vars`, doc('vars', { category: 'terraform', ...attributes }))
      .expect(201)
  ).body.data;

const show = async (set: string, by: Caller = admin) => (await by.get(`/varsets/${set}`).expect(200)).body.data;

const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);

const member = async (access: Given = {}) => {
  const team = await api.team('acme', newName(), { 'organization-access': access });
  return { team, caller: await api.member('acme', newName(), [team]) };
};

describe('variable sets', () => {
  it('are created with nothing but a name', async () => {
    const created = await create({ name: 'Cloud credentials' }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^varset-\w{16}$/);
    const none = { data: [] };
    const organization = { data: { id: 'acme', type: 'organizations' } };
    expect(created.body).toEqual({
      data: {
        id,
        type: 'varsets',
        attributes: {
          name: 'Cloud credentials',
          description: '',
          global: false,
          priority: false,
          'created-at': api.clock.now(),
          'updated-at': api.clock.now(),
          'var-count': 0,
          'workspace-count': 0,
          'project-count': 0,
        },
        relationships: { organization, parent: organization, vars: none, workspaces: none, projects: none },
        links: { self: `${prefix}/varsets/${id}` },
      },
    });
    expect(await show(id)).toEqual(created.body.data);
  });

  it('are created whole, with variables, workspaces and projects', async () => {
    const [workspace, project] = [await newWorkspace(), await newProject()];
    const variable = { type: 'vars', attributes: { key: 'region', value: 'eu', category: 'terraform' } };
    const id = await newSet(
      { description: 'All of it', priority: true },
      {
        vars: { data: [variable] },
        workspaces: listOf('workspaces', [workspace, workspace]),
        projects: listOf('projects', [project]),
        parent: { data: { type: 'organizations', id: 'acme' } },
      },
    );
    const { attributes, relationships } = await show(id);
    expect(attributes).toMatchObject({ description: 'All of it', priority: true, 'var-count': 1 });
    expect(idsOf(relationships.workspaces)).toEqual([workspace]);
    expect(idsOf(relationships.projects)).toEqual([project]);
    const vars = (await admin.get(`/varsets/${id}/relationships/vars`).expect(200)).body.data;
    expect(vars).toMatchObject([{ attributes: { key: 'region', value: 'eu' } }]);
    expect(idsOf(relationships.vars)).toEqual(idsOf({ data: vars }));
  });

  it('have names of printable characters, unique for their owner', async () => {
    const name = newName();
    await newSet({ name });
    const taken = await create({ name }).expect(422);
    expect(taken.body.errors[0]).toMatchObject({ source: { pointer: '/data/attributes/name' } });
    await newSet({ name }, ownedBy(await newProject()));
    for (const wrong of ['', ' a', 'a\u202e', 'n'.repeat(91)]) {
      expect((await create({ name: wrong }).expect(422)).body.errors[0].source.pointer).toBe('/data/attributes/name');
    }
    await create({ description: 'd'.repeat(513) }).expect(422);
    await create({}, { stacks: listOf('stacks', ['st-1']) }).expect(422);
  });

  it('that are global cannot be attached or owned by a project', async () => {
    const [workspace, project] = [await newWorkspace(), await newProject()];
    const pointer = '/data/attributes/global';
    for (const relationships of [
      { workspaces: listOf('workspaces', [workspace]) },
      { projects: listOf('projects', [project]) },
      ownedBy(project),
    ]) {
      expect((await create({ global: true }, relationships).expect(422)).body.errors[0].source.pointer).toBe(pointer);
    }
    const id = await newSet({ global: true });
    await admin.post(`/varsets/${id}/relationships/workspaces`, listOf('workspaces', [workspace])).expect(422);
  });

  it('change in what is named', async () => {
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    const id = await newSet({ description: 'before' }, { workspaces: listOf('workspaces', [first]) });
    const patch = (attributes: Given, relationships: Given = {}) =>
      admin.patch(`/varsets/${id}`, { data: { ...setBody(attributes, relationships).data, id } });
    const changed = await patch({ priority: true }, { workspaces: listOf('workspaces', [second]) }).expect(200);
    expect(changed.body.data.attributes).toMatchObject({ description: 'before', priority: true });
    expect(idsOf(changed.body.data.relationships.workspaces)).toEqual([second]);
    const variable = { type: 'vars', attributes: { key: 'added', category: 'env' } };
    await patch({ description: null }, { vars: { data: [variable] } }).expect(200);
    expect((await show(id)).attributes).toMatchObject({ description: '', 'var-count': 1, 'workspace-count': 1 });
    await patch({ global: true }).expect(200);
    expect((await show(id)).attributes).toMatchObject({ global: true, 'workspace-count': 0 });
    await patch({}, ownedBy(await newProject())).expect(422);
    await admin.delete(`/varsets/${id}`).expect(204);
    await admin.get(`/varsets/${id}`).expect(404);
  });

  it('are attached and detached', async () => {
    const [first, second, project] = [await newWorkspace(), await newWorkspace(), await newProject()];
    const id = await newSet();
    const path = (list: string) => `/varsets/${id}/relationships/${list}`;
    await admin.post(path('workspaces'), listOf('workspaces', [first, second])).expect(204);
    await admin.post(path('workspaces'), listOf('workspaces', [second])).expect(204);
    await admin.post(path('projects'), listOf('projects', [project])).expect(204);
    expect(idsOf((await show(id)).relationships.workspaces)).toEqual([first, second].sort());
    await admin.delete(path('workspaces'), listOf('workspaces', [first, 'ws-nobody'])).expect(204);
    await admin.delete(path('projects'), listOf('projects', [project])).expect(204);
    const { relationships } = await show(id);
    expect([idsOf(relationships.workspaces), idsOf(relationships.projects)]).toEqual([[second], []]);
    await api.organization('globex');
    const foreign = await api.workspace('globex', newName());
    for (const unknown of [foreign, 'ws-nobody']) {
      const { body } = await admin.post(path('workspaces'), listOf('workspaces', [unknown])).expect(422);
      const sentence = 'Workspaces must be workspaces of the organization that you can see';
      expect(body).toEqual(refusal(422, 'invalid attribute', sentence, { pointer: '/data' }));
    }
    await admin.post(path('projects'), listOf('projects', ['prj-nobody'])).expect(422);
  });

  it('of a project apply to its workspaces only', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [inside, outside] = [await newWorkspace(project), await newWorkspace()];
    const id = await newSet({}, { ...ownedBy(project), projects: listOf('projects', [project]) });
    expect((await show(id)).relationships.parent).toEqual({ data: { type: 'projects', id: project } });
    await admin.post(`/varsets/${id}/relationships/workspaces`, listOf('workspaces', [inside])).expect(204);
    await admin.post(`/varsets/${id}/relationships/workspaces`, listOf('workspaces', [outside])).expect(422);
    await admin.post(`/varsets/${id}/relationships/projects`, listOf('projects', [other])).expect(422);
    await create({}, ownedBy('prj-nobody')).expect(422);
    await create({}, { parent: { data: { type: 'organizations', id: 'globex' } } }).expect(422);
    const moved = listOf('workspaces', [inside]);
    await admin.post(`/projects/${other}/relationships/workspaces`, moved).expect(204);
    expect((await show(id)).relationships.workspaces.data).toEqual([]);
    await admin.delete(`/projects/${project}`).expect(204);
    await admin.get(`/varsets/${id}`).expect(404);
  });

  it('are listed with what is included', async () => {
    const [workspace, project] = [await newWorkspace(), await newProject()];
    const relationships = { workspaces: listOf('workspaces', [workspace]), projects: listOf('projects', [project]) };
    const name = newName('included');
    const id = await newSet({ name }, relationships);
    const { id: variable } = await addVariable(id, { key: 'a', sensitive: true, value: 'never shown' });
    const include = 'include=vars,workspaces,projects';
    const shown = (await admin.get(`/varsets/${id}?${include}`).expect(200)).body;
    const kinds = shown.included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`).sort();
    expect(kinds).toEqual([`projects ${project}`, `vars ${variable}`, `workspaces ${workspace}`]);
    const found = (await admin.get(`${list}?q=${name.toUpperCase()}&${include}`).expect(200)).body;
    expect([found.data, found.included]).toEqual([[shown.data], shown.included]);
    expect(JSON.stringify(found)).not.toContain('never shown');
    expect((await admin.get(`${list}?q=no-such-name`).expect(200)).body.data).toEqual([]);
    await admin.get(`/varsets/${id}?include=stacks`).expect(400);
  });
});

describe('variables of a set', () => {
  it('are like those of a workspace', async () => {
    const set = await newSet();
    const path = `/varsets/${set}/relationships/vars`;
    const variable = await addVariable(set, { key: 'region', value: 'eu' });
    expect(variable).toMatchObject({
      attributes: { key: 'region', value: 'eu', sensitive: false },
      relationships: { varset: { data: { id: set, type: 'varsets' }, links: { related: `${prefix}/varsets/${set}` } } },
      links: { self: `${prefix}${path}/${variable.id}` },
    });
    expect(variable.relationships.configurable).toBeUndefined();
    expect((await admin.get(`${path}/${variable.id}`).expect(200)).body.data).toEqual(variable);
    const patch = (attributes: Given) =>
      admin.patch(`${path}/${variable.id}`, { data: { ...doc('vars', attributes).data, id: variable.id } });
    expect((await patch({ value: 'us-east' }).expect(200)).body.data.attributes).toMatchObject({ value: 'us-east' });
    expect((await patch({ sensitive: true }).expect(200)).body.data.attributes.value).toBeNull();
    await patch({ sensitive: false }).expect(422);
    await patch({ key: 'other' }).expect(422);
    await admin.post(path, doc('vars', { key: 'region', category: 'terraform' })).expect(422);
    await admin.post(path, doc('vars', { key: 'not ok', category: 'terraform' })).expect(422);
    const other = await newSet();
    await admin.get(`/varsets/${other}/relationships/vars/${variable.id}`).expect(404);
    await admin.delete(`/varsets/${other}/relationships/vars/${variable.id}`).expect(404);
    await admin.delete(`${path}/${variable.id}`).expect(204);
    await admin.delete(`${path}/${variable.id}`).expect(404);
    await patch({ value: 'gone' }).expect(404);
  });

  it('have a limit on their bytes in an organization', async () => {
    await api.organization('initech');
    const { id } = (await admin.post('/organizations/initech/varsets', setBody({ name: 'large' })).expect(201)).body
      .data;
    const path = `/varsets/${id}/relationships/vars`;
    const value = 'v'.repeat(256 * 1024);
    for (let n = 0; n < 31; n += 1) {
      await admin.post(path, doc('vars', { key: `k${n}`, category: 'terraform', value })).expect(201);
    }
    const last = (await admin.post(path, doc('vars', { key: 'last', category: 'terraform', value })).expect(201)).body
      .data;
    const { body } = await admin
      .post(path, doc('vars', { key: 'more', category: 'terraform', value: 'v' }))
      .expect(422);
    const sentence =
      "Value is too long (the maximum is 8388608 bytes for all variables of an organization's variable sets)";
    expect(body).toEqual(refusal(422, 'invalid attribute', sentence, { pointer: '/data/attributes/value' }));
    const shorter = { data: { ...doc('vars', { value: 'v' }).data, id: last.id } };
    await admin.patch(`${path}/${last.id}`, shorter).expect(200);
    await admin.patch(`${path}/${last.id}`, { data: { ...doc('vars', { value }).data, id: last.id } }).expect(200);
  });
});

describe('the variables of a run', () => {
  it('come from the workspace and all sets that apply, by precedence', async () => {
    const bench = await Bench.make(api);
    const { organization, workspaceId: workspace } = bench;
    const setIn = (attributes: Given, relationships: Given) =>
      admin
        .post(`/organizations/${organization}/varsets`, setBody({ name: newName(), ...attributes }, relationships))
        .expect(201);
    const secret = 'the value that only the agent may read, of a set';
    noteSecret(secret);
    const variable = (key: string, value: string, more: Given = {}) => ({
      type: 'vars',
      attributes: { key, value, category: 'terraform', ...more },
    });
    const attached = { workspaces: listOf('workspaces', [workspace]) };
    const withVars = (...data: object[]) => ({ vars: { data } });
    await setIn({ name: 'b' }, { ...attached, ...withVars(variable('own', 'b'), variable('set', 'b')) });
    await setIn({ name: 'a' }, { ...attached, ...withVars(variable('set', 'a')) });
    const secrets = withVars(variable('TOKEN', secret, { category: 'env', sensitive: true }));
    await setIn({}, { ...attached, ...secrets });
    const first = withVars(variable('forced', 'p'), variable('asked', 'p'));
    await setIn({ priority: true }, { ...attached, ...first });
    const own = `/workspaces/${workspace}/vars`;
    await admin.post(own, doc('vars', { key: 'own', value: 'w', category: 'terraform' })).expect(201);
    await admin.post(own, doc('vars', { key: 'forced', value: 'w', category: 'terraform' })).expect(201);
    const all = (await admin.get(`/workspaces/${workspace}/all-vars`).expect(200)).body.data;
    const values = (vars: readonly { attributes: Given }[]) =>
      vars.map(({ attributes: { key, value } }) => `${key}=${value}`);
    expect(values(all)).toEqual(['TOKEN=null', 'asked=p', 'forced=p', 'own=w', 'set=a']);
    expect(all[3].relationships).toHaveProperty('configurable');
    expect(all[4].relationships).toHaveProperty('varset');

    const variables = [
      { key: 'asked', value: '"r"' },
      { key: 'own', value: '"r"' },
    ];
    await bench.version();
    const job = (await bench.claimed(await bench.run({ variables }))).json;
    expect(job.run.variables).toEqual([{ key: 'own', value: '"r"' }]);
    const given = job.workspace.variables.map(({ key, value }: Given) => `${key}=${value}`);
    expect(given).toEqual([`TOKEN=${secret}`, 'asked=p', 'forced=p', 'set=a']);
  });
});

describe('the rights to variable sets', () => {
  it('are those of who administers all workspaces, and of a project for its own', async () => {
    const project = await newProject();
    const [set, owned] = [await newSet(), await newSet({}, ownedBy(project))];
    const ofWorkspaces = (await member({ 'manage-workspaces': true })).caller;
    const ofProjects = (await member({ 'manage-projects': true })).caller;
    const nobody = (await member()).caller;
    for (const [caller, seen, hidden] of [
      [ofWorkspaces, set, owned],
      [ofProjects, owned, set],
    ] as const) {
      await caller.get(`/varsets/${seen}`).expect(200);
      expect((await caller.get(`/varsets/${hidden}`).expect(404)).body).toEqual(missing);
      const ids = idsOf((await caller.get(`${list}?page[size]=100`).expect(200)).body);
      expect([ids.includes(seen), ids.includes(hidden)]).toEqual([true, false]);
    }
    for (const path of [list, `/varsets/${set}`, `/varsets/${owned}`, `/projects/${project}/varsets`]) {
      await nobody.get(path).expect(404);
    }
    await create({}, {}, ofProjects).expect(404);
    await create({}, ownedBy(project), ofWorkspaces).expect(404);
    await create({}, ownedBy(project), ofProjects).expect(201);
    const attach = listOf('projects', [project]);
    await ofWorkspaces.post(`/varsets/${set}/relationships/projects`, attach).expect(404);
    await ofWorkspaces.get(`/projects/${project}/varsets`).expect(200);
  });

  it('of a project are those of its administrators, and of custom access that writes variables there', async () => {
    const project = await newProject();
    const workspace = await newWorkspace(project);
    const owned = await newSet({}, ownedBy(project));
    const holder = async (attributes: Given) => {
      const { team, caller } = await member();
      const to = (type: string, id: string) => ({ data: { type, id } });
      const relationships = { team: to('teams', team), project: to('projects', project) };
      await admin.post('/team-projects', doc('team-projects', attributes, relationships)).expect(200);
      return caller;
    };
    const projectAdmin = await holder({ access: 'admin' });
    await projectAdmin.get(`/varsets/${owned}`).expect(200);
    await create({}, { ...ownedBy(project), projects: listOf('projects', [project]) }, projectAdmin).expect(201);
    await create({}, {}, projectAdmin).expect(404);
    const attached = listOf('workspaces', [workspace]);
    await projectAdmin.post(`/varsets/${owned}/relationships/workspaces`, attached).expect(204);
    await projectAdmin.get(`/projects/${project}/varsets`).expect(200);
    const reader = await holder({ access: 'write' });
    await reader.get(`/varsets/${owned}`).expect(404);
    await reader.get(`/projects/${project}/varsets`).expect(200);
    const set = { 'variable-sets': 'write' };
    const withoutVariables = await holder({ access: 'custom', 'project-access': set });
    await withoutVariables.get(`/varsets/${owned}`).expect(404);
    const custom = { 'project-access': set, 'workspace-access': { variables: 'write' } };
    await (await holder({ access: 'custom', ...custom })).get(`/varsets/${owned}`).expect(200);
  });

  it('let readers of variables see what applies, without workspaces that are hidden from them', async () => {
    const [seen, hidden, project] = [await newWorkspace(), await newWorkspace(), await newProject()];
    const both = { workspaces: listOf('workspaces', [seen, hidden]), projects: listOf('projects', [project]) };
    const set = await newSet({}, both);
    await addVariable(set, { key: 'plain', value: 'shown' });
    const { team, caller } = await member();
    await api.unitOfWork.run((tx) => giveGrant(tx, team, seen, aCustomGrant({ runs: 'read', variables: 'read' })));
    const shown = (await caller.get(`/workspaces/${seen}/varsets?include=workspaces,projects,vars`).expect(200)).body;
    const found = shown.data.find(({ id }: { id: string }) => id === set);
    expect(idsOf(found.relationships.workspaces)).toEqual([seen]);
    expect(found.relationships.projects.data).toEqual([]);
    expect(found.attributes).toMatchObject({ 'workspace-count': 1, 'project-count': 0 });
    expect(JSON.stringify(shown)).not.toContain(hidden);
    expect(JSON.stringify(shown)).not.toContain(project);
    expect((await caller.get(`/workspaces/${seen}/all-vars`).expect(200)).body.data).toMatchObject([
      { attributes: { key: 'plain', value: 'shown' } },
    ]);
    await caller.get(`/workspaces/${hidden}/varsets`).expect(404);
    await caller.get(`/workspaces/${hidden}/all-vars`).expect(404);
    const { team: blind, caller: blindCaller } = await member();
    await api.unitOfWork.run((tx) => giveGrant(tx, blind, seen, aCustomGrant({ runs: 'read' })));
    await blindCaller.get(`/workspaces/${seen}/varsets`).expect(404);
    await blindCaller.get(`/workspaces/${seen}/all-vars`).expect(404);
  });
});
