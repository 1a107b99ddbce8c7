import { z } from 'zod';
import {
  type Member,
  type MembershipId,
  may,
  organizationPermissions,
  permissionsWithoutEffect,
  type Team,
  visibilities,
  type WithStanding,
} from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, flag, maybeText, text } from '../../routing/resource-schema.js';

const visibility = z.enum(visibilities);

const grantsNothing: ReadonlySet<string> = new Set(permissionsWithoutEffect);

/** `members` are named where they were looked up. */
const team =
  ({ attribute, group, optional, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect, members?: readonly Member[], memberships?: readonly MembershipId[]) =>
  ({ subject: team, standing }: WithStanding<Team>): Resource => ({
    id: team.id,
    type: 'teams',
    attributes: {
      name: attribute(text, team.name),
      'users-count': attribute(count, team.usersCount),
      visibility: attribute(visibility, team.visibility),
      'allow-member-token-management': attribute(
        flag,
        team.membersManageToken,
        'Whether members of the team can manage its token.',
      ),
      'organization-access': group(
        Object.fromEntries(
          organizationPermissions.map((permission) => [
            permission,
            attribute(
              flag,
              team.owners || team.access.has(permission),
              grantsNothing.has(permission) ? 'Stored and shown. It grants nothing.' : undefined,
            ),
          ]),
        ),
        'Organization-level permissions. All are true for the owners team.',
      ),
      'sso-team-id': attribute(
        maybeText,
        team.ssoTeamId,
        'A group at the identity provider. Its people become members of the team when they sign in. Only owners set it.',
      ),
      permissions: group(
        {
          'can-update': attribute(flag, may(standing, 'teams/update')),
          'can-destroy': attribute(flag, !team.owners && may(standing, 'teams/delete')),
          'can-update-membership': attribute(flag, may(standing, 'team-members/manage')),
          'can-update-organization-access': attribute(
            flag,
            !team.owners && may(standing, 'teams/set-organization-access'),
          ),
          'can-update-api-token': attribute(flag, may(standing, 'team-tokens/manage')),
          'can-update-visibility': attribute(flag, may(standing, 'teams/update')),
        },
        "The caller's permissions.",
      ),
    },
    relationships: {
      organization: toOne('organizations', team.organizationName),
      users:
        members &&
        optional(
          toMany(
            'users',
            members.map(({ id }) => id),
          ),
          'In lists only present if they are included.',
        ),
      'organization-memberships':
        memberships &&
        optional(toMany('organization-memberships', memberships), 'In lists only present if they are included.'),
    },
    links: { self: link(`${dialect.prefix}/teams/${team.id}`) },
  });

export const presentTeam = team(presenting);

export const teamSchema = described({ name: 'Team' }, (words, dialect) => team(words)(dialect, [], [])(anyView()));
