import type {
  ApiTokenRepository,
  Credential,
  ExpiryRange,
  IssuedTeamToken,
  TeamTokenQuery,
  TeamTokenReference,
  TeamTokenSort,
} from '../../../application/ports/repositories/api-token-repository.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import {
  type Actor,
  type ApiToken,
  DomainError,
  type Instant,
  type OrganizationId,
  type Team,
  type TeamTokenVisibility,
  type TokenId,
  type TokenOwner,
  teamNameKey,
  type UserId,
} from '../../../domain/index.js';
import { byText, type CurrentTables, compare, pageOf, present } from './memory-tables.js';

function manageable(team: Team, visibility: TeamTokenVisibility): boolean {
  if (visibility === 'all') return true;
  const { own, delegated } = visibility;
  if (own.includes(team.id) && team.membersManageToken) return true;
  if (delegated === undefined || team.owners) return false;
  const { seen, lacking } = delegated;
  const isSeen = seen === 'all' || team.visibility === 'organization' || seen.visibleAnd.includes(team.id);
  return isSeen && !lacking.some((permission) => team.access.has(permission));
}

const expiresIn = ({ expiresAt }: ApiToken, range: ExpiryRange): boolean => {
  if (range === 'never' || expiresAt === null) return range === 'never' && expiresAt === null;
  return expiresAt > (range.after ?? '') && (range.until === undefined || expiresAt <= range.until);
};

export class MemoryApiTokens implements ApiTokenRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findCredential(secretDigest: string): Promise<Credential | undefined> {
    const row = [...this.tables().tokens.values()].find((token) => token.secretDigest === secretDigest);
    const token = row && this.tables().token(row.id);
    const actor = token && this.actorOf(token);
    if (token === undefined || actor === undefined) return undefined;
    const invited = [...this.tables().memberships.values()].some(
      ({ userId, invitedEmail }) => userId === token.owner.id && invitedEmail !== null,
    );
    return { token: { id: token.id, expiresAt: token.expiresAt, lastUsedAt: token.lastUsedAt }, actor, invited };
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

  async addWithin(token: ApiToken, most: number): Promise<boolean> {
    if (this.ownedBy(token.owner).length >= most) return false;
    await this.add(token);
    return true;
  }

  async replace(token: ApiToken): Promise<void> {
    const { tokens } = this.tables();
    for (const { id, owner } of tokens.values()) {
      if (owner.kind === token.owner.kind && owner.id === token.owner.id) tokens.delete(id);
    }
    tokens.set(token.id, token);
    if (this.tables().token(token.id) !== undefined) return;
    throw new DomainError('shared/stale-revision', `${token.owner.id} was deleted meanwhile`);
  }

  async remove(id: TokenId): Promise<boolean> {
    return this.tables().token(id) !== undefined && this.tables().tokens.delete(id);
  }

  async removeMadeInSessions(userId: UserId): Promise<readonly TokenId[]> {
    const ids = this.madeInSessions(userId);
    for (const id of ids) this.tables().tokens.delete(id);
    return ids;
  }

  async countMadeInSessions(userId: UserId): Promise<number> {
    return this.madeInSessions(userId).length;
  }

  async pageOfUser(userId: UserId, page: PageRequest): Promise<Page<ApiToken>> {
    const oldestFirst = this.ownedBy({ kind: 'user', id: userId }).sort(byText(({ createdAt }) => createdAt));
    return pageOf(oldestFirst.reverse(), page);
  }

  async pageOfTeams(query: TeamTokenQuery, page: PageRequest): Promise<Page<ApiToken>> {
    const tables = this.tables();
    const listed = tables.teamsOf(query.organizationId).filter((team) => manageable(team, query.visibility));
    const searched = listed.filter(({ name }) => teamNameKey(name).includes(teamNameKey(query.search ?? '')));
    const rows = searched.flatMap((team) => {
      const [token] = this.ownedBy({ kind: 'team', id: team.id });
      if (token === undefined || !(query.expiry?.some((range) => expiresIn(token, range)) ?? true)) return [];
      return [{ id: token.id, token, text: this.sortText(team, token, query.sort.key) }];
    });
    const known = rows.filter((row): row is typeof row & { text: string } => row.text !== null);
    const nothing = rows.filter(({ text }) => text === null).sort(byText(() => ''));
    const direction = query.sort.descending ? -1 : 1;
    known.sort((a, b) => direction * compare(a.text, b.text) || compare(a.id, b.id));
    return pageOf(
      [...known, ...nothing].map(({ token }) => token),
      page,
    );
  }

