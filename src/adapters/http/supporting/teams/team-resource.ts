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
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { count, flag, maybeText, text } from '../../routing/resource-schema.js';

const visibility = z.enum(visibilities);

const grantsNothing: ReadonlySet<string> = new Set(permissionsWithoutEffect);

/** `members` are named where they were looked up. */
const team =
  ({ is, group, optional, toOne, toMany, link }: Words) =>
  (dialect: Dialect, members?: readonly Member[], memberships?: readonly MembershipId[]) =>
  ({ subject: team, standing }: WithStanding<Team>): Resource => ({
    id: team.id,
    type: 'teams',
    attributes: {
      name: is(text, team.name),
      'users-count': is(count, team.usersCount),
      visibility: is(visibility, team.visibility),
      'allow-member-token-management': is(
        flag,
        team.membersManageToken,
        'Whether members of the team can manage its token.',
      ),
      'organization-access': group(
        Object.fromEntries(
          organizationPermissions.map((permission) => [
            permission,
            is(
              flag,
              team.owners || team.access.has(permission),
              grantsNothing.has(permission) ? 'Stored and shown. It grants nothing.' : undefined,
            ),
          ]),
        ),
        'Organization-level permissions. All are true for the owners team.',
      ),
      'sso-team-id': is(
        maybeText,
        team.ssoTeamId,
        'A group at the identity provider. Its people become members of the team when they sign in. Only owners set it.',
      ),
      permissions: group(
        {
          'can-update': is(flag, may(standing, 'teams/update')),
          'can-destroy': is(flag, !team.owners && may(standing, 'teams/delete')),
          'can-update-membership': is(flag, may(standing, 'team-members/manage')),
          'can-update-organization-access': is(flag, !team.owners && may(standing, 'teams/set-organization-access')),
          'can-update-api-token': is(flag, may(standing, 'team-tokens/manage')),
          'can-update-visibility': is(flag, may(standing, 'teams/update')),
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
          'Only present when a single team is returned.',
        ),
      'organization-memberships':
        memberships &&
        optional(toMany('organization-memberships', memberships), 'Only present when a single team is returned.'),
    },
    links: { self: link(`${dialect.prefix}/teams/${team.id}`) },
  });

export const presentTeam = team(presenting);

export const teamSchema = described({ name: 'Team' }, (words, dialect) => team(words)(dialect, [], [])(anyView()));
