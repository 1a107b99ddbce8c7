import type { AgentToken, ApiToken, Instant, Session, SessionId, TokenId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const staleAfterMilliseconds = 30_000;

interface Uses {
  readonly api: Map<TokenId, Instant>;
  readonly agent: Map<TokenId, Instant>;
  readonly session: Map<SessionId, Instant>;
}

const noUses = (): Uses => ({ api: new Map(), agent: new Map(), session: new Map() });

/**
 * Keeps `lastUsedAt` accurate to within a minute without a write per request: uses are recorded in memory and flushed
 * together. `flush` must be called at least twice a minute.
 */
export class TokenUses {
  private noted = noUses();

  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'agentTokens' | 'sessions'>) {}

  note(
    kind: keyof Uses,
    { id, lastUsedAt }: Pick<ApiToken | AgentToken | Session, 'id' | 'lastUsedAt'>,
    now: Instant,
  ): void {
    const stale = lastUsedAt === null || Date.parse(now) - Date.parse(lastUsedAt) >= staleAfterMilliseconds;
    if (stale) (this.noted[kind] as Map<string, Instant>).set(id, now);
  }

  async flush(): Promise<void> {
    const { api, agent, session } = this.noted;
    if (api.size + agent.size + session.size === 0) return;
    this.noted = noUses();
    try {
      await this.unitOfWork.run(async (tx) => {
        await tx.tokens.markUsed(api);
        await tx.agentTokens.markUsed(agent);
        await tx.sessions.markUsed(session);
      });
    } catch (error) {
      // Restored for the next flush, unless they were used again since.
      const { noted } = this;
      this.noted = {
        api: new Map([...api, ...noted.api]),
        agent: new Map([...agent, ...noted.agent]),
        session: new Map([...session, ...noted.session]),
      };
      throw error;
    }
  }
}
