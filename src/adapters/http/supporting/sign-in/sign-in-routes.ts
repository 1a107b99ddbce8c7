import type { LinkConfirmation, ShownSession } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { isReturnPath, usualReturnPath } from '../../../../domain/index.js';
import { unknownActor } from '../../../../domain/supporting/audit/audit-event.js';
import { contract } from '../../routing/dialect.js';
import { mediaType } from '../../routing/document.js';
import type { Exchange, Headers } from '../../routing/exchange.js';
import { partsOf } from '../../routing/query.js';
import { readBody } from '../../routing/read-body.js';
import { creates, removes, shows } from '../../routing/reference.js';
import { badRequest } from '../../routing/request-error.js';
import type { PlainRoute } from '../../routing/route.js';
import { type Browsers, checkSameOrigin, consoleHeader } from './browser.js';
import { answerPage, escaped } from './pages.js';
import { credentials } from './session-requests.js';
import { presentSession, sessionSchema } from './session-resource.js';
import { formSecretOf, readForm, Visits } from './visits.js';

/** The path of the redirect URI that the provider knows. */
export const callbackPath = '/session/callback';

/** Web pages of sign-in, and the session as the console sees it. */
export const signInRoutes = (use: UseCases, browsers: Browsers): PlainRoute[] => {
  const { publicUrl } = browsers;
  const visits = new Visits(use, browsers);
  const { session, pending, refuse } = visits;

  /** The page to return to after signing in. Throws a 400 for one elsewhere. */
  const returnPathOf = (exchange: Exchange): string => {
    const path = partsOf(exchange.request.originalUrl)[1].one('return_to') ?? usualReturnPath;
    if (isReturnPath(path)) return path;
    throw badRequest(`return_to must be a path of this service below ${usualReturnPath}`);
  };

  const answer = (exchange: Exchange, status: number, shown: ShownSession | undefined, headers: Headers = {}): void => {
    const body = JSON.stringify({ data: presentSession({ possible: browsers.signIn, shown: shown ?? null }) });
    const described = { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(body) };
    exchange.writeHead(status, { ...headers, ...described }).end(body);
  };

  return [
    {
      method: 'get',
      path: '/session',
      countedAs: 'caller',
      reference: shows('showSession', 'Show the session of the browser', () => sessionSchema(contract), {
        about: 'Answers with or without a session. Only the cookie counts; a token is ignored.',
        refusals: [429, 'service/unavailable'],
      }),
      handle: async (exchange) => {
        answer(exchange, 200, await visits.visitor(exchange));
      },
    },
    {
      method: 'post',
      path: '/session',
      countedAs: 'caller',
      reference: creates('beginSession', 'Sign in', credentials, () => sessionSchema(contract), {
        about: `With a user token where people cannot sign in with an identity provider, or with the code of a sign-in link anywhere. The answer sets the cookie; the session that the browser had ends. A session that was made from a token ends with it. Needs the header \`${consoleHeader}: 1\`, and an \`Origin\` or \`Sec-Fetch-Site\` header that names this service.`,
        refusals: [
          403,
          408,
          413,
          415,
          422,
          429,
          'actor/unauthenticated',
          'service/unavailable',
          'service/storage-full',
        ],
      }),
      handle: async (exchange) => {
        checkSameOrigin(exchange.request, browsers);
        const asked = { former: session.read(exchange.request), request: exchange.origin() };
        const { request } = asked;
        exchange.audits({ actor: unknownActor, action: 'sessions/start', subject: null, about: undefined, request });
        const given = credentials.read(await readBody(exchange));
        const begun = await ('token' in given
          ? use.signInWithToken.execute({ secret: given.token, ...asked })
          : use.signInByLink.execute({ secret: given.code, ...asked }));
        const shown = await use.authenticateSession.show(begun.secret);
        answer(exchange, 201, shown, { 'Set-Cookie': visits.begun(begun) });
      },
    },
    {
      method: 'delete',
      path: '/session',
      countedAs: 'caller',
      reference: removes('endSession', 'Sign out', {
        about: `Needs the header \`${consoleHeader}: 1\`, and an \`Origin\` or \`Sec-Fetch-Site\` header that names this service. The identity provider keeps its own session.`,
        refusals: [403, 429, 'service/unavailable'],
      }),
      handle: async (exchange) => {
        checkSameOrigin(exchange.request, browsers);
        const secret = session.read(exchange.request);
        if (secret !== undefined) await use.endSession.execute(secret, exchange.origin());
        exchange.writeHead(204, { 'Set-Cookie': session.removed() }).end();
      },
    },
    {
      method: 'get',
      path: '/session/sign-in',
      countedAs: 'caller',
      refuse,
      handle: async (exchange) => {
        await visits.toProvider(exchange, returnPathOf(exchange));
      },
    },
    {
      method: 'get',
      path: callbackPath,
      countedAs: 'caller',
      refuse,
      handle: async (exchange) => {
        const { request } = exchange;
        const at = request.originalUrl.indexOf('?');
        const answer = await use.completeSignIn.execute({
          query: at === -1 ? '' : request.originalUrl.slice(at + 1),
          sealed: pending.read(request),
          secret: session.read(request),
          request: exchange.origin(),
        });
        if ('url' in answer) return visits.goTo(exchange, answer);
        const cookies = [visits.begun(answer), pending.removed()];
        visits.redirect(exchange, `${publicUrl}${answer.returnTo}`, cookies);
      },
    },
    {
      method: 'get',
      path: '/session/link',
      countedAs: 'caller',
      refuse,
      handle: async (exchange) => {
        const returnTo = returnPathOf(exchange);
        const { secret, user } = await visits.signedIn(exchange);
        const confirmation = confirmations[await use.identityLinks.confirmation(secret)];
        const body = `<p>You are signed in as <strong>${escaped(user.username)}</strong>. ${confirmation.sentence}</p>
      <form method="post" action="${escaped(publicUrl)}/session/link">
        <input type="hidden" name="form" value="${formSecretOf(secret)}">
        <input type="hidden" name="return_to" value="${escaped(returnTo)}">
        ${confirmation.field}
        <button>Link an identity</button>
      </form>`;
        answerPage(exchange, publicUrl, 200, { title: 'Link an identity', body, formLeadsTo: "'self'" });
      },
    },
    {
      method: 'post',
      path: '/session/link',
      countedAs: 'caller',
      refuse,
      handle: async (exchange) => {
        const { secret } = await visits.signedIn(exchange);
        const form = await readForm(exchange, secret);
        const wanted = form.get('return_to') ?? usualReturnPath;
        const returnTo = isReturnPath(wanted) ? wanted : usualReturnPath;
        const begun = await use.identityLinks.begin(secret, form.get('token') ?? undefined, returnTo);
        visits.leadTo(exchange, 'Link an identity', 'Go on to the identity provider', begun);
      },
    },
  ];
};

const added =
  'The identity with which you sign in then becomes one of yours: a person who has it can sign in here as you. Your other sessions end.';

const tokenField =
  '<p><label>User token <input type="password" name="token" autocomplete="off" required maxlength="200"></label></p>';

/** The sentence and the field of the page, by what confirms the link. */
const confirmations = {
  identity: {
    sentence: `You sign in twice: first with an identity that you have, so that it is certain that you are there. ${added}`,
    field: '',
  },
  'same token': {
    sentence: `Paste the user token with which you signed in once more, so that it is certain that you are there. ${added}`,
    field: tokenField,
  },
  token: {
    sentence: `Your identity provider cannot confirm that you are there. Paste a user token that was not made in a browser and is older than this session, or ask a site administrator to link the identity. ${added}`,
    field: tokenField,
  },
} as const satisfies Record<LinkConfirmation, { readonly sentence: string; readonly field: string }>;
