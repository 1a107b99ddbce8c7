import { isOwner, organizationAccessOf } from '../../authorization/claims.js';
import {
  type OrganizationAccess,
  type OrganizationPermission,
  organizationPermissions,
} from '../../authorization/organization-permissions.js';
import type { Standing, TeamInQuestion } from '../../authorization/standing.js';
import { alreadyTaken, DomainError, notFound } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, TeamId } from '../../shared/id.js';
import { checkPrintableName } from '../../shared/name.js';
import { revised } from '../../shared/revision.js';
import { teamNameKey } from './team-name.js';

/** Only members, owners and holders of `access-secret-teams` can see `secret` teams. */
export const visibilities = ['secret', 'organization'] as const;

export interface TeamSettings {
  readonly name: string;
  readonly visibility: (typeof visibilities)[number];
  readonly membersManageToken: boolean;
  readonly access: OrganizationAccess;
  /** A group at the identity provider. If an owner set it, people of the group become members when they sign in. */
  readonly ssoTeamId: string | null;
}

export interface Team extends TeamSettings {
  readonly id: TeamId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** Every organization has one owners team, created with it. */
  readonly owners: boolean;
  readonly usersCount: number;
  readonly createdAt: Instant;
  readonly revision: number;
}

export const ownersTeamName = 'owners';

export const defaultTeamSettings: Omit<TeamSettings, 'name'> = {
  visibility: 'secret',
  membersManageToken: true,
  access: new Set(),
  ssoTeamId: null,
};

export const teamInQuestion = (team: Team): TeamInQuestion => ({
  teamId: team.id,
  owners: team.owners,
  secret: team.visibility === 'secret',
  membersManageToken: team.membersManageToken,
  access: team.access,
});

const protectedOwners = (sentence: string): DomainError => new DomainError('owners-team/protected', sentence);

/**
 * Applies a change of settings. Throws `attribute/invalid` for a malformed name, `attribute/taken` for the name of the
 * owners team, and `owners-team/protected` for the owners team's fixed settings: its name and its rights.
 */
export function changeTeam(team: Team, change: Partial<TeamSettings>): Team {
  if (change.name !== undefined) checkPrintableName(change.name);
  if (team.owners && change.name !== undefined && change.name !== team.name) {
    throw protectedOwners('the owners team cannot be renamed');
  }
  if (team.owners && change.access !== undefined) {
    throw protectedOwners('the owners team already has every permission');
  }
  if (!team.owners && change.name !== undefined && teamNameKey(change.name) === ownersTeamName) {
    throw alreadyTaken('name', 'Name');
  }
  return revised(team, change);
}

/** Throws `owners-team/protected`: an organization always has owners. */
export function checkRemovable(team: Team): void {
  if (team.owners) throw protectedOwners('the owners team cannot be deleted');
}

/**
 * The team to save with a change of its members: the incremented revision makes concurrent changes conflict, so that
 * two owners cannot remove each other.
 */
export const withChangedMembers = (team: Team): Team => revised(team);

/**
 * `remaining` is the number of active members left. Throws `owners-team/protected` if the owners team would have none.
 */
export function checkMembersRemain(team: Pick<Team, 'owners' | 'organizationName'>, remaining: number): void {
  if (team.owners && remaining < 1) {
    throw protectedOwners(`the owners team of ${team.organizationName} must have at least one active member`);
  }
}

/** A named permission is granted or revoked; an unnamed one stays unchanged. */
export type AccessChange = Readonly<Partial<Record<OrganizationPermission, boolean | undefined>>>;

export const changedAccess = (from: OrganizationAccess, change: AccessChange): OrganizationAccess =>
  new Set(organizationPermissions.filter((permission) => change[permission] ?? from.has(permission)));

/** A caller can only grant or revoke permissions it holds. Throws `resource/not-found`. */
export function checkAccessChange(standing: Standing, from: OrganizationAccess, to: OrganizationAccess): void {
  if (isOwner(standing)) return;
  const held = organizationAccessOf(standing);
  const changed = [...from, ...to].filter((permission) => from.has(permission) !== to.has(permission));
  if (changed.some((permission) => !held.has(permission))) throw notFound();
}
