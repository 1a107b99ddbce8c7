import type { Demand } from '../../../application/index.js';
import { RequestError } from '../routing/request-error.js';

/** The headers that tell a client how much it may still ask. */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts one request of `key`. Throws a 429 when the second's share is used up. */
export type RateLimit = (key: string) => LimitHeaders;

/** Tells other instances what is asked of this one, and answers what the same callers ask of them. */
export type ExchangeRates = (demand: Demand) => Promise<Demand>;

const second = 1_000;

/**
 * Whoever asks an instance for less than this part of the limit is not spoken of, and costs nothing. Each instance can
 * so add as much to what the others let pass together.
 */
const unspokenPart = 0.1;

/** Addresses and ids are shorter. Whoever makes up longer ones shall not fill the database with them. */
const longestKey = 200;

interface Counted {
  readonly limit: number;
  /** How many of the limit are this instance's to let pass. */
  share: number;
  begun: number;
  /** Since the second begun. */
  count: number;
  /** Since the last exchange. */
  asked: number;
}

/**
 * Counts each caller by the second. Of a caller that several instances count, each lets pass a part as large as its
 * part of what the caller asks: three seconds after a caller began to ask evenly, they let pass the limit together, and
 * for each instance a tenth of it, or one request. Until then each lets pass the limit. `docs/operations.md` says it in full.
 */
export class RateLimits {
  private readonly callers = new Map<string, Counted>();
  private exchangedAt: number;

  /** Alone without an `exchange`. `now` is in milliseconds, and never goes back. */
  constructor(
    private readonly exchange?: ExchangeRates,
    private readonly now = () => performance.now(),
  ) {
    this.exchangedAt = now();
  }

  /** `perSecond` 0 is no limit, and then no header. Each `kind` counts for itself; `refused` hears of each 429. */
  limit(kind: string, perSecond: number, refused: () => void = () => {}): RateLimit {
    if (perSecond === 0) return () => ({});
    return (key) => this.count(`${kind} ${key}`, perSecond, refused);
  }

  /** To be called every second. When the others cannot be heard, each instance counts for itself until they are. */
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

/** What the others leave of the limit; where that is too little, a part of it as large as that of what is asked. */
const shareOf = (limit: number, own: number, others: number): number =>
  Math.ceil(Math.max(limit - others, (limit * own) / (own + others)));
