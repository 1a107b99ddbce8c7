import { z } from 'zod';
import type { Organization } from '../../../domain/index.js';
import { type LimitedToken, limitedTokens } from '../../../domain/shared/token-lifetimes.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { count, dateTime } from '../routing/resource-schema.js';
import { lifetimeWords, wordOf } from './token-lifetime-requests.js';

const kindSchema = z.enum(lifetimeWords as [string, ...string[]]);

const lifetime =
  ({ attribute }: ResourceBuilder) =>
  (kind: LimitedToken) =>
  ({ id, createdAt, settings }: Organization): Resource => {
    const { max, changedAt } = settings.tokenLifetimes[kind];
    return {
      id: `${id}-${wordOf(kind)}`,
      type: 'organization-token-ttl-policies',
      attributes: {
        'token-type': attribute(kindSchema, wordOf(kind)),
        'max-ttl-ms': attribute(
          count,
          max,
          'The longest lifetime of a new token of this type, in milliseconds. Enforced while `max-ttl-enabled` of the organization is true.',
        ),
        'created-at': attribute(dateTime, createdAt),
        'updated-at': attribute(dateTime, changedAt ?? createdAt),
      },
    };
  };

export const presentLifetimes = (organization: Organization): readonly Resource[] =>
  limitedTokens.map((kind) => lifetime(presenting)(kind)(organization));

export const lifetimeSchema = described({ name: 'TokenTtlPolicy' }, (words) => lifetime(words)('user')(anyView()));
