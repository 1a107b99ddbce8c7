import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { newName, publicUrl, startApi } from '../support/api.js';
import { HostileProvider, type Told } from '../support/hostile-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await HostileProvider.start();
const api = await startApi({ environment: { ...provider.environment, OIDC_CREATE_USERS: 'on' }, publicUrl });

afterAll(() => provider.stop());

afterEach(() => {
  provider.signsWithAnotherKey = false;
});

const visitor = () => new Visitor(api, provider);

/** The status of the answer, and the address of the user who is signed in then. */
async function signIn(told: Told): Promise<readonly [number, string | undefined]> {
  const browser = visitor();
  const { status } = await browser.get(await browser.leave(told));
  const { body } = await browser.get('/session').expect(200);
  return [status, body.data.attributes.user?.email];
}

const refused = [503, undefined] as const;

describe('a provider', () => {
  it('is believed where it keeps to the protocol', async () => {
    const sub = newName('person');
    const email = `${sub}@example.com`;
    expect(await signIn({ sub, userinfo: { email, email_verified: true } })).toEqual([303, email]);
    expect(await signIn({ sub })).toEqual([303, email]);
  });

  it('is refused with an ID token that another key signed', async () => {
    const sub = newName('person');
    const userinfo = { email: `${sub}@example.com`, email_verified: true };
    provider.signsWithAnotherKey = true;
    expect(await signIn({ sub, userinfo })).toEqual(refused);
    provider.signsWithAnotherKey = false;
    expect(await signIn({ sub, userinfo })).toEqual([303, userinfo.email]);
  });

  it('is refused where userinfo is about another person', async () => {
    const sub = newName('person');
    const userinfo = { sub: newName('person'), email: `${sub}@example.com`, email_verified: true };
    expect(await signIn({ sub, userinfo })).toEqual(refused);
  });

  it('is believed about a subject of 255 characters, and refused with a longer one', async () => {
    const sub = newName('person').padEnd(255, '-');
    const userinfo = { email: `${newName('person')}@example.com`, email_verified: true };
    expect(await signIn({ sub, userinfo })).toEqual([303, userinfo.email]);
    expect(await signIn({ sub: `${sub}-`, userinfo })).toEqual(refused);
  });

  it.each([
    ['the ID token of another address', { email_verified: true }, {}, { email: 'victim' }],
    ['userinfo of another address', { email: 'victim' }, {}, { email_verified: true }],
    ['userinfo of another address, which names it', { email: 'victim' }, { email: 'own' }, { email_verified: true }],
  ])('verifies no address by the word of %s', async (_, token, also, userinfo) => {
    const sub = newName('person');
    const named = (claims: Record<string, unknown>) =>
      'email' in claims ? { ...claims, email: `${String(claims.email)}-${sub}@example.com` } : claims;
    expect(await signIn({ sub, token: named(token), userinfo: named({ ...userinfo, ...also }) })).toEqual([
      403,
      undefined,
    ]);
  });

  it('names the address in the ID token, where userinfo names another', async () => {
    const sub = newName('person');
    const token = { email: `${sub}@example.com`, email_verified: true };
    const userinfo = { email: `victim-${sub}@example.com`, email_verified: true };
    expect(await signIn({ sub, token, userinfo })).toEqual([303, token.email]);
  });
});
