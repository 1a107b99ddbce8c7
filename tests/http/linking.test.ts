import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { doc, newName, publicUrl, startApi } from '../support/api.js';
import { HostileProvider, type Told } from '../support/hostile-provider.js';
import { type Person, TestProvider } from '../support/identity-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await HostileProvider.start();
const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on' };
const real = await TestProvider.start(publicUrl);
let api = await startApi({ environment });

afterAll(() => Promise.all([provider.stop(), real.stop()]));

const someone = (told: Partial<Told> = {}): Told => {
  const sub = newName('person');
  return { sub, userinfo: { email: `${sub}@example.com`, email_verified: true }, ...told };
};

type Browser = Visitor<Told>;

async function signedIn(person = someone()): Promise<Browser> {
  const browser = new Visitor<Told>(api, provider);
  await browser.signIn(person);
  return browser;
}

const userOf = async (browser: Browser) => (await browser.get('/session').expect(200)).body.data.attributes.user;

/** The actions of the user, the newest first. */
async function actionsOf({ id }: { readonly id: string }): Promise<readonly string[]> {
  const { body } = await api.admin.get('/admin/audit-events?page[size]=20').expect(200);
  const events: { readonly attributes: Record<string, string> }[] = body.data;
  return events.flatMap(({ attributes }) => (attributes['actor-id'] === id ? (attributes.action ?? []) : []));
}

/** Seconds since 1970 by the clock of the service. */
const seconds = (offset = 0): number => Math.floor(Date.parse(api.clock.now()) / 1_000) + offset;

/** At the provider, a person who was asked to sign in now. */
const present = (told: Told, offset = 0): Told => ({ ...told, token: { ...told.token, auth_time: seconds(offset) } });

const withoutTime = (told: Told): Told => ({ ...told, token: { ...told.token, auth_time: undefined } });

const formOf = ({ text }: Response): string => /name="form" value="([\w-]+)"/.exec(text)?.[1] ?? '';

/** The sentences of a page. */
const said = ({ text }: Response): string =>
  text
    .replaceAll(/<(head)>.*<\/\1>|<[^>]+>/gs, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'");

/** Through the form. */
async function submit(browser: Browser, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
  const form = formOf(await browser.bare('get', '/session/link').expect(200));
  return browser.submit('/session/link', { form, return_to: '/app/settings/tokens', ...fields });
}

/** To the provider, as the person, from the page that goes on to it or the redirect; to the callback, not called yet. */
async function visit(answer: Response, person: Told): Promise<string> {
  const url = answer.headers.location ?? /content="0; url=([^"]+)"/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
  provider.person = person;
  const { pathname, search } = await provider.visit(url as string);
  return pathname + search;
}

/** Confirms with an identity that the person has, up to the answer that leads to the provider again. */
const confirm = async (browser: Browser, first: Told): Promise<Response> =>
  browser.get(await visit(await submit(browser), first));

