import { describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  faultsIn,
  invalid,
  lacking,
  missing,
  missingInBody,
  newName,
  prefix,
  refusal,
  startApi,
} from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');

const newProject = async (organization = 'acme'): Promise<string> => {
  const body = doc('projects', { name: newName('project') });
  return (await admin.post(`/organizations/${organization}/projects`, body).expect(201)).body.data.id;
};

const newTeam = (attributes: object = { visibility: 'organization' }) => api.team('acme', newName('team'), attributes);

const relation = (type: string, id: string) => ({ data: { type, id } });

const access = (projectId: string, teamId: string, attributes: object) =>
  doc('team-projects', attributes, {
    project: relation('projects', projectId),
    team: relation('teams', teamId),
  });

const give = async (projectId: string, teamId: string, attributes: object): Promise<string> =>
  (await admin.post('/team-projects', access(projectId, teamId, attributes)).expect(200)).body.data.id;

/** A member whose only team has this access to the project. */
const memberWith = async (projectId: string, attributes: object): Promise<Caller> => {
  const team = await newTeam({ visibility: 'secret' });
  await give(projectId, team, attributes);
  return api.member('acme', newName('person'), [team]);
};

const newWorkspace = async (projectId: string): Promise<string> => {
  const body = doc('workspaces', { name: newName('ws') }, { project: relation('projects', projectId) });
  return (await admin.post('/organizations/acme/workspaces', body).expect(201)).body.data.id;
};

const levels = {
  none: { create: false, move: false, delete: false, 'run-tasks': false, locking: false },
  read: { runs: 'read', variables: 'read', 'state-versions': 'read', 'policy-mocks': 'none', 'sentinel-mocks': 'none' },
  write: {
    runs: 'apply',
    variables: 'write',
    'state-versions': 'write',
    'policy-mocks': 'read',
    'sentinel-mocks': 'read',
  },
};

/** Computed, because an object with this member looks like a promise. */
const fallback = 'then';

