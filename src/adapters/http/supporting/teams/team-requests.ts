import { z } from 'zod';
import type { TeamChange, TeamInclude } from '../../../../application/index.js';
import { type OrganizationPermission, organizationPermissions, visibilities } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, texts, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
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
    // Clients write the empty text where they mean none.
    ssoTeamId: attributes['sso-team-id'] === '' ? null : attributes['sso-team-id'],
  });

export const teamParameters = {
  include: include<TeamInclude>({ users: ['users'], organization_memberships: ['memberships'] }),
};

export const teamsParameters = {
  ...teamParameters,
  q: textual('Only teams with this text in their name.'),
  'filter[names]': texts('Only teams with these names, in any case, separated by commas.'),
};

export const teamsQuery = ({ query }: Call) => {
  const { q: search, 'filter[names]': names, include } = valuesOf(teamsParameters, query);
  return { filter: { search, names }, include };
};

export const newTeam = (dialect: Dialect) =>
  reading(resourceDocument(dialect, type, { name: word, ...settings }), (body) => ({
    ...toChange(body),
    name: body.data.attributes.name,
  }));

export const teamChange = (dialect: Dialect) => reading(changeDocument(dialect), toChange);
