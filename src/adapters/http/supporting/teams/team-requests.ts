import { z } from 'zod';
import type { TeamChange } from '../../../../application/index.js';
import {
  type AccessChange,
  type OrganizationPermission,
  organizationPermissions,
  type TeamSettings,
  visibilities,
} from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, identifiersDocument, reading, resourceDocument, word } from '../../routing/schema.js';

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

export const newTeam = (dialect: Dialect) =>
  reading(resourceDocument(dialect, type, { name: word, ...settings }), ({ data: { attributes } }) => ({
    ...toChange(attributes),
    name: attributes.name,
  }));

export const teamChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, type, { name: absentable(word), ...settings }),
    ({ data }): TeamChange => toChange(data.attributes),
  );

/** The users or memberships named in the body of a relationship request. */
export const references = (dialect: Dialect, memberType: TypeName) =>
  reading(identifiersDocument(dialect, memberType), ({ data }): readonly string[] => data.map(({ id }) => id));
