import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider';

/** The claims of the person who signs in next. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly preferred_username?: string;
  readonly groups?: readonly string[];
}

export const clientId = 'gatehouse';
export const clientSecret = 'the secret of gatehouse at its provider';

const jwks = {
  keys: [{ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), use: 'sig' }],
};

/** Keeps what the provider issues, for as long as it runs. */
class Kept implements Adapter {
  private readonly rows = new Map<string, AdapterPayload>();

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.rows.set(id, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.rows.get(id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...this.rows.values()].find((row) => row.uid === uid);
  }

  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    this.rows.set(id, { ...this.rows.get(id), consumed: 1 });
  }

  async destroy(id: string): Promise<void> {
    this.rows.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, row] of this.rows) if (row.grantId === grantId) this.rows.delete(id);
  }
}

const configurationOf = (provider: TestProvider, services: readonly string[]): Configuration => ({
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: services.map((url) => `${url}/session/callback`),
      id_token_signed_response_alg: 'ES256',
    },
  ],
  adapter: Kept,
  jwks,
  cookies: { keys: ['a key of the provider for its cookies'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username', 'groups'] },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...provider.people.get(sub), sub }) }),
  ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
});

/** A real provider of OpenID Connect on this machine. It asks for no password: the test says who signs in. */
export class TestProvider {
  readonly people = new Map<string, Person>();
  /** Who signs in next; null refuses. */
  person: Person | null = null;
  /** Answers every request with this status instead. */
  broken: number | undefined;
  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /** `services` are the public URLs of the services that people sign in to. */
  static async start(...services: readonly string[]): Promise<TestProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const started = new TestProvider(server, issuer);
    const provider = new Provider(issuer, configurationOf(started, services));
    const handle = provider.callback();
    server.on('request', (request, response) => {
      if (started.broken !== undefined) response.writeHead(started.broken).end();
      else if (request.url?.startsWith('/interaction/')) void started.decide(provider, request, response);
      else handle(request, response);
    });
    return started;
  }

  /** The settings of a service that people sign in to here. */
  get environment(): Readonly<Record<string, string>> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  }

  /** Follows the browser through the provider, and returns the URL it is sent back to. */
  async visit(url: string): Promise<URL> {
    const cookies = new Map<string, string>();
    for (let at = url; ; ) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie, connection: 'close' } });
      await answer.arrayBuffer();
      for (const one of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`the provider answered ${answer.status} at ${at}`);
      at = new URL(location, at).href;
      if (!at.startsWith(this.issuer)) return new URL(at);
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  /** Signs the person in and consents, without asking. */
  private async decide(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (this.person === null) {
      const refusal = { error: 'access_denied', error_description: 'not today' };
      return provider.interactionFinished(request, response, refusal);
    }
    if (prompt.name === 'login') {
      this.people.set(this.person.sub, this.person);
      return provider.interactionFinished(request, response, { login: { accountId: this.person.sub } });
    }
    const grant = new provider.Grant({ accountId: session?.accountId as string, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