describe('team access to a project', () => {
  it('is given, shown, changed and removed', async () => {
    const [project, team] = [await newProject(), await newTeam()];
    const resource = (id: string, attributes: object) => ({
      data: {
        id,
        type: 'team-projects',
        attributes: { ...attributes, 'expires-at': null, [fallback]: null },
        relationships: {
          team: { ...relation('teams', team), links: { related: `${prefix}/teams/${team}` } },
          project: { ...relation('projects', project), links: { related: `${prefix}/projects/${project}` } },
        },
        links: { self: `${prefix}/team-projects/${id}` },
      },
    });
    const id = await give(project, team, { access: 'read' });
    expect(id).toMatch(/^tprj-[A-Za-z0-9]{16}$/);
    const path = `/team-projects/${id}`;
    const read = {
      access: 'read',
      'project-access': { settings: 'read', teams: 'none', 'variable-sets': 'read' },
      'workspace-access': { ...levels.none, ...levels.read },
    };
    expect((await admin.get(path).expect(200)).body).toEqual(resource(id, read));
    const maintain = {
      ...read,
      access: 'maintain',
      'workspace-access': { ...levels.write, create: true, move: true, delete: true, 'run-tasks': true, locking: true },
    };
    const changed = await admin.patch(path, doc('team-projects', { access: 'maintain' })).expect(200);
    expect(changed.body).toEqual(resource(id, maintain));
    const given = {
      'project-access': { teams: 'read' },
      'workspace-access': { locking: true, 'sentinel-mocks': 'read' },
    };
    await admin.patch(path, doc('team-projects', { access: 'read' })).expect(200);
    const fixed = await admin.patch(path, doc('team-projects', { access: 'write', ...given })).expect(422);
    expect(fixed.body).toEqual(
      invalid(
        'project-access',
        "Project access is read-only when access level is 'write'; use the 'custom' access level to set this attribute.",
      ),
    );
    const custom = await admin.patch(path, doc('team-projects', { access: 'custom', ...given })).expect(200);
    expect(custom.body).toEqual(
      resource(id, {
        access: 'custom',
        'project-access': { ...read['project-access'], teams: 'read' },
        'workspace-access': {
          ...read['workspace-access'],
          locking: true,
          'sentinel-mocks': 'read',
          'policy-mocks': 'read',
        },
      }),
    );
    expect((await admin.get(`/team-projects?filter%5Bproject%5D%5Bid%5D=${project}`).expect(200)).body.data).toEqual([
      custom.body.data,
    ]);
    await admin.delete(path).expect(204);
    expect((await admin.get(path).expect(404)).body).toEqual(missing);
  });

  it('refuses a second access, other organizations, the owners and what fixed levels do not take', async () => {
    const [project, team] = [await newProject(), await newTeam()];
    await give(project, team, { access: 'write' });
    const again = await admin.post('/team-projects', access(project, team, { access: 'read' })).expect(422);
    expect(again.body).toEqual(invalid('team', 'Team has already been taken'));
    const foreign = await newProject('globex');
    for (const [where, whom] of [
      [foreign, team],
      [project, 'team-nothing'],
      ['prj-nothing', team],
    ] as const) {
      expect((await admin.post('/team-projects', access(where, whom, { access: 'read' })).expect(404)).body).toEqual(
        missingInBody(where === 'prj-nothing' ? 'Project' : 'Team'),
      );
    }
    const owners = await api.owners('acme');
    await admin.post('/team-projects', access(project, owners, { access: 'read' })).expect(409);
    const other = await newTeam();
    for (const [name, label] of [
      ['project-access', 'Project access'],
      ['workspace-access', 'Workspace access'],
    ] as const) {
      const attributes = {
        access: 'admin',
        [name]: name === 'project-access' ? { teams: 'manage' } : { create: true },
      };
      const answer = await admin.post('/team-projects', access(project, other, attributes)).expect(422);
      const sentence = `${label} is read-only when access level is 'admin'; use the 'custom' access level to set this attribute.`;
      expect(answer.body).toEqual(invalid(name, sentence));
    }
    const wrong = {
      access: 'custom',
      'project-access': { settings: 'none' },
      'workspace-access': { runs: 'none', 'policy-overrides': true },
    };
    expect(faultsIn(await admin.post('/team-projects', access(project, other, wrong)).expect(422))).toEqual([
      ['/data/attributes/project-access/settings', 'Settings must be one of read, update, delete'],
      ['/data/attributes/workspace-access/runs', 'Runs must be one of read, plan, apply'],
      ['/data/attributes/workspace-access/policy-overrides', 'Policy overrides are given on single workspaces'],
    ]);
    const twice = { access: 'custom', 'workspace-access': { 'policy-mocks': 'read', 'sentinel-mocks': 'none' } };
    expect(faultsIn(await admin.post('/team-projects', access(project, other, twice)).expect(422))).toEqual([
      ['/data/attributes/workspace-access/sentinel-mocks', expect.stringContaining('must have the same value')],
    ]);
    const unnamed = await admin.get('/team-projects').expect(422);
    const source = { parameter: 'filter[project][id]' };
    expect(unnamed.body).toEqual(refusal(422, 'invalid attribute', 'filter[project][id] is required', source));
  });

  it('reaches the project and every workspace of it, and nothing else', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [workspace, outside] = [await newWorkspace(project), await newWorkspace(other)];
    const reader = await memberWith(project, { access: 'read' });
    await reader.get(`/projects/${project}`).expect(200);
    await reader.get(`/workspaces/${workspace}`).expect(200);
    await reader.get(`/workspaces/${workspace}/vars`).expect(200);
    const listed = async (what: string) =>
      (await reader.get(`/organizations/acme/${what}`).expect(200)).body.data.map((one: { id: string }) => one.id);
    expect(await listed('workspaces')).toEqual([workspace]);
    expect(await listed('projects')).toEqual([project]);
    for (const hidden of [`/projects/${other}`, `/workspaces/${outside}`]) {
      expect((await reader.get(hidden).expect(404)).body).toEqual(missing);
    }
    const change = doc('workspaces', { description: 'mine' });
    expect((await reader.patch(`/workspaces/${workspace}`, change).expect(404)).body).toEqual(
      lacking('workspace admin'),
    );
    await admin.patch(`/workspaces/${workspace}`, doc('workspaces', {}, { project: relation('projects', other) }));
    await reader.get(`/workspaces/${workspace}`).expect(404);
    await admin.patch(`/workspaces/${outside}`, doc('workspaces', {}, { project: relation('projects', project) }));
    await reader.get(`/workspaces/${outside}`).expect(200);
  });

  it('of maintain creates, administers, moves and deletes workspaces, and leaves the project', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const maintainer = await memberWith(project, { access: 'maintain' });
    const fresh = (projectId?: string) =>
      doc(
        'workspaces',
        { name: newName('ws') },
        projectId === undefined ? {} : { project: relation('projects', projectId) },
      );
    const path = '/organizations/acme/workspaces';
    const created = (await maintainer.post(path, fresh(project)).expect(201)).body.data;
    expect(created.attributes.permissions).toMatchObject({ 'can-update': true, 'can-queue-run': true });
    expect((await maintainer.post(path, fresh()).expect(404)).body).toEqual(missing);
    await maintainer.patch(`/workspaces/${created.id}`, doc('workspaces', { 'execution-mode': 'local' })).expect(200);
    const toOther = doc('workspaces', {}, { project: relation('projects', other) });
    await maintainer.patch(`/workspaces/${created.id}`, toOther).expect(422);
    const vain = await maintainer.patch(`/projects/${project}`, doc('projects', { name: 'mine' })).expect(404);
    expect(vain.body).toEqual(lacking('project settings: update'));
    await maintainer.delete(`/projects/${project}`).expect(404);
    await maintainer.delete(`/workspaces/${created.id}`).expect(204);

    const both = await newTeam();
    await give(project, both, { access: 'maintain' });
    await give(other, both, { access: 'custom', 'workspace-access': { move: true, runs: 'plan' } });
    const mover = await api.member('acme', newName('person'), [both]);
    const workspace = await newWorkspace(project);
    const moved = (await mover.patch(`/workspaces/${workspace}`, toOther).expect(200)).body.data;
    expect(moved.relationships.project.data.id).toBe(other);
    expect(moved.attributes.permissions).toMatchObject({ 'can-queue-run': true, 'can-update': false });
    const back = { data: [{ type: 'workspaces', id: workspace }] };
    expect((await mover.post(`/projects/${project}/relationships/workspaces`, back).expect(404)).body).toEqual(
      lacking('workspace admin'),
    );
  });

  it('of custom with move takes only workspaces whose runs the caller may plan there', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const workspace = await newWorkspace(project);
    const team = await newTeam();
    await give(project, team, { access: 'maintain' });
    const row = await give(other, team, { access: 'custom', 'workspace-access': { move: true, runs: 'read' } });
    const mover = await api.member('acme', newName('person'), [team]);
    const toOther = doc('workspaces', {}, { project: relation('projects', other) });
    const { name } = (await admin.get(`/workspaces/${workspace}`).expect(200)).body.data.attributes;
    const ways = [
      () => mover.patch(`/workspaces/${workspace}`, toOther),
      () => mover.patch(`/organizations/acme/workspaces/${name}`, toOther),
      () =>
        mover.post(`/projects/${other}/relationships/workspaces`, { data: [{ type: 'workspaces', id: workspace }] }),
    ];
    const moves = async () =>
      (await mover.get(`/projects/${other}`).expect(200)).body.data.attributes.permissions['can-move-workspace'];
    for (const way of ways) {
      expect((await way().expect(404)).body).toEqual(lacking('move workspaces to the project, runs: plan'));
    }
    expect(await moves()).toBe(false);
    await admin
      .patch(`/team-projects/${row}`, doc('team-projects', { 'workspace-access': { runs: 'plan' } }))
      .expect(200);
    expect(await moves()).toBe(true);
    for (const way of ways) {
      expect((await way()).status).toBeLessThan(300);
      const back = { data: [{ type: 'workspaces', id: workspace }] };
      await admin.post(`/projects/${project}/relationships/workspaces`, back).expect(204);
    }
  });

  it('of custom with create leaves the runs of a new workspace to those who may plan them there', async () => {
    const project = await newProject();
    const creator = await memberWith(project, { access: 'custom', 'workspace-access': { create: true } });
    const fresh = (attributes: object = {}) =>
      doc('workspaces', { name: newName('ws'), ...attributes }, { project: relation('projects', project) });
    const path = '/organizations/acme/workspaces';
    const created = (await creator.post(path, fresh()).expect(201)).body.data;
    expect(created.attributes.permissions).toMatchObject({ 'can-queue-run': false, 'can-update-variable': false });
    for (const attributes of [
      { 'execution-mode': 'local' },
      { 'vcs-repo': { 'clone-url': 'https://git.example.com/acme/fresh.git' } },
      { 'auto-destroy-activity-duration': '14d' },
    ]) {
      expect((await creator.post(path, fresh(attributes)).expect(404)).body).toEqual(lacking('workspace admin'));
    }
  });

  it('of custom gives each permission on its own', async () => {
    const project = await newProject();
    const workspace = await newWorkspace(project);
    const custom = (projectAccess: object, workspaceAccess: object = {}) =>
      memberWith(project, { access: 'custom', 'project-access': projectAccess, 'workspace-access': workspaceAccess });
    const creator = await custom({}, { create: true });
    const fresh = doc('workspaces', { name: newName('ws') }, { project: relation('projects', project) });
    const created = (await creator.post('/organizations/acme/workspaces', fresh).expect(201)).body.data;
    expect(created.attributes.permissions).toMatchObject({ 'can-read-run': true, 'can-update': false });
    await creator.delete(`/workspaces/${created.id}`).expect(404);
    await (await custom({}, { delete: true })).delete(`/workspaces/${created.id}`).expect(204);
    await (await custom({}, { locking: true })).post(`/workspaces/${workspace}/actions/lock`, {}).expect(200);
    const rename = () => doc('projects', { name: newName('project') });
    const updater = await custom({ settings: 'update' });
    await updater.patch(`/projects/${project}`, rename()).expect(200);
    await updater.delete(`/projects/${project}`).expect(404);
    const deleter = await custom({ settings: 'delete' });
    await deleter.patch(`/projects/${project}`, rename()).expect(200);
    await deleter.delete(`/projects/${project}`).expect(409);
  });
});

