import type { AgentToken, ApiToken, Instant, TokenId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const staleAfterMilliseconds = 30_000;

/**
 * Keeps `lastUsedAt` accurate to within a minute without a write per request: uses are recorded in memory and flushed
 * together. `flush` must be called at least twice a minute.
 */
export class TokenUses {
  private noted = { api: new Map<TokenId, Instant>(), agent: new Map<TokenId, Instant>() };

  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'agentTokens'>) {}

  note(
    kind: 'api' | 'agent',
    { id, lastUsedAt }: Pick<ApiToken | AgentToken, 'id' | 'lastUsedAt'>,
    now: Instant,
  ): void {
    const stale = lastUsedAt === null || Date.parse(now) - Date.parse(lastUsedAt) >= staleAfterMilliseconds;
    if (stale) this.noted[kind].set(id, now);
  }

  async flush(): Promise<void> {
    const { api, agent } = this.noted;
    if (api.size + agent.size === 0) return;
    this.noted = { api: new Map(), agent: new Map() };
    try {
      await this.unitOfWork.run(async (tx) => {
        await tx.tokens.markUsed(api);
        await tx.agentTokens.markUsed(agent);
      });
    } catch (error) {
      // Restored for the next flush, unless they were used again since.
      const { noted } = this;
      this.noted = { api: new Map([...api, ...noted.api]), agent: new Map([...agent, ...noted.agent]) };
      throw error;
    }
  }
}
