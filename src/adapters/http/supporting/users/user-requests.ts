import { z } from 'zod';
import type { NewUser, UserFilter } from '../../../../application/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, oneOf, textual, valuesOf } from '../../routing/parameters.js';
import { invalidParameter } from '../../routing/request-error.js';
import type { Call } from '../../routing/route.js';
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

const flags = ['true', 'false'] as const;

export const usersParameters = {
  q: textual('Only users with this text in their username or e-mail address.'),
  'filter[admin]': oneOf(flags, 'Only site administrators, or everyone else.'),
  'filter[suspended]': oneOf(flags, 'Only suspended users, or everyone else.'),
  include: include({ organizations: ['organizations'] }),
};

export const usersQuery = ({ query }: Call) => {
  const values = valuesOf(usersParameters, query);
  const { 'filter[admin]': admin, 'filter[suspended]': suspended } = values;
  const filter: UserFilter = {
    search: values.q,
    siteAdministrator: admin && admin === 'true',
    suspended: suspended && suspended === 'true',
  };
  return { filter, include: values.include };
};

export const eraseParameter = {
  erase: z
    .enum(flags)
    .optional()
    .meta({ description: '`true` replaces the username in all audit events by `deleted user`.' }),
};

/** Throws a 422 for another word. */
export function erases({ query }: Call): boolean {
  const given = query.one('erase');
  if (given === undefined || given === 'true' || given === 'false') return given === 'true';
  throw invalidParameter('erase', 'erase must be true or false');
}
