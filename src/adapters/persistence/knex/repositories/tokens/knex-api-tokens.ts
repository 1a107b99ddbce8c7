import type { Knex } from 'knex';
import type {
  ApiTokenRepository,
  Credential,
  ExpiryRange,
  IssuedTeamToken,
  OrganizationToken,
  TeamTokenQuery,
  TeamTokenReference,
  TeamTokenSort,
} from '../../../../../application/ports/repositories/api-token-repository.js';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import {
  type Actor,
  type ApiToken,
  type Instant,
  type OrganizationId,
  type SoleTokenOwner,
  type TeamId,
  type TeamTokenVisibility,
  type TokenId,
  type TokenOwner,
  teamNameKey,
  type UserId,
} from '../../../../../domain/index.js';
import { byKey } from '../../engine/by-key.js';
import { newestFirst, ofPage, partOf } from '../../engine/lists.js';
import { inserted, prepared } from '../../engine/prepared.js';
import { columnsOf, countOf, likeLiteral, pageOf, type Statements, spelledOut } from '../../engine/statements.js';
import { onlyVisibleTeams } from '../supporting/teams/knex-teams.js';
import { type OwnerRow, ownerColumns, ownerFromRow, owners, replacing, tokenRows } from './token-rows.js';

/** The columns read in each request. */
const credentialColumns = ['id', 'secret_digest', ...ownerColumns, 'expires_at', 'last_used_at', 'made_in_session'];

interface CredentialRow extends OwnerRow {
  readonly id: TokenId;
  readonly secret_digest: string;
  readonly expires_at: Instant | null;
  readonly last_used_at: Instant | null;
  readonly site_administrator: boolean | number | null;
  readonly suspended: boolean | number | null;
  readonly made_in_session: boolean | number;
  readonly invited: boolean | number;
  readonly owning_organization_id: OrganizationId;
}

/** The tokens of one owner among `tokens`, whose table has the alias `alias`. */
const of = (tokens: Knex.QueryBuilder, { kind, id }: TokenOwner, alias = 'api_tokens'): Knex.QueryBuilder =>
  tokens.where({ [`${alias}.${owners[kind].column}`]: id, [`${alias}.audits`]: kind === 'auditor' });

function actorFromRow(row: CredentialRow): Actor {
  const owner = ownerFromRow(row);
  switch (owner.kind) {
    case 'user':
      return {
        kind: 'user',
        tokenId: row.id,
        userId: owner.id,
        siteAdministrator: Boolean(row.site_administrator),
        ...(row.made_in_session && { madeInSession: true }),
      };
    case 'team':
      return { kind: 'team', tokenId: row.id, teamId: owner.id, organizationId: row.owning_organization_id };
    case 'organization':
    case 'auditor':
      return { kind: owner.kind, tokenId: row.id, organizationId: owner.id };
  }
}

const sortColumns = {
  'team-name': 'k.listed_name',
  'created-by': 'coalesce(lower(iu.username), it.name_key, lower(io.name))',
  'expired-at': 'k.expires_at',
  'last-used-at': 'k.last_used_at',
} as const satisfies Record<TeamTokenSort['key'], string>;

/** Joins the issuer of a token: a user, a team or an organization. */
const withIssuer = (tokens: Knex.QueryBuilder): Knex.QueryBuilder =>
  tokens
    .leftJoin('users as iu', (on) => on.on('iu.id', 'k.created_by_id').onVal('k.created_by_kind', 'user'))
    .leftJoin('teams as it', (on) => on.on('it.id', 'k.created_by_id').onVal('k.created_by_kind', 'team'))
    .leftJoin('organizations as io', (on) =>
      on.on('io.id', 'k.created_by_id').onVal('k.created_by_kind', 'organization'),
    );

