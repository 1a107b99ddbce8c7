import { z } from 'zod';
import type { TeamChange } from '../../../../application/index.js';
import { type OrganizationPermission, organizationPermissions, visibilities } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, named, reading, resourceDocument, word } from '../../routing/schema.js';

const type: TypeName = { singular: 'team', plural: 'teams' };

const flags = Object.fromEntries(organizationPermissions.map((name) => [name, absentable(z.boolean())])) as Record<
  OrganizationPermission,
  z.ZodType<boolean | undefined>
>;

const settings = {
  visibility: absentable(z.enum(visibilities)),
  'allow-member-token-management': absentable(z.boolean()),
  'organization-access': absentable(z.object(flags)),
  'sso-team-id': word.nullable().optional(),
};

const changeDocument = (dialect: Dialect) => resourceDocument(dialect, type, { name: absentable(word), ...settings });

/** Only what the request names. */
const toChange = ({ data: { attributes } }: z.infer<ReturnType<typeof changeDocument>>): TeamChange =>
  named({
    name: attributes.name,
    visibility: attributes.visibility,
    membersManageToken: attributes['allow-member-token-management'],
    access: attributes['organization-access'],
    ssoTeamId: attributes['sso-team-id'],
  });

export const newTeam = (dialect: Dialect) =>
  reading(resourceDocument(dialect, type, { name: word, ...settings }), (body) => ({
    ...toChange(body),
    name: body.data.attributes.name,
  }));

export const teamChange = (dialect: Dialect) => reading(changeDocument(dialect), toChange);
