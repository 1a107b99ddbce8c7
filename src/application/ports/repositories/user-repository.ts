import type { Instant, User, UserId } from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface Reservation {
  readonly id: UserId;
  /** Whether there is a user with the address. */
  readonly registered: boolean;
}

/** Ids that are reserved for addresses belong to no user yet, and are found by `reserve` alone. */
export interface UserRepository {
  find(id: UserId): Promise<User | undefined>;
  /** In any case. */
  findByUsername(username: string): Promise<User | undefined>;
  /** Whether there is any user at all, deleted ones included. */
  any(): Promise<boolean>;
  /**
   * The id that stands for an address, whatever its case: the living user's who has it, else the one that its user will have
   * when created. Where the address is not invited yet that is the first of `ids` that nobody has, deleted users included.
   * Of several who ask at once for one address, all get the same id. Throws `shared/stale-revision` when it is given up at
   * the same time.
   */
  reserve(email: string, ids: Iterable<UserId>, now: Instant): Promise<Reservation>;
  /** The user that an id was reserved for takes it. Throws `attribute/taken` when the user name or the address is another's. */
  add(user: User): Promise<void>;
  setSuspended(id: UserId, suspended: boolean): Promise<void>;
  /** Hides the user: tokens are dead, memberships gone. */
  remove(id: UserId, now: string): Promise<void>;
  /** By user name. */
  page(page: PageRequest): Promise<Page<User>>;
}
