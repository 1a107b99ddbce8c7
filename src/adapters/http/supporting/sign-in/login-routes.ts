import type { UseCases } from '../../../../application/use-cases.js';
import { loginPortOf, terraformLogin } from '../../../../domain/index.js';
import type { Problem } from '../../routing/error-table.js';
import type { Exchange } from '../../routing/exchange.js';
import { partsOf } from '../../routing/query.js';
import { badRequest } from '../../routing/request-error.js';
import { jsonType, type PlainRoute } from '../../routing/route.js';
import type { Browsers } from './browser.js';
import { answerPage, escaped } from './pages.js';
import { formOf, formSecretOf, readForm, Visits } from './visits.js';

const authorizePath = '/oauth/authorize';
const tokenPath = '/oauth/token';

/** The entry of service discovery with which the terraform command asks a person for a token. */
export const loginService = {
  client: terraformLogin.client,
  grant_types: ['authz_code'],
  authz: authorizePath,
  token: tokenPath,
  ports: terraformLogin.ports,
} as const;

/** A request of the command. */
interface Asked {
  readonly port: number;
  readonly redirectUri: string;
  readonly state: string;
  /** As the command writes it. */
  readonly challenge: string;
}

/** A sign-in may come between, and keeps it in a cookie. */
const longestState = 500;

const names = ['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'];

/** Throws a 400. No answer goes to an address before it is known to be the command's. */
function askedIn(one: (name: string) => string | undefined): Asked {
  const redirectUri = one('redirect_uri') ?? '';
  const port = loginPortOf(redirectUri);
  const [first, last] = terraformLogin.ports;
  const challenge = one('code_challenge') ?? '';
  if (one('client_id') !== terraformLogin.client) throw badRequest(`client_id must be ${terraformLogin.client}`);
  if (port === undefined) {
    throw badRequest(`redirect_uri must be http://localhost:PORT/login, with a port from ${first} to ${last}`);
  }
  if (one('response_type') !== 'code') throw badRequest('response_type must be code');
  if (one('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw badRequest('code_challenge must be the S256 challenge of a verifier, with code_challenge_method S256');
  }
  const state = one('state') ?? '';
  if (state.length > longestState) throw badRequest(`state must have at most ${longestState} characters`);
  return { port, redirectUri, state, challenge };
}

/** The page that asks the person, as the path to return to after signing in. */
const pageOf = (one: (name: string) => string | undefined): string =>
  `${authorizePath}?${new URLSearchParams(names.map((name): [string, string] => [name, one(name) ?? '']))}`;

/** RFC 6749 has an error document of its own, which the command shows. */
const errorOf = ({ status }: Problem): string => {
  if (status >= 500 || status === 429) return 'temporarily_unavailable';
  return status === 400 || status === 422 ? 'invalid_grant' : 'invalid_request';
};

const answerJson = (exchange: Exchange, status: number, body: object, headers = {}): void => {
  const text = JSON.stringify(body);
  exchange
    .writeHead(status, { ...headers, 'Content-Type': jsonType, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
};

/** `terraform login`: a person lets the command have a token. Registered only where people can sign in. */
export const loginRoutes = (use: UseCases, browsers: Browsers): PlainRoute[] => {
  const { publicUrl } = browsers;
  const visits = new Visits(use, browsers);

  const answerCommand = (exchange: Exchange, { redirectUri, state }: Asked, answer: Readonly<Record<string, string>>) =>
    visits.redirect(exchange, `${redirectUri}?${new URLSearchParams({ ...answer, state })}`);

  return [
    {
      method: 'get',
      path: authorizePath,
      countedAs: 'caller',
      refuse: visits.refuse,
      handle: async (exchange) => {
        const [, query] = partsOf(exchange.request.originalUrl);
        const asked = askedIn((name) => query.one(name));
        const visitor = await visits.visitor(exchange);
        if (visitor === undefined || !visitor.isFresh) {
          return visits.toProvider(
            exchange,
            pageOf((name) => query.one(name)),
          );
        }
        const hidden = [['form', formSecretOf(visitor.secret)], ...names.map((name) => [name, query.one(name) ?? ''])];
        const inputs = hidden.map(
          ([name = '', value = '']) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
        );
        const body = `<p>The program <strong>${terraformLogin.client}</strong>, which listens on port <strong>${asked.port}</strong> of this computer, asks for a
        token of the user <strong>${escaped(visitor.user.username)}</strong>. The token may do all that you may, for ${terraformLogin.tokenDays} days,
        and you can revoke it in your settings.</p>
      <p>Go on only if you have just run <code>terraform login</code>.</p>
      <form method="post" action="${escaped(publicUrl)}${authorizePath}">
        ${inputs.join('\n        ')}
        <button name="decision" value="allow">Issue the token</button>
        <button name="decision" value="deny">Cancel</button>
      </form>`;
        const formLeadsTo = `'self' http://localhost:${asked.port}`;
        answerPage(exchange, publicUrl, 200, { title: 'Issue a token to terraform?', body, formLeadsTo });
      },
    },
    {
      method: 'post',
      path: authorizePath,
      countedAs: 'caller',
      refuse: visits.refuse,
      handle: async (exchange) => {
        const { secret, isFresh } = await visits.signedIn(exchange);
        const form = await readForm(exchange, secret);
        const asked = askedIn((name) => form.get(name) ?? undefined);
        if (form.get('decision') !== 'allow') return answerCommand(exchange, asked, { error: 'access_denied' });
        if (!isFresh) {
          const begun = await use.beginSignIn.execute(pageOf((name) => form.get(name) ?? undefined));
          return visits.leadTo(
            exchange,
            'Sign in again',
            'Your sign-in is too old to issue a token. Sign in again',
            begun,
          );
        }
        const challenge = Buffer.from(asked.challenge, 'base64url').toString('hex');
        const code = await use.issueLoginCode.execute(secret, { challenge, redirectUri: asked.redirectUri });
        answerCommand(exchange, asked, { code });
      },
    },
    {
      method: 'post',
      path: tokenPath,
      countedAs: 'caller',
      refuse: (exchange, problem) => {
        const description = problem.document.errors.map(({ detail }) => detail).join('; ');
        answerJson(
          exchange,
          problem.status === 422 ? 400 : problem.status,
          { error: errorOf(problem), error_description: description },
          problem.headers,
        );
      },
      handle: async (exchange) => {
        const form = await formOf(exchange);
        const one = (name: string) => form.get(name) ?? '';
        const refuse = (status: number, error: string, description: string) =>
          answerJson(exchange, status, { error, error_description: description });
        if (one('grant_type') !== 'authorization_code') {
          return refuse(400, 'unsupported_grant_type', 'grant_type must be authorization_code');
        }
        if (one('client_id') !== terraformLogin.client) {
          return refuse(401, 'invalid_client', `client_id must be ${terraformLogin.client}`);
        }
        const redeemed = { code: one('code'), verifier: one('code_verifier'), redirectUri: one('redirect_uri') };
        const { token, secret } = await use.redeemLoginCode.execute({ ...redeemed, request: exchange.origin() });
        const milliseconds = Date.parse(token.expiresAt ?? token.createdAt) - Date.parse(token.createdAt);
        // The command takes whole seconds only.
        const lifetime = Math.floor(milliseconds / 1000);
        answerJson(exchange, 200, { access_token: secret, token_type: 'bearer', expires_in: lifetime });
      },
    },
  ];
};
