import type { Knex } from 'knex';
import type {
  AgentPoolRepository,
  AgentTokenRepository,
} from '../../../../../../application/ports/repositories/agent-repository.js';
import type { AgentPoolFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import {
  type Actor,
  type Agent,
  type AgentPool,
  type AgentPoolId,
  type AgentToken,
  alreadyTaken,
  type Instant,
  type OrganizationId,
  type TeamId,
  type TokenId,
  type TokenOwner,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import {
  administersWorkspaces,
  fixedProjectLevels,
} from '../../../../../../domain/team-access/project-access-level.js';
import { idsIn, newestFirst, ofOrganization, ofPage, sorted, withPart } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { presentIn } from '../../../engine/present.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, throwIfTaken } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces, agentPoolOf, executionModeOf } from '../workspaces/knex-workspaces.js';

const poolRows = rowsOf<AgentPool>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  organizationScoped: as.flag(row.organization_scoped),
  // Only living workspaces.
  allowedWorkspaceIds: as.joined(row.allowed, idsIn),
  allowedProjectIds: as.joined(row.allowed_projects, idsIn),
  excludedWorkspaceIds: as.joined(row.excluded, idsIn),
  createdAt: row.created_at,
}));

const poolSettings = poolRows.only('name', 'organizationScoped');

const tokenRows = rowsOf<AgentToken>((row, as) => ({
  id: row.id,
  poolId: row.pool_id,
  secretDigest: row.secret_digest,
  description: row.description,
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by_id }),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
}));

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

/** Keeps of a query that has pools as `p` those of the site, and those of living organizations `o`. */
const activePools = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.leftJoin('organizations as o', 'o.id', 'p.organization_id').whereNull('o.deleted_at');

const listedWorkspaces = (list: 'allowed' | 'excluded'): string =>
  `(select string_agg(l.workspace_id, ' ') from agent_pool_workspaces as l
    join workspaces as lw on lw.id = l.workspace_id
    where l.agent_pool_id = p.id and l.list = '${list}' and lw.deleted_at is null)`;

const allowedProjects = `(select string_agg(l.project_id, ' ') from agent_pool_projects as l where l.agent_pool_id = p.id)`;

const selectPools = (sql: Knex, pools: Knex.QueryBuilder): Knex.QueryBuilder =>
  pools.select(...columnsOf('p', poolRows.columns), {
    organization_name: 'o.name',
    allowed: sql.raw(listedWorkspaces('allowed')),
    excluded: sql.raw(listedWorkspaces('excluded')),
    allowed_projects: sql.raw(allowedProjects),
  });

const findPoolFor = seeing(
  'organization',
  (sql, { id }: { readonly id: AgentPoolId }) =>
    selectPools(sql, activePools(sql('agent_pools as p')).where('p.id', id).whereNotNull('p.organization_id')),
  poolRows.read,
);

const findPool = prepared((sql, { id }: { readonly id: AgentPoolId }) =>
  selectPools(sql, activePools(sql('agent_pools as p')).where('p.id', id)),
);

const administeringLevels = fixedProjectLevels.filter((access) => administersWorkspaces({ access }));

type Question = {
  readonly id: AgentPoolId;
  readonly organizationId: OrganizationId;
  readonly teamIds: readonly TeamId[];
  readonly soFar: Instant;
};

/**
 * The facts the policy needs about a pool of any scope: that decides what is claimed, not who may manage the pool. Admin
 * access counts only if it has no end, because the pool's tokens have none.
 */
const questionOfPool = prepared((sql, { id, organizationId, teamIds, soFar }: Question) => {
  const administering = (column: string, levels: readonly string[]) => (grant: Knex.QueryBuilder) => {
    grant.where((any) => any.whereNull('g.expires_at').whereIn(column, levels));
    grant.orWhere((any) => any.where('g.expires_at', '<=', presentIn(sql, soFar)).whereIn('g.then_level', levels));
  };
  const naming = () => activeWorkspaces(sql('workspaces as w')).where('w.agent_pool_id', id).select('w.id');
  const byDefault = () => sql('organizations as o').where({ 'o.id': organizationId, 'o.default_agent_pool_id': id });
  const inProjects = () => sql('projects as p').where('p.default_agent_pool_id', id);
  const using = (workspaces: Knex.QueryBuilder) =>
    workspaces
      .whereNull('w.deleted_at')
      .whereNull('w.agent_pool_id')
      .whereRaw(`${executionModeOf} = 'agent'`)
      .whereRaw(`${agentPoolOf} = ?`, [id])
      .select('w.id');
  // Looked up apart, too: Postgres else begins with all workspaces, since it expects to find one early.
  const taking = () =>
    using(byDefault().join('workspaces as w', 'w.organization_id', 'o.id')).whereExists(byDefault().select('o.id'));
  const takingInProjects = () =>
    using(
      inProjects()
        .join('workspaces as w', 'w.project_id', 'p.id')
        .join('organizations as o', 'o.id', 'w.organization_id'),
    ).whereExists(inProjects().select('p.id'));
  const elsewhere = (workspaces: Knex.QueryBuilder) =>
    workspaces
      .whereNotExists(
        sql('team_workspaces as g')
          .whereRaw('g.workspace_id = w.id')
          .whereIn('g.team_id', teamIds)
          .where(administering('g.access', ['admin']))
          .select('g.id'),
      )
      .whereNotExists(
        sql('team_projects as g')
          .whereRaw('g.project_id = w.project_id')
          .whereIn('g.team_id', teamIds)
          .where(administering('g.level', administeringLevels))
          .select('g.id'),
      );
  const one = (workspaces: Knex.QueryBuilder) => workspaces.limit(1);
  return sql.select({
    naming: one(naming()),
    is_default: one(byDefault().select('o.id')),
    is_default_in_project: one(inProjects().select('p.id')),
    taking: one(taking()),
    taking_in_project: one(takingInProjects()),
    naming_elsewhere: one(elsewhere(naming())),
    taking_elsewhere: one(elsewhere(taking())),
    taking_in_project_elsewhere: one(elsewhere(takingInProjects())),
  });
});

