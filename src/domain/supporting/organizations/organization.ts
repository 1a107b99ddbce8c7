import { invalidAttribute } from '../../shared/domain-error.js';
import type { ExecutionDefaults } from '../../shared/execution.js';
import type { Instant, MembershipId, OrganizationId, UserId } from '../../shared/id.js';
import { checkName } from '../../shared/name.js';

export interface Organization {
  readonly id: OrganizationId;
  /** Unique among living organizations; what URLs use. */
  readonly name: string;
  readonly email: string;
  readonly defaults: ExecutionDefaults;
  readonly createdAt: Instant;
}

export const initialDefaults: ExecutionDefaults = { executionMode: 'remote', agentPoolId: null };

/** Makes a user one of an organization's people. Teams are joined apart. */
export interface Membership {
  readonly id: MembershipId;
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly createdAt: Instant;
  /** The address that was invited; null from that user's first authenticated request on. */
  readonly invitedEmail: string | null;
}

/** What the people of an organization see of each other. */
export interface Member {
  readonly id: UserId;
  readonly email: string;
  /** Null while invited: nothing shows whether a user of this service has the address. */
  readonly username: string | null;
}

/** `user` has the membership, or is reserved for the address that was invited. */
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

/** Neither moves, hides nor ends what stands beside the address in a list or a log. */
const unprintable = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Throws `attribute/invalid`. */
export function checkEmail(email: string): string {
  if (!wellFormedEmail.test(email) || unprintable.test(email))
    throw invalidAttribute('email', 'Email must be an e-mail address');
  return email;
}

/** Throws `attribute/invalid` for a name or address that is not well formed. */
export const organization = (given: Organization): Organization =>
  Object.freeze({ ...given, name: checkName(given.name), email: checkEmail(given.email) });