  private sortText(team: Team, token: ApiToken, key: TeamTokenSort['key']): string | null {
    switch (key) {
      case 'team-name':
        return teamNameKey(team.name);
      case 'created-by':
        return this.nameOf(token.createdBy)?.toLowerCase() ?? null;
      case 'expired-at':
        return token.expiresAt;
      case 'last-used-at':
        return token.lastUsedAt;
    }
  }

  /** Also of a deleted one, as long as its row is there. */
  private nameOf(owner: TokenOwner | null): string | undefined {
    const { users, teams, organizations } = this.tables();
    switch (owner?.kind) {
      case 'user':
        return users.get(owner.id)?.username;
      case 'team':
        return teams.get(owner.id)?.name;
      case 'organization':
        return organizations.get(owner.id)?.name;
      case undefined:
        return undefined;
    }
  }

  async countExpiring(now: Instant, until: Instant, most: number) {
    const tables = this.tables();
    const ending = [...tables.tokens.values()]
      .filter(({ id, owner }) => owner.kind === 'team' && tables.token(id) !== undefined)
      .flatMap(({ expiresAt }) => (expiresAt !== null && expiresAt <= until ? [expiresAt] : []))
      .slice(0, most);
    const expired = ending.filter((at) => at <= now).length;
    return { expired, expiring: ending.length - expired };
  }

  async issuedBy(userId: UserId, organizationId: OrganizationId, most: number): Promise<readonly TeamTokenReference[]> {
    const issued = this.ofTeams().filter(
      ({ team, createdBy }) => createdBy === userId && team.organizationId === organizationId,
    );
    return issued.slice(0, most).map(({ id, team }) => ({ id, teamId: team.id }));
  }

  async actingIn(organizationId: OrganizationId, after: TokenId, most: number): Promise<readonly ApiToken[]> {
    const tables = this.tables();
    const active = [...tables.memberships.values()].filter(
      (one) => one.organizationId === organizationId && one.invitedEmail === null,
    );
    const owners = new Set([
      organizationId,
      ...tables.teamsOf(organizationId).map(({ id }) => id),
      ...active.map(({ userId }) => userId),
    ]);
    return present([...tables.tokens.keys()].map((id) => tables.token(id)))
      .filter(({ id, owner }) => id > after && owners.has(owner.id))
      .sort(byText(({ id }) => id))
      .slice(0, most);
  }

  async ofFormerMembers(except: UserId, most: number): Promise<readonly IssuedTeamToken[]> {
    const tables = this.tables();
    const issued = this.ofTeams().flatMap(({ id, team, createdBy }) => {
      const organizationName = tables.organization(team.organizationId)?.name;
      if (createdBy === undefined || createdBy === except || organizationName === undefined) return [];
      if (tables.isMember(team.organizationId, createdBy)) return [];
      return [{ id, organizationName, teamName: team.name, createdBy }];
    });
    return issued.slice(0, most);
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    const { tokens } = this.tables();
    for (const [id, lastUsedAt] of uses) {
      const token = tokens.get(id);
      if (token && (token.lastUsedAt ?? '') < lastUsedAt) tokens.set(id, { ...token, lastUsedAt });
    }
  }

  private madeInSessions(userId: UserId): TokenId[] {
    const own = this.ownedBy({ kind: 'user', id: userId }).filter(({ madeInSession }) => madeInSession);
    return own.map(({ id }) => id).sort();
  }

  /** Tokens of living teams, by their ids, with the user who issued them. */
  private ofTeams() {
    const tables = this.tables();
    const found = [...tables.tokens.values()].flatMap(({ id, owner, createdBy }) => {
      const team = owner.kind === 'team' ? tables.team(owner.id) : undefined;
      return team === undefined ? [] : [{ id, team, createdBy: createdBy?.kind === 'user' ? createdBy.id : undefined }];
    });
    return found.sort(byText(({ id }) => id));
  }

  private ownedBy({ kind, id }: TokenOwner): ApiToken[] {
    const tables = this.tables();
    const own = [...tables.tokens.values()].filter(({ owner }) => owner.kind === kind && owner.id === id);
    return present(own.map((token) => tables.token(token.id)));
  }

  private actorOf({ id: tokenId, owner, madeInSession }: ApiToken): Actor | undefined {
    switch (owner.kind) {
      case 'user': {
        const user = this.tables().user(owner.id);
        if (user === undefined || user.suspended) return undefined;
        const { id: userId, siteAdministrator } = user;
        return { kind: 'user', tokenId, userId, siteAdministrator, ...(madeInSession && { madeInSession }) };
      }
      case 'team': {
        const team = this.tables().team(owner.id);
        return team && { kind: 'team', tokenId, teamId: team.id, organizationId: team.organizationId };
      }
      case 'organization':
      case 'auditor':
        return { kind: owner.kind, tokenId, organizationId: owner.id };
    }
  }
}
