import type { UseCases } from '../../../../application/use-cases.js';
import { answerEmpty } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { oneOf, valuesOf } from '../../routing/parameters.js';
import { removes } from '../../routing/reference.js';
import { listSchema } from '../../routing/resource-schema.js';
import { get, ok, parameter, type Route, remove } from '../../routing/route.js';
import { identitySchema, presentIdentity } from './identity-resource.js';
import { ownSessionSchema, presentOwnSession } from './session-resource.js';

const endingAll = {
  'revoke-tokens': oneOf(
    ['true', 'false'],
    'Whether the user tokens that sessions made are revoked as well. `false` if omitted.',
  ),
};

/** The sessions and identities of the user who asks. */
export const ownSessionRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  get(
    '/account/sessions',
    'sessions/manage',
    () => ({
      operation: 'listSessions',
      summary: "List the caller's sessions",
      about: 'The newest first.',
      answers: { 200: listSchema(ownSessionSchema(dialect)) },
    }),
    async (call) => {
      const own = await use.listSessions.execute(call.actor);
      return ok({ data: own.sessions.map(presentOwnSession(own)) });
    },
  ),
  remove(
    '/account/sessions',
    'sessions/manage',
    removes('endAllSessions', "End all of the caller's sessions", {
      about:
        'Signs out everywhere, also the session that asks. Tokens go on, unless `revoke-tokens` is `true`: then those that were made in sessions are revoked.',
      query: endingAll,
      refusals: [422],
    }),
    answerEmpty((call) => {
      const { 'revoke-tokens': revokes } = valuesOf(endingAll, call.query);
      return use.endAllSessions.execute(call.actor, { revokesTokens: revokes === 'true' });
    }),
  ),
  remove(
    '/account/sessions/:id',
    'sessions/manage',
    removes('endOneSession', "End one of the caller's sessions"),
    answerEmpty((call) => use.endOneSession.execute(call.actor, parameter(call, 'id'))),
  ),
  get(
    '/account/identities',
    'identities/manage',
    () => ({
      operation: 'listOwnIdentities',
      summary: "List the caller's identities",
      answers: { 200: listSchema(identitySchema(dialect)) },
    }),
    async (call) => ok({ data: (await use.listIdentities.own(call.actor)).map(presentIdentity) }),
  ),
  remove(
    '/account/identities/:id',
    'identities/manage',
    removes('removeOwnIdentity', "Unlink one of the caller's identities", {
      about:
        'Ends all other sessions of the user, the session that asks if the identity began it, and the memberships that the groups of the identity made. Without an identity, a site administrator must link one.',
    }),
    answerEmpty((call) => use.removeIdentity.own(call.actor, parameter(call, 'id'))),
  ),
];