describe('linking an identity', () => {
  it('asks for one that the person has, then adds the other, and ends the other sessions', async () => {
    const [first, second] = [someone(), someone()];
    const [browser, elsewhere] = [await signedIn(first), await signedIn(first)];
    const user = await userOf(browser);
    const again = await confirm(browser, present(first));
    expect(again.status).toBe(303);
    for (const asked of provider.asked.slice(-1)) {
      expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0']);
    }
    const answer = await browser.get(await visit(again, second)).expect(303);
    expect(answer.headers.location).toBe('http://gatehouse.test/app/settings/tokens');
    expect(await userOf(browser)).toEqual(user);
    expect(await userOf(elsewhere)).toBeNull();
    expect((await actionsOf(user)).slice(0, 2)).toEqual(['sessions/start', 'identities/link']);
    expect((await actionsOf(user)).filter((action) => action === 'users/create-at-sign-in')).toHaveLength(1);
    expect(await userOf(await signedIn(second))).toEqual(user);
  });

  it('works with a real provider', async () => {
    const own = await startApi({ environment: { ...real.environment, OIDC_CREATE_USERS: 'on' } });
    // The provider has the clock of this machine.
    own.clock.advance((Date.now() - Date.parse(own.clock.now())) / 1_000);
    const named = (sub: string): Person => ({ sub, email: `${sub}@example.com`, email_verified: true });
    const [first, second] = [named('first'), named('second')];
    const browser = new Visitor(own, real);
    await browser.signIn(first);
    const { body } = await browser.get('/session').expect(200);
    const form = formOf(await browser.bare('get', '/session/link').expect(200));
    const page = await browser.submit('/session/link', { form }).expect(200);
    const url = /content="0; url=([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') as string;
    const callback = async (at: string) => {
      const { pathname, search } = await real.visit(at);
      return browser.get(pathname + search).expect(303);
    };
    const again = await callback(url);
    real.person = second;
    await callback(again.headers.location as string);
    const other = new Visitor(own, real);
    await other.signIn(second);
    expect((await other.get('/session').expect(200)).body.data.attributes.user).toEqual(body.data.attributes.user);
  });

  it('of one that the person has changes nothing', async () => {
    const first = someone();
    const browser = await signedIn(first);
    const user = await userOf(browser);
    await browser.get(await visit(await confirm(browser, present(first)), first)).expect(303);
    expect(await userOf(browser)).toEqual(user);
    expect(await actionsOf(user)).toEqual([
      'sessions/start',
      'sessions/start',
      'identities/link',
      'users/create-at-sign-in',
    ]);
    expect((await browser.get('/account/identities').expect(200)).body.data).toHaveLength(1);
  });

  it('is refused where the person signed in longer ago than a minute before it began', async () => {
    const first = someone();
    const browser = await signedIn(first);
    expect(said(await confirm(browser, present(first, -61)))).toContain('did not ask you to sign in again');
    expect((await confirm(browser, present(first, -60))).status).toBe(303);
  });

  it('is refused where another person signs in, known or not', async () => {
    const [browser, other] = [await signedIn(), someone()];
    await signedIn(other);
    for (const person of [other, someone()]) {
      const answer = await confirm(browser, present(person));
      expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
      expect(said(answer)).toContain('not one of yours');
    }
    expect((await browser.get('/account/identities').expect(200)).body.data).toHaveLength(1);
  });

  it('is refused for an identity of another user', async () => {
    const [first, other] = [someone(), someone()];
    const browser = await signedIn(first);
    await signedIn(other);
    const answer = await browser.get(await visit(await confirm(browser, present(first)), other));
    expect([answer.status, said(answer)]).toEqual([403, expect.stringContaining('belongs to another user')]);
  });

  it('asks for one of the provider that signs people in, among those that the person has', async () => {
    const browser = await signedIn();
    const { id } = await userOf(browser);
    const elsewhere = doc('identities', { issuer: 'https://other.example', subject: id });
    await api.admin.post(`/admin/users/${id}/identities`, elsewhere).expect(201);
    expect(said(await browser.bare('get', '/session/link').expect(200))).toContain('You sign in twice');
    const user = await api.user(newName('person'));
    const person = someone();
    const identities = `/admin/users/${user.id}/identities`;
    const { body } = await api.admin.post(
      identities,
      doc('identities', { issuer: provider.issuer, subject: person.sub }),
    );
    await api.admin
      .post(identities, doc('identities', { issuer: 'https://other.example', subject: user.id }))
      .expect(201);
    const other = await signedIn(person);
    await api.unitOfWork.run((tx) => tx.identities.remove(user.id, body.data.id));
    expect(said(await other.bare('get', '/session/link').expect(200))).toContain('Paste a user token');
  });

  it('belongs to the session that began it', async () => {
    const first = someone();
    const [browser, elsewhere] = [await signedIn(first), await signedIn(first)];
    const [begun, confirmed] = [await visit(await submit(browser), present(first)), 'gatehouse-sign-in'];
    elsewhere.cookies.set(confirmed, browser.cookies.get(confirmed) as string);
    expect(said(await elsewhere.get(begun).expect(403))).toContain('You were signed out in the meantime');
    const back = await visit(await confirm(browser, present(first)), someone());
    elsewhere.cookies.set(confirmed, browser.cookies.get(confirmed) as string);
    await browser.send('delete', '/session').expect(204);
    expect(said(await elsewhere.get(back).expect(403))).toContain('You were signed out in the meantime');
    expect((await elsewhere.get('/account/identities').expect(200)).body.data).toHaveLength(1);
  });

  it('ends with the age of the session', async () => {
    const own = await startApi({ environment: { ...environment, SESSION_HOURS: '1' } });
    const first = someone();
    const browser = new Visitor<Told>(own, provider);
    await browser.signIn(first);
    own.clock.advance(3_500);
    const back = await visit(await submit(browser), {
      ...first,
      token: { auth_time: Math.floor(Date.parse(own.clock.now()) / 1_000) },
    });
    own.clock.advance(100);
    await browser.get(back).expect(403);
  });

  it('takes a session, and a form that a page of it showed', async () => {
    for (const method of ['get', 'post'] as const) {
      const stranger = new Visitor<Told>(api, provider);
      expect(said(await stranger.bare(method, '/session/link').expect(401))).toContain('You are not signed in');
    }
    const browser = await signedIn();
    const form = formOf(await (await signedIn()).get('/session/link').expect(200));
    for (const fields of [{}, { form: 'guess' }, { form }]) {
      expect(said(await browser.submit('/session/link', fields).expect(403))).toContain('Go back');
    }
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/app',
    'javascript:alert(1)',
    '/session/sign-in',
    '',
  ])('does not go on to %j', async (return_to) => {
    const first = someone();
    const browser = await signedIn(first);
    const again = await browser.get(await visit(await submit(browser, { return_to }), present(first)));
    const answer = await browser.get(await visit(again, someone())).expect(303);
    expect(answer.headers.location).toBe('http://gatehouse.test/app');
  });
});

