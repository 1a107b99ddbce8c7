import { presentAgentToken } from '../agents/agent-pool-resource.js';
import type { Dialect } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { act, created, get, noContent, ok, parameter, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { newUser, newUserToken } from './user-requests.js';
import { presentFailingEffect, presentToken, presentUser } from './user-resource.js';

export const userRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readUser = newUser(dialect);
  const readToken = newUserToken(dialect);
  const suspension = (suspended: boolean): Route['handle'] => {
    return async (call) => {
      const user = await use.changeUserSuspension.execute(call.actor, parameter(call, 'id'), suspended);
      return ok({ data: presentUser(user) });
    };
  };
  return [
    get('/account/details', null, async (call) => ok({ data: presentUser(await use.showAccount.execute(call.actor)) })),
    get('/users/:userId/authentication-tokens', 'user-tokens/manage', async (call) => {
      const page = await use.listUserTokens.execute(call.actor, parameter(call, 'userId'), pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentToken()));
    }),
    post('/users/:userId/authentication-tokens', 'user-tokens/manage', async (call) => {
      const { token, secret } = await use.issueUserToken.execute(call.actor, readToken(call));
      return created({ data: presentToken(secret)(token) });
    }),
    get('/authentication-tokens/:id', 'user-tokens/manage', async (call) => {
      const found = await use.showToken.execute(call.actor, parameter(call, 'id'));
      return ok({ data: found.kind === 'api' ? presentToken()(found.token) : presentAgentToken()(found.token) });
    }),
    remove('/authentication-tokens/:id', 'user-tokens/manage', async (call) => {
      await use.revokeToken.execute(call.actor, parameter(call, 'id'));
      return noContent;
    }),
    get('/admin/users', 'users/manage', async (call) => {
      const page = await use.listUsers.execute(call.actor, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentUser));
    }),
    post('/admin/users', 'users/manage', async (call) => {
      const { user, token, secret } = await use.createUser.execute(call.actor, readUser(call));
      const relationships = { 'authentication-token': { data: { id: token.id, type: 'authentication-tokens' } } };
      return created({
        data: { ...presentUser(user), relationships },
        included: [presentToken(secret)(token)],
      });
    }),
    act('/admin/users/:id/actions/suspend', 'users/manage', suspension(true)),
    act('/admin/users/:id/actions/unsuspend', 'users/manage', suspension(false)),
    get('/admin/failing-effects', 'effects/read', async (call) => {
      const page = await use.listFailingEffects.execute(call.actor, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentFailingEffect));
    }),
    remove('/admin/users/:id', 'users/manage', async (call) => {
      await use.removeUser.execute(call.actor, parameter(call, 'id'));
      return noContent;
    }),
  ];
};
