import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { OpenIdProvider } from '../../src/adapters/identity/openid-provider.js';
import type { ProvenIdentity } from '../../src/domain/index.js';
import { HostileProvider, type Told } from '../support/hostile-provider.js';
import { clientId, clientSecret } from '../support/identity-provider.js';

const provider = await HostileProvider.start();

afterAll(() => provider.stop());

afterEach(() => {
  provider.tokenFailure = undefined;
  provider.metadataToo = {};
});

const opened = (groupsClaim?: string): OpenIdProvider =>
  new OpenIdProvider({
    issuer: provider.issuer,
    clientId,
    clientSecret,
    redirectUri: 'http://gatehouse.test/session/callback',
    scopes: 'openid',
    groupsClaim,
  });

/** The person, as the adapter returns them after a sign-in. */
async function proven(told: Partial<Told>, adapter = opened('groups')): Promise<ProvenIdentity> {
  const { url, checks } = await adapter.begin();
  provider.person = { sub: 'person', ...told };
  return adapter.finish((await provider.visit(url)).search.slice(1), checks);
}

const longest = 'x'.repeat(255);
const tooLong = `${longest}x`;

describe('a person whom the provider signs in', () => {
  it('has the subject and the names that fit', async () => {
    const claims = { email: longest, preferred_username: longest };
    expect(await proven({ sub: longest, userinfo: claims })).toMatchObject({
      issuer: provider.issuer,
      subject: longest,
      email: longest,
      username: longest,
    });
    expect(await proven({ userinfo: { email: tooLong, preferred_username: '' } })).toMatchObject({
      email: null,
      username: null,
    });
    await expect(proven({ sub: tooLong })).rejects.toMatchObject({ code: 'sign-in/provider-unavailable' });
  });

  it('has the groups that are texts that fit, each once', async () => {
    const groups = ['one', '', 2, null, tooLong, longest, 'one'];
    expect((await proven({ token: { groups } })).groups).toEqual(['one', longest]);
    expect((await proven({ token: { groups: 'one' } })).groups).toEqual(['one']);
    expect((await proven({})).groups).toEqual([]);
    expect((await proven({ token: { groups } }, opened())).groups).toBeNull();
  });

  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [8.64e12 - 1, '+275760-09-12T23:59:59.000Z'],
    [8.64e12, null],
    [undefined, null],
  ])('signed in at the time of an auth_time %p: %p', async (auth_time, authTime) => {
    expect((await proven({ token: { auth_time } })).authTime).toBe(authTime);
  });
});

describe('a sign-in', () => {
  it('is asked for again only where that is wanted', async () => {
    const adapter = opened();
    expect(adapter.configured).toBe(true);
    const asked = async (options?: { readonly again: boolean }) => {
      const { searchParams } = new URL((await adapter.begin(options)).url);
      return [searchParams.get('prompt'), searchParams.get('max_age')];
    };
    expect([await asked(), await asked({ again: true })]).toEqual([
      [null, null],
      ['login', '0'],
    ]);
  });

  it.each([
    [undefined, true],
    [['client_secret_post', 'client_secret_basic'], true],
    [['client_secret_post'], false],
  ])('names the secret of the service as the provider takes it: %p', async (methods, byHeader) => {
    if (methods !== undefined) provider.metadataToo = { token_endpoint_auth_methods_supported: methods };
    await proven({});
    expect(provider.authenticatedByHeader).toBe(byHeader);
  });

  const notAccepted = 'The identity provider does not accept this service.';
  const basic = { 'WWW-Authenticate': 'Basic realm="tokens"' };
  it.each([
    [400, {}, { error: 'invalid_grant' }, 'sign-in/not-begun', 'belongs to another sign-in'],
    [400, {}, { error: 'slow_down' }, 'sign-in/provider-unavailable', 'as it should (slow_down).'],
    [400, {}, { error: 'Say "hello"' }, 'sign-in/provider-unavailable', 'as it should. Try'],
    [400, {}, { error: 'invalid_client' }, 'sign-in/provider-unavailable', notAccepted],
    [400, {}, { error: 'unauthorized_client' }, 'sign-in/provider-unavailable', notAccepted],
    [401, basic, {}, 'sign-in/provider-unavailable', notAccepted],
    [200, {}, { access_token: 'one', token_type: 'Bearer' }, 'sign-in/provider-unavailable', 'as it should'],
  ])('that ends with %p %j %j is refused as %s', async (status, headers, body, code, words) => {
    provider.tokenFailure = { status, headers, body };
    const failure = await proven({}).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('that fails is logged in the words of the failure, and no others', async () => {
    provider.tokenFailure = { status: 400, body: { error: 'slow_down' } };
    const { cause } = (await proven({}).catch((error: unknown) => error)) as { readonly cause: Error };
    const words = cause.message.split(', ');
    expect(words).toEqual([expect.stringMatching(/\w/), 'OAUTH_RESPONSE_BODY_ERROR', 'slow_down']);
  });
});
