import { afterAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { type Caller, doc, newName, publicUrl, refusal, startApi, type TestApi } from '../support/api.js';
import { TestProvider } from '../support/identity-provider.js';
import { Visitor } from '../support/visitor.js';

const api = await startApi();
const provider = await TestProvider.start(publicUrl);
/** The same service after the operator has set up an identity provider. */
const withProvider = await startApi({ unitOfWork: api.unitOfWork, environment: provider.environment });

afterAll(() => provider.stop());

const cookieName = 'gatehouse-session';
const browserAt = (at: TestApi = api) => new Visitor(at);

const give = (browser: Visitor, attributes: object) => browser.send('post', '/session', doc('sessions', attributes));

async function signedIn({ secret }: Pick<Caller, 'secret'>, at: TestApi = api): Promise<Visitor> {
  const browser = browserAt(at);
  await give(browser, { token: secret }).expect(201);
  return browser;
}

const userOf = async (browser: Visitor) => (await browser.get('/session').expect(200)).body.data.attributes.user;

const tokenOf = (caller: Caller, attributes: object = {}) =>
  caller
    .post(
      `/users/${caller.id}/authentication-tokens`,
      doc('authentication-tokens', { description: 'laptop', ...attributes }),
    )
    .expect(201);

/** A token of the user that expires after these seconds. */
async function lasting(caller: Caller, seconds: number): Promise<Caller & { readonly tokenId: string }> {
  const { body } = await tokenOf(caller, { 'expired-at': inSeconds(seconds) });
  return Object.assign(api.as(body.data.attributes.token, caller.id), { tokenId: body.data.id });
}

const inSeconds = (seconds: number) => new Date(Date.parse(api.clock.now()) + seconds * 1_000).toISOString();

/** The newest events of a user: the action, the subject, the token that acted, and the detail. */
async function eventsOf(id: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await api.admin.get('/admin/audit-events?page[size]=50').expect(200);
  const events: { readonly attributes: Record<string, unknown> }[] = body.data;
  return events.map(({ attributes }) => attributes).filter((event) => event['actor-id'] === id);
}

const sessionsOf = async (caller: Pick<Caller, 'get'>) => (await caller.get('/account/sessions').expect(200)).body.data;

describe('signing in with a token', () => {
  it('makes a session with the rights of the user, for all tabs of the browser', async () => {
    const user = await api.user(newName('person'));
    const browser = browserAt();
    const { body, headers } = await give(browser, { token: user.secret }).expect(201);
    expect(body.data).toEqual({
      id: 'current',
      type: 'sessions',
      attributes: {
        'sign-in': false,
        'expires-at': inSeconds(12 * 3_600),
        'can-issue-tokens': true,
        user: expect.objectContaining({ id: user.id, 'is-site-admin': false }),
      },
    });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^gatehouse-session=[\w.]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
    ]);
    for (const mount of ['', '/api/v2']) {
      expect((await browser.get(`${mount}/account/details`).expect(200)).body.data.id).toBe(user.id);
    }
    await browser.get('/admin/users').expect(404);
    const kept = browser.cookies.get(cookieName) as string;
    expect(kept).not.toContain(user.secret);
    expect(await api.stored()).not.toContain(kept);
    await browser.send('delete', '/session').expect(204);
    browser.cookies.set(cookieName, kept);
    await browser.get('/account/details').expect(401);
    await user.get('/account/details').expect(200);
  });

  it('is listed next to the other kind, with its token', async () => {
    const user = await api.user(newName('person'));
    const token = await lasting(user, 60);
    const browser = await signedIn(token);
    const [listed] = await sessionsOf(browser);
    expect(listed).toMatchObject({
      attributes: { 'is-current': true, 'expires-at': inSeconds(60) },
      relationships: {
        identity: { data: null },
        'authentication-token': { data: { id: token.tokenId, type: 'authentication-tokens' } },
      },
    });
    expect(await sessionsOf(user)).toMatchObject([{ id: listed.id, attributes: { 'is-current': false } }]);
    await user.delete(`/account/sessions/${listed.id}`).expect(204);
    await browser.get('/account/details').expect(401);
  });

  it('takes no token but a user’s', async () => {
    const organization = newName('organization');
    await api.organization(organization);
    const team = await api.team(organization, 'team');
    const issued = await api.admin.post(`/api/v2/teams/${team}/authentication-token`).expect(201);
    const pool = await api.admin
      .post(`/organizations/${organization}/agent-pools`, doc('agent-pools', { name: 'builders' }))
      .expect(201);
    const ofAgent = await api.admin
      .post(
        `/agent-pools/${pool.body.data.id}/authentication-tokens`,
        doc('authentication-tokens', { description: 'laptop' }),
      )
      .expect(201);
    const others = [
      issued.body.data.attributes.token,
      ofAgent.body.data.attributes.token,
      (await api.organizationToken(organization)).secret,
      (await api.auditToken(organization)).secret,
    ];
    for (const token of others) {
      const browser = browserAt();
      const answer = await give(browser, { token }).expect(422);
      const source = { pointer: '/data/attributes/token' };
      const detail = expect.stringContaining('Token must be a user token');
      expect(answer.body).toEqual(refusal(422, 'invalid attribute', detail, source));
      expect(browser.cookies.size).toBe(0);
    }
  });

  it('takes one token or one code', async () => {
    for (const attributes of [
      {},
      { token: null },
      { token: 'a', code: 'b' },
      { token: 1 },
      { token: 'a'.repeat(5_000) },
    ]) {
      await give(browserAt(), attributes).expect(422);
    }
    await browserAt().send('post', '/session').expect(422);
    await give(browserAt(), { token: '' }).expect(401);
  });

  it('is refused where people sign in with an identity provider', async () => {
    const user = await api.user(newName('person'));
    const answer = await give(browserAt(withProvider), { token: user.secret }).expect(422);
    expect(answer.body.errors[0].detail).toContain('Open /session/sign-in');
  });

  it('refuses unknown tokens, up to the limit of an address', async () => {
    const limited = await startApi({ environment: { RATE_LIMIT_PER_SECOND: '4' } });
    for (let sent = 0; sent < 4; sent += 1) {
      expect((await give(browserAt(limited), { token: `gatehouse.v1.guess${sent}` })).status).toBe(401);
    }
    // They count together with guesses at the API.
    await limited.as('gatehouse.v1.guess').get('/account/details').expect(429);
    const { body } = await give(browserAt(limited), { token: limited.admin.secret }).expect(429);
    expect(body.errors[0].title).toBe('Too many requests');
  });

  it('is recorded at its beginning and at its end, with the id of the token', async () => {
    const user = await api.user(newName('person'));
    const token = await lasting(user, 3_600);
    const detail = { 'authentication-tokens': [{ id: token.tokenId }] };
    const ended = async () => (await eventsOf(user.id)).filter(({ action }) => action === 'sessions/end');
    const ends = [
      (browser: Visitor) => browser.send('delete', '/session'),
      (browser: Visitor) => browser.send('delete', '/account/sessions'),
      async (browser: Visitor) => {
        const [{ id }] = await sessionsOf(browser);
        return browser.send('delete', `/account/sessions/${id}`);
      },
      // A new sign-in ends the session that the browser had.
      (browser: Visitor) => give(browser, { token: token.secret }),
      () => user.delete(`/authentication-tokens/${token.tokenId}`),
    ];
    for (const [nth, end] of ends.entries()) {
      const browser = await signedIn(token);
      const [{ id: subject }] = await sessionsOf(browser);
      const started = { action: 'sessions/start', 'token-id': token.tokenId, subject, detail };
      expect(await eventsOf(user.id)).toContainEqual(expect.objectContaining(started));
      expect((await end(browser)).status).toBeLessThan(300);
      const all = await ended();
      expect(all.filter((event) => event.subject === subject)).toMatchObject([{ subject, detail }]);
      expect(all.length).toBeGreaterThan(nth);
    }
  });
});

