import type { Identity, IdentityId, User, UserId } from '../../../domain/index.js';

export interface IdentityRepository {
  /** Undefined if its user is deleted. */
  find(issuer: string, subject: string): Promise<{ readonly identity: Identity; readonly user: User } | undefined>;
  /** Throws `attribute/taken` if the subject of the issuer has an identity. */
  add(identity: Identity): Promise<void>;
  /** Those of one user, the oldest first. */
  ofUser(userId: UserId): Promise<readonly Identity[]>;
  /** Returns whether it existed. */
  remove(userId: UserId, id: IdentityId): Promise<boolean>;
  /** Whether the provider has ever sent `auth_time`; undefined if it was never asked for it. */
  sendsAuthTime(issuer: string): Promise<boolean | undefined>;
  /** Notes the answer of a provider that was asked. That it was sent once is never forgotten. */
  noteAuthTime(issuer: string, sent: boolean): Promise<void>;
}
