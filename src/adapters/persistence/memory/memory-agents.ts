import type {
  AgentPoolRepository,
  AgentTokenRepository,
} from '../../../application/ports/repositories/agent-repository.js';
import { type AgentPoolFilter, hasPart } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import {
  type Actor,
  type Agent,
  type AgentPool,
  type AgentPoolId,
  type AgentToken,
  alreadyTaken,
  executionOf,
  type Instant,
  type OrganizationId,
  type PoolInQuestion,
  type Standing,
  type TokenId,
  type TokenOwner,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { administersWorkspaces } from '../../../domain/team-access/project-access-level.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, compare, inOrder, type MemoryTables, pageOf, present } from './memory-tables.js';

/** Whatever its scope: it decides what is claimed, not who may manage the pool. */
function questionOf(tables: MemoryTables, pool: AgentPool, { teams }: Standing): PoolInQuestion {
  const isDefault = [...tables.organizations.keys()].some(
    (id) => tables.organization(id)?.defaults.agentPoolId === pool.id,
  );
  const workspaces = present([...tables.workspaces.keys()].map((id) => tables.workspace(id)));
  const naming = workspaces.filter(({ agentPoolId }) => agentPoolId === pool.id);
  const taking = workspaces.filter((one) => one.agentPoolId === null && executionOf(one).agentPoolId === pool.id);
  const serving = [...naming, ...taking];
  const administered = (workspace: Workspace) =>
    teams.some(({ teamId }) => {
      const projectGrant = tables.grantOnProjectOf(teamId, workspace.id);
      const inProject = projectGrant !== undefined && administersWorkspaces(projectGrant);
      return inProject || tables.grantOf(teamId, workspace.id)?.access === 'admin';
    });
  return {
    named: isDefault || naming.length > 0,
    serving: serving.length > 0,
    servingElsewhere: !serving.every(administered),
  };
}

export class MemoryAgentPools implements AgentPoolRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: AgentPoolId): Promise<WithStanding<AgentPool> | undefined> {
    const tables = this.tables();
    const subject = tables.agentPool(id);
    if (subject === undefined || subject.organizationId === null) return undefined;
    const standing = standingIn(tables, actor, subject.organizationId);
    if (!standing.member) return { subject, standing };
    return { subject, standing: { ...standing, pool: questionOf(tables, subject, standing) } };
  }

  async find(id: AgentPoolId): Promise<AgentPool | undefined> {
    return this.tables().agentPool(id);
  }

  async add(pool: AgentPool): Promise<void> {
    this.checkName(pool);
    this.tables().agentPools.set(pool.id, pool);
  }

  async save(pool: AgentPool): Promise<void> {
    if (!this.tables().agentPools.has(pool.id)) return;
    this.checkName(pool);
    this.tables().agentPools.set(pool.id, pool);
  }

  async remove(id: AgentPoolId): Promise<void> {
    const { agentPools, agentTokens } = this.tables();
    for (const token of agentTokens.values()) if (token.poolId === id) agentTokens.delete(token.id);
    agentPools.delete(id);
  }

  async inUse(id: AgentPoolId): Promise<boolean> {
    const tables = this.tables();
    const naming = [...tables.workspaces.values()].filter(({ agentPoolId }) => agentPoolId === id);
    const executed = [...tables.runs.values()].some(({ lease }) => lease?.poolId === id);
    const isDefault = [...tables.organizations.keys()].some(
      (one) => tables.organization(one)?.defaults.agentPoolId === id,
    );
    return executed || isDefault || naming.some((workspace) => tables.workspace(workspace.id) !== undefined);
  }

  async page(
    organizationId: OrganizationId | null,
    page: PageRequest,
    { search, workspaceId, sort }: AgentPoolFilter = {},
  ): Promise<Page<AgentPool>> {
    const scoped = (pool: AgentPool, id: WorkspaceId) =>
      (pool.organizationScoped || pool.allowedWorkspaceIds.includes(id)) && !pool.excludedWorkspaceIds.includes(id);
    const matching = this.living(organizationId).filter(
      (pool) => hasPart(pool.name, search) && (workspaceId === undefined || scoped(pool, workspaceId)),
    );
    return pageOf(
      inOrder(matching, ({ createdAt }) => createdAt, sort),
      page,
    );
  }

  /** By name. */
  private living(organizationId: OrganizationId | null): readonly AgentPool[] {
    const tables = this.tables();
    const rows = [...tables.agentPools.values()].filter((row) => row.organizationId === organizationId);
    return present(rows.map(({ id }) => tables.agentPool(id))).sort(byText(({ name }) => name.toLowerCase()));
  }

  private checkName({ id, organizationId, name }: AgentPool): void {
    const others = [...this.tables().agentPools.values()].filter((row) => row.organizationId === organizationId);
    if (others.some((other) => other.name === name && other.id !== id)) throw alreadyTaken('name', 'Name');
  }
}

export class MemoryAgentTokens implements AgentTokenRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findAgent(secretDigest: string): Promise<{ readonly agent: Agent; readonly token: AgentToken } | undefined> {
    const { agentTokens } = this.tables();
    const token = [...agentTokens.values()].find((row) => row.secretDigest === secretDigest);
    const pool = token && this.tables().agentPool(token.poolId);
    if (token === undefined || pool === undefined) return undefined;
    return { agent: { tokenId: token.id, poolId: pool.id, organizationId: pool.organizationId }, token };
  }

  async find(id: TokenId): Promise<AgentToken | undefined> {
    const token = this.tables().agentTokens.get(id);
    return token && this.tables().agentPool(token.poolId) && token;
  }

  async add(token: AgentToken): Promise<void> {
    this.tables().agentTokens.set(token.id, token);
  }

  async remove(id: TokenId): Promise<void> {
    this.tables().agentTokens.delete(id);
  }

  async page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>> {
    const tables = this.tables();
    const rows = tables.agentPool(poolId) === undefined ? [] : [...tables.agentTokens.values()];
    const oldestFirst = rows.filter((row) => row.poolId === poolId).sort(byText(({ createdAt }) => createdAt));
    return pageOf(oldestFirst.reverse(), page);
  }

  async creatorsOf(poolId: AgentPoolId): Promise<readonly TokenOwner[]> {
    const tokens = [...this.tables().agentTokens.values()].filter((token) => token.poolId === poolId);
    const creators = present(tokens.map(({ createdBy }) => createdBy ?? undefined));
    const each = new Map(creators.map((creator) => [`${creator.kind} ${creator.id}`, creator]));
    return [...each].sort(([a], [b]) => compare(a, b)).map(([, creator]) => creator);
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    const { agentTokens } = this.tables();
    for (const [id, lastUsedAt] of uses) {
      const token = agentTokens.get(id);
      if (token && (token.lastUsedAt ?? '') < lastUsedAt) agentTokens.set(id, { ...token, lastUsedAt });
    }
  }
}