type Asked =
  | 'naming'
  | 'is_default'
  | 'is_default_in_project'
  | 'taking'
  | 'taking_in_project'
  | 'naming_elsewhere'
  | 'taking_elsewhere'
  | 'taking_in_project_elsewhere';

type QuestionRow = Readonly<Record<Asked, string | null>>;

/** The tables of what the scope of a pool names. */
const listing = ['agent_pool_workspaces', 'agent_pool_projects'];

export class KnexAgentPools implements AgentPoolRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: AgentPoolId): Promise<WithStanding<AgentPool> | undefined> {
    const seen = await findPoolFor(this.db, actor, { id });
    const organizationId = seen?.subject.organizationId ?? null;
    // Nothing about the pool gives a stranger a right, and their refusal costs what a missing pool does.
    if (seen === undefined || organizationId === null || !seen.standing.member) return seen;
    const teamIds = seen.standing.teams.map(({ teamId }) => teamId);
    const row = await this.db.first<QuestionRow>(
      questionOfPool(this.db, { id, organizationId, teamIds, soFar: this.db.present.soFar() }),
    );
    const some = (...names: readonly Asked[]) => names.some((name) => row?.[name] != null);
    const pool = {
      named: some('naming', 'is_default', 'is_default_in_project'),
      serving: some('naming', 'taking', 'taking_in_project'),
      servingElsewhere: some('naming_elsewhere', 'taking_elsewhere', 'taking_in_project_elsewhere'),
    };
    return { ...seen, standing: { ...seen.standing, pool } };
  }

  async find(id: AgentPoolId): Promise<AgentPool | undefined> {
    const row = await this.db.first<object>(findPool(this.db, { id }));
    return row && poolRows.read(row);
  }

  async add(pool: AgentPool): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'agent_pools', poolRows.write(pool))), nameTaken);
    await this.list(pool);
  }

  async save(pool: AgentPool): Promise<void> {
    const { sql } = this.db;
    const update = sql('agent_pools').where('id', pool.id).update(poolSettings.write(pool));
    await throwIfTaken(this.db.run(update), nameTaken);
    for (const table of listing) await this.db.run(sql(table).where('agent_pool_id', pool.id).delete());
    await this.list(pool);
  }

  async remove(id: AgentPoolId): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('agent_pool_workspaces').where('agent_pool_id', id).delete());
    await this.db.run(sql('agent_tokens').where('pool_id', id).delete());
    await this.db.run(sql('agent_pools').where({ id }).delete());
  }

  private async list({ id, allowedWorkspaceIds, allowedProjectIds, excludedWorkspaceIds }: AgentPool): Promise<void> {
    const { sql } = this.db;
    for (const [list, ids] of [
      ['allowed', allowedWorkspaceIds],
      ['excluded', excludedWorkspaceIds],
    ] as const) {
      if (ids.length === 0) continue;
      // Selected, because SQLite takes no more than 500 listed rows.
      const rows = sql('workspaces')
        .whereIn('id', ids)
        .select(sql.raw('?', [id]), 'id', sql.raw('?', [list]));
      const insert = 'insert into agent_pool_workspaces (agent_pool_id, workspace_id, list)';
      await this.db.run(sql.raw(`${insert} select * from ? as listed`, [rows]));
    }
    if (allowedProjectIds.length === 0) return;
    const projects = sql('projects')
      .whereIn('id', allowedProjectIds)
      .select(sql.raw('?', [id]), 'id');
    const insert = 'insert into agent_pool_projects (agent_pool_id, project_id)';
    await this.db.run(sql.raw(`${insert} select * from ? as listed`, [projects]));
  }

  async inUse(id: AgentPoolId): Promise<boolean> {
    const { sql } = this.db;
    const naming = sql('workspaces').where('agent_pool_id', id).whereNull('deleted_at').select('id');
    const byDefault = sql('agent_pools as p')
      .join('organizations as o', 'o.id', 'p.organization_id')
      .where('p.id', id)
      .whereRaw('o.default_agent_pool_id = p.id')
      .select('p.id');
    const inProject = sql('projects').where('default_agent_pool_id', id).select('id');
    // The digest is asked for because only runs under a lease have one, and an index of their own.
    const executed = sql('runs').whereNotNull('lease_digest').where('lease_pool_id', id).select('id');
    return (await this.db.first(naming.unionAll([byDefault, inProject, executed]).limit(1))) !== undefined;
  }

  page(
    organizationId: OrganizationId | null,
    page: PageRequest,
    { search, workspaceId, projectId, sort }: AgentPoolFilter = {},
  ): Promise<Page<AgentPool>> {
    const { sql } = this.db;
    const pools = activePools(sql('agent_pools as p'));
    const inOrder = (rows: Knex.QueryBuilder, alias: string) =>
      sorted(
        rows,
        alias,
        sort?.key === 'created-at' ? `${alias}.created_at` : `lower(${alias}.name)`,
        sort?.descending,
      );
    if (organizationId === null) {
      const present = (part: Knex.QueryBuilder) => inOrder(selectPools(sql, part), 'p');
      return pageOf(this.db, pools.whereNull('p.organization_id'), present, poolRows.read, page);
    }
    const listed = withPart(ofOrganization(sql, 'agent_pools', organizationId), 'l.name', search);
    if (workspaceId !== undefined) this.mayServe(listed, workspaceId);
    if (projectId !== undefined) {
      const allowing = sql('agent_pool_projects').where('project_id', projectId).select('agent_pool_id');
      listed.where((any) => any.whereRaw('l.organization_scoped = TRUE').orWhereIn('l.id', allowing));
    }
    const present = (part: Knex.QueryBuilder) =>
      inOrder(selectPools(sql, ofPage(pools, inOrder(part.select('l.id'), 'l'), 'p')), 'p');
    return pageOf(this.db, listed, present, poolRows.read, page);
  }

  /** Keeps of pools `l` those whose scope has the workspace. */
  private mayServe(pools: Knex.QueryBuilder, workspaceId: WorkspaceId): void {
    const { sql } = this.db;
    const listing = (list: 'allowed' | 'excluded') =>
      sql('agent_pool_workspaces').where({ workspace_id: workspaceId, list }).select('agent_pool_id');
    pools
      .where((any) =>
        any
          .whereRaw('l.organization_scoped = TRUE')
          .orWhereIn('l.id', listing('allowed'))
          .orWhereIn(
            'l.id',
            sql('agent_pool_projects as a')
              .join('workspaces as w', 'w.project_id', 'a.project_id')
              .where('w.id', workspaceId)
              .select('a.agent_pool_id'),
          ),
      )
      .whereNotIn('l.id', listing('excluded'));
  }
}

