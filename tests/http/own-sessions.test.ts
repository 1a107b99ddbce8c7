import { afterAll, describe, expect, it } from '@jest/globals';
import { doc, missing, newName, refusal, startApi } from '../support/api.js';
import { HostileProvider, type Told } from '../support/hostile-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await HostileProvider.start();
const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on', OIDC_GROUPS_CLAIM: 'groups' };
const api = await startApi({ environment });

afterAll(() => provider.stop());

const someone = (token: object = {}): Told => {
  const sub = newName('person');
  return { sub, token: { ...token }, userinfo: { email: `${sub}@example.com`, email_verified: true } };
};

async function signedIn(person = someone()): Promise<Visitor<Told>> {
  const browser = new Visitor<Told>(api, provider);
  await browser.signIn(person);
  return browser;
}

const userOf = async (browser: Visitor<Told>) =>
  (await browser.get('/session').expect(200)).body.data.attributes.user as { id: string } | null;

const sessionsOf = async (browser: Visitor<Told>) => (await browser.get('/account/sessions').expect(200)).body.data;

const issue = async (browser: Visitor<Told>) => {
  const { id } = (await userOf(browser)) as { id: string };
  const path = `/users/${id}/authentication-tokens`;
  return browser.send('post', path, doc('authentication-tokens', { description: 'made in a session' }));
};

describe('the sessions of a person', () => {
  it('are listed, the newest first, at both mounts', async () => {
    const person = someone();
    const older = await signedIn(person);
    api.clock.advance(60);
    const newer = await signedIn(person);
    const listed = await sessionsOf(newer);
    const common = {
      type: 'sessions',
      relationships: {
        identity: { data: { id: expect.stringMatching(/^idn-/), type: 'identities' } },
        'authentication-token': { data: null },
      },
    };
    const attributes = { 'expires-at': expect.any(String), 'last-used-at': null, 'tokens-made-in-sessions': 0 };
    const at = (seconds: number) => new Date(Date.parse(api.clock.now()) + seconds * 1_000).toISOString();
    expect(listed).toEqual([
      { ...common, id: expect.any(String), attributes: { ...attributes, 'created-at': at(0), 'is-current': true } },
      { ...common, id: expect.any(String), attributes: { ...attributes, 'created-at': at(-60), 'is-current': false } },
    ]);
    expect((await older.get('/api/v2/account/sessions').expect(200)).body.data).toHaveLength(2);
    await api.flushTokenUses();
    const used = (await sessionsOf(newer)).map((one: { attributes: object }) => one.attributes);
    expect(used).toMatchObject([{ 'last-used-at': at(0) }, { 'last-used-at': at(0) }]);
  });

  it('end one by one, and another person’s do not', async () => {
    const person = someone();
    const [one, other, stranger] = [await signedIn(person), await signedIn(person), await signedIn()];
    const [foreign] = await sessionsOf(stranger);
    await one.send('delete', `/account/sessions/${foreign.id}`).expect(404);
    const listed = await sessionsOf(one);
    const { id } = listed.find(
      (session: { attributes: object }) => !('is-current' in session.attributes && session.attributes['is-current']),
    );
    await one.send('delete', `/account/sessions/${id}`).expect(204);
    await one.send('delete', `/account/sessions/${id}`).expect(404);
    expect([await userOf(one), await userOf(other), await userOf(stranger)]).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
  });

  it('end everywhere, with the tokens that they made if the person wants it', async () => {
    const person = someone();
    let revoked: string | undefined;
    for (const [query, status] of [
      ['', 200],
      ['?revoke-tokens=false', 200],
      ['?revoke-tokens=true', 401],
    ] as const) {
      const [one, other] = [await signedIn(person), await signedIn(person)];
      const { id, attributes } = (await issue(one)).body.data;
      const made = api.as(attributes.token);
      expect((await sessionsOf(one))[0].attributes['tokens-made-in-sessions']).toBeGreaterThan(0);
      await one.send('delete', `/account/sessions${query}`).expect(204);
      expect([await userOf(one), await userOf(other)]).toEqual([null, null]);
      await made.get('/account/details').expect(status);
      if (status === 401) revoked = id;
    }
    await (await signedIn()).send('delete', '/account/sessions?revoke-tokens=maybe').expect(422);
    const { body } = await api.admin.get('/admin/audit-events?page[size]=10').expect(200);
    const events = body.data.map(({ attributes }: { attributes: Record<string, string> }) => attributes);
    expect(events).toContainEqual(expect.objectContaining({ action: 'sessions/manage' }));
    // One for making it, and one for revoking it.
    const ofToken = events.filter(({ subject }: Record<string, string>) => subject === revoked);
    expect(ofToken.map(({ action }: Record<string, string>) => action)).toEqual(Array(2).fill('user-tokens/manage'));
  });

  it('are those of people alone', async () => {
    const organization = newName('organization');
    await api.organization(organization);
    const token = await api.organizationToken(organization);
    for (const path of ['/account/sessions', '/account/identities']) {
      expect((await token.get(path).expect(404)).body).toEqual(missing);
      await api.anonymous.get(path).expect(401);
    }
  });

  it('keep a token that was made with another, when all end with theirs', async () => {
    const user = await api.user(newName('person'));
    await user.delete('/account/sessions?revoke-tokens=true').expect(204);
    await user.get('/account/details').expect(200);
  });
});

