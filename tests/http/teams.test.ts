import { describe, expect, it } from '@jest/globals';
import { type OrganizationPermission, organizationPermissions } from '../../src/domain/index.js';
import {
  type Caller,
  doc,
  faultsIn,
  invalid,
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

const access = (...permissions: OrganizationPermission[]) =>
  Object.fromEntries(organizationPermissions.map((permission) => [permission, permissions.includes(permission)]));

const newTeam = (...permissions: OrganizationPermission[]): Promise<string> =>
  api.team('acme', newName(), { visibility: 'organization', 'organization-access': access(...permissions) });

/** A member whose only team holds these organization-level permissions. */
const holderOf = async (...permissions: OrganizationPermission[]): Promise<Caller> =>
  api.member('acme', newName(), [await newTeam(...permissions)]);

const users = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'users', id })) });

const owners = await api.owners('acme');

describe('teams', () => {
  const path = '/organizations/acme/teams';

  const may = (value: boolean) => ({
    'can-update': value,
    'can-destroy': value,
    'can-update-membership': value,
    'can-update-organization-access': value,
    'can-update-api-token': value,
    'can-update-visibility': value,
  });

  const resource = (
    id: unknown,
    name: string,
    attributes: object = {},
    members?: readonly string[],
    memberships: readonly string[] = [],
  ) => ({
    id,
    type: 'teams',
    attributes: {
      name,
      'users-count': 0,
      visibility: 'secret',
      'allow-member-token-management': true,
      'organization-access': access(),
      'sso-team-id': null,
      permissions: may(true),
      ...attributes,
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      ...(members && {
        users: users(...members),
        'organization-memberships': { data: memberships.map((one) => ({ id: one, type: 'organization-memberships' })) },
      }),
    },
    links: { self: `${prefix}/teams/${id}` },
  });

  const membersOf = async (team: string): Promise<readonly string[]> => {
    const { data } = (await admin.get(`/teams/${team}`).expect(200)).body;
    expect(data.attributes['users-count']).toBe(data.relationships.users.data.length);
    return data.relationships.users.data.map(({ id }: { id: string }) => id);
  };

  it('are created secret and without rights', async () => {
    const name = newName();
    const created = await admin.post(path, doc('teams', { name })).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^team-[A-Za-z0-9]{16}$/);
    expect(created.body).toEqual({ data: resource(id, name) });
    expect((await admin.get(`/teams/${id}`).expect(200)).body).toEqual({ data: resource(id, name, {}, []) });
  });

  it('take every attribute they are created with', async () => {
    const name = newName();
    const attributes = {
      visibility: 'organization',
      'allow-member-token-management': false,
      'organization-access': { 'manage-workspaces': true, 'manage-teams': null, 'unknown-right': true },
      'sso-team-id': 'cd6ff5a4-platform',
    };
    const created = await admin.post(path, doc('teams', { name, ...attributes })).expect(201);
    const expected = { ...attributes, 'organization-access': access('manage-workspaces') };
    expect(created.body).toEqual({ data: resource(created.body.data.id, name, expected) });
  });

  it('keep permissions that grant nothing, and show them again', async () => {
    const kept = [
      'manage-run-tasks',
      'manage-modules',
      'manage-providers',
      'manage-public-modules',
      'manage-public-providers',
    ] as const;
    const team = await newTeam(...kept);
    const attributes = async () => (await admin.get(`/teams/${team}`).expect(200)).body.data.attributes;
    expect((await attributes())['organization-access']).toEqual(access(...kept));
    const workspace = await api.workspace('acme', newName());
    const member = await api.member('acme', newName(), [team]);
    await member.get(`/workspaces/${workspace}`).expect(404);
    await admin.patch(`/teams/${team}`, doc('teams', { 'sso-team-id': 'sso-1' })).expect(200);
    expect((await attributes())['sso-team-id']).toBe('sso-1');
    await admin.patch(`/teams/${team}`, doc('teams', { 'sso-team-id': null })).expect(200);
    expect((await attributes())['sso-team-id']).toBeNull();
  });

  it('change in what is named, and in nothing else', async () => {
    const name = newName();
    const renamed = newName();
    const id = await api.team('acme', name, {
      'organization-access': { 'manage-teams': true, 'manage-policies': true },
    });
    const patch = async (attributes: object) =>
      (await admin.patch(`/teams/${id}`, doc('teams', attributes)).expect(200)).body;
    const before = { 'organization-access': access('manage-teams', 'manage-policies') };
    const nulls = { name: null, visibility: null, 'organization-access': null, 'allow-member-token-management': null };
    for (const nothing of [
      {},
      nulls,
      { 'organization-access': {} },
      { 'organization-access': { 'manage-teams': null } },
    ]) {
      expect(await patch(nothing)).toEqual({ data: resource(id, name, before) });
    }
    const changed = { 'manage-teams': false, 'read-workspaces': true, 'manage-policies': true };
    const after = { 'organization-access': access('read-workspaces', 'manage-policies') };
    expect(await patch({ 'organization-access': changed })).toEqual({ data: resource(id, name, after) });
    expect(await patch({ visibility: 'organization', name: renamed })).toEqual({
      data: resource(id, renamed, { ...after, visibility: 'organization' }),
    });
    expect((await patch({ 'allow-member-token-management': false })).data.attributes).toMatchObject({
      ...after,
      'allow-member-token-management': false,
    });
  });

  it('are refused with one error for each attribute that is wrong', async () => {
    const post = async (body: object) => (await admin.post(path, body).expect(422)).body;
    expect(await post(doc('teams'))).toEqual(invalid('name', 'Name is required'));
    const wrong = {
      name: {},
      visibility: 'public',
      'allow-member-token-management': 1,
      'organization-access': { 'manage-teams': 'yes', 'manage-policies': 0 },
    };
    expect(faultsIn(await admin.post(path, doc('teams', wrong)).expect(422))).toEqual([
      ['/data/attributes/name', 'Name must be a string'],
      ['/data/attributes/visibility', 'Visibility must be one of secret, organization'],
      ['/data/attributes/allow-member-token-management', 'Allow member token management must be a boolean'],
      ['/data/attributes/organization-access/manage-policies', 'Manage policies must be a boolean'],
      ['/data/attributes/organization-access/manage-teams', 'Manage teams must be a boolean'],
    ]);
    const words = 'Name must be 1 to 90 printable characters and must not begin or end with a space';
    expect(await post(doc('teams', { name: 'a\tteam' }))).toEqual(invalid('name', words));
    const id = await newTeam();
    expect((await admin.patch(`/teams/${id}`, doc('teams', { name: '' })).expect(422)).body).toEqual(
      invalid('name', words),
    );
    expect((await post(doc('workspaces', { name: newName() }))).errors[0].source).toEqual({ pointer: '/data/type' });
  });

  it('have names of their own, of which "owners" is taken in every spelling', async () => {
    const name = newName();
    await api.team('acme', name);
    const other = await newTeam();
    const taken = invalid('name', 'Name has already been taken');
    for (const used of [name, name.toUpperCase(), 'owners', 'Owners', 'OWNERS']) {
      expect((await admin.post(path, doc('teams', { name: used })).expect(422)).body).toEqual(taken);
      expect((await admin.patch(`/teams/${other}`, doc('teams', { name: used })).expect(422)).body).toEqual(taken);
    }
  });

  it('are found, sorted and searched by any printable name', async () => {
    const mark = newName();
    const names = [`É / ${mark} <b>`, `z ${mark}`, `Ünit "${mark}" %_!`, `ネ ${mark}`];
    for (const name of names) {
      const id = await api.team('acme', name, { visibility: 'organization' });
      const shown = (await admin.get(`/teams/${id}`).expect(200)).body.data.attributes.name;
      expect(shown).toBe(name);
      await admin.post(`/teams/${id}/authentication-token`, doc('authentication-token')).expect(201);
      expect((await admin.post(path, doc('teams', { name: name.toLowerCase() }))).status).toBe(422);
    }
    const found = async (query: string) => {
      const { body } = await admin.get(`/organizations/acme/team-tokens?sort=team-name&${query}`).expect(200);
      const ids = body.data.map(({ relationships }: { relationships: { team: { data: { id: string } } } }) =>
        admin.get(`/teams/${relationships.team.data.id}`).then((answer) => answer.body.data.attributes.name),
      );
      return Promise.all(ids);
    };
    const sorted = [`z ${mark}`, `É / ${mark} <b>`, `Ünit "${mark}" %_!`, `ネ ${mark}`];
    expect(await found(`q=${mark}`)).toEqual(sorted);
    for (const name of names) expect(await found(`q=${encodeURIComponent(name.toUpperCase())}`)).toEqual([name]);
    const list = namesIn((await admin.get(`${path}?page[size]=100`).expect(200)).body);
    expect(list.filter((name) => name.includes(mark))).toEqual(sorted);
  });

  it('that are secret are known by their names alone to who may create teams and does not see them', async () => {
    const [secret, open] = [newName(), newName()];
    const hidden = await api.team('acme', secret);
    await api.team('acme', open, { visibility: 'organization' });
    const caller = await holderOf('manage-teams');
    const own = await newTeam();
    const told = async (name: string) => {
      const answers = [
        await caller.post(path, doc('teams', { name })),
        await caller.patch(`/teams/${own}`, doc('teams', { name })),
      ];
      return answers.map(({ status, text }) => [status, text]);
    };
    expect((await told(secret)).map(([status]) => status)).toEqual([422, 422]);
    expect(await told(secret.toUpperCase())).toEqual(await told(open));
    expect((await caller.get(`/teams/${hidden}`).expect(404)).body).toEqual(missing);
    const listed = (await caller.get(`${path}?page[size]=100`).expect(200)).text;
    expect(listed).not.toContain(hidden);
    // A caller who may not create teams learns nothing.
    const other = await api.member('acme', newName());
    const refused = async (name: string) => (await other.post(path, doc('teams', { name })).expect(404)).text;
    expect(await refused(secret)).toBe(await refused(newName()));
  });

  it('are listed by name, page by page, without what is hidden', async () => {
    const organization = newName();
    await api.organization(organization);
    for (const name of ['Zeta', 'beta']) await api.team(organization, name, { visibility: 'organization' });
    await api.team(organization, 'Alpha');
    const list = `/organizations/${organization}/teams`;
    const listed = async (caller: Caller, query = '') => {
      const { body } = await caller.get(`${list}?${query}`).expect(200);
      return [...namesIn(body), body.meta.pagination['total-count']];
    };
    expect(await listed(admin)).toEqual(['Alpha', 'beta', 'owners', 'Zeta', 4]);
    expect(await listed(admin, 'page[size]=3&page[number]=2')).toEqual(['Zeta', 4]);
    const member = await api.member(organization, newName());
    expect(await listed(member)).toEqual(['beta', 'Zeta', 2]);
    const answer = await member.get(list).expect(200);
    expect(answer.body.links.self).toBe(`${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
    expect(answer.body.data[0].attributes.permissions).toEqual(may(false));
    expect(answer.body.data[0].relationships).not.toHaveProperty('users');
  });

  it('say to each caller what that caller may do', async () => {
    const open = await newTeam();
    const permissions = async (caller: Caller, team = open) =>
      (await caller.get(`/teams/${team}`).expect(200)).body.data.attributes.permissions;
    const manage = {
      'can-update': true,
      'can-destroy': true,
      'can-update-api-token': true,
      'can-update-visibility': true,
    };
    expect(await permissions(await holderOf('manage-teams'))).toEqual({ ...may(false), ...manage });
    expect(await permissions(await holderOf('manage-membership'))).toEqual({
      ...may(false),
      'can-update-membership': true,
    });
    expect(await permissions(await holderOf('manage-organization-access'))).toEqual({
      ...may(false),
      'can-update-organization-access': true,
    });
    expect(await permissions(await api.organizationToken('acme'))).toEqual({
      ...may(true),
      'can-update-organization-access': false,
    });
    const member = await api.member('acme', newName(), [open]);
    expect(await permissions(member)).toEqual({ ...may(false), 'can-update-api-token': true });
    expect((await admin.get(`/teams/${owners}`).expect(200)).body.data.attributes).toMatchObject({
      'organization-access': access(...organizationPermissions),
      permissions: { ...may(true), 'can-destroy': false, 'can-update-organization-access': false },
    });
  });

  it('give what they hold on workspaces, and nothing else, to those who manage their members or tokens', async () => {
    const workspace = await api.workspace('acme', newName());
    const team = await newTeam();
    await admin.patch(`/teams/${team}`, doc('teams', { visibility: 'organization' })).expect(200);
    const grant = doc(
      'team-workspaces',
      { access: 'write' },
      {
        team: { data: { id: team, type: 'teams' } },
        workspace: { data: { id: workspace, type: 'workspaces' } },
      },
    );
    await admin.post('/team-workspaces', grant).expect(200);
    const lock = (caller: Caller) => caller.post(`/workspaces/${workspace}/actions/lock`);
    const unlock = (caller: Caller) => caller.post(`/workspaces/${workspace}/actions/unlock`);
    const issuedBy = async (caller: Caller) => {
      const issued = await caller.post(`/teams/${team}/authentication-token`, doc('authentication-token'));
      expect(issued.status).toBe(201);
      return api.as(issued.body.data.attributes.token);
    };

    const joining = await holderOf('manage-membership');
    const [issuing, organization] = [await holderOf('manage-teams'), await api.organizationToken('acme')];
    for (const caller of [joining, issuing, organization]) await lock(caller).expect(404);
    await joining.post(`/teams/${team}/relationships/users`, users(joining.id)).expect(204);
    const holders = [joining, await issuedBy(issuing), await issuedBy(organization)];
    await lock(holders[2] as Caller).expect(200);
    await unlock(holders[2] as Caller).expect(200);
    await lock(joining).expect(200);
    await unlock(joining).expect(200);
    await organization.get('/organizations/acme/policies').expect(404);

    // A team's token gets the rights the team receives later.
    const given = doc('teams', { 'organization-access': { 'manage-policies': true } });
    await admin.patch(`/teams/${team}`, given).expect(200);
    await (holders[2] as Caller).get('/organizations/acme/policies').expect(200);
    for (const caller of [issuing, organization]) {
      const again = caller.post(`/teams/${team}/authentication-token`, doc('authentication-token'));
      await again.expect(404);
    }
  });

  it('have members, named by user, by user name and by membership', async () => {
    const team = await newTeam('read-workspaces');
    const workspace = await api.workspace('acme', newName());
    const username = newName();
    const user = await api.member('acme', username);
    const memberships = await admin.get('/organizations/acme/organization-memberships?page[size]=100').expect(200);
    const membership = memberships.body.data.find(
      ({ attributes }: { attributes: { username: string } }) => attributes.username === username,
    ).id;
    for (const { relationship, id } of [
      { relationship: 'users', id: user.id },
      { relationship: 'users', id: username },
      { relationship: 'users', id: username.toUpperCase() },
      { relationship: 'organization-memberships', id: membership },
    ]) {
      const of = `/teams/${team}/relationships/${relationship}`;
      const body = { data: [{ type: relationship, id }] };
      await user.get(`/workspaces/${workspace}`).expect(404);
      const added = await admin.post(of, body).expect(204);
      expect(added.text).toBe('');
      await admin.post(of, body).expect(204);
      expect(await membersOf(team)).toEqual([user.id]);
      await user.get(`/workspaces/${workspace}`).expect(200);
      await admin.delete(of, body).expect(204);
      await admin.delete(of, body).expect(204);
      expect(await membersOf(team)).toEqual([]);
    }
    await admin.post(`/teams/${team}/relationships/users`, { data: [] }).expect(204);
    await admin.delete(`/teams/${team}/relationships/users`, users('nobody')).expect(204);
  });

  it('take several members at once, or none', async () => {
    const team = await newTeam();
    const [first, second] = [await api.member('acme', newName()), await api.member('acme', newName())];
    const of = `/teams/${team}/relationships/users`;
    const outsider = await api.user(newName());
    for (const unknown of ['nobody', outsider.id]) {
      const answer = await admin.post(of, users(first.id, unknown)).expect(422);
      const words = 'Users must be members of the organization';
      expect(answer.body).toEqual(refusal(422, 'invalid attribute', words, { pointer: '/data' }));
    }
    expect(await membersOf(team)).toEqual([]);
    const { body } = await admin.get(`/organizations/acme/organization-memberships?page[size]=100`).expect(200);
    type Row = { id: string; relationships: { user: { data: { id: string } } } };
    const row = body.data.find(({ relationships }: Row) => relationships.user.data.id === first.id);
    await admin.post(of, users(first.id, second.id, first.id, row.id)).expect(204);
    expect([...(await membersOf(team))].sort()).toEqual([first.id, second.id].sort());
    await admin.delete(of, users(first.id, second.id)).expect(204);
    expect(await membersOf(team)).toEqual([]);
  });

  it('refuse malformed lists of members with one error for each fault', async () => {
    const team = await newTeam();
    for (const method of ['post', 'delete'] as const) {
      const faults = async (body?: object) => {
        return faultsIn(await admin.send(method, `/teams/${team}/relationships/users`, body).expect(422));
      };
      expect(await faults()).toEqual([['/data', 'Data is required']]);
      expect(await faults({ data: { type: 'users', id: 'amy' } })).toEqual([['/data', 'Data must be an array']]);
      const data = [
        { type: 'users' },
        { type: 'teams', id: 'amy' },
        { type: 'users', id: 7 },
        { type: 'users', id: '' },
        5,
      ];
      expect(await faults({ data })).toEqual([
        ['/data/0/id', 'Id is required'],
        ['/data/1/type', 'Type must be users'],
        ['/data/2/id', 'Id must be a string'],
        ['/data/3/id', "Id can't be blank"],
        ['/data/4', 'Data must be an object'],
      ]);
    }
  });
});
