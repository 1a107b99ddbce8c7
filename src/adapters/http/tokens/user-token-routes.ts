import type { z } from 'zod';
import type { UseCases } from '../../../application/use-cases.js';
import { type AgentToken, freshMinutes } from '../../../domain/index.js';
import { answerEmpty, answerPage } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { pageRequest } from '../routing/pagination.js';
import { creates, lists, removes, shows } from '../routing/reference.js';
import { created, get, type Neighbour, ok, parameter, post, type Route, remove } from '../routing/route.js';
import { newUserToken } from './token-requests.js';
import { issuedUserTokenSchema, presentToken, userTokenSchema } from './token-resource.js';

/** `reachableTokens` are those of users, teams and agents: what is reached by the id of a token alone. */
export const userTokenRoutes = (
  use: UseCases,
  dialect: Dialect,
  reachableTokens: Neighbour<AgentToken, z.ZodType>,
): Route[] => {
  const readToken = newUserToken(dialect);
  return [
    get(
      '/users/:userId/authentication-tokens',
      'user-tokens/manage',
      lists('listUserTokens', 'List user tokens', () => userTokenSchema(dialect)),
      answerPage(presentToken(), (call) =>
        use.listUserTokens.execute(call.actor, parameter(call, 'userId'), pageRequest(call.query)),
      ),
    ),
    post(
      '/users/:userId/authentication-tokens',
      'user-tokens/manage',
      creates('issueUserToken', 'Issue a user token', readToken, () => issuedUserTokenSchema(dialect), {
        about: `A session makes one only within ${freshMinutes} minutes after the sign-in.`,
        refusals: ['user-tokens/limit-reached', 'sign-in/too-old'],
      }),
      async (call) => {
        const { token, secret } = await use.issueUserToken.execute(call.actor, readToken(call));
        return created({ data: presentToken(secret)(token) });
      },
    ),
    get(
      '/authentication-tokens/:id',
      'user-tokens/manage',
      shows('showToken', 'Show a token', reachableTokens.schema),
      async (call) => {
        const found = await use.showToken.execute(call.actor, parameter(call, 'id'));
        return ok({ data: found.kind === 'api' ? presentToken()(found.token) : reachableTokens.present(found.token) });
      },
    ),
    remove(
      '/authentication-tokens/:id',
      'user-tokens/manage',
      removes('revokeToken', 'Revoke a token', { about: 'The token stops working at once.' }),
      answerEmpty((call) => use.revokeToken.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
