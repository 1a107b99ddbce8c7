import { z } from 'zod';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, parse, resourceDocument } from '../json-api/schema.js';
import type { Call } from '../route.js';

const organizationType: TypeName = { singular: 'organization', plural: 'organizations' };
const membershipType: TypeName = { singular: 'organization-membership', plural: 'organization-memberships' };

export const newOrganization = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, organizationType, { name: z.string(), email: z.string() });
  return (call: Call) => parse(schema, call.body).data.attributes;
};

export const organizationChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, organizationType, {
    name: absentable(z.string()),
    email: absentable(z.string()),
  });
  return (call: Call) => parse(schema, call.body).data.attributes;
};

export const newMembership = (dialect: Dialect) => {
  const teams = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });
  const schema = resourceDocument(dialect, membershipType, { email: z.string() }, { teams: absentable(teams) });
  return (call: Call) => {
    const { attributes, relationships } = parse(schema, call.body).data;
    return { email: attributes.email, teamIds: relationships.teams?.data.map(({ id }) => id) ?? [] };
  };
};
