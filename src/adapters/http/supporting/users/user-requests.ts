import { z } from 'zod';
import type { NewUser, NewUserToken } from '../../../../application/index.js';
import type { Instant } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { parameter } from '../../routing/route.js';
import { absentable, instant, optionalDocument, reading, resourceDocument, word } from '../../routing/schema.js';

const userType: TypeName = { singular: 'user', plural: 'users' };
const tokenType: TypeName = { singular: 'authentication-token', plural: 'authentication-tokens' };

export const newUser = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, userType, {
    username: word,
    email: word,
    'is-admin': absentable(z.boolean()),
  });
  return reading(schema, ({ data }): NewUser => {
    const { username, email, 'is-admin': isAdmin } = data.attributes;
    return { username, email, siteAdministrator: isAdmin ?? false };
  });
};

export const newUserToken = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, tokenType, {
    description: absentable(z.string().max(255)),
    'expired-at': instant,
  });
  return reading(
    schema,
    ({ data: { attributes } }, call): NewUserToken => ({
      userId: parameter(call, 'userId'),
      description: attributes.description ?? '',
      expiresAt: attributes['expired-at'],
    }),
  );
};

/** The expiry of a token that has no description: null when it never expires. */
export const tokenExpiry = (dialect: Dialect, type = tokenType) =>
  reading(
    optionalDocument(dialect, type, { 'expired-at': instant }),
    ({ data }): Instant | null => data.attributes['expired-at'],
  );
