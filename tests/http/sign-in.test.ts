import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { OpenIdProvider } from '../../src/adapters/identity/openid-provider.js';
import { type Caller, doc, newName, publicUrl, refusal, startApi, type TestApi } from '../support/api.js';
import { clientId, clientSecret, type Person, TestProvider } from '../support/identity-provider.js';
import { Visitor } from '../support/visitor.js';

/** The URL of a service behind https. */
const secureUrl = 'https://gatehouse.test';

const provider = await TestProvider.start(publicUrl, secureUrl);
const creating = { ...provider.environment, OIDC_CREATE_USERS: 'on' };
const api = await startApi({ environment: creating });
const strict = await startApi({ environment: provider.environment });

afterAll(() => provider.stop());

const cookieName = 'gatehouse-session';
const visitor = (at: TestApi = api) => new Visitor(at, provider);

const someone = (): Person & { readonly email: string } => {
  const sub = newName('person');
  return { sub, email: `${sub}@example.com`, email_verified: true, preferred_username: sub };
};

async function signedIn(person: Person = someone(), at: TestApi = api): Promise<Visitor> {
  const browser = visitor(at);
  await browser.signIn(person);
  return browser;
}

const userOf = async (browser: Visitor) => (await browser.get('/session').expect(200)).body.data.attributes.user;

