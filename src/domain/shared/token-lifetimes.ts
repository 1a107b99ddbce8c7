import { invalidAttribute } from './domain-error.js';
import type { Instant } from './id.js';
import type { TokenOwner } from './token-owner.js';

/** The kinds of token whose lifetime an organization limits. */
export const limitedTokens = [
  'organization',
  'team',
  'user',
  'auditor',
] as const satisfies readonly TokenOwner['kind'][];

export type LimitedToken = (typeof limitedTokens)[number];

/** The longest lifetime of one kind of token, in milliseconds. */
export interface TokenLifetime {
  readonly max: number;
  /** Null for the initial one. */
  readonly changedAt: Instant | null;
}

export type TokenLifetimes = Readonly<Record<LimitedToken, TokenLifetime>>;

const hour = 3_600_000;
const day = 24 * hour;
const year = 365 * day;

/** In milliseconds. An hour is enough for a program that gets a token for each of its runs. */
export const tokenLifetimeBounds = { min: hour, max: 100 * year } as const;

const initial: TokenLifetime = { max: 2 * year, changedAt: null };

export const initialLifetimes: TokenLifetimes = {
  organization: initial,
  team: initial,
  user: initial,
  auditor: initial,
};

const units = [
  ['day', day],
  ['hour', hour],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** A duration in the largest unit that divides it: `30 days`. */
export function durationInWords(milliseconds: number): string {
  const [unit, length] = units.find(([, length]) => milliseconds % length === 0) ?? units[4];
  const count = milliseconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** An organization as far as it limits tokens. */
export interface TokenLimits {
  readonly name: string;
  readonly settings: { readonly maxTtlEnabled: boolean; readonly tokenLifetimes: TokenLifetimes };
}

/** A token as far as its lifetime matters. */
interface Lived {
  readonly owner: TokenOwner;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
}

/** Whether the token lives for longer than the organization allows. */
export function exceedsLifetime({ owner: { kind }, createdAt, expiresAt }: Lived, { settings }: TokenLimits): boolean {
  if (!settings.maxTtlEnabled) return false;
  const { max } = settings.tokenLifetimes[kind];
  return expiresAt === null || Date.parse(expiresAt) - Date.parse(createdAt) > max;
}

const names: Readonly<Record<LimitedToken, string>> = {
  organization: 'organization tokens',
  team: 'team tokens',
  user: 'user tokens',
  auditor: 'audit tokens',
};

/** Throws `attribute/invalid`, which names the longest lifetime, if the token lives for longer than one of them allows. */
export function checkLifetime(token: Lived, organizations: readonly TokenLimits[]): void {
  const { kind } = token.owner;
  const [shortest] = organizations
    .filter((organization) => exceedsLifetime(token, organization))
    .sort((a, b) => a.settings.tokenLifetimes[kind].max - b.settings.tokenLifetimes[kind].max);
  if (shortest === undefined) return;
  const longest = durationInWords(shortest.settings.tokenLifetimes[kind].max);
  throw invalidAttribute(
    'expiredAt',
    `Expired at must be at most ${longest} from now: the organization ${shortest.name} limits the lifetime of ${names[kind]}`,
  );
}

/** The longest lifetime that all of these organizations allow, in milliseconds; infinite without a limit. */
export const longestLifetime = (kind: LimitedToken, organizations: readonly TokenLimits[]): number =>
  Math.min(
    ...organizations
      .filter(({ settings }) => settings.maxTtlEnabled)
      .map(({ settings }) => settings.tokenLifetimes[kind].max),
  );

/** The lifetimes after a change. Throws `attribute/invalid` for one that would have no effect. */
export function changedLifetimes(
  { maxTtlEnabled, tokenLifetimes }: TokenLimits['settings'],
  change: Partial<Record<LimitedToken, number>>,
  now: Instant,
): TokenLifetimes {
  const next = Object.fromEntries(
    limitedTokens.map((kind) => {
      const current = tokenLifetimes[kind];
      const max = change[kind] ?? current.max;
      return [kind, max === current.max ? current : { max, changedAt: now }];
    }),
  ) as unknown as TokenLifetimes;
  const shortened = limitedTokens.some((kind) => next[kind].max < tokenLifetimes[kind].max);
  if (shortened && !maxTtlEnabled) {
    throw invalidAttribute(
      'tokenTtlPolicies',
      'Token ttl policies have no effect while max-ttl-enabled is false. Set max-ttl-enabled of the organization to true first',
    );
  }
  return next;
}
