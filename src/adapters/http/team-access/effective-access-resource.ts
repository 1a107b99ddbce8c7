import { z } from 'zod';
import type { EffectiveAccess } from '../../../application/index.js';
import {
  type AccessPart,
  accessLevels,
  type EffectiveRight,
  type GivenClaim,
  organizationPermissions,
  projectAccessLevels,
  type TeamId,
  workspaceActions,
} from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { flag, maybeDateTime, maybeText, text } from '../routing/resource-schema.js';

const right = z.enum(workspaceActions);
const requirement = z.array(z.array(text));
const partKind = z.enum(['membership', 'owners-team', 'organization-permission', 'team-access', 'project-access']);
const maybeLevel = z.enum([...new Set([...accessLevels, ...projectAccessLevels])]).nullable();
const maybePermission = z.enum(organizationPermissions).nullable();

const part =
  ({ attribute }: ResourceBuilder) =>
  (given: AccessPart) => ({
    kind: attribute(partKind, given.kind),
    level: attribute(
      maybeLevel,
      'level' in given ? given.level : null,
      'The access level of `team-access` or `project-access`.',
    ),
    permission: attribute(maybePermission, 'permission' in given ? given.permission : null),
    until: attribute(maybeDateTime, ('until' in given && given.until) || null, 'When it ends; null if it does not.'),
  });

/** The claims of a right that are true, with what gives each. */
export const claimsOf = (
  { attribute, each, ...words }: ResourceBuilder,
  claims: readonly GivenClaim[],
  teamNames: ReadonlyMap<TeamId, string>,
) =>
  each(
    claims,
    ({ claim, teamId, through }) => ({
      claim: attribute(text, claim),
      'team-id': attribute(maybeText, teamId, 'Null for what every member of the organization has.'),
      'team-name': attribute(
        maybeText,
        teamId === null ? null : (teamNames.get(teamId) ?? null),
        'Null for a secret team that the caller cannot see.',
      ),
      through: each(
        through,
        part({ attribute, each, ...words }),
        'More than one only if all of them are needed for the claim.',
      ),
    }),
    'The claims of `requires` that are true, once for each way in which they are, also if the right needs more. Ways that the caller cannot read elsewhere are left out.',
  );

const effectiveAccess =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ workspaceId, holder, name, invited, projectId, teamNames, rights }: EffectiveAccess): Resource => {
    const { attribute, each, toOne, toOneAt, toOneOrNone } = words;
    const effectiveRight = ({ right: action, held, until, requires, claims }: EffectiveRight) => ({
      right: attribute(right, action),
      held: attribute(flag, held),
      until: attribute(maybeDateTime, until ?? null, 'When the right is lost; null if it has no end or is not held.'),
      requires: attribute(
        requirement,
        requires,
        'The alternatives of the access policy: one is sufficient, and every claim in it must be true.',
      ),
      claims: claimsOf(words, claims, teamNames),
    });
    return {
      id: `${workspaceId}:${holder.id}`,
      type: 'effective-accesses',
      attributes: {
        name: attribute(
          maybeText,
          name,
          "The username, the address of an invited person, or the team's name. Null for a secret team that the caller cannot see.",
        ),
        invited: attribute(
          flag,
          invited,
          'Whether the invitation of the person is open. The rights are then those that their teams will give.',
        ),
        rights: each(rights, effectiveRight, 'Every right on a workspace, held or not.'),
      },
      relationships: {
        workspace: toOneAt('workspaces', workspaceId, `${dialect.prefix}/workspaces/${workspaceId}`),
        project: toOne('projects', projectId, 'The project to which `project-access` is.'),
        user: toOneOrNone('users', holder.kind === 'user' ? holder.id : null),
        team: toOneOrNone('teams', holder.kind === 'team' ? holder.id : null),
      },
    };
  };

export const presentEffectiveAccess = effectiveAccess(presenting);

export const effectiveAccessSchema = described(
  {
    name: 'EffectiveAccess',
    about: 'The rights of one user or one team on one workspace, and what gives them. Computed when it is requested.',
  },
  (words, dialect) => effectiveAccess(words)(dialect)(anyView()),
);
