import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { creates, removes } from '../../routing/reference.js';
import { listSchema } from '../../routing/resource-schema.js';
import { get, ok, parameter, post, type Route, remove } from '../../routing/route.js';
import { newIdentity } from './identity-requests.js';
import { identitySchema, presentIdentity } from './identity-resource.js';

/** The identities of users, as site administrators manage them. */
export const identityRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readIdentity = newIdentity(dialect);
  return [
    get(
      '/admin/users/:id/identities',
      'users/manage',
      () => ({
        operation: 'listIdentities',
        summary: 'List the identities of a user',
        answers: { 200: listSchema(identitySchema(dialect)) },
      }),
      async (call) => {
        const found = await use.listIdentities.execute(call.actor, parameter(call, 'id'));
        return ok({ data: found.map(presentIdentity) });
      },
    ),
    post(
      '/admin/users/:id/identities',
      'users/manage',
      creates('addIdentity', 'Link an identity to a user', readIdentity, () => identitySchema(dialect), {
        about: 'The person with this subject at this issuer signs in as the user.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(presentIdentity, (call) => use.addIdentity.execute(call.actor, readIdentity(call))),
    ),
    remove(
      '/admin/users/:id/identities/:identityId',
      'users/manage',
      removes('removeIdentity', 'Unlink an identity', { about: 'Ends all sessions of the user.' }),
      answerEmpty((call) =>
        use.removeIdentity.execute(call.actor, parameter(call, 'id'), parameter(call, 'identityId')),
      ),
    ),
  ];
};
