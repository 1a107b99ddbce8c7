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
}
