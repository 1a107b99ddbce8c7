import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import type { UnitOfWork } from '../../src/application/index.js';
import { DomainError, loginPortOf } from '../../src/domain/index.js';
import { newName, publicUrl, startApi } from '../support/api.js';
import { TestProvider } from '../support/identity-provider.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import { Visitor } from '../support/visitor.js';

const provider = await TestProvider.start(publicUrl);
const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on', MAX_TOKENS_PER_USER: '3' };
const api = await startApi({ environment });

afterAll(() => provider.stop());

const someone = () => {
  const sub = newName('person');
  return { sub, email: `${sub}@example.com`, email_verified: true };
};

async function signedIn(): Promise<Visitor> {
  const browser = new Visitor(api, provider);
  await browser.signIn(someone());
  return browser;
}

const redirectUri = 'http://localhost:10005/login';

/** A request of the command, and the verifier that it keeps. */
function asked(other: Readonly<Record<string, string>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    response_type: 'code',
    client_id: 'terraform-cli',
    redirect_uri: redirectUri,
    state: 'a state & more',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...other,
  };
  return { verifier, query, path: `/oauth/authorize?${new URLSearchParams(query)}` };
}

const fieldsOf = ({ text }: Response): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      (value as string).replaceAll('&amp;', '&'),
    ]),
  );

/** Consents, and returns the code. */
async function consent(browser: Visitor, path: string): Promise<string> {
  const page = await browser.bare('get', path).expect(200);
  const answer = await browser.submit('/oauth/authorize', { ...fieldsOf(page), decision: 'allow' }).expect(303);
  const url = new URL(answer.headers.location as string);
  expect(`${url.origin}${url.pathname}`).toBe(redirectUri);
  expect(url.searchParams.get('state')).toBe('a state & more');
  return url.searchParams.get('code') as string;
}

/** As the command redeems a code. */
const redeem = (code: string, verifier: string, other: Readonly<Record<string, string>> = {}) =>
  supertest(api.server)
    .post('/oauth/token')
    .type('form')
    .send({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: 'terraform-cli',
      code_verifier: verifier,
      ...other,
    });

const refused = (error: string) => ({ error, error_description: expect.stringMatching(/./) });

