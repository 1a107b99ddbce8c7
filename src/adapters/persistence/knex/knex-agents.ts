import type { Knex } from 'knex';
import type { AgentPoolRepository, AgentTokenRepository } from '../../../application/ports/agent-repository.js';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import {
  type Actor,
  type Agent,
  type AgentPool,
  type AgentPoolId,
  type AgentToken,
  alreadyTaken,
  type Instant,
  type OrganizationId,
  type Seen,
  type TokenId,
  type TokenOwner,
} from '../../../domain/index.js';
import { inOrderOfName, listSize, newestFirst, ofPage, type Part, partOf } from './engine/lists.js';
import { prepared } from './engine/prepared.js';
import { columnsOf, type Statements, unlessTaken } from './engine/statements.js';
import { seeing } from './standing.js';

interface PoolRow {
  readonly id: AgentPoolId;
  readonly organization_id: OrganizationId;
  readonly organization_name: string;
  readonly name: string;
  readonly created_at: Instant;
}

const poolColumns = ['id', 'organization_id', 'name', 'created_at'] as const satisfies readonly (keyof PoolRow)[];

const poolToRow = (pool: AgentPool) => ({
  id: pool.id,
  organization_id: pool.organizationId,
  name: pool.name,
  created_at: pool.createdAt,
});

const poolFromRow = (row: PoolRow): AgentPool => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  name: row.name,
  createdAt: row.created_at,
});

interface TokenRow {
  readonly id: TokenId;
  readonly pool_id: AgentPoolId;
  readonly secret_digest: string;
  readonly description: string;
  readonly created_by_kind: TokenOwner['kind'] | null;
  readonly created_by_id: string | null;
  readonly created_at: Instant;
  readonly last_used_at: Instant | null;
}

const tokenColumns = [
  'id',
  'pool_id',
  'secret_digest',
  'description',
  'created_by_kind',
  'created_by_id',
  'created_at',
  'last_used_at',
] as const satisfies readonly (keyof TokenRow)[];

const tokenToRow = (token: AgentToken): TokenRow => ({
  id: token.id,
  pool_id: token.poolId,
  secret_digest: token.secretDigest,
  description: token.description,
  created_by_kind: token.createdBy?.kind ?? null,
  created_by_id: token.createdBy?.id ?? null,
  created_at: token.createdAt,
  last_used_at: token.lastUsedAt,
});

const tokenFromRow = (row: TokenRow): AgentToken => ({
  id: row.id,
  poolId: row.pool_id,
  secretDigest: row.secret_digest,
  description: row.description,
  createdBy: row.created_by_kind && { kind: row.created_by_kind, id: row.created_by_id as string },
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

/** Keeps of a query that has pools as `p` those of living organizations `o`. */
const livingPools = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.join('organizations as o', 'o.id', 'p.organization_id').whereNull('o.deleted_at');

const selectPools = (pools: Knex.QueryBuilder): Knex.QueryBuilder =>
  pools.select(...columnsOf('p', poolColumns), { organization_name: 'o.name' });

const findPool = seeing(
  'organization',
  (sql, { id }: { readonly id: AgentPoolId }) => selectPools(livingPools(sql('agent_pools as p')).where('p.id', id)),
  poolFromRow,
);

export class KnexAgentPools implements AgentPoolRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: AgentPoolId): Promise<Seen<AgentPool> | undefined> {
    return findPool(this.db, actor, { id });
  }

  add(pool: AgentPool): Promise<void> {
    return unlessTaken(this.db.run(this.db.sql('agent_pools').insert(poolToRow(pool))), nameTaken);
  }

  rename(id: AgentPoolId, name: string): Promise<void> {
    return unlessTaken(this.db.run(this.db.sql('agent_pools').where({ id }).update({ name })), nameTaken);
  }

  async remove(id: AgentPoolId): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('agent_tokens').where('pool_id', id).delete());
    await this.db.run(sql('agent_pools').where({ id }).delete());
  }

  async inUse(id: AgentPoolId): Promise<boolean> {
    const { sql } = this.db;
    const naming = sql('workspaces').where('agent_pool_id', id).whereNull('deleted_at').select('id');
    // The digest is asked for because only runs under a lease have one, and an index of their own.
    const executed = sql('runs').whereNotNull('lease_digest').where('lease_pool_id', id).select('id');
    return (await this.db.first(naming.unionAll(executed).limit(1))) !== undefined;
  }

  async page(organizationId: OrganizationId, page: PageRequest): Promise<Page<AgentPool>> {
    const { sql } = this.db;
    const listed = inOrderOfName(sql, 'agent_pools', organizationId);
    const rows = (part: Part) =>
      selectPools(ofPage(livingPools(sql('agent_pools as p')), part(listed), 'p'))
        .orderByRaw('lower(p.name)')
        .orderBy('p.id');
    return partOf(this.db, await listSize(this.db, 'agent-pools', organizationId), rows, poolFromRow, page);
  }
}

const selectTokens = (tokens: Knex.QueryBuilder): Knex.QueryBuilder => tokens.select(...columnsOf('k', tokenColumns));

/** Tokens `k` of pools `p` of living organizations `o`. */
const livingTokens = (sql: Knex): Knex.QueryBuilder =>
  livingPools(sql('agent_tokens as k').join('agent_pools as p', 'p.id', 'k.pool_id'));

const findToken = seeing(
  'organization',
  (sql, { id }: { readonly id: TokenId }) => selectTokens(livingTokens(sql).where('k.id', id)),
  tokenFromRow,
);

const agentByDigest = prepared((sql, { secretDigest }: { readonly secretDigest: string }) =>
  selectTokens(livingTokens(sql).where('k.secret_digest', secretDigest)).select({ owning_organization_id: 'o.id' }),
);

export class KnexAgentTokens implements AgentTokenRepository {
  constructor(private readonly db: Statements) {}

  async findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined> {
    const row = await this.db.first<TokenRow & { owning_organization_id: OrganizationId }>(
      agentByDigest(this.db, { secretDigest }),
    );
    if (row === undefined) return undefined;
    const agent = { tokenId: row.id, poolId: row.pool_id, organizationId: row.owning_organization_id };
    return { agent, token: tokenFromRow(row) };
  }

  findFor(actor: Actor, id: TokenId): Promise<Seen<AgentToken> | undefined> {
    return findToken(this.db, actor, { id });
  }

  async add(token: AgentToken): Promise<void> {
    await this.db.run(this.db.sql('agent_tokens').insert(tokenToRow(token)));
  }

  async remove(id: TokenId): Promise<void> {
    await this.db.run(this.db.sql('agent_tokens').where({ id }).delete());
  }

  async page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>> {
    const { sql } = this.db;
    const listed = newestFirst(() => sql('agent_tokens as l').where('l.pool_id', poolId).select('l.id'), 'l');
    const rows = (part: Part) =>
      newestFirst(() => selectTokens(ofPage(livingTokens(sql), part(listed), 'k')), 'k')('asc');
    return partOf(this.db, await listSize(this.db, 'agent-tokens', poolId), rows, tokenFromRow, page);
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    // In one order, so that two processes marking the same tokens never wait for each other in a circle.
    for (const [id, usedAt] of [...uses].sort()) {
      const token = this.db.sql('agent_tokens').where({ id });
      await this.db.run(
        token
          .where((earlier) => earlier.whereNull('last_used_at').orWhere('last_used_at', '<', usedAt))
          .update({ last_used_at: usedAt }),
      );
    }
  }
}
