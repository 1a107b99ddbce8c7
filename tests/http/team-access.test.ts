import { describe, expect, it } from '@jest/globals';
import { doc, faultsIn, invalid, missing, missingInBody, newName, prefix, refusal, startApi } from '../support/api.js';

const newTeam = (attributes: object = {}): Promise<string> =>
  api.team('acme', newName(), { visibility: 'organization', ...attributes });

const newWorkspace = (): Promise<string> => api.workspace('acme', newName());

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');
const owners = await api.owners('acme');

const permissions = (
  runs: string,
  variables: string,
  stateVersions: string,
  mocks: string,
  workspaceLocking: boolean,
  runTasks: boolean,
) => ({
  runs,
  variables,
  'state-versions': stateVersions,
  'policy-mocks': mocks,
  'workspace-locking': workspaceLocking,
  'run-tasks': runTasks,
  'policy-overrides': false,
});

const implied = {
  read: permissions('read', 'read', 'read', 'none', false, false),
  plan: permissions('plan', 'read', 'read', 'none', false, false),
  write: permissions('apply', 'write', 'write', 'read', true, false),
  admin: permissions('apply', 'write', 'write', 'read', true, true),
};
const levels = Object.entries(implied);
/** Computed, because an object with this member looks like a promise. */
const fallbackName = 'then';
const endless = { 'expires-at': null, [fallbackName]: null };

const fallback = permissions('read', 'none', 'none', 'none', false, false);

