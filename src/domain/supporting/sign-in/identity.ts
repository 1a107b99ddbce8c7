import { DomainError } from '../../shared/domain-error.js';
import type { IdentityId, Instant, UserId } from '../../shared/id.js';
import { looksLikeId } from '../../shared/id-prefixes.js';

/** A person at an identity provider, known by issuer and subject, who acts here as a user. */
export interface Identity {
  readonly id: IdentityId;
  readonly userId: UserId;
  readonly issuer: string;
  readonly subject: string;
  readonly createdAt: Instant;
}

/** The claims of a provider about the person who signs in. Only issuer and subject identify the person. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider has verified that the address is the person's. */
  readonly emailVerified: boolean;
  readonly username: string | null;
  /** When the provider last asked the person to sign in, if it says so. */
  readonly authTime: Instant | null;
  /** The person's groups; null if the operator names no claim for them. */
  readonly groups: readonly string[] | null;
}

/** The names, issuer and subject are texts of the provider; longer ones are not stored. */
export const longestSubject = 255;

export const refusedSignIn = (sentence: string): DomainError => new DomainError('sign-in/refused', sentence);

/**
 * The address of a new user. Throws `sign-in/refused` without a verified one: invitations of the address, present and
 * future, belong to the user who has it.
 */
export function provenAddress({ email, emailVerified }: ProvenIdentity): string {
  if (email !== null && emailVerified) return email;
  throw refusedSignIn(
    'Your identity provider does not say that it has verified your e-mail address, so no user can be created for you. Ask a site administrator to create one.',
  );
}

const longestUsername = 60;

/** An endless sequence of usernames for a new user: the provider's name for the person, then the same with numbers. */
export function* usernamesFor({ username, email, subject }: ProvenIdentity): Generator<string> {
  const [wanted = ''] = (username ?? email ?? subject).split('@');
  const words = wanted.split(/[^A-Za-z0-9_.]+/).filter((word) => word !== '');
  const name = words.join('-') || 'user';
  yield unlikeId(name.slice(0, longestUsername));
  for (let nth = 2; ; nth += 1) yield unlikeId(`${name.slice(0, longestUsername - 8)}-${nth}`);
}

const unlikeId = (name: string): string => (looksLikeId(name) ? name.replace('-', '.') : name);
