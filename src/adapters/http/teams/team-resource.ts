import { z } from 'zod';
import {
  type Member,
  may,
  organizationPermissions,
  type Seen,
  type Team,
  visibilities,
} from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  count,
  flags,
  linkIn,
  perDialect,
  resourceSchema,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';

/** `members` are named where they were looked up. */
export const presentTeam =
  (dialect: Dialect, members?: readonly Member[]) =>
  ({ subject: team, standing }: Seen<Team>): Resource => ({
    id: team.id,
    type: 'teams',
    attributes: {
      name: team.name,
      'users-count': team.usersCount,
      visibility: team.visibility,
      'allow-member-token-management': team.membersManageToken,
      'organization-access': Object.fromEntries(
        organizationPermissions.map((permission) => [permission, team.owners || team.access.has(permission)]),
      ),
      permissions: {
        'can-update': may(standing, 'teams/update'),
        'can-destroy': !team.owners && may(standing, 'teams/delete'),
        'can-update-membership': may(standing, 'team-members/manage'),
        'can-update-organization-access': !team.owners && may(standing, 'teams/set-organization-access'),
        'can-update-api-token': may(standing, 'team-tokens/manage'),
        'can-update-visibility': may(standing, 'teams/update'),
      },
    },
    relationships: {
      organization: toOne('organizations', team.organizationName),
      ...(members === undefined ? {} : { users: { data: members.map(({ id }) => ({ id, type: 'users' })) } }),
    },
    links: { self: `${dialect.prefix}/teams/${team.id}` },
  });

export const teamSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'Team',
    type: 'teams',
    attributes: {
      name: z.string(),
      'users-count': count,
      visibility: z.enum(visibilities),
      'allow-member-token-management': z.boolean().describe('Whether its members manage its token.'),
      'organization-access': flags(organizationPermissions).describe('All true for the owners team.'),
      permissions: flags([
        'can-update',
        'can-destroy',
        'can-update-membership',
        'can-update-organization-access',
        'can-update-api-token',
        'can-update-visibility',
      ]).describe('What the caller may do.'),
    },
    relationships: {
      organization: toOneSchema('organizations'),
      users: toManySchema('users').describe('There when one team is shown.').optional(),
    },
    links: { self: linkIn(dialect) },
    example: presentTeam(dialect, [examples.user])({ subject: examples.team, standing: examples.standing }),
  }),
);
