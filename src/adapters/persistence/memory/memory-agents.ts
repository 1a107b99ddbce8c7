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
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, type MemoryTables, pageOf, present } from './memory-tables.js';

function livingPool(tables: MemoryTables, id: AgentPoolId): AgentPool | undefined {
  const pool = tables.agentPools.get(id);
  const organization = pool && tables.organization(pool.organizationId);
  return organization && { ...pool, organizationName: organization.name };
}

export class MemoryAgentPools implements AgentPoolRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: AgentPoolId): Promise<Seen<AgentPool> | undefined> {
    const subject = livingPool(this.tables(), id);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async add(pool: AgentPool): Promise<void> {
    this.checkName(pool);
    this.tables().agentPools.set(pool.id, pool);
  }

  async rename(id: AgentPoolId, name: string): Promise<void> {
    const { agentPools } = this.tables();
    const pool = agentPools.get(id);
    if (pool === undefined) return;
    this.checkName({ ...pool, name });
    agentPools.set(id, { ...pool, name });
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
    return executed || naming.some((workspace) => tables.workspace(workspace.id) !== undefined);
  }

  async page(organizationId: OrganizationId, page: PageRequest): Promise<Page<AgentPool>> {
    const tables = this.tables();
    const rows = [...tables.agentPools.values()].filter((row) => row.organizationId === organizationId);
    const living = present(rows.map(({ id }) => livingPool(tables, id)));
    return pageOf(living.sort(byText(({ name }) => name.toLowerCase())), page);
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
    const pool = token && livingPool(this.tables(), token.poolId);
    if (token === undefined || pool === undefined) return undefined;
    return { agent: { tokenId: token.id, poolId: pool.id, organizationId: pool.organizationId }, token };
  }

  async findFor(actor: Actor, id: TokenId): Promise<Seen<AgentToken> | undefined> {
    const tables = this.tables();
    const subject = tables.agentTokens.get(id);
    const pool = subject && livingPool(tables, subject.poolId);
    return pool && { subject, standing: standingIn(tables, actor, pool.organizationId) };
  }

  async add(token: AgentToken): Promise<void> {
    this.tables().agentTokens.set(token.id, token);
  }

  async remove(id: TokenId): Promise<void> {
    this.tables().agentTokens.delete(id);
  }

  async page(poolId: AgentPoolId, page: PageRequest): Promise<Page<AgentToken>> {
    const tables = this.tables();
    const rows = livingPool(tables, poolId) === undefined ? [] : [...tables.agentTokens.values()];
    const oldestFirst = rows.filter((row) => row.poolId === poolId).sort(byText(({ createdAt }) => createdAt));
    return pageOf(oldestFirst.reverse(), page);
  }

  async markUsed(uses: ReadonlyMap<TokenId, Instant>): Promise<void> {
    const { agentTokens } = this.tables();
    for (const [id, lastUsedAt] of uses) {
      const token = agentTokens.get(id);
      if (token && (token.lastUsedAt ?? '') < lastUsedAt) agentTokens.set(id, { ...token, lastUsedAt });
    }
  }
}
