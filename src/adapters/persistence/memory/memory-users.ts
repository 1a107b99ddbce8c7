import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { Reservation, UserRepository } from '../../../application/ports/repositories/user-repository.js';
import { alreadyTaken, awaitedUser, DomainError, type Instant, type User, type UserId } from '../../../domain/index.js';
import { byUsername, type CurrentTables, pageOf, present } from './memory-tables.js';

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export class MemoryUsers implements UserRepository {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: UserId): Promise<User | undefined> {
    return this.living().find((user) => user.id === id);
  }

  async findByUsername(username: string): Promise<User | undefined> {
    return this.living().find((user) => same(user.username, username));
  }

  async any(): Promise<boolean> {
    return this.tables().users.size > 0;
  }

  async reserve(email: string, ids: Iterable<UserId>, now: Instant): Promise<Reservation> {
    const tables = this.tables();
    const found = this.all().find((user) => same(user.email, email));
    if (found !== undefined) return { id: found.id, registered: !tables.awaited.has(found.id) };
    for (const id of ids) {
      if (tables.users.has(id)) continue;
      tables.users.set(id, awaitedUser(id, email, now));
      tables.awaited.set(id, true);
      return { id, registered: false };
    }
    throw new DomainError('shared/stale-revision', 'no id is free for the address');
  }

  async add(user: User): Promise<void> {
    const others = this.all().filter(({ id }) => id !== user.id || !this.tables().awaited.has(id));
    if (others.some(({ username }) => same(username, user.username))) throw alreadyTaken('username', 'Username');
    if (others.some(({ email }) => same(email, user.email))) throw alreadyTaken('email', 'Email');
    this.tables().users.set(user.id, user);
    this.tables().awaited.delete(user.id);
  }

  async setSuspended(id: UserId, suspended: boolean): Promise<void> {
    const user = await this.find(id);
    if (user !== undefined) this.tables().users.set(id, { ...user, suspended });
  }

  async remove(id: UserId, now: Instant): Promise<void> {
    this.tables().delete(id, now);
  }

  async page(page: PageRequest): Promise<Page<User>> {
    return pageOf(this.living().sort(byUsername), page);
  }

  private living(): User[] {
    return this.all().filter(({ id }) => !this.tables().awaited.has(id));
  }

  private all(): User[] {
    const tables = this.tables();
    return present([...tables.users.keys()].map((id) => tables.user(id)));
  }
}
