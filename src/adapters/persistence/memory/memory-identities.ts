import type { IdentityRepository } from '../../../application/ports/repositories/identity-repository.js';
import { alreadyTaken, type Identity, type IdentityId, type User, type UserId } from '../../../domain/index.js';
import { byText, type CurrentTables } from './memory-tables.js';

export class MemoryIdentities implements IdentityRepository {
  constructor(private readonly tables: CurrentTables) {}

  async find(
    issuer: string,
    subject: string,
  ): Promise<{ readonly identity: Identity; readonly user: User } | undefined> {
    const identity = this.of(issuer, subject);
    const user = identity && this.tables().user(identity.userId);
    return identity && user && { identity, user };
  }

  async add(identity: Identity): Promise<void> {
    if (this.of(identity.issuer, identity.subject) !== undefined) throw alreadyTaken('subject', 'Subject');
    this.tables().identities.set(identity.id, identity);
  }

  async ofUser(userId: UserId): Promise<readonly Identity[]> {
    const own = [...this.tables().identities.values()].filter((identity) => identity.userId === userId);
    return own.sort(byText(({ createdAt }) => createdAt));
  }

  async remove(userId: UserId, id: IdentityId): Promise<boolean> {
    const { identities } = this.tables();
    return identities.get(id)?.userId === userId && identities.delete(id);
  }

  async sendsAuthTime(issuer: string): Promise<boolean | undefined> {
    return this.tables().identityProviders.get(issuer);
  }

  async noteAuthTime(issuer: string, sent: boolean): Promise<void> {
    const { identityProviders } = this.tables();
    identityProviders.set(issuer, sent || identityProviders.get(issuer) === true);
  }

  private of(issuer: string, subject: string): Identity | undefined {
    const all = [...this.tables().identities.values()];
    return all.find((identity) => identity.issuer === issuer && identity.subject === subject);
  }
}
