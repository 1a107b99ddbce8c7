import type { Instant, User, UserId } from '../../../domain/index.js';
import type { UserFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

export interface Reservation {
  readonly id: UserId;
  /** Whether a user with the address exists. */
  readonly registered: boolean;
}

/** Many may invite an address at once: each keeps the id until its membership refers to it. One may add its user. */
export type ReservationUse = 'to invite' | 'to add';

/** Ids reserved for addresses do not belong to a user yet; only `reserve` finds them. */
export interface UserRepository {
  find(id: UserId): Promise<User | undefined>;
  /** Case-insensitive. */
  findByUsername(username: string): Promise<User | undefined>;
  /** Whether any user exists, including deleted ones. */
  any(): Promise<boolean>;
  /**
   * The id for an address, regardless of case: that of the existing user with it, else the id that its user will have
   * when created. For an address not invited before, this is the first of `ids` that was never used, not even by a
   * deleted user. Concurrent calls for one address return the same id; those that will add its user go on in turn.
   * Throws `shared/stale-revision` if it is released concurrently.
   */
  reserve(email: string, ids: Iterable<UserId>, now: Instant, use: ReservationUse): Promise<Reservation>;
  /**
   * The user takes the id reserved for it. Throws `attribute/taken` if another user has the username or the address.
   */
  add(user: User): Promise<void>;
  setSuspended(id: UserId, suspended: boolean): Promise<void>;
  /** Hides the user and invalidates its tokens and memberships. */
  remove(id: UserId, now: string): Promise<void>;
  /** Ordered by username. */
  page(page: PageRequest, filter?: UserFilter): Promise<Page<User>>;
}
