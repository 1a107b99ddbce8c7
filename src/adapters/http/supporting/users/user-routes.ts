import type { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import type { AgentToken } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { creates, lists, removes, shows } from '../../routing/reference.js';
import { documentWithSchema } from '../../routing/resource-schema.js';
import {
  act,
  created,
  get,
  type Neighbour,
  noContent,
  ok,
  parameter,
  post,
  type Route,
  remove,
} from '../../routing/route.js';
import { newUser, newUserToken } from './user-requests.js';
import {
  createdUserSchema,
  failingEffectSchema,
  issuedUserTokenSchema,
  presentCreatedUser,
  presentFailingEffect,
  presentToken,
  presentUser,
  userSchema,
  userTokenSchema,
} from './user-resource.js';

/** `reachableTokens` are those of users, teams and agents: what is reached by the id of a token alone. */
export const userRoutes = (
  use: UseCases,
  dialect: Dialect,
  reachableTokens: Neighbour<AgentToken, z.ZodType>,
): Route[] => {
  const readUser = newUser(dialect);
  const readToken = newUserToken(dialect);
  const user = () => userSchema(dialect);
  const suspension = (suspended: boolean): Route['handle'] => {
    return async (call) => {
      const changed = await use.changeUserSuspension.execute(call.actor, parameter(call, 'id'), suspended);
      return ok({ data: presentUser(changed) });
    };
  };
  return [
    get(
      '/account/details',
      null,
      () => shows('showAccount', 'Show who the token belongs to', user(), { refusals: ['resource/not-found'] }),
      async (call) => ok({ data: presentUser(await use.showAccount.execute(call.actor)) }),
    ),
    get(
      '/users/:userId/authentication-tokens',
      'user-tokens/manage',
      () => lists('listUserTokens', 'List the tokens of a user', userTokenSchema(dialect)),
      async (call) => {
        const page = await use.listUserTokens.execute(call.actor, parameter(call, 'userId'), pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentToken()));
      },
    ),
    post(
      '/users/:userId/authentication-tokens',
      'user-tokens/manage',
      () =>
        creates('issueUserToken', 'Issue a user token', readToken, issuedUserTokenSchema(dialect), {
          refusals: ['user-tokens/limit-reached'],
        }),
      async (call) => {
        const { token, secret } = await use.issueUserToken.execute(call.actor, readToken(call));
        return created({ data: presentToken(secret)(token) });
      },
    ),
    get(
      '/authentication-tokens/:id',
      'user-tokens/manage',
      () => shows('showToken', 'Show a token', reachableTokens.schema()),
      async (call) => {
        const found = await use.showToken.execute(call.actor, parameter(call, 'id'));
        return ok({ data: found.kind === 'api' ? presentToken()(found.token) : reachableTokens.present(found.token) });
      },
    ),
    remove(
      '/authentication-tokens/:id',
      'user-tokens/manage',
      () => removes('revokeToken', 'Revoke a token'),
      async (call) => {
        await use.revokeToken.execute(call.actor, parameter(call, 'id'));
        return noContent;
      },
    ),
    get(
      '/admin/users',
      'users/manage',
      () => lists('listUsers', 'List all users', user()),
      async (call) => {
        const page = await use.listUsers.execute(call.actor, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentUser));
      },
    ),
    post(
      '/admin/users',
      'users/manage',
      () => ({
        ...creates('createUser', 'Create a user, with a first token', readUser, createdUserSchema(dialect), {
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
        answers: { 201: documentWithSchema(createdUserSchema(dialect), [issuedUserTokenSchema(dialect)]) },
      }),
      async (call) => {
        const { user: made, token, secret } = await use.createUser.execute(call.actor, readUser(call));
        return created({ data: presentCreatedUser(made, token.id), included: [presentToken(secret)(token)] });
      },
    ),
    act(
      '/admin/users/:id/actions/suspend',
      'users/manage',
      () =>
        shows('suspendUser', 'Suspend a user, whose tokens then do nothing', user(), { refusals: ['user/protected'] }),
      suspension(true),
    ),
    act(
      '/admin/users/:id/actions/unsuspend',
      'users/manage',
      () => shows('unsuspendUser', 'Let a suspended user back in', user()),
      suspension(false),
    ),
    get(
      '/admin/failing-effects',
      'effects/read',
      () => lists('listFailingEffects', 'List ordered work that did not succeed yet', failingEffectSchema(dialect)),
      async (call) => {
        const page = await use.listFailingEffects.execute(call.actor, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentFailingEffect));
      },
    ),
    remove(
      '/admin/users/:id',
      'users/manage',
      () => removes('removeUser', 'Delete a user', 'user/protected', 'owners-team/protected', 'runs/in-progress'),
      async (call) => {
        await use.removeUser.execute(call.actor, parameter(call, 'id'));
        return noContent;
      },
    ),
  ];
};
