import { describe, expect, it } from '@jest/globals';
import { doc, faultsIn, invalid, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');
const globex = await api.workspace('globex', newName());

const newWorkspace = (): Promise<string> => api.workspace('acme', newName());

const newProject = async (organization = 'acme'): Promise<string> =>
  (await admin.post(`/organizations/${organization}/projects`, doc('projects', { name: newName() })).expect(201)).body
    .data.id;

const identifiersOf =
  (type: string) =>
  (...ids: readonly string[]) => ({ data: ids.map((id) => ({ id, type })) });
const identifiers = identifiersOf('workspaces');
const projects = identifiersOf('projects');

describe('policy sets', () => {
  const path = '/organizations/acme/policy-sets';

  const resource = (id: unknown, name: string, attributes: object = {}, workspaces: readonly string[] = []) => ({
    id,
    type: 'policy-sets',
    attributes: {
      name,
      description: null,
      kind: 'opa',
      global: false,
      overridable: false,
      policies: [],
      'policy-count': 0,
      'workspace-count': workspaces.length,
      'project-count': 0,
      'policy-tool-version': null,
      'tag-selectors': [],
      'agent-enabled': false,
      'policy-update-patterns': [],
      'policies-path': null,
      'vcs-repo': null,
      versioned: false,
      'created-at': api.clock.now(),
      'updated-at': api.clock.now(),
      ...attributes,
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      workspaces: identifiers(...workspaces),
      'workspace-exclusions': { data: [] },
      projects: { data: [] },
      'project-exclusions': { data: [] },
      policies: { data: [] },
      'current-version': { data: null },
      'newest-version': { data: null },
    },
    links: { self: `${prefix}/policy-sets/${id}` },
  });

  const post = (attributes: object, relationships?: object, caller = admin) =>
    caller.post(path, doc('policy-sets', attributes, relationships));

  const newSet = async (attributes: object = {}, ...workspaces: readonly string[]): Promise<string> => {
    const given = { name: newName(), kind: 'opa', ...attributes };
    return (await post(given, { workspaces: identifiers(...workspaces) }).expect(201)).body.data.id;
  };

  const show = async (id: string) => (await admin.get(`/policy-sets/${id}`).expect(200)).body;
  const workspacesOf = (id: string) => `/policy-sets/${id}/relationships/workspaces`;

  it('are created with nothing but a name', async () => {
    const name = newName();
    const created = await post({ name, kind: 'opa' }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^polset-[A-Za-z0-9]{16}$/);
    expect(created.body).toEqual({ data: resource(id, name) });
    expect(await show(id)).toEqual(created.body);
  });

  it('are of kind sentinel for clients and of kind opa in the contract, if the request names none', async () => {
    for (const kind of [undefined, null]) {
      const asked = () => doc('policy-sets', { name: newName(), kind });
      expect((await admin.post(path, asked()).expect(201)).body.data.attributes.kind).toBe('sentinel');
      expect((await admin.at('').post(path, asked()).expect(201)).body.data.attributes.kind).toBe('opa');
    }
  });

  it('keep the version of their engine and what clients send without effect', async () => {
    const kept = {
      'policy-tool-version': '0.44.0',
      'agent-enabled': true,
      'policy-update-patterns': ['policies/**/*.rego', '*.hcl'],
    };
    const id = await newSet(kept);
    const attributes = async () => (await show(id)).data.attributes;
    expect(await attributes()).toMatchObject(kept);
    const patch = (change: object) => admin.patch(`/policy-sets/${id}`, doc('policy-sets', change)).expect(200);
    const nothing = { 'policy-tool-version': '', 'agent-enabled': false, 'policy-update-patterns': [] };
    for (const [attribute, value] of Object.entries(nothing)) await patch({ [attribute]: value });
    expect(await attributes()).toMatchObject({ ...nothing, 'policy-tool-version': null });
    await patch(kept);
    await patch({ name: null, 'agent-enabled': null, 'policy-update-patterns': null });
    expect(await attributes()).toMatchObject(kept);
    await patch({ 'policy-tool-version': '0.44.12345678901' });
    expect(await attributes()).toMatchObject({ 'policy-tool-version': '0.44.12345678901' });
    await patch({ 'policy-tool-version': null });
    expect(await attributes()).toMatchObject({ ...kept, 'policy-tool-version': null });
    const refused = admin.patch(`/policy-sets/${id}`, doc('policy-sets', { 'policy-tool-version': 'newest' }));
    expect((await refused.expect(422)).body).toEqual(
      invalid('policy-tool-version', 'Policy tool version must be a version, such as 1.10.0, or latest'),
    );
  });

  it('take nothing where clients send nothing', async () => {
    const nothing = { 'vcs-repo': null, 'policies-path': '', 'tag-selectors': null };
    await post({ name: newName(), ...nothing }, { projects: { data: [] } }).expect(201);
  });

  it('select workspaces by tags, when they are created and later', async () => {
    const selector = (key: string, value: string | null, excludes = false) => ({
      'tag-key': key,
      'tag-value': value,
      'is-exclude': excludes,
    });
    const [env, team, spared] = [selector('env', 'prod'), selector('team', null), selector('env', 'test', true)];
    const given = [team, { 'tag-key': 'env', 'tag-value': 'prod' }, env];
    const made = (await post({ name: newName(), 'tag-selectors': given }).expect(201)).body.data;
    expect(made.attributes['tag-selectors']).toEqual([env, team]);
    const path = `/policy-sets/${made.id}/tag-selectors`;
    const shown = async () => (await show(made.id)).data.attributes['tag-selectors'];
    expect((await admin.post(path, { data: [spared, { 'tag-key': 'team', 'tag-value': '' }] }).expect(204)).text).toBe(
      '',
    );
    expect(await shown()).toEqual([env, spared, team]);
    expect((await admin.delete(path, { data: [selector('env', 'test'), team, env] }).expect(204)).text).toBe('');
    expect(await shown()).toEqual([spared]);
    const patch = (change: object) => admin.patch(`/policy-sets/${made.id}`, doc('policy-sets', change)).expect(200);
    await patch({ description: 'about tags' });
    expect(await shown()).toEqual([spared]);
    await patch({ 'tag-selectors': [team] });
    expect(await shown()).toEqual([team]);
    for (const [key, value, words] of [
      ['', 'a', 'Tag keys must be 1 to 128 letters, digits and the characters _ . = + - @ :'],
      ['env', 'a b', 'Tag values must be at most 256 letters, digits and the characters _ . = + - @ :'],
    ] as const) {
      const told = (pointer: string) => refusal(422, 'invalid attribute', words, { pointer });
      const one = selector(key, value);
      expect((await admin.post(path, { data: [one] }).expect(422)).body).toEqual(told('/data'));
      const asked = post({ name: newName(), 'tag-selectors': [one] }).expect(422);
      expect((await asked).body).toEqual(told('/data/attributes/tag-selectors'));
    }
    const many = Array.from({ length: 100 }, (_, number) => selector(`key-${number}`, null));
    expect((await admin.post(path, { data: many }).expect(422)).body).toEqual(
      refusal(422, 'invalid attribute', 'A policy set can have at most 100 tag selectors', { pointer: '/data' }),
    );
    expect(faultsIn(await admin.post(path, { data: [{}] }).expect(422))).toEqual([
      ['/data/0/tag-key', 'Tag key is required'],
    ]);
  });

  it('apply to the runs of the workspaces with their tags when a run is created', async () => {
    const bench = await Bench.make(api);
    const set = await bench.policySet({ global: false });
    await admin.post(`/policy-sets/${set}/tag-selectors`, { data: [{ 'tag-key': 'env', 'tag-value': 'prod' }] });
    await bench.version();
    const evaluated = async () => {
      const run = await bench.run();
      const { data } = (await admin.get(`/runs/${run}/task-stages`).expect(200)).body;
      await admin.post(`/runs/${run}/actions/cancel`).expect(202);
      return data.length > 0;
    };
    expect(await evaluated()).toBe(false);
    const bindings = { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] };
    await admin.patch(`/workspaces/${bench.workspaceId}/tag-bindings`, bindings).expect(200);
    expect(await evaluated()).toBe(true);
  });

  it('exclude workspaces, when they are created and later', async () => {
    const [one, two] = [await newWorkspace(), await newWorkspace()].sort() as [string, string];
    const made = await post(
      { name: newName(), global: true },
      { 'workspace-exclusions': identifiers(two, one) },
    ).expect(201);
    const { id, relationships } = made.body.data;
    expect(relationships['workspace-exclusions']).toEqual(identifiers(one, two));
    const exclusions = `/policy-sets/${id}/relationships/workspace-exclusions`;
    const excluded = async () => (await show(id)).data.relationships['workspace-exclusions'];
    await admin.delete(exclusions, identifiers(two)).expect(204);
    expect(await excluded()).toEqual(identifiers(one));
    await admin.post(exclusions, identifiers(one, two)).expect(204);
    expect(await excluded()).toEqual(identifiers(one, two));
    expect((await show(id)).data.relationships.workspaces).toEqual(identifiers());
    const foreign = refusal(422, 'invalid attribute', 'Workspaces must belong to the organization', {
      pointer: '/data',
    });
    expect((await admin.post(exclusions, identifiers(globex)).expect(422)).body).toEqual(foreign);
    const asked = post({ name: newName() }, { 'workspace-exclusions': identifiers(globex) });
    expect((await asked.expect(422)).body.errors[0].source).toEqual({
      pointer: '/data/relationships/workspace-exclusions',
    });
  });

  it('are attached to projects and exclude them, when they are created and later', async () => {
    const [one, two] = [await newProject(), await newProject()].sort() as [string, string];
    const foreign = await newProject('globex');
    const words = 'Projects must belong to the organization';
    for (const [list, count] of [
      ['projects', 1],
      ['project-exclusions', 0],
    ] as const) {
      const made = (await post({ name: newName() }, { [list]: projects(two, one, two) }).expect(201)).body.data;
      expect(made.relationships[list]).toEqual(projects(one, two));
      expect(made.attributes['project-count']).toBe(2 * count);
      const path = `/policy-sets/${made.id}/relationships/${list}`;
      const listed = async () => {
        const { data } = await show(made.id);
        expect(data.attributes['project-count']).toBe(data.relationships.projects.data.length);
        return data.relationships[list];
      };
      expect((await admin.delete(path, projects(two, 'prj-nobody')).expect(204)).text).toBe('');
      expect(await listed()).toEqual(projects(one));
      expect((await admin.post(path, projects(one, two)).expect(204)).text).toBe('');
      expect(await listed()).toEqual(projects(one, two));
      for (const stranger of [foreign, 'prj-nobody']) {
        const told = (pointer: string) => refusal(422, 'invalid attribute', words, { pointer });
        expect((await admin.post(path, projects(one, stranger)).expect(422)).body).toEqual(told('/data'));
        const asked = post({ name: newName() }, { [list]: projects(stranger) });
        expect((await asked.expect(422)).body).toEqual(told(`/data/relationships/${list}`));
      }
      const kind = faultsIn(await admin.post(path, identifiers(one)).expect(422));
      expect(kind).toEqual([['/data/0/type', 'Type must be projects']]);
    }
    const id = await newSet();
    await admin.post(`/policy-sets/${id}/relationships/projects`, projects(one, two)).expect(204);
    await admin.delete(`/projects/${two}`).expect(204);
    expect((await show(id)).data.relationships.projects).toEqual(projects(one));
  });

  it('replace the lists that a change names, and keep the others', async () => {
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const [project, spared] = [await newProject(), await newProject()];
    const id = await newSet({}, workspace);
    const opa = { name: newName(), kind: 'opa', query: 'data.a' };
    const policy = (await admin.post('/organizations/acme/policies', doc('policies', opa)).expect(201)).body.data.id;
    const change = (relationships: object) => admin.patch(`/policy-sets/${id}`, doc('policy-sets', {}, relationships));
    const policies = { data: [{ id: policy, type: 'policies' }] };
    const named = {
      'workspace-exclusions': identifiers(other),
      projects: projects(project),
      'project-exclusions': projects(spared),
      policies,
    };
    const changed = (await change(named).expect(200)).body.data;
    expect(changed.relationships).toMatchObject({ ...named, workspaces: identifiers(workspace) });
    expect((await show(id)).data).toEqual(changed);
    const last = { workspaces: identifiers(other), projects: projects(), policies: { data: [] } };
    expect((await change(last).expect(200)).body.data.relationships).toMatchObject({ ...named, ...last });
    for (const [name, body, words] of [
      ['workspaces', identifiers(globex), 'Workspaces must belong to the organization'],
      ['project-exclusions', projects('prj-nobody'), 'Projects must belong to the organization'],
      ['policies', { data: [{ id: 'pol-nobody', type: 'policies' }] }, 'Policies must belong to the organization'],
    ] as const) {
      expect((await change({ [name]: body }).expect(422)).body).toEqual(
        refusal(422, 'invalid attribute', words, { pointer: `/data/relationships/${name}` }),
      );
    }
  });

  it('apply to the runs of their projects: a workspace that is moved changes what applies to its next run', async () => {
    const bench = await Bench.make(api);
    const project = await newProject(bench.organization);
    const set = await bench.policySet({ global: false });
    await admin.post(`/policy-sets/${set}/relationships/projects`, projects(project)).expect(204);
    const evaluated = async () => {
      const run = await bench.run();
      const { data } = (await admin.get(`/runs/${run}/task-stages`).expect(200)).body;
      await admin.post(`/runs/${run}/actions/cancel`).expect(202);
      return data.length > 0;
    };
    await bench.version();
    const moveTo = (id: string) =>
      admin.post(`/projects/${id}/relationships/workspaces`, identifiers(bench.workspaceId)).expect(204);
    expect(await evaluated()).toBe(false);
    await moveTo(project);
    expect(await evaluated()).toBe(true);
    const spared = await newProject(bench.organization);
    await admin.post(`/policy-sets/${set}/relationships/workspaces`, identifiers(bench.workspaceId)).expect(204);
    await admin.post(`/policy-sets/${set}/relationships/project-exclusions`, projects(spared)).expect(204);
    await moveTo(spared);
    expect(await evaluated()).toBe(false);
    await admin.delete(`/policy-sets/${set}/relationships/project-exclusions`, projects(spared)).expect(204);
    expect(await evaluated()).toBe(true);
  });

  it('take every attribute, and the workspaces they are attached to', async () => {
    const workspaces = [await newWorkspace(), await newWorkspace()].sort();
    const policies = [
      {
        name: 'Only in office hours',
        description: 'Sleep',
        query: 'data.hours.deny',
        'enforcement-level': 'mandatory',
      },
      { name: 'terse' },
      { name: 'tersely null', description: null, query: null, 'enforcement-level': null },
      { name: 'other spelling', enforcement_level: 'mandatory' },
      { name: 'both spellings', enforcement_level: 'mandatory', 'enforcement-level': 'mandatory' },
    ];
    const name = newName();
    const attributes = { description: 'Good manners', kind: 'sentinel', global: true, overridable: true };
    const created = await post(
      { name, ...attributes, policies, unknown: 1 },
      { workspaces: identifiers(...[...workspaces].reverse(), workspaces[0] ?? '') },
    ).expect(201);
    const { id } = created.body.data;
    const policy = (of: string, level: string, description = '', query: string | null = null) => ({
      name: of,
      description,
      query,
      'enforcement-level': level,
    });
    const shown = {
      ...attributes,
      'policy-count': 5,
      policies: [
        policy('Only in office hours', 'mandatory', 'Sleep', 'data.hours.deny'),
        policy('terse', 'advisory'),
        policy('tersely null', 'advisory'),
        policy('other spelling', 'mandatory'),
        policy('both spellings', 'mandatory'),
      ],
    };
    expect(created.body).toEqual({ data: resource(id, name, shown, workspaces) });
    expect(await show(id)).toEqual(created.body);
  });

  it('change in what is named, and in nothing else', async () => {
    const [name, renamed] = [newName(), newName()];
    const workspace = await newWorkspace();
    const policies = [{ name: 'one', description: 'First', query: 'data.one', 'enforcement-level': 'mandatory' }];
    const before = { description: 'Old', overridable: true, policies, 'policy-count': 1 };
    const id = await newSet({ name, ...before }, workspace);
    const created = api.clock.now();
    api.clock.advance(1);
    const patch = async (attributes: object) =>
      (await admin.patch(`/policy-sets/${id}`, doc('policy-sets', attributes)).expect(200)).body;
    const like = (as: string, attributes: object) => ({
      data: resource(id, as, { 'created-at': created, ...attributes }, [workspace]),
    });
    const nulls = { name: null, kind: null, global: null, overridable: null, policies: null };
    for (const nothing of [{}, nulls]) expect(await patch(nothing)).toEqual(like(name, before));
    expect(await patch({ description: null })).toEqual(like(name, { ...before, description: null }));
    const other = { name: renamed, kind: 'sentinel', global: true, overridable: false };
    expect(await patch(other)).toEqual(like(renamed, { ...before, ...other, description: null }));
    const replaced = await patch({ policies: [{ name: 'two' }] });
    expect(replaced.data.attributes.policies).toEqual([
      { name: 'two', description: '', query: null, 'enforcement-level': 'advisory' },
    ]);
    expect((await patch({ policies: [] })).data.attributes).toMatchObject({ policies: [], 'policy-count': 0 });
    expect(await show(id)).toEqual(like(renamed, { ...other, description: null, kind: 'sentinel' }));
  });

  it('are refused with one error for each thing that is wrong', async () => {
    const refused = async (attributes: object, relationships?: object) =>
      faultsIn(await post(attributes, relationships).expect(422));
    expect(await refused({})).toEqual([['/data/attributes/name', 'Name is required']]);
    expect(
      await refused({ name: 1, description: 2, kind: 'rego', global: 'yes', overridable: 0, policies: {} }),
    ).toEqual([
      ['/data/attributes/name', 'Name must be a string'],
      ['/data/attributes/description', 'Description must be a string'],
      ['/data/attributes/kind', 'Kind must be one of opa, sentinel'],
      ['/data/attributes/global', 'Global must be a boolean'],
      ['/data/attributes/overridable', 'Overridable must be a boolean'],
      ['/data/attributes/policies', 'Policies must be an array'],
    ]);
    const policies = [
      {},
      { name: '' },
      { name: 'x'.repeat(256), description: 'x'.repeat(4097), query: 'x'.repeat(4097) },
      { name: 'strict', 'enforcement-level': 'hard-mandatory' },
      { name: 'two-faced', 'enforcement-level': 'advisory', enforcement_level: 'mandatory' },
    ];
    expect(await refused({ name: newName(), policies })).toEqual([
      ['/data/attributes/policies/0/name', 'Name is required'],
      ['/data/attributes/policies/1/name', "Name can't be blank"],
      ['/data/attributes/policies/2/name', 'Name is too long (the maximum is 255)'],
      ['/data/attributes/policies/2/description', 'Description is too long (the maximum is 4096)'],
      ['/data/attributes/policies/2/query', 'Query is too long (the maximum is 4096)'],
      ['/data/attributes/policies/3/enforcement-level', 'Enforcement level must be one of advisory, mandatory'],
      [
        '/data/attributes/policies/4/enforcement_level',
        'The two spellings of the enforcement level are one attribute and must have the same value',
      ],
    ]);
    const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `policy ${index}` }));
    expect(await refused({ name: newName(), policies: named(1001) })).toEqual([
      ['/data/attributes/policies', 'Policies is too long (the maximum is 1000)'],
    ]);
    await post({ name: newName(), policies: named(1000) }).expect(201);
    expect(await refused({ name: newName(), policies: [{ name: 'twin' }, { name: 'twin' }] })).toEqual([
      ['/data/attributes/policies', 'Policies must have different names'],
    ]);
    expect(await refused({ name: newName() }, { workspaces: { data: [{ type: 'teams', id: 'ws-1' }] } })).toEqual([
      ['/data/relationships/workspaces/data/0/type', 'Type must be workspaces'],
    ]);
    const words = 'Name must be 1 to 90 letters, digits, dashes and underscores';
    const id = await newSet();
    for (const name of ['', 'a set', 'x'.repeat(91)]) {
      expect(await refused({ name })).toEqual([['/data/attributes/name', words]]);
      const body = doc('policy-sets', { name });
      expect((await admin.patch(`/policy-sets/${id}`, body).expect(422)).body).toEqual(invalid('name', words));
    }
  });

  it('have names of their own within their organization', async () => {
    const name = newName();
    await newSet({ name });
    const other = await newSet();
    const taken = invalid('name', 'Name has already been taken');
    expect((await post({ name }).expect(422)).body).toEqual(taken);
    expect((await admin.patch(`/policy-sets/${other}`, doc('policy-sets', { name })).expect(422)).body).toEqual(taken);
    await admin.post('/organizations/globex/policy-sets', doc('policy-sets', { name })).expect(201);
  });

  describe('and their workspaces', () => {
    it('are attached and detached, each once', async () => {
      const id = await newSet();
      const [one, two] = [await newWorkspace(), await newWorkspace()].sort() as [string, string];
      const attached = async () => {
        const { data } = await show(id);
        expect(data.attributes['workspace-count']).toBe(data.relationships.workspaces.data.length);
        return data.relationships.workspaces;
      };
      const change = async (method: 'post' | 'delete', ...ids: string[]) => {
        const answer = await admin.send(method, workspacesOf(id), identifiers(...ids)).expect(204);
        expect(answer.text).toBe('');
        return attached();
      };
      expect(await change('post', two, one, two)).toEqual(identifiers(one, two));
      expect(await change('post', one)).toEqual(identifiers(one, two));
      expect(await change('post')).toEqual(identifiers(one, two));
      expect(await change('delete', one, 'ws-nobody')).toEqual(identifiers(two));
      expect(await change('delete', one, two)).toEqual(identifiers());
      await change('post', one, two);
      await admin.delete(`/workspaces/${one}`).expect(204);
      expect(await attached()).toEqual(identifiers(two));
    });

    it('are of one organization, and exist', async () => {
      const own = await newWorkspace();
      const id = await newSet({}, own);
      const words = 'Workspaces must belong to the organization';
      const told = (pointer: string) => refusal(422, 'invalid attribute', words, { pointer });
      for (const stranger of [globex, 'ws-nobody']) {
        const body = identifiers(own, stranger);
        expect((await admin.post(workspacesOf(id), body).expect(422)).body).toEqual(told('/data'));
        const created = await post({ name: newName() }, { workspaces: body }).expect(422);
        expect(created.body).toEqual(told('/data/relationships/workspaces'));
      }
      expect((await show(id)).data.relationships.workspaces).toEqual(identifiers(own));
    });

    it('are named in a list of identifiers', async () => {
      const id = await newSet();
      for (const method of ['post', 'delete'] as const) {
        const pointerOf = async (body?: object) =>
          (await admin.send(method, workspacesOf(id), body).expect(422)).body.errors[0].source.pointer;
        expect(await pointerOf()).toBe('/data');
        expect(await pointerOf({ data: { id: 'ws-1', type: 'workspaces' } })).toBe('/data');
        expect(await pointerOf({ data: [{ type: 'workspaces' }] })).toBe('/data/0/id');
        expect(await pointerOf({ data: [{ id: 'team-1', type: 'teams' }] })).toBe('/data/0/type');
      }
    });
  });

  it('are removed', async () => {
    const id = await newSet({}, await newWorkspace());
    expect((await admin.delete(`/policy-sets/${id}`).expect(204)).text).toBe('');
    for (const gone of [id, 'polset-nobody']) {
      expect((await admin.get(`/policy-sets/${gone}`).expect(404)).body).toEqual(missing);
      expect((await admin.patch(`/policy-sets/${gone}`, doc('policy-sets')).expect(404)).body).toEqual(missing);
      expect((await admin.delete(`/policy-sets/${gone}`).expect(404)).body).toEqual(missing);
      expect((await admin.post(workspacesOf(gone), identifiers()).expect(404)).body).toEqual(missing);
      expect((await admin.delete(workspacesOf(gone), identifiers()).expect(404)).body).toEqual(missing);
    }
  });
});
