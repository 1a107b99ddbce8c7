import { z } from 'zod';
import type { NewUser, NewUserToken } from '../../../application/index.js';
import type { Instant } from '../../../domain/index.js';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, instant, optionalDocument, parse, resourceDocument } from '../json-api/schema.js';
import { type Call, parameter } from '../route.js';

const userType: TypeName = { singular: 'user', plural: 'users' };
const tokenType: TypeName = { singular: 'authentication-token', plural: 'authentication-tokens' };

export const newUser = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, userType, {
    username: z.string(),
    email: z.string(),
    'is-admin': absentable(z.boolean()),
  });
  return (call: Call): NewUser => {
    const { username, email, 'is-admin': isAdmin } = parse(schema, call.body).data.attributes;
    return { username, email, siteAdministrator: isAdmin ?? false };
  };
};

export const newUserToken = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, tokenType, {
    description: absentable(z.string().max(255)),
    'expired-at': instant,
  });
  return (call: Call): NewUserToken => {
    const { attributes } = parse(schema, call.body).data;
    return {
      userId: parameter(call, 'userId'),
      description: attributes.description ?? '',
      expiresAt: attributes['expired-at'],
    };
  };
};

/** The expiry of a token that has no description: null when it never expires. */
export const tokenExpiry = (dialect: Dialect, type = tokenType) => {
  const schema = optionalDocument(dialect, type, { 'expired-at': instant });
  return (call: Call): Instant | null => parse(schema, call.body).data.attributes['expired-at'];
};
