import { createHash, timingSafeEqual } from 'node:crypto';
import type { BegunSignIn, NewSession, ShownSession } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { DomainError } from '../../../../domain/index.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Problem } from '../../routing/error-table.js';
import type { Exchange, Headers } from '../../routing/exchange.js';
import { readBytes } from '../../routing/read-body.js';
import { RequestError } from '../../routing/request-error.js';
import { type Browsers, pendingCookie, sessionCookie } from './browser.js';
import { answerPage, escaped } from './pages.js';

const titles: Readonly<Record<number, string>> = {
  400: 'This sign-in cannot go on',
  401: 'You are not signed in',
  403: 'You are not signed in',
  404: 'Sign-in is not set up',
  503: 'Sign-in is not available at the moment',
};

/** The text that a form of the session's pages brings back: only pages of this service can know it. */
export const formSecretOf = (session: string): string =>
  createHash('sha256').update(`form of ${session}`).digest('base64url');

/** Reads a form that a page of this service showed. Throws a 403 for a form from elsewhere, and as `readBytes`. */
export async function readForm(exchange: Exchange, session: string): Promise<URLSearchParams> {
  const form = await formOf(exchange);
  const [given, expected] = [form.get('form') ?? '', formSecretOf(session)].map((text) => Buffer.from(text));
  if (given?.length === expected?.length && timingSafeEqual(given as Buffer, expected as Buffer)) return form;
  throw new RequestError(403, 'forbidden', [
    { detail: 'The form does not come from a page of this session. Go back, and load the page again.' },
  ]);
}

/** The fields of a body. Throws as `readBytes`. */
export const formOf = async (exchange: Exchange): Promise<URLSearchParams> =>
  new URLSearchParams(Buffer.from(await readBytes(exchange, bodyKinds.form)).toString());

/** A visitor who is signed in, with the secret of the session. */
interface SignedIn extends ShownSession {
  readonly secret: string;
}

/** The requests of people's browsers: who they are, and pages and redirects for them. */
export class Visits {
  readonly session: ReturnType<typeof sessionCookie>;
  readonly pending: ReturnType<typeof pendingCookie>;

  constructor(
    private readonly use: UseCases,
    private readonly browsers: Browsers,
  ) {
    this.session = sessionCookie(browsers);
    this.pending = pendingCookie(browsers);
  }

  /** Undefined without a valid session. */
  async visitor({ request }: Exchange): Promise<SignedIn | undefined> {
    const secret = this.session.read(request);
    if (secret === undefined) return undefined;
    const shown = await this.use.authenticateSession.show(secret);
    return shown && { ...shown, secret };
  }

  /** Throws `actor/unauthenticated` without a valid session. */
  async signedIn(exchange: Exchange): Promise<SignedIn> {
    const visitor = await this.visitor(exchange);
    if (visitor !== undefined) return visitor;
    throw new DomainError('actor/unauthenticated', 'You are not signed in, or your session has ended.');
  }

  /** The cookie of a new session. */
  begun({ secret, session: { createdAt, expiresAt } }: NewSession): string {
    return this.session.written(secret, Math.floor((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000));
  }

  redirect(exchange: Exchange, to: string, cookies?: Headers[string]): void {
    const headers = cookies === undefined ? {} : { 'Set-Cookie': cookies };
    // 303, so that the answer to a form is fetched, and not posted to.
    exchange.writeHead(303, { ...headers, Location: to, 'Content-Length': 0 }).end();
  }

  /** Sends the browser to the provider, to come back to the path of this service. */
  async toProvider(exchange: Exchange, returnTo: string): Promise<void> {
    this.goTo(exchange, await this.use.beginSignIn.execute(returnTo));
  }

  /** Redirects the browser to the provider. */
  goTo(exchange: Exchange, { url, sealed, seconds }: BegunSignIn): void {
    this.redirect(exchange, url, this.pending.written(sealed, seconds));
  }

  /**
   * Answers a form with a page that goes on to the provider. Not a redirect: browsers hold the policy for forms against
   * every redirect of the provider as well.
   */
  leadTo(exchange: Exchange, title: string, label: string, { url, sealed, seconds }: BegunSignIn): void {
    const body = `<p><a href="${escaped(url)}">${escaped(label)}</a></p>`;
    const cookie = { 'Set-Cookie': this.pending.written(sealed, seconds) };
    answerPage(exchange, this.browsers.publicUrl, 200, { title, body, next: url }, cookie);
  }

  /** Answers a refusal as a page. */
  readonly refuse = (exchange: Exchange, { status, document, headers }: Problem): void => {
    const { publicUrl } = this.browsers;
    const said = document.errors.map(({ detail = '' }) => `<p>${escaped(detail)}</p>`).join('');
    const again = status === 404 ? '' : `<p><a href="${escaped(publicUrl)}/session/sign-in">Sign in</a></p>`;
    const title = titles[status] ?? 'This is not possible';
    answerPage(exchange, publicUrl, status, { title, body: `${said}${again}` }, headers);
  };
}
