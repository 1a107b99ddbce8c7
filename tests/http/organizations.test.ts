import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  invalid,
  missing,
  newName,
  prefix,
  refusal,
  startApi,
  tokenDocument,
} from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;

async function newOrganization(): Promise<string> {
  const name = newName();
  await api.organization(name);
  return name;
}

const idsOf = (body: { data: readonly { id: string }[] }): readonly string[] => body.data.map(({ id }) => id);

const membershipOf = async (organization: string, { id }: Caller): Promise<string> => {
  const { body } = await api.admin.get(`/organizations/${organization}/organization-memberships`).expect(200);
  return body.data.find(
    (row: { relationships: { user: { data: { id: string } } } }) => row.relationships.user.data.id === id,
  ).id;
};

const everyPermission = (value: boolean) => ({
  'can-update': value,
  'can-destroy': value,
  'can-create-team': value,
  'can-create-workspace': value,
  'can-create-project': value,
  'can-read-effective-access': value,
  'can-manage-users': value,
  'can-update-api-token': value,
  'can-read-varsets': value,
  'can-manage-varsets': value,
  'can-update-sentinel': value,
  'can-manage-run-tasks': value,
  'can-update-agent-pools': value,
  'can-read-audit-events': value,
});

/** The settings of a new organization. */
const initialSettings = {
  'aggregated-commit-status-enabled': true,
  'allow-force-delete-workspaces': false,
  'assessments-enforced': false,
  'collaborator-auth-policy': 'password',
  'cost-estimation-enabled': false,
  'enforce-hyok': false,
  'max-ttl-enabled': false,
  'owners-team-saml-role-id': null,
  'registry-monorepo-support-enabled': false,
  'send-passing-statuses-for-untriggered-speculative-plans': false,
  'session-remember': null,
  'session-timeout': null,
  'speculative-plan-management-enabled': true,
  'stacks-enabled': false,
  'user-tokens-enabled': true,
};

