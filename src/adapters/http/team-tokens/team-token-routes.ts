import type { Dialect } from '../dialect.js';
import { pageDocument } from '../json-api/pagination.js';
import { created, get, noContent, ok, parameter, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { presentToken } from '../users/user-resource.js';
import { teamTokenExpiry, teamTokensQuery } from './team-token-requests.js';

export const teamTokenRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readExpiry = teamTokenExpiry(dialect);
  const tokenPath = '/teams/:teamId/authentication-token';
  return [
    get(tokenPath, 'team-tokens/manage', async (call) =>
      ok({ data: presentToken()(await use.showTeamToken.execute(call.actor, parameter(call, 'teamId'))) }),
    ),
    post(tokenPath, 'team-tokens/manage', async (call) => {
      const command = { teamId: parameter(call, 'teamId'), expiresAt: readExpiry(call) };
      const { token, secret } = await use.issueTeamToken.execute(call.actor, command);
      return created({ data: presentToken(secret)(token) });
    }),
    remove(tokenPath, 'team-tokens/manage', async (call) => {
      await use.revokeTeamToken.execute(call.actor, parameter(call, 'teamId'));
      return noContent;
    }),
    get('/organizations/:organization/team-tokens', 'organizations/read', async (call) => {
      const page = await use.listTeamTokens.execute(call.actor, teamTokensQuery(call));
      const present = presentToken(null, dialect.listedTeamTokenType);
      return ok(pageDocument(call.path, call.query, page, present));
    }),
  ];
};