/** Restricts a query that has teams as `t` to those whose token the caller may see. */
function manageable(teams: Knex.QueryBuilder, { own, delegated }: Exclude<TeamTokenVisibility, 'all'>): void {
  teams.where((any) => any.whereIn('t.id', own).where('t.members_manage_token', true));
  if (delegated === undefined) return;
  teams.orWhere((reached) => {
    onlyVisibleTeams(reached.where('t.is_owners', false), delegated.seen);
    for (const permission of delegated.lacking)
      reached.whereRaw('t.organization_access not like ?', [`%"${permission}"%`]);
  });
}

/** Restricts tokens `k` to those that expire in one of the ranges. */
function expiring(tokens: Knex.QueryBuilder, ranges: readonly ExpiryRange[]): void {
  if (ranges.length === 0) tokens.whereRaw('1 = 0');
  for (const range of ranges) {
    tokens.orWhere((one) => {
      one.whereRaw(`(k.expires_at is null) = ${range === 'never' ? 'TRUE' : 'FALSE'}`);
      if (range === 'never') return;
      if (range.after !== undefined) one.where('k.expires_at', '>', range.after);
      if (range.until !== undefined) one.where('k.expires_at', '<=', range.until);
    });
  }
}

/** Tokens `k` whose owner is not deleted: the user, the team and its organization, or the organization. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('api_tokens as k')
    .leftJoin('users as u', (on) => on.on('u.id', 'k.user_id').onNull('u.deleted_at'))
    .leftJoin('teams as t', (on) => on.on('t.id', 'k.team_id').onNull('t.deleted_at'))
    .leftJoin('organizations as o', (on) =>
      on.on('o.id', sql.raw('coalesce(k.organization_id, t.organization_id)')).onNull('o.deleted_at'),
    )
    .where((owner) => owner.whereNotNull('u.id').orWhereNotNull('o.id'));

const credentials = prepared(
  (sql, { keys }: { readonly keys: readonly string[] }) =>
    (keys.length === 1
      ? living(sql).where('k.secret_digest', keys[0])
      : living(sql).whereIn('k.secret_digest', keys)
    ).select(...columnsOf('k', credentialColumns), 'u.site_administrator', 'u.suspended', {
      owning_organization_id: 'o.id',
      invited: sql.raw(
        'exists (select 1 from organization_memberships as i where i.user_id = k.user_id and i.invited_email is not null)',
      ),
    }),
  { short: true },
);

const credential = byKey<CredentialRow>(credentials, (row) => row.secret_digest);

const ofOrganization = '(organization_id, audits) where organization_id is not null';

const upserts = {
  organization: replacing('organization', ofOrganization),
  auditor: replacing('auditor', ofOrganization),
};

export class KnexApiTokens implements ApiTokenRepository {
  constructor(private readonly db: Statements) {}

  async findCredential(secretDigest: string): Promise<Credential | undefined> {
    const row = await credential(this.db, secretDigest);
    if (row === undefined || row.suspended) return undefined;
    const { id, expires_at: expiresAt, last_used_at: lastUsedAt } = row;
    return { token: { id, expiresAt, lastUsedAt }, actor: actorFromRow(row), invited: Boolean(row.invited) };
  }

  async find(id: TokenId): Promise<ApiToken | undefined> {
    return this.firstOf(living(this.db.sql).where('k.id', id));
  }

  async findOf(owner: SoleTokenOwner): Promise<ApiToken | undefined> {
    return this.firstOf(of(living(this.db.sql), owner, 'k'));
  }

  async add(token: ApiToken): Promise<void> {
    const { kind, id } = token.owner;
    const row = { ...tokenRows.write(token), [owners[kind].column]: id, audits: kind === 'auditor' };
    await this.db.runLater(inserted(this.db, 'api_tokens', row));
  }

  async addWithin(token: ApiToken, max: number): Promise<boolean> {
    const { sql } = this.db;
    await this.db.first(sql('users').where('id', token.owner.id).select('id').forNoKeyUpdate());
    if ((await countOf(this.db, of(sql('api_tokens'), token.owner))) >= max) return false;
    await this.add(token);
    return true;
  }

  replace(token: OrganizationToken): Promise<void> {
    return this.db.runLater(upserts[token.owner.kind](this.db, token));
  }

  async remove(id: TokenId): Promise<boolean> {
    return (await this.db.run(this.db.sql('api_tokens').where({ id }).delete())) > 0;
  }

  async removeMadeInSessions(userId: UserId): Promise<readonly TokenId[]> {
    const rows = await this.db.all<{ readonly id: TokenId }>(this.madeInSessions(userId).select('id').orderBy('id'));
    await this.db.run(this.madeInSessions(userId).delete());
    return rows.map(({ id }) => id);
  }

  countMadeInSessions(userId: UserId): Promise<number> {
    return countOf(this.db, this.madeInSessions(userId));
  }

  pageOfUser(userId: UserId, page: PageRequest): Promise<Page<ApiToken>> {
    const tokens = this.db
      .sql('api_tokens as k')
      .join('users as u', 'u.id', 'k.user_id')
      .where({ 'k.user_id': userId, 'u.deleted_at': null });
    const present = (part: Knex.QueryBuilder) => newestFirst(part.select(...columnsOf('k', tokenRows.columns)), 'k');
    return pageOf(this.db, tokens, present, tokenRows.read, page);
  }

  async expiringOf(
    tokenOwners: readonly TokenOwner[],
    { after, until }: { readonly after: Instant; readonly until: Instant },
    limit: number,
  ): Promise<readonly ApiToken[]> {
    const [first, ...others] = tokenOwners.map((owner) =>
      of(living(this.db.sql), owner, 'k')
        .where('k.expires_at', '>', after)
        .where('k.expires_at', '<=', until)
        .select(...columnsOf('k', tokenRows.columns)),
    );
    if (first === undefined) return [];
    // Each owner has an index: a condition of alternatives would use none.
    const all = this.db.sql.from((others.length === 0 ? first : first.unionAll(others)).as('k'));
    const rows = all.select(...columnsOf('k', tokenRows.columns)).orderBy(['k.expires_at', 'k.id']);
    return (await this.db.all<object>(rows.limit(limit, spelledOut))).map(tokenRows.read);
  }

  async pageOfTeams(
    { organizationId, visibility, search, expiry, sort }: TeamTokenQuery,
    page: PageRequest,
  ): Promise<Page<ApiToken>> {
    const { sql } = this.db;
    const listed = sql('api_tokens as k')
      .where('k.listed_in', organizationId)
      .whereExists(sql('organizations').where({ id: organizationId, deleted_at: null }).select('id'));
    if (visibility !== 'all') {
      listed.join('teams as t', 't.id', 'k.team_id').where((any) => manageable(any, visibility));
    }
    if (search !== undefined) {
      listed.whereRaw("k.listed_name like ? escape '!'", [`%${likeLiteral(teamNameKey(search))}%`]);
    }
    if (expiry !== undefined) listed.where((any) => expiring(any, expiry));
    const total = await countOf(this.db, listed);
    const column = sortColumns[sort.key];
    const sorted = (tokens: Knex.QueryBuilder, way: 'asc' | 'desc' = 'asc') =>
      (sort.key === 'created-by' ? withIssuer(tokens) : tokens)
        // SQLite sorts NULL first and Postgres last; what is missing comes last on both, in both directions. No name is.
        .orderByRaw(
          `${sort.key === 'team-name' ? '' : `${column} is null ${way}, `}${column} ${sort.descending === (way === 'desc') ? 'asc' : 'desc'}`,
        )
        .orderBy('k.id', way);
    return partOf(
      this.db,
      total,
      (part) => {
        const ids = part((way) => sorted(listed.clone().select('k.id'), way));
        return sorted(ofPage(sql('api_tokens as k'), ids, 'k').select(...columnsOf('k', tokenRows.columns)));
      },
      tokenRows.read,
      page,
    );
  }

  async countExpiring(now: Instant, until: Instant, max: number) {
    const { sql } = this.db;
    // By organization, so that each is a range of the index by which the tokens of one are listed; a cross join keeps
    // SQLite from reading all of that index instead.
    const ending = sql('organizations as o')
      .crossJoin(sql.raw('api_tokens as k'))
      .whereRaw('k.listed_in = o.id and (k.expires_at is null) = FALSE')
      .where('k.expires_at', '<=', until)
      .select('k.expires_at')
      .limit(max);
    const row = await this.db.first<Record<'expired' | 'total', number | string | null>>(
      sql
        .from(ending.as('e'))
        .count({ total: '*' })
        .select({ expired: sql.raw('sum(case when e.expires_at <= ? then 1 else 0 end)', [now]) }),
    );
    const expired = Number(row?.expired ?? 0);
    return { expired, expiring: Number(row?.total ?? 0) - expired };
  }

  async issuedBy(userId: UserId, organizationId: OrganizationId, max: number): Promise<readonly TeamTokenReference[]> {
    const rows = await this.db.all<{ readonly id: TokenId; readonly team_id: TeamId }>(
      this.db
        .sql('api_tokens as k')
        .where({ 'k.listed_in': organizationId, 'k.created_by_kind': 'user', 'k.created_by_id': userId })
        .select('k.id', 'k.team_id')
        .orderBy('k.id')
        .limit(max),
    );
    return rows.map((row) => ({ id: row.id, teamId: row.team_id }));
  }

  async actingIn(organizationId: OrganizationId, after: TokenId, max: number): Promise<readonly ApiToken[]> {
    const { sql } = this.db;
    const members = sql('organization_memberships as m')
      .where('m.organization_id', organizationId)
      .whereNull('m.invited_email')
      .select('m.user_id');
    const rows = await this.db.all<object>(
      living(sql)
        .where((any) => any.where('o.id', organizationId).orWhereIn('k.user_id', members))
        .where('k.id', '>', after)
        .select(columnsOf('k', tokenRows.columns))
        .orderBy('k.id')
        .limit(max),
    );
    return rows.map(tokenRows.read);
  }

  ofFormerMembers(except: UserId, max: number): Promise<readonly IssuedTeamToken[]> {
    const { sql } = this.db;
    const member = sql('organization_memberships as m')
      .join('users as u', 'u.id', 'm.user_id')
      .whereRaw('m.organization_id = k.listed_in and m.user_id = k.created_by_id')
      .whereNull('u.deleted_at')
      .select('m.id');
    return this.db.all<IssuedTeamToken>(
      sql('api_tokens as k')
        .join('teams as t', 't.id', 'k.team_id')
        .join('organizations as o', 'o.id', 'k.listed_in')
        .where({ 'k.created_by_kind': 'user', 'o.deleted_at': null })
        .whereNot('k.created_by_id', except)
        .whereNotExists(member)
        .select({ id: 'k.id', organizationName: 'o.name', teamName: 't.name', createdBy: 'k.created_by_id' })
        .orderBy('k.id')
        .limit(max),
    );
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    // In a fixed order, so that two processes marking the same tokens cannot deadlock.
    for (const [id, usedAt] of [...uses].sort()) {
      const token = this.db.sql('api_tokens').where({ id });
      await this.db.run(
        token
          .where((earlier) => earlier.whereNull('last_used_at').orWhere('last_used_at', '<', usedAt))
          .update({ last_used_at: usedAt }),
      );
    }
  }

  private madeInSessions(userId: UserId): Knex.QueryBuilder {
    return this.db.sql('api_tokens').where('user_id', userId).whereRaw('made_in_session = TRUE');
  }

  private async firstOf(tokens: Knex.QueryBuilder): Promise<ApiToken | undefined> {
    const row = await this.db.first<object>(tokens.select(...columnsOf('k', tokenRows.columns)));
    return row && tokenRows.read(row);
  }
}