const selectTokens = (tokens: Knex.QueryBuilder): Knex.QueryBuilder =>
  tokens.select(...columnsOf('k', tokenRows.columns));

/** Tokens `k` of pools `p` of the site, or of living organizations `o`. */
const activeTokens = (sql: Knex): Knex.QueryBuilder =>
  activePools(sql('agent_tokens as k').join('agent_pools as p', 'p.id', 'k.pool_id'));

interface AgentRow {
  readonly id: TokenId;
  readonly pool_id: AgentPoolId;
  readonly owning_organization_id: OrganizationId | null;
}

const agentByDigest = prepared((sql, { secretDigest }: { readonly secretDigest: string }) =>
  selectTokens(activeTokens(sql).where('k.secret_digest', secretDigest)).select({ owning_organization_id: 'o.id' }),
);

export class KnexAgentTokens implements AgentTokenRepository {
  constructor(private readonly db: Statements) {}

  async findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined> {
    const row = await this.db.first<AgentRow>(agentByDigest(this.db, { secretDigest }));
    if (row === undefined) return undefined;
    const agent = { tokenId: row.id, poolId: row.pool_id, organizationId: row.owning_organization_id };
    return { agent, token: tokenRows.read(row) };
  }

  async find(id: TokenId): Promise<AgentToken | undefined> {
    const row = await this.db.first<object>(selectTokens(activeTokens(this.db.sql).where('k.id', id)));
    return row && tokenRows.read(row);
  }

  async add(token: AgentToken): Promise<void> {
    await this.db.run(inserted(this.db, 'agent_tokens', tokenRows.write(token)));
  }

  async remove(id: TokenId): Promise<void> {
    await this.db.run(this.db.sql('agent_tokens').where({ id }).delete());
  }

  page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>> {
    const tokens = activeTokens(this.db.sql).where('k.pool_id', poolId);
    return pageOf(this.db, tokens, (part) => newestFirst(selectTokens(part), 'k'), tokenRows.read, page);
  }

  async creatorsOf(poolId: AgentPoolId): Promise<readonly TokenOwner[]> {
    const rows = await this.db.all<{ kind: TokenOwner['kind']; id: string }>(
      this.db
        .sql('agent_tokens as k')
        .where('k.pool_id', poolId)
        .whereNotNull('k.created_by_kind')
        .distinct({ kind: 'k.created_by_kind', id: 'k.created_by_id' })
        .orderBy(['kind', 'id']),
    );
    return rows.map(({ kind, id }) => ({ kind, id }));
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