describe('terraform login', () => {
  it('is advertised where people can sign in, and nowhere else', async () => {
    const { body } = await api.anonymous.get('/.well-known/terraform.json').expect(200);
    expect(body['login.v1']).toEqual({
      client: 'terraform-cli',
      grant_types: ['authz_code'],
      authz: '/oauth/authorize',
      token: '/oauth/token',
      ports: [10_000, 10_010],
    });
    const off = await startApi();
    const without = await off.anonymous.get('/.well-known/terraform.json').expect(200);
    expect(without.body).not.toHaveProperty('login.v1');
    await off.anonymous.get('/oauth/authorize').expect(404);
    await supertest(off.server).post('/oauth/token').type('form').send({ code: 'x' }).expect(404);
  });

  it('asks the person, and gets a token that they see, that expires and that they can revoke', async () => {
    const browser = await signedIn();
    const { verifier, path } = asked();
    const page = await browser.bare('get', path).expect(200);
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:10005;");
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['x-frame-options']).toBe('DENY');
    const { user } = (await browser.get('/session').expect(200)).body.data.attributes;
    for (const word of ['terraform-cli', '10005', user.username])
      expect(page.text).toContain(`<strong>${word}</strong>`);
    const answer = await redeem(await consent(browser, path), verifier).expect(200);
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 30 * 86_400 });
    expect(answer.headers['cache-control']).toBe('no-store');
    const command = api.as(answer.body.access_token);
    const account = await command.get('/api/v2/account/details').expect(200);
    expect(account.body.data.id).toBe(user.id);
    const listed = await browser.get(`/users/${user.id}/authentication-tokens`).expect(200);
    const [token] = listed.body.data;
    expect(token.attributes).toMatchObject({
      description: 'terraform login',
      'expired-at': new Date(Date.parse(api.clock.now()) + 30 * 86_400_000).toISOString(),
    });
    const { body } = await api.admin.get('/admin/audit-events?page[size]=5').expect(200);
    const recorded = { action: 'user-tokens/manage', 'actor-id': user.id, subject: token.id };
    expect(body.data[0].attributes).toMatchObject(recorded);
    // It outlives the session.
    await browser.send('delete', '/session').expect(204);
    await command.get('/api/v2/account/details').expect(200);
    await command.delete(`/authentication-tokens/${token.id}`).expect(204);
    await command.get('/api/v2/account/details').expect(401);
  });

  it('has a person sign in first, and then asks', async () => {
    const browser = new Visitor(api, provider);
    const { path } = asked();
    const back = await browser.get(await browser.leave(someone(), path)).expect(303);
    const { pathname, search } = new URL(back.headers.location as string);
    expect(new URLSearchParams(search)).toEqual(new URLSearchParams(path.slice(path.indexOf('?'))));
    await consent(browser, pathname + search);
  });

  it('learns that the person does not want it', async () => {
    const browser = await signedIn();
    const page = await browser.bare('get', asked().path).expect(200);
    const answer = await browser.submit('/oauth/authorize', { ...fieldsOf(page), decision: 'deny' }).expect(303);
    expect(answer.headers.location).toBe(`${redirectUri}?error=access_denied&state=a+state+%26+more`);
  });

  it.each([
    ['client_id', 'another'],
    ['redirect_uri', 'http://localhost:9999/login'],
    ['redirect_uri', 'http://localhost:10011/login'],
    ['redirect_uri', 'http://localhost:10005/login?x=1'],
    ['redirect_uri', 'http://localhost:10005/'],
    ['redirect_uri', 'http://localhost:10005@evil.example/login'],
    ['redirect_uri', 'http://127.0.0.1:10005/login'],
    ['redirect_uri', 'https://localhost:10005/login'],
    ['redirect_uri', 'https://evil.example/login'],
    ['response_type', 'token'],
    ['code_challenge_method', 'plain'],
    ['code_challenge', 'short'],
    ['state', 'x'.repeat(501)],
  ])('is refused with a page where %s is %s', async (name, value) => {
    const browser = await signedIn();
    const answer = await browser.bare('get', asked({ [name]: value }).path).expect(400);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain(name);
    const page = await browser.bare('get', asked().path).expect(200);
    const fields = { ...fieldsOf(page), [name]: value, decision: 'allow' };
    expect((await browser.submit('/oauth/authorize', fields).expect(400)).headers.location).toBeUndefined();
  });

  it('takes a state of 500 characters', async () => {
    await (await signedIn()).bare('get', asked({ state: 'x'.repeat(500) }).path).expect(200);
  });

  it('has a person sign in again who signed in more than 15 minutes before they consent', async () => {
    const browser = await signedIn();
    const { path } = asked();
    const fields = { ...fieldsOf(await browser.bare('get', path).expect(200)), decision: 'allow' };
    api.clock.advance(901);
    const page = await browser.submit('/oauth/authorize', fields).expect(200);
    expect(page.text).toContain('Your sign-in is too old');
    expect(page.text).toContain(provider.environment.OIDC_ISSUER);
  });

  it('takes a consent from its own page only', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const { query, path } = asked();
    const { form = '' } = fieldsOf(await other.bare('get', path).expect(200));
    for (const fields of [{}, { form }]) {
      await browser.submit('/oauth/authorize', { ...query, ...fields, decision: 'allow' }).expect(403);
    }
    await new Visitor(api, provider).submit('/oauth/authorize', { ...query, form, decision: 'allow' }).expect(401);
  });
});

