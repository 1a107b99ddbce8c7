import type { UseCases } from '../../../../application/use-cases.js';
import { answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { creates, lists, removes, shows } from '../../routing/reference.js';
import { documentWithSchema } from '../../routing/resource-schema.js';
import { act, created, get, ok, parameter, post, type Route, remove } from '../../routing/route.js';
import { issuedUserTokenSchema, presentToken } from '../../tokens/token-resource.js';
import { eraseParameter, erases, newUser, usersParameters, usersQuery } from './user-requests.js';
import {
  createdUserSchema,
  failingEffectSchema,
  joinedOrganizationSchema,
  presentAccount,
  presentCreatedUser,
  presentFailingEffect,
  presentJoinedOrganization,
  presentRemoval,
  presentUser,
  presentUserWith,
  removalSchema,
  userSchema,
} from './user-resource.js';

export const userRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readUser = newUser(dialect);
  const user = () => userSchema(dialect);
  const suspension = (suspended: boolean) =>
    answerOne(presentUser, (call) => use.changeUserSuspension.execute(call.actor, parameter(call, 'id'), suspended));
  return [
    get(
      '/account/details',
      null,
      shows('showAccount', 'Show the account of the token', user, { refusals: ['resource/not-found'] }),
      answerOne(presentAccount, (call) => use.showAccount.execute(call.actor)),
    ),
    get(
      '/admin/users',
      'users/manage',
      lists('listUsers', 'List users', user, {
        parameters: usersParameters,
        included: () => [joinedOrganizationSchema(dialect)],
      }),
      async (call) => {
        const { filter, include } = usersQuery(call);
        const page = await use.listUsers.execute(call.actor, pageRequest(call.query), filter);
        if (!include.has('organizations')) return ok(pageDocument(call.path, call.query, page, presentUser));
        const joined = await use.showOrganizationsOfUsers.execute(call.actor, page.items);
        const organizations = new Map([...joined.values()].flat().map((one) => [one.id, one]));
        const document = pageDocument(call.path, call.query, page, presentUserWith(joined));
        return ok(withIncluded(document, [...organizations.values()].map(presentJoinedOrganization)));
      },
    ),
    post(
      '/admin/users',
      'users/manage',
      () => ({
        ...creates('createUser', 'Create a user and a first token', readUser, () => createdUserSchema(dialect), {
          refusals: ['attribute/invalid', 'attribute/taken'],
        })(),
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
      shows('suspendUser', 'Suspend a user', user, {
        about: 'Every token of the user is rejected until the suspension ends.',
        refusals: ['user/protected'],
      }),
      suspension(true),
    ),
    act(
      '/admin/users/:id/actions/unsuspend',
      'users/manage',
      shows('unsuspendUser', 'Unsuspend a user', user),
      suspension(false),
    ),
    get(
      '/admin/failing-effects',
      'effects/read',
      lists('listFailingEffects', 'List failing background jobs', () => failingEffectSchema(dialect)),
      answerPage(presentFailingEffect, (call) => use.listFailingEffects.execute(call.actor, pageRequest(call.query))),
    ),
    act(
      '/admin/failing-effects/:id/actions/retry',
      'effects/retry',
      shows('retryEffect', 'Retry a background job', () => failingEffectSchema(dialect), {
        about:
          'Makes a job due at once that failed or was put aside. A resource that became errored when it was put aside stays errored, except that the outputs and resources of a state version are then read.',
      }),
      answerOne(presentFailingEffect, (call) => use.retryEffect.execute(call.actor, parameter(call, 'id'))),
    ),
    get(
      '/admin/removals',
      'effects/read',
      lists('listRemovals', 'List organizations whose data is being removed', () => removalSchema(dialect)),
      answerPage(presentRemoval, (call) => use.listRemovals.execute(call.actor, pageRequest(call.query))),
    ),
    remove(
      '/admin/users/:id',
      'users/manage',
      removes('removeUser', 'Delete a user', {
        about:
          'Revokes all tokens of the user, and removes the user from every team and organization. Audit events keep the username unless it is erased.',
        query: eraseParameter,
        refusals: [422, 'user/protected', 'owners-team/protected'],
      }),
      answerEmpty((call) => use.removeUser.execute(call.actor, parameter(call, 'id'), erases(call))),
    ),
  ];
};
