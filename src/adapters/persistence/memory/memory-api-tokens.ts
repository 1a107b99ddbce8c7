import type { ApiTokenRepository, Credential } from '../../../application/ports/api-token-repository.js';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import type { Actor, ApiToken, Instant, TokenId, TokenOwner, UserId } from '../../../domain/index.js';
import { byText, type CurrentTables, pageOf, present } from './memory-tables.js';

export class MemoryApiTokens implements ApiTokenRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findCredential(secretDigest: string): Promise<Credential | undefined> {
    const row = [...this.tables().tokens.values()].find((token) => token.secretDigest === secretDigest);
    const token = row && this.tables().token(row.id);
    const actor = token && this.actorOf(token);
    return actor && { token, actor };
  }

  async find(id: TokenId): Promise<ApiToken | undefined> {
    return this.tables().token(id);
  }

  async findOf(owner: TokenOwner): Promise<ApiToken | undefined> {
    return this.ownedBy(owner)[0];
  }

  async add(token: ApiToken): Promise<void> {
    this.tables().tokens.set(token.id, token);
  }

  async replace(token: ApiToken): Promise<void> {
    const { tokens } = this.tables();
    for (const { id, owner } of tokens.values()) {
      if (owner.kind === token.owner.kind && owner.id === token.owner.id) tokens.delete(id);
    }
    tokens.set(token.id, token);
  }

  async remove(id: TokenId): Promise<boolean> {
    return this.tables().token(id) !== undefined && this.tables().tokens.delete(id);
  }

  async pageOfUser(userId: UserId, page: PageRequest): Promise<Page<ApiToken>> {
    const oldestFirst = this.ownedBy({ kind: 'user', id: userId }).sort(byText(({ createdAt }) => createdAt));
    return pageOf(oldestFirst.reverse(), page);
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    const { tokens } = this.tables();
    for (const [id, lastUsedAt] of uses) {
      const token = tokens.get(id);
      if (token && (token.lastUsedAt ?? '') < lastUsedAt) tokens.set(id, { ...token, lastUsedAt });
    }
  }

  private ownedBy({ kind, id }: TokenOwner): ApiToken[] {
    const tables = this.tables();
    const own = [...tables.tokens.values()].filter(({ owner }) => owner.kind === kind && owner.id === id);
    return present(own.map((token) => tables.token(token.id)));
  }

  private actorOf({ id: tokenId, owner }: ApiToken): Actor | undefined {
    switch (owner.kind) {
      case 'user': {
        const user = this.tables().user(owner.id);
        if (user === undefined || user.suspended) return undefined;
        return { kind: 'user', tokenId, userId: user.id, siteAdministrator: user.siteAdministrator };
      }
      case 'team': {
        const team = this.tables().team(owner.id);
        return team && { kind: 'team', tokenId, teamId: team.id, organizationId: team.organizationId };
      }
      case 'organization':
        return { kind: 'organization', tokenId, organizationId: owner.id };
    }
  }
}
