import { afterAll, describe, expect, it } from '@jest/globals';
import { doc, invalid, lacking, missing, newName, startApi } from '../support/api.js';
import { HostileProvider } from '../support/hostile-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await HostileProvider.start();
const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on', OIDC_GROUPS_CLAIM: 'groups' };
const api = await startApi({ environment });
const first = newName('first');
await api.organization(first);

afterAll(() => provider.stop());

/** Signs a new person in who is in these groups. */
async function inGroups(groups: unknown, sub = newName('person')) {
  const browser = new Visitor(api, provider);
  const email = { email: `${sub}@example.com`, email_verified: true };
  await browser.signIn({ sub, token: groups === undefined ? {} : { groups }, userinfo: email });
  return { browser, sub };
}

async function organizationWith(...groups: readonly string[]): Promise<string> {
  const name = newName('organization');
  await api.organization(name);
  if (groups.length > 0) await give(name, ...groups).expect(200);
  return name;
}

const give = (name: string, ...groups: readonly string[]) =>
  api.admin.patch(`/admin/organizations/${name}`, doc('organizations', { 'sso-groups': groups }));

const map = (team: string, group: string | null) =>
  api.admin.patch(`/teams/${team}`, doc('teams', { 'sso-team-id': group }));

describe('the groups that an organization was given', () => {
  it('are every group for the first of a service, and none for the others', async () => {
    const groupsOf = async (name: string) =>
      (await api.admin.get(`/admin/organizations/${name}`).expect(200)).body.data.attributes['sso-groups'];
    expect(await groupsOf(first)).toEqual(['*']);
    expect(await groupsOf(await organizationWith())).toEqual([]);
  });

  it('are for site administrators to see and to change, at both mounts', async () => {
    const name = await organizationWith();
    const { body } = await give(name, 'ops', 'eng-*', 'ops').expect(200);
    expect(body.data).toEqual({
      id: name,
      type: 'organizations',
      attributes: {
        name,
        'external-id': expect.stringMatching(/^org-/),
        'sso-groups': ['eng-*', 'ops'],
        'sso-group-memberships': [
          { group: 'eng-*', memberships: 0 },
          { group: 'ops', memberships: 0 },
        ],
        'ended-memberships': 0,
      },
    });
    expect((await api.admin.get(`/api/v2/admin/organizations/${name}`).expect(200)).body).toEqual(body);
    const owner = await api.member(name, newName('owner'));
    for (const path of [`/admin/organizations/${name}`, '/admin/organizations/none']) {
      expect((await owner.get(path).expect(404)).body).toEqual(missing);
    }
    await api.admin.get('/admin/organizations/none').expect(404);
  });

  it.each([
    [[''], 'must not be empty'],
    [['  '], 'must not be empty'],
    [['a*b'], 'must be the last character'],
    [['**'], 'must be the last character'],
    [Array.from({ length: 101 }, (_, nth) => `group-${nth}`), 'the maximum is 100'],
  ])('are not %j', async (groups, words) => {
    const name = await organizationWith();
    expect((await give(name, ...groups).expect(422)).body).toEqual(
      invalid('sso-groups', expect.stringContaining(words)),
    );
  });

  it('are the only ones that its owners map to teams', async () => {
    const name = await organizationWith('ops', 'eng-*');
    const team = await api.team(name, 'team');
    for (const group of ['ops', 'eng-', 'eng-web']) await map(team, group).expect(200);
    for (const group of ['op', 'ops-1', 'en', 'Eng-web', '*', 'eng']) {
      const refused = invalid('sso-team-id', expect.stringContaining('gave this organization: eng-*, ops'));
      expect((await map(team, group).expect(422)).body).toEqual(refused);
    }
    const fresh = doc('teams', { name: newName('team'), 'sso-team-id': 'other' });
    await api.admin.post(`/organizations/${name}/teams`, fresh).expect(422);
  });

  it('end what only they gave once they are taken away, and say before how much that is', async () => {
    const name = await organizationWith('eng', 'ops');
    const [engineers, operators] = [
      await api.team(name, 'engineers', { 'sso-team-id': 'eng' }),
      await api.team(name, 'operators', { 'sso-team-id': 'ops' }),
    ];
    const { browser, sub } = await inGroups(['eng', 'ops']);
    const { browser: other } = await inGroups(['eng']);
    const shown = await api.admin.get(`/admin/organizations/${name}`).expect(200);
    expect(shown.body.data.attributes['sso-group-memberships']).toEqual([
      { group: 'eng', memberships: 2 },
      { group: 'ops', memberships: 1 },
    ]);
    const { body } = await give(name, 'ops').expect(200);
    expect(body.data.attributes).toMatchObject({ 'sso-groups': ['ops'], 'ended-memberships': 2 });
    const members = async (team: string) =>
      (await api.admin.get(`/teams/${team}`).expect(200)).body.data.relationships.users.data.length;
    expect([await members(engineers), await members(operators)]).toEqual([0, 1]);
    await browser.get(`/organizations/${name}`).expect(200);
    await other.get(`/organizations/${name}`).expect(404);
    await inGroups(['eng', 'ops'], sub);
    expect(await members(engineers)).toBe(0);
  });
});

describe('groups at the provider', () => {
  it('make members of the teams that an owner mapped, as long as the person is in them', async () => {
    const name = await organizationWith('eng');
    const engineers = await api.team(name, 'engineers', { 'sso-team-id': 'eng' });
    const { browser, sub } = await inGroups(['eng', 'other']);
    const { id } = (await browser.get('/session').expect(200)).body.data.attributes.user;
    const members = async () => {
      const { body } = await api.admin.get(`/teams/${engineers}`).expect(200);
      return body.data.relationships.users.data.map((user: { id: string }) => user.id);
    };
    expect(await members()).toEqual([id]);
    await browser.get(`/organizations/${name}`).expect(200);
    const { body } = await api.admin.get(`/organizations/${name}/audit-events`).expect(200);
    expect(body.data[0].attributes).toMatchObject({ action: 'team-members/follow-groups', subject: engineers });
    await inGroups([], sub);
    expect(await members()).toEqual([]);
    await browser.get(`/organizations/${name}`).expect(404);
  });

  it.each([
    ['a missing claim', undefined],
    ['an empty text', ''],
    ['empty texts', ['', '']],
    ['a claim of another kind', { eng: true }],
  ])('are none in %s', async (_, groups) => {
    const team = await api.team(first, newName('team'));
    expect((await map(team, '').expect(200)).body.data.attributes['sso-team-id']).toBeNull();
    await inGroups(groups);
    expect((await api.admin.get(`/teams/${team}`).expect(200)).body.data.relationships.users.data).toEqual([]);
  });

  it('are mapped by owners only', async () => {
    const name = await organizationWith('*');
    const managers = await api.team(name, 'managers', { 'organization-access': { 'manage-teams': true } });
    const manager = await api.member(name, newName('manager'), [managers]);
    const token = await api.organizationToken(name);
    const team = await api.team(name, 'plain', { visibility: 'organization', 'sso-team-id': 'eng' });
    for (const caller of [manager, token]) {
      const change = (group: string | null) =>
        caller.patch(`/teams/${team}`, doc('teams', { 'sso-team-id': group, visibility: 'organization' }));
      expect((await change('owners').expect(404)).body).toEqual(lacking('owner'));
      await change(null).expect(404);
      await change('eng').expect(200);
      const fresh = doc('teams', { name: newName('team'), 'sso-team-id': 'eng' });
      await caller.post(`/organizations/${name}/teams`, fresh).expect(404);
    }
  });
});
