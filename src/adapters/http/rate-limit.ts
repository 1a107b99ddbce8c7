import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { RequestError } from './json-api/request-error.js';

/** The headers that tell a client how much it may still ask. */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts one request of `key`. Throws a 429 when the second's share is used up. */
export type RateLimit = (key: string) => Promise<LimitHeaders>;

const noLimit: RateLimit = async () => ({});

/** `perSecond` 0 is no limit, and then no header. Each limit counts for itself. */
export function rateLimit(perSecond: number): RateLimit {
  if (perSecond === 0) return noLimit;
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  const headers = (result: RateLimiterRes): LimitHeaders => ({
    'X-RateLimit-Limit': String(perSecond),
    'X-RateLimit-Remaining': String(result.remainingPoints),
    'X-RateLimit-Reset': (result.msBeforeNext / 1000).toFixed(3),
  });
  return async (key) => {
    try {
      return headers(await limiter.consume(key));
    } catch (result) {
      if (result instanceof Error) throw result;
      const { msBeforeNext } = result as RateLimiterRes;
      throw new RequestError(429, 'Too many requests', [{ detail: "You have exceeded the API's rate limit." }], {
        ...headers(result as RateLimiterRes),
        'Retry-After': String(Math.ceil(msBeforeNext / 1000)),
      });
    }
  };
}
