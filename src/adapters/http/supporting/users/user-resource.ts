import { z } from 'zod';
import { type FailingEffect, lanes } from '../../../../application/index.js';
import type { AgentToken, ApiToken, TokenOwner, User } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource, Said } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import {
  count,
  dateTime,
  flag,
  maybeDateTime,
  no,
  nothing,
  text,
  toManySchema,
  toOneSchema,
} from '../../routing/resource-schema.js';

const user =
  ({ is, toOne }: Words) =>
  ({ id, username, email, siteAdministrator, suspended }: User, tokenId?: string): Resource => ({
    id,
    type: 'users',
    attributes: {
      username: is(text, username),
      email: is(text, email),
      'is-service-account': is(no, false),
      'is-admin': is(flag, siteAdministrator, 'A site administrator: may create organizations and users.'),
      'is-suspended': is(flag, suspended, 'While true, none of the user’s tokens is accepted.'),
    },
    ...(tokenId === undefined
      ? {}
      : { relationships: { 'authentication-token': toOne('authentication-tokens', tokenId) } }),
  });

/** A new user comes with the id of its first token. */
export const presentCreatedUser = user(presenting);
export const presentUser = (one: User): Resource => presentCreatedUser(one);

export const userSchema = described({ name: 'User' }, (words) => user(words)(anyView()));

/** A user in the answer that creates it. */
export const createdUserSchema = described(
  { name: 'CreatedUser', about: 'A new user, with its first token, which is included.' },
  (words) => user(words)(anyView(), 'at-1'),
);

export const ownerTypes = {
  user: 'users',
  team: 'teams',
  organization: 'organizations',
  auditor: 'organizations',
} as const satisfies Record<TokenOwner['kind'], string>;

const identifierOf = ({ kind, id }: TokenOwner) => ({ id, type: ownerTypes[kind] });

/** Whoever a token can belong to; null for nobody. */
export const ownerSchema = toOneSchema([...new Set(Object.values(ownerTypes))], { nullable: true });

export const presentOwner = (owner: TokenOwner | null) => ({ data: owner && identifierOf(owner) });

const creatorsSchema = toManySchema(Object.values(ownerTypes));

/** Of a change that named an agent pool. */
export const poolTokenCreators = ({ is, optional }: Words, owners: readonly TokenOwner[]) =>
  optional(
    is(creatorsSchema, { data: owners.map(identifierOf) }),
    'Who issued the tokens of the agent pool that the request named, except the caller. Their agents claim its runs.',
  );

const secretSchema = z.string();

/** Of any token, whoever it belongs to. `secret` is given in the response that issues it. */
export const tokenAttributes = (
  { is }: Words,
  { createdAt, lastUsedAt }: Pick<ApiToken | AgentToken, 'createdAt' | 'lastUsedAt'>,
  secret: string | null,
  { description, expiry }: { readonly description: Said; readonly expiry: Said },
) => ({
  'created-at': is(dateTime, createdAt),
  'last-used-at': is(maybeDateTime, lastUsedAt, 'True to within a minute. Null until it is used.'),
  description,
  token: secret === null ? is(nothing, null) : is(secretSchema, secret, 'The secret, shown this once.'),
  'expired-at': expiry,
});

const descriptions: Readonly<Record<TokenOwner['kind'], z.ZodType<string | null>>> = {
  user: text,
  team: nothing,
  organization: nothing,
  auditor: nothing,
};

/** `owner` where it goes by another id than its own. */
export const token =
  (words: Words) =>
  (secret: string | null = null, type = 'authentication-tokens', owner?: Resource['relationships']) =>
  (token: ApiToken): Resource => {
    const { is, toOne } = words;
    const { kind, id } = token.owner;
    return {
      id: token.id,
      type,
      attributes: tokenAttributes(words, token, secret, {
        description: is(descriptions[kind], token.description),
        expiry: is(maybeDateTime, token.expiresAt, 'From then on it is refused. Null: never.'),
      }),
      relationships: {
        ...(owner ?? { [kind]: toOne(ownerTypes[kind], id) }),
        'created-by': is(ownerSchema, presentOwner(token.createdBy)),
      },
    };
  };

export const presentToken = token(presenting);

const tokenSchema = (
  name: string,
  kind: TokenOwner['kind'],
  secret: string | null = null,
  typeIn: (dialect: Dialect) => string | undefined = () => undefined,
) =>
  described({ name }, (words, dialect) => token(words)(secret, typeIn(dialect))(anyView({ owner: { kind, id: '' } })));

export const userTokenSchema = tokenSchema('UserToken', 'user');
export const issuedUserTokenSchema = tokenSchema('IssuedUserToken', 'user', '');
export const teamTokenSchema = tokenSchema('TeamToken', 'team');
export const issuedTeamTokenSchema = tokenSchema('IssuedTeamToken', 'team', '');

/** A team's token in the list of an organization's, where it goes by another type. */
export const listedTeamTokenSchema = tokenSchema(
  'ListedTeamToken',
  'team',
  null,
  ({ listedTeamTokenType }) => listedTeamTokenType,
);

const effectKind = z.enum(Object.values(lanes).flatMap(({ kinds }) => kinds));

/** Ordered work that did not succeed yet. */
const failingEffect =
  ({ is }: Words) =>
  (effect: FailingEffect): Resource => ({
    id: String(effect.id),
    type: 'failing-effects',
    attributes: {
      kind: is(effectKind, effect.kind),
      subject: is(text, effect.subject, 'The id of what it is about.'),
      attempts: is(count, effect.attempts),
      'last-error': is(text, effect.lastError),
      'next-attempt-at': is(dateTime, effect.notBefore),
    },
  });

export const presentFailingEffect = failingEffect(presenting);

export const failingEffectSchema = described(
  {
    name: 'FailingEffect',
    about: 'Work that a change ordered and that did not succeed yet.',
    id: z.string().regex(/^\d+$/),
  },
  (words) => failingEffect(words)(anyView()),
);
