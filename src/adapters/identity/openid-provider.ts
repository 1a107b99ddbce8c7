import type * as openid from 'openid-client';
import type { IdentityProvider, SignInChecks } from '../../application/index.js';
import { DomainError, type Instant, longestSubject, type ProvenIdentity, refusedSignIn } from '../../domain/index.js';

export interface OpenIdOptions {
  /** As the provider writes it: the claims are compared with it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** With spaces between them. */
  readonly scopes: string;
  /** The URL that the provider sends the browser back to. */
  readonly redirectUri: string;
  /** The claim that lists the person's groups; undefined if memberships do not follow groups. */
  readonly groupsClaim?: string | undefined;
  /** How long each call of the provider may take. */
  readonly timeoutSeconds?: number;
}

const usualTimeoutSeconds = 10;

/** Loaded on demand: few services need it. */
const library = (): Promise<typeof openid> => import('openid-client');

type Claims = Readonly<Record<string, unknown>>;

const textIn = (claims: Claims, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && value !== '' && value.length <= longestSubject ? value : null;
};

/** More groups than one person has, and as many as a statement may name. */
const maxGroups = 1_000;

/** A claim that is missing names no group: a person who left all groups must not keep what they gave. */
function groupsIn(claims: Claims, name: string | undefined): readonly string[] | null {
  if (name === undefined) return null;
  const listed = [claims[name] ?? []].flat();
  const named = listed.filter(
    (group) => typeof group === 'string' && group !== '' && group.length <= longestSubject,
  ) as string[];
  return [...new Set(named)].slice(0, maxGroups);
}

/** In seconds since 1970, as `auth_time` is written. */
function instantIn(claims: Claims, name: string): Instant | null {
  const value = claims[name];
  const isTime = typeof value === 'number' && value < 8.64e12;
  return isTime ? new Date(value * 1000).toISOString() : null;
}

interface LibraryError {
  readonly code?: string;
  readonly error?: string;
  readonly cause?: { readonly code?: string };
}

/** The words of a failure for the log. The library's own errors hold whole responses, tokens included. */
const inWords = (failure: unknown): string => {
  const { code, error, cause } = failure as LibraryError;
  return [(failure as Error).message, code, error, cause?.code].filter((word) => typeof word === 'string').join(', ');
};

const unavailable = (sentence: string, failure: unknown): DomainError =>
  new DomainError('sign-in/provider-unavailable', sentence, {}, new Error(inWords(failure)));

/** The error codes of providers are short words; anything else does not come from one. */
const errorWord = (text: string | undefined): string => (text && /^[a-z_]{1,60}$/.test(text) ? ` (${text})` : '');

/** Authorization code flow with PKCE and a nonce. The provider is asked for its addresses when they are first needed. */
export class OpenIdProvider implements IdentityProvider {
  readonly configured = true;
  private discovered: Promise<openid.Configuration> | undefined;

  constructor(private readonly options: OpenIdOptions) {}

  get issuer(): string {
    return this.options.issuer;
  }

  async begin({ again = false } = {}): Promise<{ readonly url: string; readonly checks: SignInChecks }> {
    const [client, configuration] = await Promise.all([library(), this.configuration()]);
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.options.redirectUri,
      scope: this.options.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(again && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, checks: { state, nonce, verifier } };
  }

  async finish(query: string, { state, nonce, verifier }: SignInChecks): Promise<ProvenIdentity> {
    if (new URLSearchParams(query).get('state') !== state) throw ofAnother();
    const [client, configuration] = await Promise.all([library(), this.configuration()]);
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.options.redirectUri}?${query}`),
        { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider sent no ID token');
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return this.proven(claims, more);
    } catch (failure) {
      throw refusalOf(failure);
    }
  }

  /** The ID token is signed, and takes precedence over what the provider says of the person elsewhere. */
  private proven(token: Claims, elsewhere: Claims): ProvenIdentity {
    const claims = { ...elsewhere, ...token };
    // Both from one document: an address that one of them verifies says nothing about an address of the other.
    const address = 'email' in token ? token : elsewhere;
    const subject = textIn(claims, 'sub');
    if (subject === null) throw new Error(`the provider sent a subject of more than ${longestSubject} characters`);
    return {
      issuer: this.options.issuer,
      subject,
      email: textIn(address, 'email'),
      emailVerified: address.email_verified === true,
      username: textIn(claims, 'preferred_username'),
      authTime: instantIn(token, 'auth_time'),
      groups: groupsIn(claims, this.options.groupsClaim),
    };
  }

  /** Asks again after a failure. */
  private configuration(): Promise<openid.Configuration> {
    this.discovered ??= this.discover().catch((failure: unknown) => {
      this.discovered = undefined;
      throw unavailable('The identity provider does not answer. Try again later, or ask the operator.', failure);
    });
    return this.discovered;
  }

  private async discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret, timeoutSeconds = usualTimeoutSeconds } = this.options;
    const client = await library();
    const insecure = issuer.startsWith('http:');
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      timeout: timeoutSeconds,
      execute: insecure ? [client.allowInsecureRequests] : [],
    });
    const server = found.serverMetadata();
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = ways.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    const configuration = new client.Configuration(server, clientId, undefined, authentication(clientSecret));
    configuration.timeout = timeoutSeconds;
    // Without it, the library trusts the connection alone for tokens that the provider hands out directly.
    client.enableNonRepudiationChecks(configuration);
    if (insecure) client.allowInsecureRequests(configuration);
    return configuration;
  }
}

const ofAnother = (): DomainError =>
  new DomainError(
    'sign-in/not-begun',
    'The answer of the identity provider belongs to another sign-in, or was used before. Begin again from the page that you came from.',
  );

function refusalOf(failure: unknown): DomainError {
  const { code, error } = failure as LibraryError;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    return refusedSignIn(
      `The identity provider refused the sign-in${errorWord(error)}. Try again, or ask its operator.`,
    );
  }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && error === 'invalid_grant') return ofAnother();
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' || error === 'invalid_client' || error === 'unauthorized_client') {
    return unavailable(
      'The identity provider does not accept this service. Ask the operator to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
      failure,
    );
  }
  return unavailable(
    `The identity provider does not answer as it should${errorWord(error)}. Try again later, or ask the operator.`,
    failure,
  );
}
