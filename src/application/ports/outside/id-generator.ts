import type { Id, UserId } from '../../../domain/index.js';
import type { IdKind } from '../../../domain/shared/id-prefixes.js';

export type { IdKind };

/** Unique, unguessable identifiers. */
export interface IdGenerator {
  next<Kind extends IdKind>(kind: Kind): Id<Kind>;
  /**
   * An endless sequence of ids for the user of an email address: always the same ids in the same order, regardless of
   * the address's case. They look like any other id. Inviting an address again therefore does not reveal whether a user
   * with it exists by now, and the ids of its deleted users are skipped.
   */
  ofAddress(email: string): Iterable<UserId>;
}
