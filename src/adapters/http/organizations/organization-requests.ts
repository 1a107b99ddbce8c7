import { z } from 'zod';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, manyOf, reading, resourceDocument, word } from '../json-api/schema.js';

const organizationType: TypeName = { singular: 'organization', plural: 'organizations' };
const membershipType: TypeName = { singular: 'organization-membership', plural: 'organization-memberships' };

export const newOrganization = (dialect: Dialect) =>
  reading(resourceDocument(dialect, organizationType, { name: word, email: word }), ({ data }) => data.attributes);

export const organizationChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, organizationType, { name: absentable(word), email: absentable(word) }),
    ({ data }) => data.attributes,
  );

export const newMembership = (dialect: Dialect) => {
  const teams = z.object({ data: manyOf(z.object({ id: word.min(1) })) });
  const schema = resourceDocument(dialect, membershipType, { email: word }, { teams: absentable(teams) });
  return reading(schema, ({ data: { attributes, relationships } }) => ({
    email: attributes.email,
    teamIds: relationships.teams?.data.map(({ id }) => id) ?? [],
  }));
};
