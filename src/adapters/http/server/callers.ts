import type { UseCases } from '../../../application/use-cases.js';
import { type Actor, type Agent, identityOf } from '../../../domain/index.js';
import { bearerOf, type CountedAs } from '../routing/route.js';
import type { HttpExchange } from './exchange.js';
import type { HttpMeter } from './observation.js';
import type { LimitHeaders, RateLimits } from './rate-limit.js';

/** A forge delivers to many webhooks from one address: together they may send this multiple of the limit. */
const webhooksPerForge = 10;

/** A page is made of a dozen files, and does not work without one of them. */
const leastForFilesOfPages = 30;

export interface CallerOptions {
  readonly use: Pick<UseCases, 'authenticate' | 'authenticateAgent'>;
  readonly meter: HttpMeter;
  readonly rates: RateLimits;
  readonly rateLimitPerSecond: number;
}

export interface Callers {
  /** Throws `actor/unauthenticated`, and a 429. */
  actorOf(exchange: HttpExchange): Promise<Actor>;
  agentOf(exchange: HttpExchange): Promise<Agent>;
  /** Counts a request that needs no token. Throws a 429. */
  count(exchange: HttpExchange, countedAs: CountedAs): void;
}

/** Whose limit a token's requests count against: its owner's, however many tokens the owner has. */
const ownerOf = (caller: Actor): string => {
  const { kind, id } = identityOf(caller);
  return `${kind} ${id}`;
};

/** Identifies the caller and counts each caller's requests. */
export const callers = ({ use, meter, rates, rateLimitPerSecond }: CallerOptions): Callers => {
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
    identify: (secret: string | undefined) => Promise<Caller>,
    idOf: (caller: Caller) => string,
    countedAs: (caller: Caller) => string,
  ): Promise<Caller> => {
    let caller: Caller;
    try {
      caller = await identify(bearerOf(exchange.request));
    } catch (error) {
      exchange.addHeaders(counts.caller(exchange));
      throw error;
    }
    exchange.actor = idOf(caller);
    exchange.addHeaders(perCaller(countedAs(caller)));
    return caller;
  };

  const actor = (secret: string | undefined) => use.authenticate.execute(secret);
  const agent = (secret: string | undefined) => use.authenticateAgent.execute(secret);
  const actorId = (known: Actor) => identityOf(known).id;
  const poolId = (known: Agent) => known.poolId;
  const tokenOf = ({ tokenId }: Agent) => `agent ${tokenId}`;
  return {
    actorOf: (exchange) => authenticate(exchange, actor, actorId, ownerOf),
    agentOf: (exchange) => authenticate(exchange, agent, poolId, tokenOf),
    count: (exchange, countedAs) => exchange.addHeaders(counts[countedAs](exchange)),
  };
};
