import { z } from 'zod';
import { type LimitedToken, limitedTokens, tokenLifetimeBounds } from '../../../domain/shared/token-lifetimes.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { reading, resourceDocument } from '../routing/schema.js';

/** The kinds of token by their words on the wire. */
const kinds = {
  organization: 'organization',
  team: 'team',
  user: 'user',
  audit_trails: 'auditor',
} as const satisfies Record<string, LimitedToken>;

type Word = keyof typeof kinds;

export const lifetimeWords = Object.keys(kinds) as Word[];

export const wordOf = (kind: LimitedToken): Word => lifetimeWords.find((word) => kinds[word] === kind) as Word;

const lifetimeType: TypeName = {
  singular: 'organization-token-ttl-policy',
  plural: 'organization-token-ttl-policies',
};

const { min, max } = tokenLifetimeBounds;

const lifetime = z.object({
  'token-type': z.enum(lifetimeWords as [Word, ...Word[]]),
  'max-ttl-ms': z
    .int()
    .refine((given) => given >= min && given <= max, `must be ${min} (an hour) to ${max} (100 years)`)
    .meta({ minimum: min, maximum: max }),
});

/** Each kind at most once: of two limits, one would have no effect. */
const lifetimes = z
  .array(lifetime)
  .min(1)
  .max(limitedTokens.length)
  .refine((given) => new Set(given.map((one) => one['token-type'])).size === given.length, {
    error: 'Token ttl policies must name each token type once',
  });

export const lifetimesChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, lifetimeType, { 'token-ttl-policies': lifetimes }),
    ({ data: { attributes } }): Partial<Record<LimitedToken, number>> =>
      Object.fromEntries(attributes['token-ttl-policies'].map((one) => [kinds[one['token-type']], one['max-ttl-ms']])),
  );
