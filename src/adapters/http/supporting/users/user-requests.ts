import { z } from 'zod';
import type { NewUser } from '../../../../application/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, reading, resourceDocument, word } from '../../routing/schema.js';

const userType: TypeName = { singular: 'user', plural: 'users' };

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
