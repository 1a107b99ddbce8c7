import type { UseCases } from '../../../application/use-cases.js';
import { answerEmpty, answerOne } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { pageDocument } from '../routing/pagination.js';
import { creates, lists, removes, shows } from '../routing/reference.js';
import { created, get, ok, parameter, post, type Route, remove } from '../routing/route.js';
import { teamTokenExpiry, teamTokensParameters, teamTokensQuery } from './team-token-requests.js';
import { issuedTeamTokenSchema, listedTeamTokenSchema, presentToken, teamTokenSchema } from './token-resource.js';

export const teamTokenRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readExpiry = teamTokenExpiry(dialect);
  const readQuery = teamTokensQuery(dialect);
  const tokenPath = '/teams/:teamId/authentication-token';
  return [
    get(
      tokenPath,
      'team-tokens/manage',
      shows('showTeamToken', 'Show a team token', () => teamTokenSchema(dialect), {
        about: 'The secret is not included. Returns 404 if the team has no token.',
      }),
      answerOne(presentToken(), (call) => use.showTeamToken.execute(call.actor, parameter(call, 'teamId'))),
    ),
    post(
      tokenPath,
      'team-tokens/manage',
      creates(
        'issueTeamToken',
        'Issue a team token (replaces the existing one)',
        readExpiry,
        () => issuedTeamTokenSchema(dialect),
        {
          about:
            'A team has at most one token; the existing one stops working at once. Only this response contains the secret.',
        },
      ),
      async (call) => {
        const command = { teamId: parameter(call, 'teamId'), expiresAt: readExpiry(call) };
        const { token, secret } = await use.issueTeamToken.execute(call.actor, command);
        return created({ data: presentToken(secret)(token) });
      },
    ),
    remove(
      tokenPath,
      'team-tokens/manage',
      removes('revokeTeamToken', 'Revoke a team token', { about: 'The token stops working at once.' }),
      answerEmpty((call) => use.revokeTeamToken.execute(call.actor, parameter(call, 'teamId'))),
    ),
    get(
      '/organizations/:organization/team-tokens',
      'organizations/read',
      lists('listTeamTokens', 'List team tokens of an organization', () => listedTeamTokenSchema(dialect), {
        about: 'Returns the tokens of teams whose tokens the caller can manage. Secrets are not included.',
        parameters: teamTokensParameters(dialect),
      }),
      async (call) => {
        const page = await use.listTeamTokens.execute(call.actor, readQuery(call));
        const present = presentToken(null, dialect.listedTeamTokenType);
        return ok(pageDocument(call.path, call.query, page, present));
      },
    ),
  ];
};
