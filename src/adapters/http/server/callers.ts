import type { UseCases } from '../../../application/use-cases.js';
import { type Actor, type Agent, identityOf } from '../../../domain/index.js';
import { bearerOf, type CountedAs } from '../routing/route.js';
import { type Browsers, checkSameOrigin, sessionCookie } from '../supporting/sign-in/browser.js';
import type { HttpExchange } from './exchange.js';
import type { HttpMeter } from './observation.js';
import type { LimitHeaders, RateLimits } from './rate-limit.js';

/** A forge delivers to many webhooks from one address: together they may send this multiple of the limit. */
const webhooksPerForge = 10;

/** A page is made of a dozen files, and does not work without one of them. */
const leastForFilesOfPages = 30;

export interface CallerOptions {
  readonly use: Pick<UseCases, 'authenticate' | 'authenticateAgent' | 'authenticateSession'>;
  readonly browsers: Browsers;
  readonly meter: HttpMeter;
  readonly rates: RateLimits;
  readonly rateLimitPerSecond: number;
}

export interface Callers {
  /** Throws `actor/unauthenticated`, a 429, and a 403 for a session's request that another origin may have sent. */
  actorOf(exchange: HttpExchange): Promise<Actor>;
  /** The same caller again, which is not counted. Throws `actor/unauthenticated`. */
  sameActor(exchange: HttpExchange): Promise<Actor>;
  agentOf(exchange: HttpExchange): Promise<Agent>;
  /** Counts a request that needs no token. Throws a 429. */
  count(exchange: HttpExchange, countedAs: CountedAs): void;
}

/** The owner of a token, against whose limit its requests count, however many tokens the owner has. */
const ownerOf = (caller: Actor): string => {
  const { kind, id } = identityOf(caller);
  return `${kind} ${id}`;
};

/** Identifies the caller and counts each caller's requests. */
export const callers = ({ use, browsers, meter, rates, rateLimitPerSecond }: CallerOptions): Callers => {
  const limit = (kind: string, perSecond = rateLimitPerSecond) =>
    rates.limit(kind, perSecond, () => meter.requestLimited(kind));
  const perCaller = limit('caller');
  const perWebhook = limit('webhook');
  const perForge = limit('forge', rateLimitPerSecond * webhooksPerForge);
  const byAddress =
    (count = perCaller) =>
    ({ address }: HttpExchange) =>
      count(`address ${address}`);
  const counts: Readonly<Record<CountedAs, (exchange: HttpExchange) => LimitHeaders>> = {
    caller: byAddress(),
    capability: byAddress(limit('capability')),
    page: byAddress(limit('page', rateLimitPerSecond && Math.max(rateLimitPerSecond, leastForFilesOfPages))),
    scrape: byAddress(limit('scrape')),
    webhook: ({ address, request }) => {
      perForge(`address ${address}`);
      return perWebhook(`address ${address} webhook ${request.params.id}`);
    },
    nobody: () => ({}),
  };

  /** Counts a caller with a valid token by what `countedAs` names, and any other by its address. */
  const authenticate = async <Caller>(
    exchange: HttpExchange,
    identify: (exchange: HttpExchange) => Promise<Caller>,
    idOf: (caller: Caller) => string,
    countedAs: (caller: Caller) => string,
  ): Promise<Caller> => {
    let caller: Caller;
    try {
      caller = await identify(exchange);
    } catch (error) {
      exchange.addHeaders(counts.caller(exchange));
      throw error;
    }
    exchange.actor = idOf(caller);
    exchange.identify(countedAs(caller));
    exchange.addHeaders(perCaller(countedAs(caller)));
    return caller;
  };

  const cookie = sessionCookie(browsers);
  /** A token takes precedence over a session: a request that has the header is not looked at for a cookie. */
  const actor = async ({ request }: HttpExchange): Promise<Actor> => {
    const session = request.headers.authorization === undefined ? cookie.read(request) : undefined;
    if (session === undefined) return use.authenticate.execute(bearerOf(request));
    checkSameOrigin(request, browsers);
    return use.authenticateSession.execute(session);
  };
  const agent = ({ request }: HttpExchange) => use.authenticateAgent.execute(bearerOf(request));
  const actorId = (known: Actor) => identityOf(known).id;
  const poolId = (known: Agent) => known.poolId;
  const tokenOf = ({ tokenId }: Agent) => `agent ${tokenId}`;
  return {
    actorOf: (exchange) => authenticate(exchange, actor, actorId, ownerOf),
    sameActor: actor,
    agentOf: (exchange) => authenticate(exchange, agent, poolId, tokenOf),
    count: (exchange, countedAs) => exchange.addHeaders(counts[countedAs](exchange)),
  };
};
