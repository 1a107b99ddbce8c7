import type { User, UserId } from '../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface UserRepository {
  find(id: UserId): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  /** In any case. */
  findByUsername(username: string): Promise<User | undefined>;
  /** Whether there is any user at all, deleted ones included. */
  any(): Promise<boolean>;
  /** Throws `attribute/taken` when a living user has the user name or the address; both ignore case. */
  add(user: User): Promise<void>;
  setSuspended(id: UserId, suspended: boolean): Promise<void>;
  /** Hides the user: tokens are dead, memberships gone. */
  remove(id: UserId, now: string): Promise<void>;
  /** By user name. */
  page(page: PageRequest): Promise<Page<User>>;
}
