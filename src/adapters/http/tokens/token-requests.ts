import { z } from 'zod';
import type { NewUserToken } from '../../../application/index.js';
import type { Instant, OrganizationTokenKind } from '../../../domain/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import type { Query } from '../routing/query.js';
import { invalidParameter } from '../routing/request-error.js';
import { parameter } from '../routing/route.js';
import { absentable, instant, optionalDocument, reading } from '../routing/schema.js';

const tokenType: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  // Callers who know the tokens of teams there write the singular.
  contract: { words: ['authentication-tokens', 'authentication-token'], required: false },
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

const auditTrails = 'audit-trails';

/** Which of the organization's two tokens is meant. Throws a 422 for a word that names neither. */
export function organizationTokenKind(query: Query): OrganizationTokenKind {
  const kind = query.one('token');
  if (kind === undefined) return 'organization';
  if (kind !== auditTrails) {
    throw invalidParameter('token', `token must be ${auditTrails}, or absent for the organization token`);
  }
  return 'auditor';
}

/** For the description of the API. */
export const organizationTokenParameters = {
  token: z.literal(auditTrails).optional().meta({
    description:
      '`audit-trails` selects the audit token, which can only read the audit trail. Default: the organization token.',
  }),
};
