import { expiryStatuses, type TeamTokensQuery, teamTokenSorts } from '../../../application/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { pageRequest } from '../routing/pagination.js';
import { type Parameters, someOf, sortBy, textual, valuesOf } from '../routing/parameters.js';
import { type Call, parameter } from '../routing/route.js';
import { tokenExpiry } from './token-requests.js';

/** The contract demands the type here, and in the singular. */
const type: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  contract: { words: ['authentication-token'], required: true },
};

export const teamTokenExpiry = (dialect: Dialect) => tokenExpiry(dialect, type);

const specified = {
  q: textual('Only tokens of teams with this text in their name.'),
  sort: sortBy(teamTokenSorts, 'expired-at'),
};

const beyond = {
  'filter[expiry_status]': someOf(
    expiryStatuses,
    'Only tokens with one of these statuses. A token is active until it expires, and forever if it never does.',
  ),
};

/** The contract has no filter here, and ignores it. */
export const teamTokensParameters = (dialect: Dialect): Parameters =>
  dialect.refusesParameters ? { ...specified, ...beyond } : specified;

export const teamTokensQuery =
  (dialect: Dialect) =>
  (call: Call): TeamTokensQuery => {
    const { q: search, sort } = valuesOf(specified, call.query);
    const expiry = dialect.refusesParameters ? valuesOf(beyond, call.query)['filter[expiry_status]'] : undefined;
    return { organizationName: parameter(call, 'organization'), page: pageRequest(call.query), search, expiry, sort };
  };