const values = {
  runs: ['read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  'state-versions': ['none', 'read-outputs', 'read', 'write'],
  'policy-mocks': ['none', 'read'],
  'workspace-locking': [false, true],
  'run-tasks': [false, true],
  'policy-overrides': [false, true],
};

const readOnly = (attribute: string, label: string, access: string) =>
  invalid(
    attribute,
    `${label} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
  );

const taken = refusal(422, 'invalid attribute', 'Team has already been taken', { pointer: '/data/attributes/team' });

const onto = (workspace: string, team: string) => ({
  workspace: { data: { id: workspace, type: 'workspaces' } },
  team: { data: { id: team, type: 'teams' } },
});

describe('team access', () => {
  const shown = (attributes: Readonly<Record<string, unknown>>) => ({
    ...attributes,
    'sentinel-mocks': attributes['policy-mocks'],
    ...endless,
  });

  const resource = (id: string, team: string, workspace: string, workspaceName: string, attributes: object) => ({
    id,
    type: 'team-workspaces',
    attributes: shown({ ...attributes }),
    relationships: {
      team: { data: { id: team, type: 'teams' }, links: { related: `${prefix}/teams/${team}` } },
      workspace: {
        data: { id: workspace, type: 'workspaces' },
        links: { related: `${prefix}/organizations/acme/workspaces/${workspaceName}` },
      },
    },
    links: { self: `${prefix}/team-workspaces/${id}` },
  });

  const post = (team: string, workspace: string, attributes: object, caller = admin) =>
    caller.post('/team-workspaces', doc('team-workspaces', attributes, onto(workspace, team)));

  /** A grant to a new team on a new workspace. */
  const newGrant = async (attributes: object): Promise<{ id: string; team: string; workspace: string }> => {
    const [team, workspace] = [await newTeam(), await newWorkspace()];
    return { id: (await post(team, workspace, attributes).expect(200)).body.data.id, team, workspace };
  };

  const list = (workspace: string, more = '') => `/team-workspaces?filter[workspace][id]=${workspace}${more}`;

  const attributesOf = async (id: string) =>
    (await admin.get(`/team-workspaces/${id}`).expect(200)).body.data.attributes;

  describe('that is given', () => {
    it.each(levels)('as %s shows what that implies', async (access, permitted) => {
      const name = newName();
      const [team, workspace] = [await newTeam(), await api.workspace('acme', name)];
      const created = await post(team, workspace, { access }).expect(200);
      const { id } = created.body.data;
      expect(id).toMatch(/^tws-[A-Za-z0-9]{16}$/);
      const expected = resource(id, team, workspace, name, { access, ...permitted });
      expect(created.body).toEqual({ data: expected });
      expect((await admin.get(`/team-workspaces/${id}`).expect(200)).body).toEqual({ data: expected });
      expect((await admin.get(list(workspace)).expect(200)).body).toEqual({ data: [expected] });
    });

    it('as custom reads runs and nothing else, unless it says more', async () => {
      const { id } = await newGrant({ access: 'custom' });
      expect(await attributesOf(id)).toEqual(shown({ access: 'custom', ...fallback }));
    });

    it.each(Object.entries(values))('as custom takes every value of %s', async (attribute, taking) => {
      for (const value of taking) {
        const { id } = await newGrant({ access: 'custom', [attribute]: value });
        expect(await attributesOf(id)).toEqual(shown({ access: 'custom', ...fallback, [attribute]: value }));
      }
    });

    it('takes the mocks attribute in both spellings, which must agree', async () => {
      for (const spellings of [
        { 'policy-mocks': 'read' },
        { 'sentinel-mocks': 'read' },
        { 'policy-mocks': 'read', 'sentinel-mocks': 'read' },
        { 'policy-mocks': null, 'sentinel-mocks': 'read' },
      ]) {
        const { id } = await newGrant({ access: 'custom', ...spellings });
        expect(await attributesOf(id)).toEqual(shown({ access: 'custom', ...fallback, 'policy-mocks': 'read' }));
      }
      const differing = { access: 'custom', 'policy-mocks': 'read', 'sentinel-mocks': 'none' };
      const told = invalid('sentinel-mocks', expect.stringContaining('must have the same value'));
      expect((await post(await newTeam(), await newWorkspace(), differing).expect(422)).body).toEqual(told);
      const { id } = await newGrant({ access: 'custom' });
      expect((await admin.patch(`/team-workspaces/${id}`, doc('team-workspaces', differing)).expect(422)).body).toEqual(
        told,
      );
    });

    it('takes null for an attribute that is not there, and ignores what it does not know', async () => {
      const nulls = Object.fromEntries([...Object.keys(values), 'sentinel-mocks'].map((name) => [name, null]));
      const { id } = await newGrant({ access: 'plan', ...nulls, 'plan-outputs': true });
      expect(await attributesOf(id)).toEqual(shown({ access: 'plan', ...implied.plan }));
    });

    it('is one for each team on each workspace', async () => {
      const { team, workspace } = await newGrant({ access: 'read' });
      for (const access of ['read', 'admin', 'custom']) {
        expect((await post(team, workspace, { access }).expect(422)).body).toEqual(taken);
      }
      await post(await newTeam(), workspace, { access: 'read' }).expect(200);
      await post(team, await newWorkspace(), { access: 'read' }).expect(200);
    });

    it('needs a team and a workspace of one organization', async () => {
      const [team, workspace] = [await newTeam(), await newWorkspace()];
      const [elsewhere, foreign] = [await api.team('globex', newName()), await api.workspace('globex', newName())];
      for (const [someTeam, someWorkspace] of [
        [team, foreign],
        [elsewhere, workspace],
        [team, 'ws-nobody'],
        ['team-nobody', workspace],
      ] as const) {
        expect((await post(someTeam, someWorkspace, { access: 'read' }).expect(404)).body).toEqual(
          missingInBody(someTeam === team && someWorkspace !== foreign ? 'Workspace' : 'Team'),
        );
      }
    });

    it('is refused for the owners team', async () => {
      const answer = await post(owners, await newWorkspace(), { access: 'read' }).expect(409);
      const words = 'the owners team already has access to every workspace';
      expect(answer.body).toEqual(refusal(409, 'conflict', words));
    });

    it('is refused with one error for each fault', async () => {
      const faults = async (body?: object) => faultsIn(await admin.post('/team-workspaces', body).expect(422));
      expect(await faults()).toEqual([['/data', 'Data is required']]);
      expect(await faults(doc('team-workspaces'))).toEqual([
        ['/data/attributes/access', 'Access is required'],
        ['/data/relationships/workspace', 'Workspace is required'],
        ['/data/relationships/team', 'Team is required'],
      ]);
      const wrong = {
        access: 'owner',
        runs: 'none',
        variables: 1,
        'state-versions': 'some',
        'policy-mocks': 'write',
        'sentinel-mocks': true,
        'workspace-locking': 'yes',
        'run-tasks': 0,
        'policy-overrides': 0,
      };
      const malformed = { workspace: { data: { type: 'workspaces' } }, team: { data: { type: 'users', id: 7 } } };
      expect(await faults(doc('team-workspaces', wrong, malformed))).toEqual([
        ['/data/attributes/access', 'Access must be one of read, plan, write, admin, custom'],
        ['/data/attributes/runs', 'Runs must be one of read, plan, apply'],
        ['/data/attributes/variables', 'Variables must be one of none, read, write'],
        ['/data/attributes/state-versions', 'State versions must be one of none, read-outputs, read, write'],
        ['/data/attributes/policy-mocks', 'Policy mocks must be one of none, read'],
        ['/data/attributes/sentinel-mocks', 'Sentinel mocks must be one of none, read'],
        ['/data/attributes/workspace-locking', 'Workspace locking must be a boolean'],
        ['/data/attributes/run-tasks', 'Run tasks must be a boolean'],
        ['/data/attributes/policy-overrides', 'Policy overrides must be a boolean'],
        ['/data/relationships/workspace/data/id', 'Id is required'],
        ['/data/relationships/team/data/type', 'Type must be teams'],
        ['/data/relationships/team/data/id', 'Id must be a string'],
      ]);
    });
  });

  describe('that is changed', () => {
    const patch = async (id: string, attributes: object) =>
      (await admin.patch(`/team-workspaces/${id}`, doc('team-workspaces', attributes)).expect(200)).body.data
        .attributes;

    it('from custom to custom changes only what is named', async () => {
      const { id } = await newGrant({ access: 'custom', variables: 'write', 'run-tasks': true });
      const before = { access: 'custom', ...fallback, variables: 'write', 'run-tasks': true };
      expect(await patch(id, { access: 'custom', runs: 'plan' })).toEqual(shown({ ...before, runs: 'plan' }));
      expect(await patch(id, { 'run-tasks': false })).toEqual(shown({ ...before, runs: 'plan', 'run-tasks': false }));
      expect(await patch(id, { 'sentinel-mocks': 'read' })).toEqual(
        shown({ ...before, runs: 'plan', 'run-tasks': false, 'policy-mocks': 'read' }),
      );
    });

    it('from a fixed level to custom keeps what the level implied for clients, and gets the defaults in the contract', async () => {
      for (const [access, detailed] of levels) {
        const { id } = await newGrant({ access });
        const kept = await patch(id, { access: 'custom', 'state-versions': 'none' });
        expect(kept).toEqual(shown({ access: 'custom', ...detailed, 'state-versions': 'none' }));
        await patch(id, { access });
        const asked = doc('team-workspaces', { access: 'custom', 'state-versions': 'read' });
        const { attributes } = (await admin.at('').patch(`/team-workspaces/${id}`, asked).expect(200)).body.data;
        expect(attributes).toEqual({ access: 'custom', ...fallback, 'state-versions': 'read', ...endless });
      }
    });

    it('refuses detailed attributes together with a fixed level, given or kept', async () => {
      const { id } = await newGrant({ access: 'custom' });
      const refused = async (attributes: object) =>
        (await admin.patch(`/team-workspaces/${id}`, doc('team-workspaces', attributes)).expect(422)).body;
      expect(await refused({ access: 'read', runs: 'read' })).toEqual(readOnly('runs', 'Runs', 'read'));
      expect(await attributesOf(id)).toEqual(shown({ access: 'custom', ...fallback }));
      await patch(id, { access: 'write' });
      expect(await refused({ 'run-tasks': false })).toEqual(readOnly('run-tasks', 'Run tasks', 'write'));
      expect(await refused({ access: 'root' })).toEqual(
        invalid('access', 'Access must be one of read, plan, write, admin, custom'),
      );
      expect(await patch(id, { access: null, runs: null })).toEqual(shown({ access: 'write', ...implied.write }));
    });

    it('stays what it was in all that is not an attribute of it', async () => {
      const { id, team, workspace } = await newGrant({ access: 'read' });
      const before = (await admin.get(`/team-workspaces/${id}`).expect(200)).body;
      const other = onto(await newWorkspace(), await newTeam());
      const bodies = [
        { data: { attributes: {} } },
        { data: { attributes: { 'plan-outputs': true, team: 'x' }, relationships: other } },
        { data: { relationships: { team: 5 } } },
        { data: { id, type: 'team-workspaces', attributes: {} } },
        { data: { id: 'tws-another' } },
      ];
      for (const body of bodies) {
        expect((await admin.patch(`/team-workspaces/${id}`, body).expect(200)).body).toEqual(before);
      }
      expect(before.data.relationships).toMatchObject(onto(workspace, team));
      await admin.patch(`/team-workspaces/${id}`, doc('teams', {})).expect(422);
    });
  });

  describe('that is listed', () => {
    const idsIn = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

    it('comes whole and by team name, or in pages when a page is asked for', async () => {
      const workspace = await newWorkspace();
      const ids: string[] = [];
      for (const letter of ['c', 'B', 'a']) {
        const team = await api.team('acme', `${letter}-${newName()}`);
        ids.unshift((await post(team, workspace, { access: 'read' }).expect(200)).body.data.id);
      }
      const whole = (await admin.get(list(workspace)).expect(200)).body;
      expect(Object.keys(whole)).toEqual(['data']);
      expect(idsIn(whole)).toEqual(ids);

      const page = async (more: string) => (await admin.get(list(workspace, more)).expect(200)).body;
      const first = await page('&page[size]=2');
      expect(idsIn(first)).toEqual(ids.slice(0, 2));
      const counts = { 'page-size': 2, 'total-pages': 2, 'total-count': 3 };
      expect(first.meta.pagination).toEqual({ ...counts, 'current-page': 1, 'prev-page': null, 'next-page': 2 });
      expect(first.links.next).toContain(`${prefix}/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace}`);
      const last = await page('&page[size]=2&page[number]=2');
      expect(idsIn(last)).toEqual(ids.slice(2));
      expect(last.meta.pagination).toEqual({ ...counts, 'current-page': 2, 'prev-page': 1, 'next-page': null });
      const past = await page('&page[number]=9');
      expect(past.data).toEqual([]);
      expect(past.meta.pagination).toMatchObject({ 'current-page': 9, 'page-size': 20, 'total-count': 3 });
      for (const parameter of ['page[size]', 'page[number]']) {
        const { errors } = (await admin.get(list(workspace, `&${parameter}=0`)).expect(422)).body;
        expect(errors).toMatchObject([{ source: { parameter } }]);
      }
    });

    it('is that of one team when it is asked for', async () => {
      const { id, team, workspace } = await newGrant({ access: 'read' });
      await post(await newTeam(), workspace, { access: 'plan' }).expect(200);
      const of = async (some: string) => (await admin.get(list(workspace, `&filter[team][id]=${some}`))).body;
      expect(idsIn(await of(team))).toEqual([id]);
      expect(await of('team-nobody')).toEqual({ data: [] });
      const paged = await of(`${team}&page[size]=5`);
      expect(paged).toMatchObject({ data: [{ id }], meta: { pagination: { 'total-count': 1 } } });
    });

    it('needs a workspace, which the caller knows', async () => {
      for (const query of ['', '?filter[workspace][id]=', '?filter[team][id]=team-1']) {
        const words = 'filter[workspace][id] is required';
        expect((await admin.get(`/team-workspaces${query}`).expect(422)).body).toEqual(
          refusal(422, 'invalid attribute', words, { parameter: 'filter[workspace][id]' }),
        );
      }
      expect((await admin.get(list('ws-nobody')).expect(404)).body).toEqual(missing);
      const workspace = await newWorkspace();
      await admin.get(list(workspace, `&filter[workspace][id]=${workspace}`)).expect(422);
      const outsider = await api.user(newName());
      expect((await outsider.get(list(workspace)).expect(404)).body).toEqual(missing);
    });
  });

  describe('that is removed', () => {
    it('is gone, and may be given again', async () => {
      const { id, team, workspace } = await newGrant({ access: 'read' });
      const answer = await admin.delete(`/team-workspaces/${id}`).expect(204);
      expect(answer.text).toBe('');
      for (const method of ['get', 'patch', 'delete'] as const) {
        const body = method === 'patch' ? doc('team-workspaces') : undefined;
        expect((await admin.send(method, `/team-workspaces/${id}`, body).expect(404)).body).toEqual(missing);
      }
      expect((await admin.get(list(workspace)).expect(200)).body).toEqual({ data: [] });
      await post(team, workspace, { access: 'read' }).expect(200);
    });

    it('goes with its team and with its workspace', async () => {
      const one = await newGrant({ access: 'read' });
      await admin.delete(`/teams/${one.team}`).expect(204);
      const other = await newGrant({ access: 'read' });
      await admin.delete(`/workspaces/${other.workspace}`).expect(204);
      for (const { id } of [one, other]) await admin.get(`/team-workspaces/${id}`).expect(404);
    });
  });

  it('is given to any team of the organization by who manages the workspace, secret ones too, and to none elsewhere', async () => {
    const workspace = await newWorkspace();
    const team = await newTeam({ visibility: 'organization' });
    await post(team, workspace, { access: 'admin' }).expect(200);
    const manager = await api.member('acme', newName(), [team]);
    const secret = await newTeam({ visibility: 'secret' });
    await manager.get(`/teams/${secret}`).expect(404);
    const { id } = (await post(secret, workspace, { access: 'read' }, manager).expect(200)).body.data;
    await manager.get(`/team-workspaces/${id}`).expect(200);

    const elsewhere = newName();
    await api.organization(elsewhere);
    const foreign = await api.team(elsewhere, newName(), { visibility: 'organization' });
    const texts = [];
    for (const other of [foreign, 'team-nobody']) {
      texts.push((await post(other, workspace, { access: 'read' }, manager).expect(404)).text);
    }
    expect(texts[0]).toBe(texts[1]);
  });
});
