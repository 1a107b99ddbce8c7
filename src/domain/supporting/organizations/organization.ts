import type { DataRetention } from '../../shared/data-retention.js';
import { invalidAttribute } from '../../shared/domain-error.js';
import type { ExecutionDefaults } from '../../shared/execution.js';
import type { IdentityId, Instant, MembershipId, OrganizationId, UserId } from '../../shared/id.js';
import { checkName } from '../../shared/name.js';
import type { OrganizationSettings } from './organization-settings.js';

export interface Organization {
  readonly id: OrganizationId;
  /** Unique among existing organizations; used in URLs. */
  readonly name: string;
  readonly email: string;
  readonly defaults: ExecutionDefaults;
  readonly settings: OrganizationSettings;
  /** For workspaces without a policy of their own. */
  readonly retention: DataRetention | null;
  readonly createdAt: Instant;
}

export const initialDefaults: ExecutionDefaults = { executionMode: 'remote', agentPoolId: null };

/** Makes a user a member of an organization. Team membership is separate. */
export interface Membership {
  readonly id: MembershipId;
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly createdAt: Instant;
  /** The invited email address; null after that user's first authenticated request. */
  readonly invitedEmail: string | null;
  /** The identity whose sign-in made it, because of its groups; null if it was made by hand. */
  readonly identityId: IdentityId | null;
}

/** The properties of a member that other members can see. */
export interface Member {
  readonly id: UserId;
  readonly email: string;
  /** Null while invited, so that an invitation does not reveal whether a user with the address exists. */
  readonly username: string | null;
}

/** `user` holds the membership, or is the placeholder for the invited address. */
export const memberOf = (
  { invitedEmail }: Pick<Membership, 'invitedEmail'>,
  user: { readonly id: UserId; readonly email: string; readonly username: string },
): Member =>
  invitedEmail === null
    ? { id: user.id, email: user.email, username: user.username }
    : { id: user.id, email: invitedEmail, username: null };

export const membershipStatuses = ['active', 'invited'] as const;

export const membershipStatus = (member: Member): (typeof membershipStatuses)[number] =>
  member.username === null ? 'invited' : 'active';

const wellFormedEmail = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

/** Excludes characters that could move, hide or end the text around the address in a list or a log. */
const unprintable = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Throws `attribute/invalid`. */
export function checkEmail(email: string): string {
  if (!wellFormedEmail.test(email) || unprintable.test(email))
    throw invalidAttribute('email', 'Email must be an e-mail address');
  return email;
}

/** Throws `attribute/invalid` for a malformed name or address. */
export const organization = (given: Organization): Organization =>
  Object.freeze({ ...given, name: checkName(given.name), email: checkEmail(given.email) });