describe('organizations', () => {
  const resource = (name: string, attributes: object = {}) => ({
    id: name,
    type: 'organizations',
    attributes: {
      name,
      email: 'ops@example.com',
      'external-id': expect.stringMatching(/^org-[A-Za-z0-9]{16}$/),
      'created-at': api.clock.now(),
      'default-execution-mode': 'remote',
      'remaining-testable-count': 0,
      ...initialSettings,
      ...attributes,
    },
    relationships: {
      'data-retention-policy': {
        data: null,
        links: { related: `${prefix}/organizations/${name}/relationships/data-retention-policy` },
      },
      'default-agent-pool': { data: null },
      'default-project': { data: { id: expect.stringMatching(/^prj-/), type: 'projects' } },
      'entitlement-set': { links: { related: `${prefix}/organizations/${name}/entitlement-set` } },
    },
    links: { self: `${prefix}/organizations/${name}` },
  });

  /** As in a response about a single organization. */
  const owned = (name: string, attributes: object = {}) =>
    resource(name, { permissions: everyPermission(true), ...attributes });

  it('are created by a site administrator, who owns them from then on', async () => {
    const name = newName();
    const body = doc('organizations', { name, email: 'ops@example.com' });
    const created = await admin.post('/organizations', body).expect(201);
    expect(created.body).toEqual({ data: owned(name) });
    const shown = await admin.get(`/organizations/${name}`).expect(200);
    expect(shown.body).toEqual({ data: owned(name) });
    const memberships = await admin.get(`/organizations/${name}/organization-memberships`).expect(200);
    expect(memberships.body.data.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      { status: 'active', email: 'admin@example.com', username: 'admin', 'created-at': api.clock.now() },
    ]);
    const teams = await admin.get(`/organizations/${name}/teams`).expect(200);
    expect(teams.body.data[0].attributes).toMatchObject({ name: 'owners', 'users-count': 1 });
  });

  it('are listed by name, to their members only', async () => {
    const [first, second] = [`A-${newName()}`, `b-${newName()}`];
    for (const name of [second, first]) await api.organization(name);
    const caller = await api.member(second, newName());
    const list = await caller.get('/organizations').expect(200);
    expect(list.body.data).toEqual([resource(second, { permissions: everyPermission(false) })]);
    expect(list.body.links.self).toBe(`${prefix}/organizations?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
    expect(list.body.meta.pagination['total-count']).toBe(1);
    await api.admin.post(`/organizations/${first}/organization-memberships`, {
      data: { attributes: { email: (await caller.get('/account/details')).body.data.attributes.email } },
    });
    expect(idsOf((await caller.get('/organizations').expect(200)).body)).toEqual([first, second]);
    expect(idsOf((await caller.get('/organizations?page[size]=1&page[number]=2').expect(200)).body)).toEqual([second]);
    const token = await api.organizationToken(first);
    expect(idsOf((await token.get('/organizations').expect(200)).body)).toEqual([first]);
    expect((await (await api.user(newName())).get('/organizations').expect(200)).body.data).toEqual([]);
  });

  it('say in a list what they say alone', async () => {
    const [first, second, third] = [`a-${newName()}`, `b-${newName()}`, `c-${newName()}`];
    for (const name of [first, second, third]) await api.organization(name);
    const teams = [
      await api.team(second, newName(), { 'organization-access': { 'manage-teams': true } }),
      await api.team(second, newName(), { 'organization-access': { 'manage-policies': true } }),
    ];
    const caller = await api.member(second, newName(), teams);
    const { email } = (await caller.get('/account/details')).body.data.attributes;
    const { data } = (await admin.get(`/organizations/${first}/teams?filter[names]=owners`).expect(200)).body;
    const owners = { teams: { data: [{ id: data[0].id, type: 'teams' }] } };
    for (const [name, relationships] of [[first, owners] as const, [third, {}] as const]) {
      const body = doc('organization-memberships', { email }, relationships);
      await admin.post(`/organizations/${name}/organization-memberships`, body).expect(201);
    }
    const issued = await admin.post(`/teams/${teams[0]}/authentication-token`).expect(201);
    const ofTeam = api.as(issued.body.data.attributes.token);
    for (const one of [caller, await api.organizationToken(second), ofTeam]) {
      const list = (await one.get('/organizations').expect(200)).body.data;
      expect(list).toHaveLength(one === caller ? 3 : 1);
      for (const listed of list) {
        expect((await one.get(`/organizations/${listed.id}`).expect(200)).body.data).toEqual(listed);
      }
    }
  });

  it('say to each caller what that caller may do', async () => {
    const name = await newOrganization();
    const permissions = async (caller: Caller) =>
      (await caller.get(`/organizations/${name}`).expect(200)).body.data.attributes.permissions;
    const nothing = everyPermission(false);
    expect(await permissions(await api.holderOf(name))).toEqual(nothing);
    expect(await permissions(await api.holderOf(name, 'manage-teams'))).toEqual({
      ...nothing,
      'can-create-team': true,
    });
    expect(await permissions(await api.holderOf(name, 'manage-workspaces', 'manage-membership'))).toEqual({
      ...nothing,
      'can-create-workspace': true,
      'can-manage-users': true,
      'can-read-varsets': true,
      'can-manage-varsets': true,
    });
    expect(await permissions(await api.organizationToken(name))).toEqual({
      ...nothing,
      'can-create-team': true,
      'can-create-workspace': true,
      'can-create-project': true,
      'can-manage-users': true,
      'can-update-agent-pools': true,
    });
  });

  it('include their default project, for those who have access to it', async () => {
    const name = await newOrganization();
    const { data, included } = (await admin.get(`/organizations/${name}?include=default-project`).expect(200)).body;
    const { id } = data.relationships['default-project'].data;
    expect(included).toEqual([(await admin.get(`/projects/${id}`).expect(200)).body.data]);
    const stranger = await api.holderOf(name);
    const shown = await stranger.get(`/organizations/${name}?include=default_project`).expect(200);
    expect(shown.body).not.toHaveProperty('included');
  });

  it('are renamed with all that hangs on them', async () => {
    const name = await newOrganization();
    const workspace = await api.workspace(name, 'api');
    const renamed = newName();
    const change = doc('organizations', { name: renamed });
    const answer = await admin.patch(`/organizations/${name}`, change).expect(200);
    expect(answer.body).toEqual({ data: owned(renamed) });
    expect((await admin.get(`/organizations/${name}`).expect(404)).body).toEqual(missing);
    const shown = (await admin.get(`/workspaces/${workspace}`).expect(200)).body.data;
    expect(shown.links.self).toBe(`${prefix}/organizations/${renamed}/workspaces/api`);
    expect(shown.relationships.organization).toEqual({ data: { id: renamed, type: 'organizations' } });
    await api.organization(name);
  });

  it('change only in what is named', async () => {
    const name = await newOrganization();
    for (const attributes of [{}, { email: null }, { name: null }, { 'unknown-attribute': 7 }]) {
      const answer = await admin.patch(`/organizations/${name}`, doc('organizations', attributes)).expect(200);
      expect(answer.body).toEqual({ data: owned(name) });
    }
    const email = 'new@example.com';
    const answer = await admin.patch(`/organizations/${name}`, doc('organizations', { email })).expect(200);
    expect(answer.body).toEqual({ data: owned(name, { email }) });
  });

  it('keep the settings that clients send, and show them again', async () => {
    const otherwise = {
      ...Object.fromEntries(
        Object.entries(initialSettings).map(([attribute, value]) => [attribute, value === null ? 20_160 : !value]),
      ),
      'owners-team-saml-role-id': 'Owners of everything',
      // Their other values are refused.
      ...Object.fromEntries(
        (['collaborator-auth-policy', 'enforce-hyok', 'assessments-enforced', 'user-tokens-enabled'] as const).map(
          (attribute) => [attribute, initialSettings[attribute]],
        ),
      ),
    };
    const name = newName();
    const given = { name, email: 'ops@example.com', ...otherwise };
    const created = await admin.post('/organizations', doc('organizations', given)).expect(201);
    expect(created.body).toEqual({ data: owned(name, otherwise) });
    expect((await admin.get(`/organizations/${name}`).expect(200)).body).toEqual({ data: owned(name, otherwise) });
    const change = async (attributes: object) =>
      (await admin.patch(`/organizations/${name}`, doc('organizations', attributes)).expect(200)).body.data.attributes;
    for (const [attribute, value] of Object.entries(initialSettings)) {
      expect(await change({ [attribute]: value })).toHaveProperty([attribute], value);
    }
    expect((await admin.get(`/organizations/${name}`).expect(200)).body).toEqual({ data: owned(name) });
  });

  it.each([
    ['collaborator-auth-policy', 'none', 'Collaborator auth policy must be one of password, two_factor_mandatory'],
    ['session-timeout', 0, 'Session timeout must be 1 to 36816480 minutes'],
    ['session-timeout', 2 ** 31, 'Session timeout must be 1 to 36816480 minutes'],
    ['session-remember', 'a day', 'Session remember must be a number'],
    ['enforce-hyok', 'yes', 'Enforce hyok must be a boolean'],
    ['owners-team-saml-role-id', 7, 'Owners team saml role id must be a string'],
  ])('refuse %s as %p', async (attribute, value, sentence) => {
    const name = await newOrganization();
    const refused = await admin
      .patch(`/organizations/${name}`, doc('organizations', { [attribute]: value }))
      .expect(422);
    expect(refused.body).toEqual(invalid(attribute, sentence));
  });

  it('are refused with one error for each attribute that is wrong', async () => {
    const post = async (body: object) => (await admin.post('/organizations', body).expect(422)).body;
    expect(await post({})).toEqual(refusal(422, 'invalid attribute', 'Data is required', { pointer: '/data' }));
    expect((await post(doc('organizations'))).errors).toEqual([
      ...invalid('name', 'Name is required').errors,
      ...invalid('email', 'Email is required').errors,
    ]);
    expect((await post(doc('organizations', { name: 7, email: ['a@b'] }))).errors).toEqual([
      ...invalid('name', 'Name must be a string').errors,
      ...invalid('email', 'Email must be a string').errors,
    ]);
    for (const name of ['', 'with blank', 'a/b', 'ä', 'x'.repeat(91)]) {
      const answer = await post(doc('organizations', { name, email: 'ops@example.com' }));
      expect(answer).toEqual(invalid('name', 'Name must be 1 to 90 letters, digits, dashes and underscores'));
    }
    for (const email of ['', 'nobody', '@', 'a b@c', 'a@']) {
      const answer = await post(doc('organizations', { name: newName(), email }));
      expect(answer).toEqual(invalid('email', 'Email must be an e-mail address'));
    }
  });

  it('have names of their own', async () => {
    const [name, other] = [await newOrganization(), await newOrganization()];
    const taken = invalid('name', 'Name has already been taken');
    const again = doc('organizations', { name, email: 'ops@example.com' });
    expect((await admin.post('/organizations', again).expect(422)).body).toEqual(taken);
    const change = doc('organizations', { name });
    expect((await admin.patch(`/organizations/${other}`, change).expect(422)).body).toEqual(taken);
  });

  it('report to members what the service can do for them', async () => {
    const name = await newOrganization();
    const id = (await admin.get(`/organizations/${name}`)).body.data.attributes['external-id'];
    const answer = await (await api.holderOf(name)).get(`/organizations/${name}/entitlement-set`).expect(200);
    expect(answer.body).toEqual({
      data: {
        id,
        type: 'entitlement-sets',
        attributes: {
          agents: true,
          'audit-logging': false,
          'cost-estimation': false,
          operations: true,
          'policy-enforcement': true,
          'private-module-registry': false,
          'run-tasks': true,
          sentinel: false,
          sso: false,
          'state-storage': false,
          teams: true,
          'user-limit': null,
          'vcs-integrations': true,
        },
        links: { self: `${prefix}/organizations/${name}/entitlement-set` },
      },
    });
  });
});

describe('the token of an organization', () => {
  let name: string;
  let path: string;

  beforeAll(async () => {
    name = await newOrganization();
    path = `/organizations/${name}/authentication-token`;
  });

  const resource = (token: unknown, attributes: object = {}) =>
    tokenDocument(
      expect.stringMatching(/^at-[A-Za-z0-9]{16}$/),
      { organization: { id: name, type: 'organizations' }, 'created-by': { id: admin.id, type: 'users' } },
      { 'created-at': api.clock.now(), token, ...attributes },
    );

  it('is shown in full once, when it is issued, and never again', async () => {
    expect((await admin.get(path).expect(404)).body).toEqual(missing);
    const issued = await admin.post(path).expect(201);
    expect(issued.body).toEqual({ data: resource(expect.stringMatching(/^\S{40,}$/)) });
    const shown = await admin.get(path).expect(200);
    expect(shown.body).toEqual({ data: { ...resource(null), id: issued.body.data.id } });
    await api.as(issued.body.data.attributes.token).get(`/organizations/${name}`).expect(200);
    expect((await admin.get(`/authentication-tokens/${issued.body.data.id}`).expect(404)).body).toEqual(missing);
  });

  it('is replaced by the next one, and dead from that moment', async () => {
    const [first, second] = [await api.organizationToken(name), await api.organizationToken(name)];
    await first.get(`/organizations/${name}`).expect(401);
    await second.get(`/organizations/${name}`).expect(200);
  });
});

describe('memberships of an organization', () => {
  let name: string;
  let path: string;

  beforeAll(async () => {
    name = await newOrganization();
    path = `/organizations/${name}/organization-memberships`;
  });

  const add = (caller: Caller, username: string, teamIds: readonly string[] = []) => {
    const teams = { data: teamIds.map((id) => ({ id, type: 'teams' })) };
    return caller.post(path, doc('organization-memberships', { email: `${username}@example.com` }, { teams }));
  };

  it('are added by the e-mail address of a user, in any spelling, with the teams named', async () => {
    const team = await api.team(name, newName());
    const username = newName();
    const user = await api.user(username);
    const created = await add(admin, username.toUpperCase(), [team, team]).expect(201);
    const { id } = created.body.data;
    const document = {
      data: {
        id,
        type: 'organization-memberships',
        attributes: {
          status: 'invited',
          email: `${username.toUpperCase()}@example.com`,
          username: null as string | null,
          'created-at': api.clock.now(),
        },
        relationships: {
          organization: { data: { id: name, type: 'organizations' } },
          user: { data: { id: user.id, type: 'users' } },
          teams: { data: [{ id: team, type: 'teams' }] },
        },
        links: { self: `${prefix}/organization-memberships/${id}` },
      },
    };
    expect(id).toMatch(/^ou-[A-Za-z0-9]{16}$/);
    const invited = { username: null, email: document.data.attributes.email, 'is-service-account': false };
    const included = [{ id: user.id, type: 'users', attributes: invited }];
    expect(created.body).toEqual({ ...document, included });
    expect((await admin.get(`/organization-memberships/${id}?include=user`).expect(200)).body).toEqual(created.body);
    expect((await admin.get(`/organization-memberships/${id}`).expect(200)).body).toEqual(document);
    expect((await user.get(`/teams/${team}`).expect(200)).body.data.relationships.users).toEqual({
      data: [{ id: user.id, type: 'users' }],
    });
    // That was the user's first request since.
    Object.assign(document.data.attributes, { status: 'active', email: `${username}@example.com`, username });
    expect((await admin.get(`/organization-memberships/${id}`).expect(200)).body).toEqual(document);
  });

  it('show of an address whether its user has come, and never whether there is one', async () => {
    const organization = await newOrganization();
    const own = `/organizations/${organization}/organization-memberships`;
    const team = await api.team(organization, newName());
    const inviter = await api.holderOf(organization, 'manage-membership', 'access-secret-teams');
    const [known, unknown] = [`a-${newName()}`, `a-${newName()}`];
    await api.user(known);
    /** Every request about an invited address, without the members that differ between any two. */
    const story = async (username: string) => {
      const at = api.clock.now();
      const email = `${username}@Example.com`;
      const body = doc('organization-memberships', { email }, { teams: { data: [{ id: team, type: 'teams' }] } });
      const answers = [await inviter.post(own, body), await inviter.post(own, body)];
      const { id, relationships } = answers[0]?.body.data ?? {};
      const user = relationships.user.data.id;
      const members = (...ids: readonly string[]) => ({ data: ids.map((one) => ({ id: one, type: 'users' })) });
      answers.push(
        await inviter.get(`/organization-memberships/${id}`),
        await inviter.get(`${own}?page[size]=100`),
        await inviter.get(`/teams/${team}`),
        await inviter.get(`/organizations/${organization}/teams`),
        await inviter.post(`/teams/${team}/relationships/users`, members(user)),
        await inviter.post(`/teams/${team}/relationships/users`, members(username)),
        await inviter.send('delete', `/teams/${team}/relationships/users`, members(user)),
        await inviter.post(`/teams/${team}/relationships/organization-memberships`, {
          data: [{ id, type: 'organization-memberships' }],
        }),
        await inviter.get(`/users/${user}/authentication-tokens`),
        await api.admin.get(`/organizations/${organization}/audit-events?page[size]=100`),
        await inviter.delete(`/organization-memberships/${id}`),
        await inviter.get(`/organization-memberships/${id}`),
        await inviter.get(`/teams/${team}`),
      );
      const again = await inviter.post(own, body);
      expect(again.body.data.relationships.user.data.id).toBe(user);
      await inviter.delete(`/organization-memberships/${again.body.data.id}`).expect(204);
      expect(user).toMatch(/^user-[A-Za-z0-9]{16}$/);
      return answers.map(({ status, text }) =>
        [
          [id, 'MEMBERSHIP'],
          [user, 'USER'],
          [username, 'NAME'],
          [at, 'NOW'],
        ].reduce((seen, [from = '', to = '']) => seen.replaceAll(from, to), `${status} ${text}`),
      );
    };
    const [first, second] = [await story(known), await story(unknown)];
    // The trail goes on, and its events have ids of their own.
    const isTrail = (text: string) => text.includes('"audit-events"');
    expect(first?.filter((text) => !isTrail(text))).toEqual(second?.filter((text) => !isTrail(text)));
    expect(first?.[0]).toMatch(/^201 .*"status":"invited","email":"NAME@Example.com","username":null/);
    expect(first?.[1]).toMatch(/^422 .*User has already been taken/);
    expect(first?.[7]).toMatch(/^422 /);
  });

  it('of an address that no user has are taken up by the user who is created with it', async () => {
    const username = newName();
    const team = await api.team(name, newName());
    const invited = (await add(admin, username.toUpperCase(), [team]).expect(201)).body.data;
    const userId = invited.relationships.user.data.id;
    const users = (await api.admin.get('/admin/users?page[size]=100').expect(200)).text;
    expect(users).not.toContain(userId);
    await api.admin.post(`/admin/users/${userId}/actions/suspend`).expect(404);
    await api.admin.delete(`/admin/users/${userId}`).expect(404);
    const user = await api.user(username);
    expect(user.id).toBe(userId);
    const status = async () =>
      (await admin.get(`/organization-memberships/${invited.id}`).expect(200)).body.data.attributes.status;
    expect(await status()).toBe('invited');
    await user.get(`/teams/${team}`).expect(200);
    expect(await status()).toBe('active');
  });

  it('are listed by user name to every member, page by page', async () => {
    const organization = await newOrganization();
    const names = ['Zed', 'amy', 'Bob'].map((first) => `${first}-${newName()}`);
    for (const username of names) await api.member(organization, username);
    const caller = await api.member(organization, `mia-${newName()}`);
    const list = async (query: string) =>
      (await caller.get(`/organizations/${organization}/organization-memberships?${query}`).expect(200)).body;
    const usernames = (body: { data: readonly { attributes: { username: string } }[] }) =>
      body.data.map(({ attributes }) => attributes.username.split('-')[0]);
    expect(usernames(await list(''))).toEqual(['admin', 'amy', 'Bob', 'mia', 'Zed']);
    const page = await list('page[size]=2&page[number]=3');
    expect(usernames(page)).toEqual(['Zed']);
    expect(page.meta.pagination).toMatchObject({ 'next-page': null, 'total-pages': 3, 'total-count': 5 });
    expect(page.links.self).toContain(`${prefix}/organizations/${organization}/organization-memberships?`);
  });

  it('are refused with one error for each fault', async () => {
    const post = async (body: object) => (await admin.post(path, body).expect(422)).body.errors;
    const pointers = async (body: object) => (await post(body)).map(({ source }: { source: object }) => source);
    expect(await post(doc('organization-memberships'))).toEqual(invalid('email', 'Email is required').errors);
    const teams = { data: [{ type: 'teams' }, { type: 'teams', id: 5 }, { type: 'teams', id: '' }] };
    expect(await pointers(doc('organization-memberships', { email: 5 }, { teams }))).toEqual([
      { pointer: '/data/attributes/email' },
      { pointer: '/data/relationships/teams/data/0/id' },
      { pointer: '/data/relationships/teams/data/1/id' },
      { pointer: '/data/relationships/teams/data/2/id' },
    ]);
    const email = 'admin@example.com';
    expect(await pointers(doc('organization-memberships', { email }, { teams: { data: 'all' } }))).toEqual([
      { pointer: '/data/relationships/teams/data' },
    ]);
    expect(await pointers(doc('teams', { email }))).toEqual([{ pointer: '/data/type' }]);
  });

  it('name in the audit trail the team tokens that a removed member issued, which stay valid', async () => {
    const team = await api.team(name, newName());
    const leaver = await api.member(name, newName(), [team]);
    const issued = (await leaver.post(`/teams/${team}/authentication-token`, doc('authentication-tokens')).expect(201))
      .body.data;
    const id = await membershipOf(name, leaver);
    await admin.delete(`/organization-memberships/${id}`).expect(204);
    const trail = `/organizations/${name}/audit-events?filter[action]=memberships/manage&page[size]=1`;
    const [event] = (await admin.get(trail).expect(200)).body.data;
    expect(event.attributes).toMatchObject({
      subject: id,
      detail: { 'team-tokens': [{ id: issued.id, 'team-id': team }] },
    });
    await api.as(issued.attributes.token).get(`/teams/${team}`).expect(200);
    const listed = (await admin.get(`/organizations/${name}/team-tokens`).expect(200)).body.data;
    expect(listed[0].relationships['created-by'].data).toEqual({ id: leaver.id, type: 'users' });
  });
});
