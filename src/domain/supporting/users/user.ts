import { invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, UserId } from '../../shared/id.js';
import { looksLikeId } from '../../shared/id-prefixes.js';

export interface User {
  readonly id: UserId;
  readonly username: string;
  readonly email: string;
  /** May create organizations and users; can see an organization only as a member. */
  readonly siteAdministrator: boolean;
  /** While true, none of the user's tokens is accepted. */
  readonly suspended: boolean;
  readonly createdAt: Instant;
}

/** The placeholder for an invited address without a user. It has no username and no token. */
export const awaitedUser = (id: UserId, email: string, createdAt: Instant): User => ({
  id,
  // Differs from every valid username, and is unique.
  username: `invited:${id}`,
  email,
  siteAdministrator: false,
  suspended: false,
  createdAt,
});

const wellFormedUsername = /^[A-Za-z0-9_.-]{1,60}$/;

/** Throws `attribute/invalid`. */
export function checkUsername(username: string): string {
  if (!wellFormedUsername.test(username)) {
    throw invalidAttribute('username', 'Username must be 1 to 60 letters, digits, dots, dashes and underscores');
  }
  if (looksLikeId(username)) {
    const [prefix] = username.split('-');
    throw invalidAttribute('username', `Username must not begin with ${prefix}-, as ids do`);
  }
  return username;
}