describe('the identities of a person', () => {
  it('are listed and unlinked, which ends the other sessions', async () => {
    const person = someone();
    const [browser, other] = [await signedIn(person), await signedIn(person)];
    const { id: userId } = (await userOf(browser)) as { id: string };
    const second = doc('identities', { issuer: 'https://other.example', subject: 'second' });
    await api.admin.post(`/admin/users/${userId}/identities`, second).expect(201);
    const { body } = await browser.get('/account/identities').expect(200);
    expect(body).toEqual((await api.admin.get(`/admin/users/${userId}/identities`).expect(200)).body);
    const isFurther = ({ attributes }: { attributes: { subject: string } }) => attributes.subject === 'second';
    const [further, own] = [body.data.find(isFurther), body.data.find((one: never) => !isFurther(one))];
    await browser.send('delete', `/account/identities/${further.id}`).expect(204);
    await browser.send('delete', `/account/identities/${further.id}`).expect(404);
    expect([await userOf(browser), await userOf(other)]).toEqual([expect.anything(), null]);
    await browser.send('delete', `/api/v2/account/identities/${own.id}`).expect(204);
    expect(await userOf(browser)).toBeNull();
  });

  it('take the memberships with them that their groups made', async () => {
    const organization = newName('organization');
    await api.organization(organization);
    const groups = doc('organizations', { 'sso-groups': ['eng'] });
    await api.admin.patch(`/admin/organizations/${organization}`, groups).expect(200);
    await api.team(organization, 'engineers', { 'sso-team-id': 'eng' });
    const browser = await signedIn(someone({ groups: ['eng'] }));
    await browser.get(`/organizations/${organization}`).expect(200);
    const { id: userId } = (await userOf(browser)) as { id: string };
    const { body } = await browser.get('/account/identities').expect(200);
    const members = `/organizations/${organization}/organization-memberships`;
    const listed = async () => JSON.stringify((await api.admin.get(members).expect(200)).body);
    expect(await listed()).toContain(userId);
    await browser.send('delete', `/account/identities/${body.data[0].id}`).expect(204);
    expect(await listed()).not.toContain(userId);
  });
});

describe('a user token', () => {
  it('is made in a session for 15 minutes after the sign-in', async () => {
    const person = someone();
    const browser = await signedIn(person);
    const fresh = async () => (await browser.get('/session').expect(200)).body.data.attributes['can-issue-tokens'];
    api.clock.advance(900);
    expect(await fresh()).toBe(true);
    expect((await issue(browser)).status).toBe(201);
    api.clock.advance(1);
    expect(await fresh()).toBe(false);
    const answer = await issue(browser);
    expect([answer.status, answer.body]).toEqual([
      403,
      refusal(403, 'sign in again', expect.stringContaining('within 15 minutes after the sign-in')),
    ]);
    await browser.signIn(person);
    expect((await issue(browser)).status).toBe(201);
  });

  it('is made with a token at any time', async () => {
    const user = await api.user(newName('person'));
    api.clock.advance(10_000);
    const path = `/users/${user.id}/authentication-tokens`;
    await user.post(path, doc('authentication-tokens', { description: 'another' })).expect(201);
  });
});

describe('a username', () => {
  it.each(['user-1', 'team-x', 'USER-1', 'ou-1', 'org-a', 'run-bot'])(
    'is not %s, which begins as an id does',
    async (username) => {
      const body = doc('users', { username, email: `${newName('x')}@example.com` });
      const { errors } = (await api.admin.post('/admin/users', body).expect(422)).body;
      expect(errors[0].detail).toMatch(/^Username must not begin with \w+-, as ids do$/);
    },
  );

  it('that a provider gives a new user does not begin so either', async () => {
    const browser = await signedIn(someone({ preferred_username: 'user-1' }));
    expect(await userOf(browser)).toMatchObject({ username: 'user.1' });
  });
});
