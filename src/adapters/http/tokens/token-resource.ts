import { z } from 'zod';
import { type AgentToken, type ApiToken, type TokenOwner, tokensPerOwner } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource, WireValue } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { dateTime, maybeDateTime, nothing, text } from '../routing/resource-schema.js';
import { ownerSchema, ownerTypes, presentOwner } from './token-owner-resource.js';

const secretSchema = z.string();

/** Shared by tokens of every owner. `secret` is given in the response that issues the token. */
export const tokenAttributes = (
  { attribute }: ResourceBuilder,
  { createdAt, lastUsedAt }: Pick<ApiToken | AgentToken, 'createdAt' | 'lastUsedAt'>,
  secret: string | null,
  { description, expiry }: { readonly description: WireValue; readonly expiry: WireValue },
) => ({
  'created-at': attribute(dateTime, createdAt),
  'last-used-at': attribute(
    maybeDateTime,
    lastUsedAt,
    'When the token was last used, accurate to one minute. Null if it was never used.',
  ),
  description,
  token:
    secret === null
      ? attribute(nothing, null)
      : attribute(secretSchema, secret, 'The secret. Only present in this response.'),
  'expired-at': expiry,
});

const descriptions: Readonly<Record<'one' | 'many', z.ZodType<string | null>>> = { one: nothing, many: text };

/** `owner` replaces the relationship to an owner that has another id on the wire. */
export const token =
  (words: ResourceBuilder) =>
  (secret: string | null = null, type = 'authentication-tokens', owner?: Resource['relationships']) =>
  (token: ApiToken): Resource => {
    const { attribute, toOne } = words;
    const { kind, id } = token.owner;
    return {
      id: token.id,
      type,
      attributes: tokenAttributes(words, token, secret, {
        description: attribute(descriptions[tokensPerOwner[kind]], token.description),
        expiry: attribute(maybeDateTime, token.expiresAt, 'When the token expires. Null if it never expires.'),
      }),
      relationships: {
        ...(owner ?? { [kind]: toOne(ownerTypes[kind], id) }),
        'created-by': attribute(ownerSchema, presentOwner(token.createdBy)),
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

/** A team's token in the list of an organization, where it has another type. */
export const listedTeamTokenSchema = tokenSchema(
  'ListedTeamToken',
  'team',
  null,
  ({ listedTeamTokenType }) => listedTeamTokenType,
);

/** A token of the organization of this name: its own, or its audit token. */
const organizationToken =
  (words: ResourceBuilder) =>
  (name: string, of: ApiToken, secret: string | null = null): Resource =>
    token(words)(secret, undefined, { organization: words.toOne('organizations', name) })(of);

export const presentOrganizationToken = organizationToken(presenting);

const organizationTokenSchemaNamed = (name: string, secret?: string) =>
  described({ name }, (words) =>
    organizationToken(words)('', anyView({ owner: { kind: 'organization', id: '' } }), secret),
  );

export const organizationTokenSchema = organizationTokenSchemaNamed('OrganizationToken');
export const issuedOrganizationTokenSchema = organizationTokenSchemaNamed('IssuedOrganizationToken', '');
