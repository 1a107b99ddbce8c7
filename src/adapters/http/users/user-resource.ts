import type { FailingEffect } from '../../../application/index.js';
import type { ApiToken, TokenOwner, User } from '../../../domain/index.js';
import { type Resource, toOne } from '../json-api/document.js';

export const presentUser = (user: User): Resource => ({
  id: user.id,
  type: 'users',
  attributes: {
    username: user.username,
    email: user.email,
    'is-service-account': false,
    'is-admin': user.siteAdministrator,
    'is-suspended': user.suspended,
  },
});

const ownerTypes = { user: 'users', team: 'teams', organization: 'organizations' } as const satisfies Record<
  TokenOwner['kind'],
  string
>;

export const presentOwner = (owner: TokenOwner | null) =>
  owner === null ? { data: null } : toOne(ownerTypes[owner.kind], owner.id);

/** `secret` is given in the response that issues the token; everywhere else `token` is null. */
export const presentToken =
  (secret: string | null = null, type = 'authentication-tokens') =>
  (token: ApiToken): Resource => ({
    id: token.id,
    type,
    attributes: {
      'created-at': token.createdAt,
      'last-used-at': token.lastUsedAt,
      description: token.description,
      token: secret,
      'expired-at': token.expiresAt,
    },
    relationships: { [token.owner.kind]: presentOwner(token.owner), 'created-by': presentOwner(token.createdBy) },
  });

/** Ordered work that did not succeed yet. */
export const presentFailingEffect = (effect: FailingEffect): Resource => ({
  id: String(effect.id),
  type: 'failing-effects',
  attributes: {
    kind: effect.kind,
    subject: effect.subject,
    attempts: effect.attempts,
    'last-error': effect.lastError,
    'next-attempt-at': effect.notBefore,
  },
});
