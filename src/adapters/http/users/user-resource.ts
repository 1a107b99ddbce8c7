import { z } from 'zod';
import { type FailingEffect, lanes } from '../../../application/index.js';
import type { ApiToken, TokenOwner, User } from '../../../domain/index.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { count, dateTime, perDialect, resourceSchema, toManySchema, toOneSchema } from '../json-api/resource-schema.js';

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

export const ownerTypes = {
  user: 'users',
  team: 'teams',
  organization: 'organizations',
  auditor: 'organizations',
} as const satisfies Record<TokenOwner['kind'], string>;

export const presentOwner = (owner: TokenOwner | null) =>
  owner === null ? { data: null } : toOne(ownerTypes[owner.kind], owner.id);

export const presentOwners = (owners: readonly TokenOwner[]) => ({
  data: owners.map(({ kind, id }) => ({ id, type: ownerTypes[kind] })),
});

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

/** Whoever a token can belong to; null for nobody. */
export const ownerSchema = toOneSchema([...new Set(Object.values(ownerTypes))], { nullable: true });

/** Of a change that named an agent pool. */
export const poolTokenCreatorsSchema = toManySchema(Object.values(ownerTypes))
  .describe(
    'Who issued the tokens of the agent pool that the request named, except the caller. Their agents claim its runs.',
  )
  .optional();

const userAttributes = {
  username: z.string(),
  email: z.string(),
  'is-service-account': z.literal(false),
  'is-admin': z.boolean().describe('A site administrator: may create organizations and users.'),
  'is-suspended': z.boolean().describe('While true, none of the user’s tokens is accepted.'),
};

export const userSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'User',
    type: 'users',
    attributes: userAttributes,
    example: presentUser(examples.user),
  }),
);

/** A user in the answer that creates it. */
export const createdUserSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'CreatedUser',
    type: 'users',
    description: 'A new user, with its first token, which is included.',
    attributes: userAttributes,
    relationships: { 'authentication-token': toOneSchema('authentication-tokens') },
    example: {
      ...presentUser(examples.user),
      relationships: { 'authentication-token': toOne('authentication-tokens', examples.tokens.user.id) },
    },
  }),
);

/** Its attributes, whoever it belongs to. Issued ones come with their secret. */
export const tokenAttributes = (issued: boolean, description: z.ZodType, expiry: z.ZodType) => ({
  'created-at': dateTime,
  'last-used-at': dateTime.nullable().describe('True to within a minute. Null until it is used.'),
  description,
  token: issued ? z.string().describe('The secret, shown this once.') : z.null(),
  'expired-at': expiry,
});

interface TokenKind {
  readonly name: string;
  readonly owner: 'user' | 'team' | 'organization';
  readonly type?: string;
  readonly issued?: boolean;
}

/** `example` where it is presented otherwise. */
export const tokenSchema = ({ name, owner, type, issued = false }: TokenKind, example?: Resource) =>
  perDialect((dialect) => {
    const secret = issued ? examples.secret : null;
    return resourceSchema(dialect, {
      name,
      type: type ?? 'authentication-tokens',
      attributes: tokenAttributes(
        issued,
        owner === 'user' ? z.string() : z.null(),
        dateTime.nullable().describe('From then on it is refused. Null: never.'),
      ),
      relationships: { [owner]: toOneSchema(ownerTypes[owner]), 'created-by': ownerSchema },
      example: example ?? presentToken(secret, type)(examples.tokens[owner]),
    });
  });

export const userTokenSchema = tokenSchema({ name: 'UserToken', owner: 'user' });
export const issuedUserTokenSchema = tokenSchema({ name: 'IssuedUserToken', owner: 'user', issued: true });
export const teamTokenSchema = tokenSchema({ name: 'TeamToken', owner: 'team' });
export const issuedTeamTokenSchema = tokenSchema({ name: 'IssuedTeamToken', owner: 'team', issued: true });

/** A team's token in the list of an organization's, where it goes by another type. */
export const listedTeamTokenSchema = perDialect((dialect) =>
  tokenSchema({ name: 'ListedTeamToken', owner: 'team', type: dialect.listedTeamTokenType })(dialect),
);

export const failingEffectSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'FailingEffect',
    type: 'failing-effects',
    description: 'Work that a change ordered and that did not succeed yet.',
    id: z.string().regex(/^\d+$/),
    attributes: {
      kind: z.enum(Object.values(lanes).flatMap(({ kinds }) => kinds)),
      subject: z.string().describe('The id of what it is about.'),
      attempts: count,
      'last-error': z.string(),
      'next-attempt-at': dateTime,
    },
    example: presentFailingEffect(examples.failingEffect),
  }),
);