describe('a session from a token', () => {
  it('ends when the token is revoked, by whichever way', async () => {
    const user = await api.user(newName('person'));
    const token = await lasting(user, 3_600);
    const [browser, other] = [await signedIn(token), await signedIn(user)];
    await user.delete(`/authentication-tokens/${token.tokenId}`).expect(204);
    await browser.get('/account/details').expect(401);
    expect(await userOf(browser)).toBeNull();
    await other.get('/account/details').expect(200);
    await give(browserAt(), { token: token.secret }).expect(401);
    // A token that a session made, and the session that was made from it.
    const made = api.as(
      (
        await tokenOf(
          Object.assign(other, {
            id: user.id,
            post: (path: string, body: object) => other.send('post', path, body),
          }) as never,
        )
      ).body.data.attributes.token,
    );
    const further = await signedIn(made);
    await user.delete('/account/sessions?revoke-tokens=true').expect(204);
    await further.get('/account/details').expect(401);
  });

  it('ends when the token expires, at the exact instant, and after SESSION_HOURS', async () => {
    const user = await api.user(newName('person'));
    const token = await lasting(user, 90);
    const [short, long] = [await signedIn(token), await signedIn(user)];
    api.clock.advance(89);
    await short.get('/account/details').expect(200);
    api.clock.advance(1);
    await short.get('/account/details').expect(401);
    await give(browserAt(), { token: token.secret }).expect(401);
    api.clock.advance(12 * 3_600 - 91);
    await long.get('/account/details').expect(200);
    api.clock.advance(1);
    await long.get('/account/details').expect(401);
  });

  it('ends with the suspension of its user, and does not come back', async () => {
    const user = await api.user(newName('person'));
    const browser = await signedIn(user);
    await api.admin.post(`/admin/users/${user.id}/actions/suspend`).expect(200);
    await give(browserAt(), { token: user.secret }).expect(401);
    await api.admin.post(`/admin/users/${user.id}/actions/unsuspend`).expect(200);
    await browser.get('/account/details').expect(401);
    await user.get('/account/details').expect(200);
  });

  it('is one of at most 20: the oldest makes room', async () => {
    const user = await api.user(newName('person'));
    const browsers: Visitor[] = [];
    for (let nth = 0; nth < 21; nth += 1) {
      api.clock.advance(1);
      browsers.push(await signedIn(user));
    }
    expect(await sessionsOf(user)).toHaveLength(20);
    const [first, second] = browsers as [Visitor, Visitor];
    await first.get('/account/details').expect(401);
    await second.get('/account/details').expect(200);
  });

  it('is a new one for the browser that signs in: a planted cookie is worth nothing', async () => {
    const [victim, attacker] = [await api.user(newName('victim')), await api.user(newName('attacker'))];
    const planted = (await signedIn(attacker)).cookies.get(cookieName) as string;
    for (const value of [planted, 'made-up']) {
      const browser = browserAt();
      browser.cookies.set(cookieName, value);
      await give(browser, { token: victim.secret }).expect(201);
      expect(browser.cookies.get(cookieName)).not.toBe(value);
      expect((await userOf(browser)).id).toBe(victim.id);
      const old = browserAt();
      old.cookies.set(cookieName, value);
      await old.get('/account/details').expect(401);
    }
  });

  it('neither begins nor ends for a page of another origin', async () => {
    const user = await api.user(newName('person'));
    const browser = await signedIn(user);
    const crossSite = refusal(403, 'forbidden', expect.stringContaining('X-Gatehouse-Console: 1'));
    const before = await sessionsOf(user);
    for (const headers of [
      {},
      { 'X-Gatehouse-Console': '1' },
      { Origin: publicUrl },
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'X-Gatehouse-Console': '1', Origin: 'http://evil.test' },
      { 'X-Gatehouse-Console': '1', Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { 'X-Gatehouse-Console': '1', 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const body = doc('sessions', { token: user.secret });
      const answer = await browserAt().bare('post', '/session', body).set(headers).expect(403);
      expect(answer.body).toEqual(crossSite);
      expect(answer.headers['set-cookie']).toBeUndefined();
      await browser.bare('delete', '/session').set(headers).expect(403);
      const path = `/users/${user.id}/authentication-tokens`;
      await browser
        .bare('post', path, doc('authentication-tokens', { description: 'laptop' }))
        .set(headers)
        .expect(403);
    }
    expect(await sessionsOf(user)).toEqual(before);
  });

  it('counts on the API only', async () => {
    const browser = await signedIn(api.admin);
    await browser.send('post', '/agent/v1/claims', {}).expect(401);
    await browser.get('/v1/object/unknown').expect(404);
    await browser.send('post', '/hooks/unknown', {}).expect(404);
  });

  it('issues no token that outlives its own', async () => {
    const organization = newName('organization');
    await api.organization(organization);
    const team = await api.team(organization, 'team');
    const browser = await signedIn(await lasting(api.admin, 600));
    const paths = [
      `/users/${api.admin.id}/authentication-tokens`,
      `/api/v2/teams/${team}/authentication-token`,
      `/organizations/${organization}/authentication-token`,
      `/organizations/${organization}/authentication-token?token=audit-trails`,
    ];
    for (const path of paths) {
      const issue = (at: string | null) =>
        browser.send('post', path, doc('authentication-tokens', { description: 'laptop', 'expired-at': at }));
      for (const at of [null, inSeconds(601)]) {
        const { errors } = (await issue(at).expect(422)).body;
        expect(errors).toMatchObject([{ source: { pointer: '/data/attributes/expired-at' } }]);
        expect(errors[0].detail).toContain(`Expired at must be at most ${inSeconds(600)}`);
      }
      await issue(inSeconds(600)).expect(201);
    }
    const pool = await browser
      .send('post', `/organizations/${organization}/agent-pools`, doc('agent-pools', { name: 'builders' }))
      .expect(201);
    const ofAgent = `/agent-pools/${pool.body.data.id}/authentication-tokens`;
    const attributes = { username: 'grace', email: 'grace@example.com' };
    for (const [path, body] of [
      [ofAgent, doc('authentication-tokens', { description: 'laptop' })],
      ['/admin/users', doc('users', attributes)],
    ] as const) {
      const { errors } = (await browser.send('post', path, body).expect(403)).body;
      expect(errors[0].detail).toContain('Sign in with one that does not expire');
      await (await signedIn(api.admin)).send('post', path, body).expect(201);
    }
  });

  it('makes user tokens for 15 minutes, and marks them as made in a session', async () => {
    const user = await api.user(newName('person'));
    const browser = await signedIn(user);
    const path = `/users/${user.id}/authentication-tokens`;
    const issue = () => browser.send('post', path, doc('authentication-tokens', { description: 'laptop' }));
    await issue().expect(201);
    expect((await sessionsOf(browser))[0].attributes['tokens-made-in-sessions']).toBe(1);
    api.clock.advance(901);
    expect((await issue().expect(403)).body.errors[0].title).toBe('sign in again');
    await give(browser, { token: user.secret }).expect(201);
    await issue().expect(201);
  });
});

describe('a session from a token, after an identity provider was set up', () => {
  const said = ({ text }: Response): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

  it('links an identity only after the same token is given again', async () => {
    const user = await api.user(newName('person'));
    const other = await lasting(user, 3_600);
    api.clock.advance(1);
    const browser = await signedIn(user);
    const later = new Visitor(withProvider);
    for (const [name, value] of browser.cookies) later.cookies.set(name, value);
    const page = await later.bare('get', '/session/link').expect(200);
    expect(said(page)).toContain('Paste the user token with which you signed in once more');
    const form = /name="form" value="([\w-]+)"/.exec(page.text)?.[1] ?? '';
    const tokens = [undefined, '', other.secret, api.admin.secret, 'wrong'];
    for (const token of tokens) {
      const given: Record<string, string> = token === undefined ? {} : { token };
      const answer = await later.submit('/session/link', { form, ...given }).expect(403);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const answer = await later.submit('/session/link', { form, token: user.secret as string }).expect(200);
    expect(said(answer)).toContain('Go on to the identity provider');
  });

  it('is one made from a token to an organization that takes no user tokens', async () => {
    const organization = newName('organization');
    await api.organization(organization);
    const member = await api.member(organization, newName('member'));
    const browser = await signedIn(member);
    await browser.get(`/organizations/${organization}`).expect(200);
    const path = `/organizations/${organization}`;
    const change = doc('organizations', { 'user-tokens-enabled': false });
    await withProvider.as(api.admin.secret).send('patch', path, change).expect(200);
    const later = new Visitor(withProvider);
    for (const [name, value] of browser.cookies) later.cookies.set(name, value);
    for (const caller of [later, withProvider.as(member.secret)]) {
      const { errors } = (await caller.get(path).expect(401)).body;
      expect(errors[0].detail).toContain('does not accept user tokens, nor sessions made from one');
    }
    await later.get('/account/details').expect(200);
  });
});

describe('a sign-in link', () => {
  const { issueSignInLink } = api.useCases;
  const operator = { kind: 'user', userId: 'operator', siteAdministrator: true, tokenId: 'command-line' } as const;
  const redeem = (browser: Visitor, code: string) => give(browser, { code });

  /** The code of a link for a new user. */
  async function linked(): Promise<{ readonly user: Caller; readonly code: string; readonly name: string }> {
    const name = newName('person');
    const user = await api.user(name);
    const found = await api.unitOfWork.read((tx) => tx.users.find(user.id));
    if (found === undefined) throw new Error('no user');
    return { user, name, code: (await issueSignInLink.execute(operator, found)).code };
  }

  it('signs its user in once, and names them before', async () => {
    const { user, code, name } = await linked();
    expect(code.split('~')[1]).toBe(name);
    expect(await api.stored()).not.toContain(code);
    expect(await api.stored()).not.toContain(code.split('~')[0]);
    const browser = browserAt();
    await redeem(browser, code).expect(201);
    expect((await userOf(browser)).id).toBe(user.id);
    const again = await redeem(browserAt(), code).expect(401);
    expect(again.body.errors[0].detail).toContain('the link is unknown, was used or replaced, or has expired');
    expect(await sessionsOf(user)).toMatchObject([
      { relationships: { identity: { data: null }, 'authentication-token': { data: null } } },
    ]);
    const own = (await eventsOf(user.id)).map(({ action }) => action);
    expect(own.sort()).toEqual(['sessions/start', 'sign-in-links/redeem']);
    const byOperator = await eventsOf('operator');
    expect(byOperator[0]).toMatchObject({ action: 'sign-in-links/issue', subject: user.id });
  });

  it('is used by one of several at once', async () => {
    const { code } = await linked();
    const answers = await Promise.all([1, 2, 3, 4].map(() => redeem(browserAt(), code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
  });

  it('ends after ten minutes, when another one replaces it, and with the sessions of its user', async () => {
    const old = await linked();
    api.clock.advance(600);
    await redeem(browserAt(), old.code).expect(401);
    const replaced = await linked();
    const found = await api.unitOfWork.read((tx) => tx.users.find(replaced.user.id));
    const { code } = await issueSignInLink.execute(operator, found as NonNullable<typeof found>);
    api.clock.advance(599);
    await redeem(browserAt(), replaced.code).expect(401);
    await redeem(browserAt(), code).expect(201);
    const [suspended, everywhere] = [await linked(), await linked()];
    await api.admin.post(`/admin/users/${suspended.user.id}/actions/suspend`).expect(200);
    await redeem(browserAt(), suspended.code).expect(401);
    await api.admin.post(`/admin/users/${suspended.user.id}/actions/unsuspend`).expect(200);
    await redeem(browserAt(), suspended.code).expect(401);
    await everywhere.user.delete('/account/sessions').expect(204);
    await redeem(browserAt(), everywhere.code).expect(401);
  });

  it('is used up by nothing but the click: not by those who look, or from elsewhere', async () => {
    const { code, user } = await linked();
    const looking = browserAt();
    for (const path of ['/app/sign-in', `/app/sign-in?code=${encodeURIComponent(code)}`, `/session?code=${code}`]) {
      // The page is not built here; a fragment is never sent.
      for (const method of ['get', 'head'] as const) await api.anonymous.send(method as 'get', path);
    }
    const body = doc('sessions', { code });
    await looking.bare('post', '/session', body).expect(403);
    await looking
      .bare('post', '/session', body)
      .set({ Origin: 'http://evil.test', 'X-Gatehouse-Console': '1' })
      .expect(403);
    await looking
      .bare('post', '/session')
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .send(`code=${code}`)
      .expect(403);
    // The name that is shown belongs to the code.
    const [secret] = code.split('~');
    await redeem(looking, `${secret}~admin`).expect(401);
    await redeem(looking, secret as string).expect(401);
    expect(looking.cookies.size).toBe(0);
    await redeem(looking, code).expect(201);
    expect((await userOf(looking)).id).toBe(user.id);
  });

  it('ends the session that the browser had, also of another user', async () => {
    const { code, user } = await linked();
    const browser = await signedIn(api.admin);
    const former = browser.cookies.get(cookieName) as string;
    await redeem(browser, code).expect(201);
    expect((await userOf(browser)).id).toBe(user.id);
    const old = browserAt();
    old.cookies.set(cookieName, former);
    await old.get('/account/details').expect(401);
  });

  it('of the first sign-in is for a site administrator, until a user has signed in', async () => {
    const fresh = await startApi();
    const { issueSignInLink: issue } = fresh.useCases;
    const link = await issue.first();
    expect(link?.user.username).toBe('admin');
    const browser = browserAt(fresh);
    await redeem(browser, link?.code ?? '').expect(201);
    await browser.get('/admin/users').expect(200);
    expect(await issue.first()).toBeUndefined();
    await browser.send('delete', '/session').expect(204);
    expect(await issue.first()).toBeUndefined();
    const { body } = await fresh.admin.get('/admin/audit-events').expect(200);
    expect(JSON.stringify(body)).toContain('sign-in-links/issue');
  });
});