describe('a code of terraform login', () => {
  it('is redeemed once', async () => {
    const { verifier, path } = asked();
    const code = await consent(await signedIn(), path);
    await redeem(code, verifier).expect(200);
    expect((await redeem(code, verifier).expect(400)).body).toEqual(refused('invalid_grant'));
  });

  it('is redeemed within a minute', async () => {
    const { verifier, path } = asked();
    const code = await consent(await signedIn(), path);
    api.clock.advance(60);
    expect((await redeem(code, verifier).expect(400)).body).toEqual(refused('invalid_grant'));
  });

  it('ends with its session', async () => {
    const browser = await signedIn();
    const { verifier, path } = asked();
    const code = await consent(browser, path);
    await browser.send('delete', '/session').expect(204);
    expect((await redeem(code, verifier).expect(400)).body).toEqual(refused('invalid_grant'));
  });

  it.each([
    ['another verifier', (verifier: string) => ({ code_verifier: `${verifier}x` })],
    ['no verifier', () => ({ code_verifier: '' })],
    ['another redirect URI', () => ({ redirect_uri: 'http://localhost:10006/login' })],
  ])('is used up by %s', async (_, other) => {
    const { verifier, path } = asked();
    const code = await consent(await signedIn(), path);
    expect((await redeem(code, verifier, other(verifier)).expect(400)).body).toEqual(refused('invalid_grant'));
    await redeem(code, verifier).expect(400);
  });

  it('is refused as RFC 6749 says where the request is not one for a token', async () => {
    const { verifier, path } = asked();
    const code = await consent(await signedIn(), path);
    const [grant, client] = [{ grant_type: 'password' }, { client_id: 'another' }];
    expect((await redeem(code, verifier, grant).expect(400)).body).toEqual(refused('unsupported_grant_type'));
    expect((await redeem(code, verifier, client).expect(401)).body).toEqual(refused('invalid_client'));
    expect((await supertest(api.server).post('/oauth/token').expect(400)).body).toEqual(
      refused('unsupported_grant_type'),
    );
    await redeem(code, 'x'.repeat(20_000)).expect(413);
    await redeem(code, verifier).expect(200);
  });

  it('is answered so that the command may come again while the database is unavailable', async () => {
    const memory = new RowsInMemory();
    let fault: Error | undefined;
    const reached = <Result>(work: () => Promise<Result>) => (fault === undefined ? work() : Promise.reject(fault));
    const unitOfWork: UnitOfWork = {
      run: (work) => reached(() => memory.run(work)),
      read: (work) => reached(() => memory.read(work)),
    };
    const { server } = await startApi({ environment, unitOfWork });
    const refusals = (['service/unavailable', 'changes/too-many-followers'] as const).map(
      (code) => new DomainError(code, 'not now'),
    );
    for (fault of [...refusals, new Error('a fault of this service')]) {
      const form = { grant_type: 'authorization_code', client_id: 'terraform-cli', code: 'x', code_verifier: 'x' };
      const { body } = await supertest(server).post('/oauth/token').type('form').send(form);
      expect(body).toEqual(refused('temporarily_unavailable'));
    }
  });

  it('gives no more tokens than a user may have', async () => {
    const browser = await signedIn();
    for (let count = 0; count < 3; count += 1) {
      const { verifier, path } = asked();
      await redeem(await consent(browser, path), verifier).expect(200);
    }
    const { verifier, path } = asked();
    const { body } = await redeem(await consent(browser, path), verifier).expect(400);
    expect(body).toEqual({
      error: 'invalid_grant',
      error_description: expect.stringContaining('at most 3 API tokens'),
    });
  });
});

describe('the redirect URI of the command', () => {
  it('has a port that is advertised', () => {
    expect(loginPortOf('http://localhost:10000/login')).toBe(10_000);
    expect(loginPortOf('http://localhost:10010/login')).toBe(10_010);
    for (const uri of ['http://localhost:010000/login', 'http://localhost/login', 'http://LOCALHOST:10000/login', ''])
      expect(loginPortOf(uri)).toBeUndefined();
  });
});