/** The title and the sentences of a page. */
const said = ({ text, headers }: Response): string => {
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  return text
    .replaceAll(/<(head)>.*<\/\1>|<[^>]+>/gs, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'")
    .trim();
};

describe('signing in', () => {
  it('makes a session that the API takes until its end', async () => {
    const person = someone();
    const browser = visitor();
    const before = await browser.get('/session').expect(200);
    expect(before.body.data.attributes).toEqual({
      'sign-in': true,
      'expires-at': null,
      'can-issue-tokens': false,
      user: null,
    });
    await browser.signIn(person);
    const { body } = await browser.get('/session').expect(200);
    expect(body.data).toEqual({
      id: 'current',
      type: 'sessions',
      attributes: {
        'sign-in': true,
        'expires-at': new Date(Date.parse(api.clock.now()) + 12 * 3_600_000).toISOString(),
        'can-issue-tokens': true,
        user: { id: expect.any(String), username: person.sub, email: person.email, 'is-site-admin': false },
      },
    });
    for (const mount of ['', '/api/v2']) {
      const account = await browser.get(`${mount}/account/details`).expect(200);
      expect(account.body.data.attributes.username).toBe(person.sub);
    }
    const path = `/api/v2/users/${body.data.attributes.user.id}/authentication-tokens`;
    await browser.send('post', path, doc('authentication-tokens', { description: 'mine' })).expect(201);
    const kept = browser.cookies.get(cookieName) as string;
    await browser.send('delete', '/session').expect(204);
    expect(browser.cookies.size).toBe(0);
    browser.cookies.set(cookieName, kept);
    await browser.get('/account/details').expect(401);
    await browser.send('delete', '/session').expect(204);
  });

  it('goes on to the page of this service that asked for it', async () => {
    const person = someone();
    const browser = visitor();
    const inside = '/app/acme/network/runs/run-1?tab=plan';
    const back = await browser.leave(person, `/session/sign-in?return_to=${encodeURIComponent(inside)}`);
    expect((await browser.get(back).expect(303)).headers.location).toBe(`http://gatehouse.test${inside}`);
    expect((await browser.get(await browser.leave(person)).expect(303)).headers.location).toBe(
      'http://gatehouse.test/app',
    );
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/app/../session',
    '/app/%2e%2e/x',
    '/appendix',
    '/app//x',
    '/\\evil',
  ])('does not go on to %s', async (path) => {
    const answer = await visitor()
      .get(`/session/sign-in?return_to=${encodeURIComponent(path)}`)
      .expect(400);
    expect(said(answer)).toContain('return_to must be a path of this service below /app');
  });

  it('sets a cookie that only this service reads, and a new one each time', async () => {
    const person = someone();
    const browser = await signedIn(person);
    const first = browser.cookies.get(cookieName) as string;
    const answer = await browser.get(await browser.leave(person)).expect(303);
    const [session, pending] = answer.headers['set-cookie'] as unknown as readonly string[];
    expect(session).toMatch(/^gatehouse-session=[\w.]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    expect(pending).toBe('gatehouse-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    expect(browser.cookies.get(cookieName)).not.toBe(first);
    const old = visitor();
    old.cookies.set(cookieName, first);
    await old.get('/account/details').expect(401);
    expect(await api.stored()).not.toContain(first);
    expect(await api.stored()).not.toContain(browser.cookies.get(cookieName));
  });

  it('sets a __Host- cookie behind https', async () => {
    const secure = await startApi({ environment: creating, publicUrl: secureUrl });
    const browser = visitor(secure);
    const answer = await browser.get(await browser.leave(someone())).expect(303);
    for (const one of answer.headers['set-cookie'] as unknown as readonly string[]) {
      expect(one).toMatch(/^__Host-gatehouse-[\w-]+=[\w.]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
    }
    await browser.get('/account/details').expect(200);
  });

  it('is recorded, and so is its end', async () => {
    const person = someone();
    const browser = await signedIn(person);
    const { id } = await userOf(browser);
    const recorded = async () => {
      const { body } = await api.admin.get('/admin/audit-events?page[size]=10').expect(200);
      const events: { attributes: Record<string, unknown> }[] = body.data;
      return events.map(({ attributes }) => attributes).filter((event) => event['actor-id'] === id);
    };
    await browser.send('delete', '/session').expect(204);
    const own = await recorded();
    const first = ['sessions/end', 'sessions/start', 'identities/link', 'users/create-at-sign-in'];
    expect(own.map((event) => event.action)).toEqual(first);
    expect(new Set(own.map((event) => event['token-id'])).size).toBe(1);
    await signedIn(person);
    const later = (await recorded()).map((event) => event.action);
    expect(later).toEqual(['sessions/start', ...first]);
  });
});

describe('a session', () => {
  it('ends with its age, at the exact instant', async () => {
    const own = await startApi({ environment: { ...creating, SESSION_HOURS: '1' } });
    const browser = await signedIn(someone(), own);
    own.clock.advance(3_599);
    await browser.get('/account/details').expect(200);
    own.clock.advance(1);
    await browser.get('/account/details').expect(401);
    expect(await userOf(browser)).toBeNull();
  });

  it('ends when its user is suspended, and does not come back', async () => {
    const person = someone();
    const browser = await signedIn(person);
    const { id } = await userOf(browser);
    await api.admin.post(`/admin/users/${id}/actions/suspend`).expect(200);
    await browser.get('/account/details').expect(401);
    const answer = await browser.get(await browser.leave(person)).expect(403);
    expect(said(answer)).toContain('Your user is suspended');
    await api.admin.post(`/admin/users/${id}/actions/unsuspend`).expect(200);
    await browser.get('/account/details').expect(401);
    await browser.signIn(person);
    await browser.get('/account/details').expect(200);
  });

  it('ends with its user, whose person may come again as another', async () => {
    const person = someone();
    const browser = await signedIn(person);
    const { id } = await userOf(browser);
    await api.admin.delete(`/admin/users/${id}`).expect(204);
    await browser.get('/account/details').expect(401);
    await api.settle();
    await browser.signIn(person);
    expect((await userOf(browser)).id).not.toBe(id);
  });

  it('is not looked at where there is a token', async () => {
    const browser = await signedIn();
    const other = await api.user(newName('other'));
    const asOther = await browser.get('/account/details').set('Authorization', `Bearer ${other.secret}`).expect(200);
    expect(asOther.body.data.id).toBe(other.id);
    for (const header of ['Bearer wrong', 'Basic YTpi']) {
      await browser.get('/account/details').set('Authorization', header).expect(401);
    }
  });

  it('counts on the API only', async () => {
    const browser = await signedIn();
    await browser.send('post', '/agent/v1/claims', {}).expect(401);
    await browser.get('/agent/v1/runs/run-1/configuration').expect(401);
    await browser.get('/v1/object/unknown').expect(404);
    await browser.send('put', '/v1/object/unknown').expect(404);
    await browser.send('post', '/hooks/unknown', {}).expect(404);
  });

  it('changes nothing for a page of another origin', async () => {
    const browser = await signedIn();
    const { id } = await userOf(browser);
    const path = `/api/v2/users/${id}/authentication-tokens`;
    const body = doc('authentication-tokens', { description: 'theirs' });
    const crossSite = refusal(403, 'forbidden', expect.stringContaining('X-Gatehouse-Console: 1'));
    const own = 'http://gatehouse.test';
    for (const headers of [
      {},
      { 'X-Gatehouse-Console': '1' },
      { Origin: own },
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'X-Gatehouse-Console': '1', Origin: 'http://evil.test' },
      { 'X-Gatehouse-Console': '1', Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { 'X-Gatehouse-Console': '1', 'Sec-Fetch-Site': 'same-site' },
      { 'X-Gatehouse-Console': 'yes', Origin: own },
    ]) {
      expect((await browser.bare('post', path, body).set(headers).expect(403)).body).toEqual(crossSite);
      expect((await browser.bare('delete', '/session').set(headers).expect(403)).body).toEqual(crossSite);
    }
    await browser.bare('post', path, body).set({ 'X-Gatehouse-Console': '1', Origin: own }).expect(201);
    await browser.bare('get', path).expect(200);
  });

  it('takes up the invitations of its user', async () => {
    const person = someone();
    const organization = newName('organization');
    await api.organization(organization);
    const invitation = doc('organization-memberships', { email: person.email });
    const members = `/organizations/${organization}/organization-memberships`;
    const { body } = await api.admin.post(members, invitation).expect(201);
    const statusOf = async (caller: Caller) =>
      (await caller.get(`/organization-memberships/${body.data.id}`).expect(200)).body.data.attributes.status;
    expect(await statusOf(api.admin)).toBe('invited');
    const browser = await signedIn(person);
    await browser.get(`/organizations/${organization}`).expect(200);
    expect(await statusOf(api.admin)).toBe('active');
  });
});

describe('a sign-in', () => {
  it('of a person whose address is not verified creates no user, and takes up no invitation', async () => {
    for (const email_verified of [false, undefined]) {
      const { email_verified: _, ...person } = someone();
      const browser = visitor();
      const who = { ...person, ...(email_verified === undefined ? {} : { email_verified }) };
      const answer = await browser.get(await browser.leave(who)).expect(403);
      expect(said(answer)).toContain('does not say that it has verified your e-mail address');
      expect(browser.cookies.has(cookieName)).toBe(false);
    }
  });

  it('is never linked to a user by the e-mail address', async () => {
    const username = newName('person');
    await api.user(username);
    const browser = visitor();
    const answer = await browser
      .get(await browser.leave({ ...someone(), email: `${username}@example.com` }))
      .expect(403);
    expect(said(answer)).toContain('Ask a site administrator to link your identity to that user');
    expect(await userOf(browser)).toBeNull();
  });

  it('never makes a site administrator, whatever the claims', async () => {
    const claims = { groups: ['admins', 'owners'], 'is-site-admin': true, site_administrator: true };
    const browser = await signedIn({ ...someone(), ...claims });
    expect((await userOf(browser))['is-site-admin']).toBe(false);
    await browser.get('/admin/users').expect(404);
  });

  it('gives a new user a name that is free', async () => {
    const preferred_username = newName('taken by');
    const first = await userOf(await signedIn({ ...someone(), preferred_username }));
    const second = await userOf(await signedIn({ ...someone(), preferred_username }));
    const name = preferred_username.replaceAll(' ', '-');
    expect([first.username, second.username]).toEqual([name, `${name}-2`]);
  });

  it('of a person without a user says what to do, where users are not created', async () => {
    const person = someone();
    const browser = visitor(strict);
    const answer = await browser.get(await browser.leave(person)).expect(403);
    const words = said(answer);
    expect(words).toContain('You are not signed in');
    expect(words).toContain(`its issuer is ${provider.issuer}, its subject is ${person.sub}`);
    expect(browser.cookies.has(cookieName)).toBe(false);
  });

  it('that the provider refuses says so', async () => {
    const browser = visitor();
    const answer = await browser.get(await browser.leave(null)).expect(403);
    expect(said(answer)).toContain('The identity provider refused the sign-in (access_denied)');
  });

  it('that was not begun in this browser is refused, and so is one that was completed', async () => {
    const browser = visitor();
    const back = await browser.leave(someone());
    const sealed = browser.cookies.get('gatehouse-sign-in') as string;
    expect(said(await visitor().get(back).expect(400))).toContain('was not begun in this browser');
    const altered = visitor();
    // The last characters may have bits that mean nothing.
    const other = sealed.at(-10) === 'A' ? 'B' : 'A';
    altered.cookies.set('gatehouse-sign-in', `${sealed.slice(0, -10)}${other}${sealed.slice(-9)}`);
    expect(said(await altered.get(back).expect(400))).toContain('was not begun in this browser');
    const another = visitor();
    await another.leave(someone());
    expect(said(await another.get(back).expect(400))).toContain('belongs to another sign-in');
    await browser.get(back).expect(303);
    const again = visitor();
    again.cookies.set('gatehouse-sign-in', sealed);
    expect(said(await again.get(back).expect(400))).toContain('or was used before');
    expect(said(await visitor().get('/session/callback').expect(400))).toContain('was not begun in this browser');
  });

  it('that takes too long is refused', async () => {
    const browser = visitor();
    const back = await browser.leave(someone());
    api.clock.advance(600);
    expect(said(await browser.get(back).expect(400))).toContain('or it took too long');
  });

  it('says so when the provider is unavailable, and works once it is back', async () => {
    const away = await startApi({ environment: creating });
    const browser = visitor(away);
    provider.broken = 500;
    const answer = await browser.get('/session/sign-in').expect(503);
    expect(said(answer)).toContain('The identity provider does not answer');
    expect(answer.text).toContain('/session/sign-in">');
    expect(answer.headers['retry-after']).toBeDefined();
    provider.broken = undefined;
    const back = await browser.leave(someone());
    provider.broken = 500;
    expect(said(await browser.get(back).expect(503))).toContain('does not answer as it should');
    provider.broken = undefined;
    await browser.get(await browser.leave(someone())).expect(303);
    expect(away.log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('says so when the provider does not know the service', async () => {
    const wrong = await startApi({ environment: { ...creating, OIDC_CLIENT_SECRET: 'not the secret of gatehouse' } });
    const browser = visitor(wrong);
    const answer = await browser.get(await browser.leave(someone())).expect(503);
    expect(said(answer)).toContain('does not accept this service');
  });

  it('waits for a provider that never answers no longer than it must', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const never = new OpenIdProvider({
      issuer: `http://127.0.0.1:${port}`,
      clientId,
      clientSecret,
      scopes: 'openid',
      redirectUri: 'http://gatehouse.test/session/callback',
      timeoutSeconds: 0.01,
    });
    await expect(never.begin()).rejects.toMatchObject({ code: 'sign-in/provider-unavailable' });
    silent.closeAllConnections();
    silent.close();
  });
});

describe('without an identity provider', () => {
  it('no sign-in is possible, and cookies are ignored', async () => {
    const off = await startApi();
    const browser = visitor(off);
    const shown = await browser.get('/session').expect(200);
    expect(shown.body.data.attributes).toEqual({
      'sign-in': false,
      'expires-at': null,
      'can-issue-tokens': false,
      user: null,
    });
    const page = await browser.get('/session/sign-in').expect(404);
    expect(said(page)).toContain('has not set OIDC_ISSUER');
    expect(page.text).not.toContain('/session/sign-in">');
    await browser.get('/session/callback?code=x').expect(400);
    browser.cookies.set(cookieName, off.admin.secret as string);
    await browser.get('/account/details').expect(401);
  });
});

describe('identities, to a site administrator', () => {
  it('are linked, listed and unlinked, which ends the sessions of the user', async () => {
    const user = await strict.user(newName('person'));
    const person = someone();
    const path = `/admin/users/${user.id}/identities`;
    const attributes = { issuer: provider.issuer, subject: person.sub };
    const { body } = await strict.admin.post(path, doc('identities', attributes)).expect(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^idn-/),
      type: 'identities',
      attributes: { ...attributes, 'created-at': strict.clock.now() },
      relationships: { user: { data: { id: user.id, type: 'users' } } },
    });
    expect((await strict.admin.get(path).expect(200)).body.data).toEqual([body.data]);
    const browser = await signedIn(person, strict);
    expect((await userOf(browser)).id).toBe(user.id);
    const again = await strict.admin.post(path, doc('identities', attributes)).expect(422);
    expect(again.body.errors[0].source.pointer).toBe('/data/attributes/subject');
    await strict.admin.delete(`/admin/users/${strict.admin.id}/identities/${body.data.id}`).expect(404);
    await strict.admin.delete(`${path}/${body.data.id}`).expect(204);
    await strict.admin.delete(`${path}/${body.data.id}`).expect(404);
    await browser.get('/account/details').expect(401);
    await browser.get(await browser.leave(person)).expect(403);
  });

  it('have an issuer and a subject', async () => {
    const user = await strict.user(newName('person'));
    const issuer = 'https://provider.example';
    const identities = `/admin/users/${user.id}/identities`;
    for (const attributes of [{ issuer }, { issuer: ' ', subject: 'x' }, { issuer, subject: 's'.repeat(256) }]) {
      await strict.admin.post(identities, doc('identities', attributes)).expect(422);
    }
    await strict.admin.post(identities, doc('identities', { issuer, subject: 's'.repeat(255) })).expect(201);
    await strict.admin
      .post('/admin/users/user-none/identities', doc('identities', { issuer: 'a', subject: 'b' }))
      .expect(404);
    await strict.admin.get('/admin/users/user-none/identities').expect(404);
  });
});
