import { z } from 'zod';
import { type TeamTokenSort, type TeamTokensQuery, teamTokenSorts } from '../../../application/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { pageParameters, pageRequest } from '../routing/pagination.js';
import { invalidParameter } from '../routing/request-error.js';
import { type Call, parameter } from '../routing/route.js';
import { tokenExpiry } from './token-requests.js';

/** The contract demands the type here, and in the singular. */
const type: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  contract: { word: 'authentication-token', required: true },
};

export const teamTokenExpiry = (dialect: Dialect) => tokenExpiry(dialect, type);

const sortKey = z.enum(teamTokenSorts);

/** A sort key, reversed by a hyphen before it. Throws a 422 for any other word. */
const sortOf = (text: string): TeamTokenSort => {
  const descending = text.startsWith('-');
  const key = sortKey.safeParse(descending ? text.slice(1) : text);
  if (!key.success) throw invalidParameter('sort', `sort must be one of ${teamTokenSorts.join(', ')}`);
  return { key: key.data, descending };
};

export const teamTokensParameters = {
  q: z.string().optional().meta({ description: 'Only tokens of teams with this text in their name.' }),
  sort: z
    .enum(teamTokenSorts.flatMap((key) => [key, `-${key}`]))
    .optional()
    .meta({ description: 'The attribute to sort by. Prefix a hyphen to reverse the order. Default: `expired-at`.' }),
  ...pageParameters,
};

export const teamTokensQuery = (call: Call): TeamTokensQuery => ({
  organizationName: parameter(call, 'organization'),
  page: pageRequest(call.query),
  search: call.query.one('q'),
  sort: sortOf(call.query.one('sort') ?? 'expired-at'),
});
