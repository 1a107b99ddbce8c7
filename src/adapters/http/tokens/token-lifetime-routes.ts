import type { UseCases } from '../../../application/use-cases.js';
import type { Dialect } from '../routing/dialect.js';
import { serving } from '../routing/reference.js';
import { listSchema } from '../routing/resource-schema.js';
import { get, ok, parameter, patch, type Route } from '../routing/route.js';
import { lifetimesChange } from './token-lifetime-requests.js';
import { lifetimeSchema, presentLifetimes } from './token-lifetime-resource.js';

const path = '/organizations/:organization/token-ttl-policies';

/** The longest lifetimes of tokens: always one for each kind, so that the lists have no pages. */
export const tokenLifetimeRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readChange = lifetimesChange(dialect);
  const answers = () => ({ 200: listSchema(lifetimeSchema(dialect)) });
  return [
    get(
      path,
      'token-ttl-policies/read',
      serving({}, () => ({
        operation: 'listTokenTtlPolicies',
        summary: 'List the longest lifetimes of tokens',
        answers: answers(),
      })),
      async (call) => {
        const organization = await use.listTokenLifetimes.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentLifetimes(organization) });
      },
    ),
    patch(
      path,
      'token-ttl-policies/manage',
      () => ({
        operation: 'updateTokenTtlPolicies',
        summary: 'Update the longest lifetimes of tokens',
        about:
          'Types that the request does not name keep theirs. Requires `max-ttl-enabled` of the organization to shorten one. Existing tokens stay valid; `gatehouse doctor` lists those that live for longer.',
        body: readChange.schema,
        answers: answers(),
        refusals: ['attribute/invalid'],
      }),
      async (call) => {
        const name = parameter(call, 'organization');
        const changed = await use.changeTokenLifetimes.execute(call.actor, name, readChange(call));
        return ok({ data: presentLifetimes(changed) });
      },
    ),
  ];
};
