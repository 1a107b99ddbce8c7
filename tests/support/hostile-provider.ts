import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientId, clientSecret } from './identity-provider.js';

type Claims = Readonly<Record<string, unknown>>;

/** The claims of the provider about the person who signs in next. */
export interface Told {
  readonly sub: string;
  /** Further claims of the ID token. `auth_time` is now unless it is named; undefined leaves it out. */
  readonly token?: Claims;
  /** The answer of the userinfo endpoint, with `sub` unless it names another. */
  readonly userinfo?: Claims;
}

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const now = (): number => Math.floor(Date.now() / 1_000);

/** An OpenID provider that keeps to the protocol, except where a test has it lie. It asks the person for nothing. */
export class HostileProvider {
  person: Told | null = null;
  /** Signs with a key that it does not publish. */
  signsWithAnotherKey = false;
  /** The answer of the token endpoint, instead of tokens. */
  tokenFailure:
    | { readonly status: number; readonly headers?: Record<string, string>; readonly body: object }
    | undefined;
  /** Further metadata. */
  metadataToo: object = {};
  /** Whether the last client named its secret in a header, and not in the form. */
  authenticatedByHeader = false;
  /** The parameters of each request that it was asked to sign a person in with. */
  readonly asked: URLSearchParams[] = [];
  private readonly own = keys();
  private readonly other = keys();
  private readonly codes = new Map<string, { readonly nonce: string; readonly told: Told }>();

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<HostileProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new HostileProvider(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void provider.answer(request, response));
    return provider;
  }

  /** The settings of a service that people sign in to here. */
  get environment(): Readonly<Record<string, string>> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  }

  /** The URL that the browser is sent back to. */
  async visit(url: string): Promise<URL> {
    const { searchParams } = new URL(url);
    this.asked.push(searchParams);
    if (this.person === null) throw new Error('no person signs in');
    const code = `code-${this.asked.length}`;
    this.codes.set(code, { nonce: searchParams.get('nonce') ?? '', told: this.person });
    const state = searchParams.get('state') ?? '';
    return new URL(`${searchParams.get('redirect_uri')}?${new URLSearchParams({ code, state, iss: this.issuer })}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const json = (body: object) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return void json(this.metadata());
      case '/jwks':
        return void json({ keys: [{ ...this.own.publicKey.export({ format: 'jwk' }), kid: 'own', use: 'sig' }] });
      case '/token':
        this.authenticatedByHeader = request.headers.authorization !== undefined;
        if (this.tokenFailure !== undefined) {
          const { status, headers, body } = this.tokenFailure;
          response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
          return void response.end(JSON.stringify(body));
        }
        return void json(this.tokens(form.get('code') ?? ''));
      default: {
        const { told } = this.codes.get(request.headers.authorization?.split(' ')[1] ?? '') ?? {};
        return void json({ sub: told?.sub, ...told?.userinfo });
      }
    }
  }

  private metadata(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadataToo,
    };
  }

  /** The code is the access token, too. */
  private tokens(code: string): object {
    const { nonce = '', told = { sub: '' } } = this.codes.get(code) ?? {};
    const { issuer: iss } = this;
    const claims = { iss, aud: clientId, iat: now(), exp: now() + 60, nonce, sub: told.sub, auth_time: now() };
    const { privateKey } = this.signsWithAnotherKey ? this.other : this.own;
    const id_token = signed({ ...claims, ...told.token }, privateKey);
    return { access_token: code, token_type: 'Bearer', expires_in: 60, id_token };
  }
}

function signed(claims: object, key: KeyObject): string {
  const text = `${encoded({ alg: 'ES256', kid: 'own' })}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
