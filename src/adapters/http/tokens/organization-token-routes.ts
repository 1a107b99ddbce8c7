import type { UseCases } from '../../../application/use-cases.js';
import type { Dialect } from '../routing/dialect.js';
import { creates, removes, shows } from '../routing/reference.js';
import { created, get, noContent, ok, parameter, post, type Route, remove } from '../routing/route.js';
import { organizationTokenKind, organizationTokenParameters, tokenExpiry } from './token-requests.js';
import { issuedOrganizationTokenSchema, organizationTokenSchema, presentOrganizationToken } from './token-resource.js';

const tokenPath = '/organizations/:organization/authentication-token';

export const organizationTokenRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readExpiry = tokenExpiry(dialect);
  return [
    get(
      tokenPath,
      'organization-tokens/manage',
      shows('showOrganizationToken', 'Show an organization token', () => organizationTokenSchema(dialect), {
        query: organizationTokenParameters,
        refusals: [422],
      }),
      async (call) => {
        const name = parameter(call, 'organization');
        const token = await use.showOrganizationToken.execute(call.actor, name, organizationTokenKind(call.query));
        return ok({ data: presentOrganizationToken(name, token) });
      },
    ),
    post(
      tokenPath,
      'organization-tokens/manage',
      creates(
        'issueOrganizationToken',
        'Issue an organization token (replaces the existing one)',
        readExpiry,
        () => issuedOrganizationTokenSchema(dialect),
        {
          about:
            'An organization has at most one organization token and one audit token. Issuing one does not affect the other.',
          query: organizationTokenParameters,
        },
      ),
      async (call) => {
        const organizationName = parameter(call, 'organization');
        const kind = organizationTokenKind(call.query);
        const command = { organizationName, kind, expiresAt: readExpiry(call) };
        const { token, secret } = await use.issueOrganizationToken.execute(call.actor, command);
        return created({ data: presentOrganizationToken(organizationName, token, secret) });
      },
    ),
    remove(
      tokenPath,
      'organization-tokens/manage',
      () => ({
        ...removes('revokeOrganizationToken', 'Revoke an organization token', { refusals: [422] })(),
        query: organizationTokenParameters,
      }),
      async (call) => {
        const kind = organizationTokenKind(call.query);
        await use.revokeOrganizationToken.execute(call.actor, parameter(call, 'organization'), kind);
        return noContent;
      },
    ),
  ];
};
