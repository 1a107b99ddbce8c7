import { afterAll, describe, expect, it } from '@jest/globals';
import { type Caller, doc, invalid, missing, namesIn, newName, publicUrl, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { type Person, TestProvider } from '../support/identity-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await TestProvider.start(publicUrl);
const api = await startApi({ environment: { ...provider.environment, OIDC_CREATE_USERS: 'on', SESSION_HOURS: '500' } });
const plain = await startApi();

afterAll(() => provider.stop());

const change = (attributes: object) => doc('organizations', attributes);

async function newOrganization(at = api): Promise<string> {
  const name = newName('org');
  await at.organization(name);
  return name;
}

const unauthorized = (detail: string) => refusal(401, 'unauthorized', detail);
const noToken = unauthorized(
  'this organization does not accept user tokens, nor sessions made from one; sign in with the identity provider, or use a team or organization token',
);
const idle = unauthorized('the session was unused for longer than this organization allows; sign in again');
const old = unauthorized('the sign-in is longer ago than this organization allows; sign in again');

/** A person who is signed in, the same person's user token, and what both reach in the organization. */
async function member(organization: string, teams: readonly string[] = []) {
  const sub = newName('person');
  const person: Person = { sub, email: `${sub}@example.com`, email_verified: true, preferred_username: sub };
  const browser = new Visitor(api, provider);
  await browser.signIn(person);
  const { user } = (await browser.get('/session').expect(200)).body.data.attributes;
  const attributes = { description: 'mine' };
  const issued = await browser
    .send('post', `/users/${user.id}/authentication-tokens`, doc('authentication-tokens', attributes))
    .expect(201);
  const data = teams.map((id) => ({ id, type: 'teams' }));
  const invitation = doc('organization-memberships', { email: `${sub}@example.com` }, { teams: { data } });
  await api.admin.post(`/organizations/${organization}/organization-memberships`, invitation).expect(201);
  const token = api.as(issued.body.data.attributes.token, user.id);
  await token.get('/account/details').expect(200);
  return { person, browser, token };
}

describe('a switch that this service cannot enforce', () => {
  const restricting = [
    ['collaborator-auth-policy', 'two_factor_mandatory', 'password'],
    ['enforce-hyok', true, false],
    ['assessments-enforced', true, false],
  ] as const;

  it.each(restricting)(
    'is refused at the value that restricts, and taken at the other: %s',
    async (name, value, harmless) => {
      const organization = await newOrganization(plain);
      const words = expect.stringMatching(/ cannot be (true|two_factor_mandatory): this service .*/);
      const refused = await plain.admin.patch(`/organizations/${organization}`, change({ [name]: value })).expect(422);
      expect(refused.body).toEqual(invalid(name, words));
      const named = { name: newName(), email: 'ops@example.com', [name]: value };
      expect((await plain.admin.post('/organizations', change(named)).expect(422)).body).toEqual(invalid(name, words));
      const taken = await plain.admin.patch(`/organizations/${organization}`, change({ [name]: harmless })).expect(200);
      expect(taken.body.data.attributes[name]).toBe(harmless);
    },
  );

  it('is user-tokens-enabled while people cannot sign in without a token', async () => {
    const organization = await newOrganization(plain);
    const refused = await plain.admin
      .patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': false }))
      .expect(422);
    expect(refused.body).toEqual(invalid('user-tokens-enabled', expect.stringContaining('OIDC_ISSUER')));
    await plain.admin.patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': true })).expect(200);
  });
});

describe('an organization without user tokens', () => {
  it('refuses them wherever its resources are reached, and accepts sessions and other tokens', async () => {
    const organization = await newOrganization();
    const workspace = await api.workspace(organization, 'network');
    const team = await api.team(organization, 'platform', { 'organization-access': { 'manage-workspaces': true } });
    const secret = await api.team(organization, 'hidden');
    const { token, browser } = await member(organization, [team]);
    const teamToken = (
      await api.admin.post(`/teams/${team}/authentication-token`, doc('authentication-token')).expect(201)
    ).body.data.attributes.token;
    const organizationToken = await api.organizationToken(organization);
    const places = [
      `/organizations/${organization}`,
      `/organizations/${organization}/workspaces`,
      `/organizations/${organization}/runs`,
      `/organizations/${organization}/teams`,
      `/organizations/${organization}/changes`,
      `/organizations/${organization}/workspaces/network`,
      `/workspaces/${workspace}`,
      `/workspaces/${workspace}/vars`,
      `/workspaces/${workspace}/changes`,
      `/teams/${team}`,
    ];
    for (const place of places) await token.get(place).expect(200);
    await api.admin.patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': false })).expect(200);
    for (const place of places) {
      expect((await token.get(place).expect(401)).body).toEqual(noToken);
      await browser.get(place).expect(200);
    }
    const lock = `/workspaces/${workspace}/actions/lock`;
    const refused = await token.post(lock).expect(401);
    expect(refused.body).toEqual(noToken);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    for (const other of [api.as(teamToken), organizationToken]) {
      await other.get(`/organizations/${organization}/workspaces`).expect(200);
    }
    // A resource that the caller could not see before answers as it did.
    for (const path of [`/teams/${secret}`, `/teams/team-unknown`, '/workspaces/ws-unknown']) {
      expect((await token.get(path).expect(404)).body).toEqual(missing);
    }
    const stranger = await api.user(newName());
    for (const place of places) expect((await stranger.get(place).expect(404)).body).toEqual(missing);
    await token.get('/account/details').expect(200);
  });

  it('is left out of lists, and the other organizations of the caller are not', async () => {
    const [closed, open] = [await newOrganization(), await newOrganization()];
    const { token, browser, person } = await member(closed);
    const invitation = doc('organization-memberships', { email: person.email });
    await api.admin.post(`/organizations/${open}/organization-memberships`, invitation).expect(201);
    const listed = async (get: (path: string) => ReturnType<Caller['get']>) =>
      namesIn((await get('/organizations').expect(200)).body).toSorted();
    expect(await listed((path) => token.get(path))).toEqual([closed, open].toSorted());
    await api.admin.patch(`/organizations/${closed}`, change({ 'user-tokens-enabled': false })).expect(200);
    expect(await listed((path) => token.get(path))).toEqual([open]);
    expect(await listed((path) => browser.get(path))).toEqual([closed, open].toSorted());
  });

  it('lets an owner show and update it with a user token, and nothing else; a site administrator is not restricted', async () => {
    const organization = await newOrganization();
    const { token } = await member(organization, [await api.owners(organization)]);
    await api.admin.patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': false })).expect(200);
    await token.get(`/organizations/${organization}`).expect(200);
    await token.get(`/organizations/${organization}/entitlement-set`).expect(401);
    expect((await token.get(`/organizations/${organization}/workspaces`).expect(401)).body).toEqual(noToken);
    expect((await token.delete(`/organizations/${organization}`).expect(401)).body).toEqual(noToken);
    const lifetimes = doc('organization-token-ttl-policies', {
      'token-ttl-policies': [{ 'token-type': 'user', 'max-ttl-ms': 3_600_000 }],
    });
    const policies = `/organizations/${organization}/token-ttl-policies`;
    expect((await token.patch(policies, lifetimes).expect(401)).body).toEqual(noToken);
    await api.admin.get(`/organizations/${organization}/workspaces`).expect(200);
    expect(namesIn((await api.admin.get('/organizations?page[size]=100').expect(200)).body)).toContain(organization);
    await token.patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': true })).expect(200);
    await token.get(`/organizations/${organization}/workspaces`).expect(200);
  });

  it('keeps taking an upload that a member announced in a session', async () => {
    const organization = await newOrganization();
    const team = await api.team(organization, 'platform', { 'organization-access': { 'manage-workspaces': true } });
    const workspace = await api.workspace(organization, 'network');
    const { browser } = await member(organization, [team]);
    await api.admin.patch(`/organizations/${organization}`, change({ 'user-tokens-enabled': false })).expect(200);
    const made = await browser
      .send('post', `/workspaces/${workspace}/configuration-versions`, doc('configuration-version', {}))
      .expect(201);
    await api.upload(made.body.data.attributes['upload-url'], await archiveOf({ 'main.tf': '' })).expect(200);
  });
});

describe('an organization that limits sessions', () => {
  const get = (browser: Visitor, path: string) => browser.get(path);
  const use = async (browser: Visitor) => {
    await get(browser, '/account/details').expect(200);
    await api.flushTokenUses();
  };

  it('refuses one that was unused for longer, also once it is used again, until the next sign-in', async () => {
    const [limited, open] = [await newOrganization(), await newOrganization()];
    const { person, browser } = await member(limited);
    await use(browser);
    await api.admin.patch(`/organizations/${limited}`, change({ 'session-timeout': 30 })).expect(200);
    api.clock.advance(30 * 60);
    await get(browser, `/organizations/${limited}`).expect(200);
    await use(browser);
    api.clock.advance(30 * 60 + 1);
    expect((await get(browser, `/organizations/${limited}`).expect(401)).body).toEqual(idle);
    expect((await get(browser, `/organizations/${limited}/workspaces`).expect(401)).body).toEqual(idle);
    expect(namesIn((await get(browser, '/organizations').expect(200)).body)).toEqual([]);
    await get(browser, `/organizations/${open}`).expect(404);
    await use(browser);
    expect((await get(browser, `/organizations/${limited}`).expect(401)).body).toEqual(idle);
    await browser.signIn(person);
    await get(browser, `/organizations/${limited}`).expect(200);
    expect(namesIn((await get(browser, '/organizations').expect(200)).body)).toEqual([limited]);
  });

  it('refuses one that is older, however it is used', async () => {
    const organization = await newOrganization();
    const { person, browser, token } = await member(organization);
    await api.admin.patch(`/organizations/${organization}`, change({ 'session-remember': 60 })).expect(200);
    for (let minutes = 0; minutes < 60; minutes += 20) {
      await get(browser, `/organizations/${organization}`).expect(200);
      await use(browser);
      api.clock.advance(20 * 60);
    }
    await get(browser, `/organizations/${organization}`).expect(200);
    api.clock.advance(1);
    expect((await get(browser, `/organizations/${organization}`).expect(401)).body).toEqual(old);
    expect(namesIn((await get(browser, '/organizations').expect(200)).body)).toEqual([]);
    await token.get(`/organizations/${organization}`).expect(200);
    await browser.signIn(person);
    await get(browser, `/organizations/${organization}`).expect(200);
    await api.admin.patch(`/organizations/${organization}`, change({ 'session-remember': null })).expect(200);
    api.clock.advance(61 * 60);
    await get(browser, `/organizations/${organization}`).expect(200);
  });
});
