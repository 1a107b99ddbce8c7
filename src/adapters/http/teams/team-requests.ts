import { z } from 'zod';
import type { TeamChange } from '../../../application/index.js';
import {
  type AccessChange,
  type OrganizationPermission,
  organizationPermissions,
  type TeamSettings,
  visibilities,
} from '../../../domain/index.js';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, identifiersDocument, parse, resourceDocument } from '../json-api/schema.js';
import type { Call } from '../route.js';

const type: TypeName = { singular: 'team', plural: 'teams' };

const flags = Object.fromEntries(organizationPermissions.map((name) => [name, absentable(z.boolean())])) as Record<
  OrganizationPermission,
  z.ZodType<boolean | undefined>
>;

const settings = {
  visibility: absentable(z.enum(visibilities)),
  'allow-member-token-management': absentable(z.boolean()),
  'organization-access': absentable(z.object(flags)),
};

interface Attributes {
  readonly name?: string | undefined;
  readonly visibility?: TeamSettings['visibility'] | undefined;
  readonly 'allow-member-token-management'?: boolean | undefined;
  readonly 'organization-access'?: AccessChange | undefined;
}

/** Only what the request names. */
const toChange = (attributes: Attributes): TeamChange => {
  const named = {
    name: attributes.name,
    visibility: attributes.visibility,
    membersManageToken: attributes['allow-member-token-management'],
    access: attributes['organization-access'],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
};

export const newTeam = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: z.string(), ...settings });
  return (call: Call) => {
    const { attributes } = parse(schema, call.body).data;
    return { ...toChange(attributes), name: attributes.name };
  };
};

export const teamChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: absentable(z.string()), ...settings });
  return (call: Call): TeamChange => toChange(parse(schema, call.body).data.attributes);
};

/** The users or memberships named in the body of a relationship request. */
export const references = (dialect: Dialect, memberType: TypeName) => {
  const schema = identifiersDocument(dialect, memberType);
  return (call: Call): readonly string[] => parse(schema, call.body).data.map(({ id }) => id);
};