describe('managing team access to a project', () => {
  it('is for its administrators, who reach secret teams too', async () => {
    const project = await newProject();
    const administrator = await memberWith(project, { access: 'admin' });
    const secret = await newTeam({ visibility: 'secret' });
    const added = await administrator.post('/team-projects', access(project, secret, { access: 'admin' })).expect(200);
    await administrator.get(`/team-projects/${added.body.data.id}`).expect(200);
    await administrator
      .patch(`/team-projects/${added.body.data.id}`, doc('team-projects', { access: 'read' }))
      .expect(200);
    const reader = await memberWith(project, { access: 'maintain' });
    const vain = await reader.post('/team-projects', access(project, await newTeam(), { access: 'read' })).expect(404);
    expect(vain.body).toEqual(missingInBody('Project'));
    expect((await reader.delete(`/team-projects/${added.body.data.id}`).expect(404)).body).toEqual(missing);
    await administrator.delete(`/team-projects/${added.body.data.id}`).expect(204);
  });

  it('through a custom access gives no more than the caller has', async () => {
    const project = await newProject();
    const held = { 'project-access': { teams: 'manage' }, 'workspace-access': { variables: 'read' } };
    const manager = await memberWith(project, { access: 'custom', ...held });
    const team = await newTeam();
    const asked = (attributes: object) => manager.post('/team-projects', access(project, team, attributes));
    for (const more of [
      { access: 'read' },
      { access: 'admin' },
      { access: 'custom', 'workspace-access': { variables: 'write' } },
      { access: 'custom', 'project-access': { settings: 'update' } },
    ]) {
      expect((await asked(more).expect(404)).body).toEqual(
        refusal(404, 'not found', 'not authorized: requires every permission that the access gives'),
      );
    }
    const { id } = (await asked({ access: 'custom', ...held }).expect(200)).body.data;
    await manager.patch(`/team-projects/${id}`, doc('team-projects', { access: 'write' })).expect(404);
    const less = doc('team-projects', { 'workspace-access': { variables: 'none' } });
    await manager.patch(`/team-projects/${id}`, less).expect(200);
  });

  it('through a custom access neither changes nor removes what gives more than the caller has', async () => {
    const project = await newProject();
    const held = { 'project-access': { teams: 'manage' }, 'workspace-access': { runs: 'plan' } };
    const manager = await memberWith(project, { access: 'custom', ...held });
    const refused = refusal(404, 'not found', 'not authorized: requires every permission that the access gives');
    const less = doc('team-projects', { access: 'custom' });
    for (const more of [
      { access: 'read' },
      { access: 'admin' },
      { access: 'custom', 'workspace-access': { runs: 'apply' } },
      { access: 'custom', 'project-access': { settings: 'update' } },
    ]) {
      const path = `/team-projects/${await give(project, await newTeam(), more)}`;
      const before = (await admin.get(path).expect(200)).body;
      expect((await manager.delete(path).expect(404)).body).toEqual(refused);
      expect((await manager.patch(path, less).expect(404)).body).toEqual(refused);
      expect((await admin.get(path).expect(200)).body).toEqual(before);
      await admin.delete(path).expect(204);
    }
    await manager
      .delete(`/team-projects/${await give(project, await newTeam(), { access: 'custom', ...held })}`)
      .expect(204);
  });

  it('shows others only the access of their own teams, or with teams: read that of visible ones', async () => {
    const project = await newProject();
    const [visible, secret] = [await newTeam(), await newTeam({ visibility: 'secret' })];
    const rows = [await give(project, visible, { access: 'read' }), await give(project, secret, { access: 'read' })];
    const own = await newTeam({ visibility: 'secret' });
    const ownRow = await give(project, own, { access: 'custom' });
    const member = await api.member('acme', newName('person'), [own]);
    const seen = async () => {
      const listed = await member.get(`/team-projects?filter%5Bproject%5D%5Bid%5D=${project}`).expect(200);
      expect(listed.body.meta.pagination['total-count']).toBe(listed.body.data.length);
      return listed.body.data.map((row: { id: string }) => row.id).sort();
    };
    expect(await seen()).toEqual([ownRow]);
    const hidden = await member.get(`/team-projects/${rows[1]}`).expect(404);
    expect(hidden.text).toBe((await member.get('/team-projects/tprj-nothing').expect(404)).text);
    const more = doc('team-projects', { 'project-access': { teams: 'read' } });
    await admin.patch(`/team-projects/${ownRow}`, more).expect(200);
    expect(await seen()).toEqual([ownRow, rows[0]].sort());
    expect((await member.get(`/team-projects/${rows[1]}`).expect(404)).text).toBe(hidden.text);
    const outsider = await api.member('acme', newName('person'));
    const list = (id: string) => outsider.get(`/team-projects?filter%5Bproject%5D%5Bid%5D=${id}`).expect(404);
    expect((await list(project)).text).toBe((await list('prj-nothing')).text);
  });
});
