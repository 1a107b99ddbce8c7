import type { Demand } from '../../../application/index.js';
import { RequestError } from '../routing/request-error.js';

/** The headers that report how many requests the client has left. */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts one request of `key`. Throws a 429 when the second's share is used up. */
export type RateLimit = (key: string) => LimitHeaders;

/** Reports the demand on this instance to the others, and returns the same callers' demand on them. */
export type ExchangeRates = (demand: Demand) => Promise<Demand>;

const second = 1_000;

/**
 * A caller that uses less than this part of the limit on an instance is not reported, and costs nothing. Each instance
 * may therefore exceed the shared limit by this part.
 */
const unspokenPart = 0.1;

/** Addresses and ids are shorter. A client that invents longer ones must not fill the database with them. */
const longestKey = 200;

interface Counted {
  readonly limit: number;
  /** The part of the limit that this instance may allow. */
  share: number;
  begun: number;
  /** Since the current second began. */
  count: number;
  /** Since the last exchange. */
  asked: number;
}

/**
 * Counts the requests of each caller per second. When several instances serve a caller, each allows a part of the limit
 * in proportion to its part of the caller's demand. Three seconds after steady demand begins, they allow the limit
 * together, plus a tenth of it or one request per instance. Until then each allows the whole limit.
 * `docs/operations.md` has the details.
 */
export class RateLimits {
  private readonly callers = new Map<string, Counted>();
  private exchangedAt: number;

  /** Counts alone without an `exchange`. `now` is in milliseconds and monotonic. */
  constructor(
    private readonly exchange?: ExchangeRates,
    private readonly now = () => performance.now(),
  ) {
    this.exchangedAt = now();
  }

  /**
   * A `perSecond` of 0 disables the limit and its headers. Each `kind` counts on its own; `refused` is called for each
   * 429.
   */
  limit(kind: string, perSecond: number, refused: () => void = () => {}): RateLimit {
    if (perSecond === 0) return () => ({});
    return (key) => this.count(`${kind} ${key}`, perSecond, refused);
  }

  /** Must be called every second. While the exchange fails, each instance counts on its own. */
  async settle(): Promise<void> {
    const now = this.now();
    const seconds = Math.max(1, (now - this.exchangedAt) / second);
    this.exchangedAt = now;
    const demand: Record<string, number> = {};
    for (const [key, caller] of this.callers) {
      const perSecond = caller.asked / seconds;
      if (perSecond >= caller.limit * unspokenPart && key.length <= longestKey) demand[key] = perSecond;
      else caller.share = caller.limit;
      if (caller.asked === 0 && now >= caller.begun + second) this.callers.delete(key);
      caller.asked = 0;
    }
    const others = await this.exchange?.(demand).catch((error: unknown) => {
      for (const caller of this.callers.values()) caller.share = caller.limit;
      throw error;
    });
    for (const [key, own] of Object.entries(demand)) {
      const caller = this.callers.get(key);
      if (caller !== undefined) caller.share = shareOf(caller.limit, own, others?.[key] ?? 0);
    }
  }

  private count(key: string, limit: number, refused: () => void): LimitHeaders {
    const now = this.now();
    const caller = this.callers.get(key) ?? { limit, share: limit, begun: now, count: 0, asked: 0 };
    this.callers.set(key, caller);
    if (now >= caller.begun + second) Object.assign(caller, { begun: now, count: 0 });
    caller.count += 1;
    caller.asked += 1;
    const seconds = Math.max(0, caller.begun + second - now) / second;
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, caller.share - caller.count)),
      'X-RateLimit-Reset': seconds.toFixed(3),
    };
    if (caller.count <= caller.share) return headers;
    refused();
    throw new RequestError(429, 'Too many requests', [{ detail: "You have exceeded the API's rate limit." }], {
      ...headers,
      'Retry-After': String(Math.ceil(seconds)),
    });
  }
}

/** The part of the limit that the others leave; where that is too little, a part in proportion to the demand. */
const shareOf = (limit: number, own: number, others: number): number =>
  Math.ceil(Math.max(limit - others, (limit * own) / (own + others)));