describe('where the provider never says when a person signed in', () => {
  beforeEach(async () => {
    api = await startApi({ environment });
  });

  /** The provider has been asked once, in vain. */
  async function inVain(first: Told): Promise<Browser> {
    const browser = await signedIn(withoutTime(first));
    expect(said(await confirm(browser, withoutTime(first)))).toContain('did not say when you signed in');
    return browser;
  }

  it('a user token confirms that is older than the session and was not made in one', async () => {
    const user = await api.user(newName('person'));
    const [first, second] = [someone(), someone()];
    const identity = doc('identities', { issuer: provider.issuer, subject: first.sub });
    await api.admin.post(`/admin/users/${user.id}/identities`, identity).expect(201);
    api.clock.advance(1);
    const browser = await inVain(first);
    expect(said(await browser.bare('get', '/session/link').expect(200))).toContain('Paste a user token');
    for (const token of ['', 'guess', (await api.user(newName('other'))).secret as string]) {
      expect(said(await submit(browser, { token }))).toContain('takes a user token of yours');
    }
    const page = await submit(browser, { token: user.secret as string });
    await browser.get(await visit(page, withoutTime(second))).expect(303);
    expect((await userOf(await signedIn(second))).id).toBe(user.id);
  });

  it('no token counts that a session made, or that is not older than the session', async () => {
    const first = someone();
    const maker = await signedIn(first);
    const { id } = await userOf(maker);
    const path = `/users/${id}/authentication-tokens`;
    const fresh = doc('authentication-tokens', { description: 'mine' });
    const { body } = await maker.send('post', path, fresh).expect(201);
    const made = body.data.attributes.token;
    const again = (await api.as(made).post(path, fresh).expect(201)).body.data.attributes.token;
    api.clock.advance(1);
    const browser = await inVain(first);
    for (const token of [made, again]) {
      expect(said(await submit(browser, { token }))).toContain('takes a user token of yours');
    }
    const user = await api.user(newName('person'));
    const person = someone();
    const identity = doc('identities', { issuer: provider.issuer, subject: person.sub });
    await api.admin.post(`/admin/users/${user.id}/identities`, identity).expect(201);
    const page = await submit(await signedIn(withoutTime(person)), { token: user.secret as string });
    expect(said(page)).toContain('takes a user token of yours');
  });

  it('is not forgotten that it did once', async () => {
    const first = someone();
    const browser = await signedIn(first);
    await confirm(browser, present(first));
    expect(said(await confirm(browser, withoutTime(first)))).toContain('did not say when you signed in');
    expect(said(await browser.bare('get', '/session/link').expect(200))).toContain('You sign in twice');
  });
});
