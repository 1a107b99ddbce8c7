import { DomainError, notFound } from '../shared/domain-error.js';
import type { OrganizationId, TeamId } from '../shared/id.js';

/** A team as far as it matters to what it may be granted. */
export interface GrantedTeam {
  readonly id: TeamId;
  readonly organizationId: OrganizationId;
  readonly owners: boolean;
}

/** A resource that teams of its organization can have access to. */
export interface GrantedPlace {
  readonly id: string;
  readonly organizationId: OrganizationId;
}

/**
 * Throws `resource/not-found` for a team of another organization, and `owners-team/protected`: owners already hold every
 * right on every workspace.
 */
export function checkGrantable(team: GrantedTeam, place: GrantedPlace): void {
  if (team.organizationId !== place.organizationId) throw notFound();
  if (team.owners) {
    throw new DomainError('owners-team/protected', 'the owners team already has access to every workspace');
  }
}

/** The permissions of a grant that becomes custom, where the request does not name them. */
export type Unnamed = 'default' | 'as-implied';

/**
 * Individual permissions belong to the `custom` level alone. A request that names them with a fixed level is refused with
 * this, even if the level implies them.
 */
export function customOnly(attribute: string, access: string): DomainError {
  const words = attribute.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return new DomainError(
    'team-access/permissions-are-custom-only',
    `${label} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
    { attribute },
  );
}
