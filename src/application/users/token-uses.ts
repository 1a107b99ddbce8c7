import type { ApiToken, Instant, TokenId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

const staleAfterMilliseconds = 30_000;

/**
 * Keeps `lastUsedAt` true to within a minute without a write on every request: uses are noted in memory, and flushed
 * together by whoever calls `flush` at least twice a minute.
 */
export class TokenUses {
  private noted = new Map<TokenId, Instant>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  note(token: ApiToken, now: Instant): void {
    const last = token.lastUsedAt;
    if (last === null || Date.parse(now) - Date.parse(last) >= staleAfterMilliseconds) this.noted.set(token.id, now);
  }

  async flush(): Promise<void> {
    if (this.noted.size === 0) return;
    const uses = this.noted;
    this.noted = new Map();
    await this.unitOfWork.run((tx) => tx.tokens.markUsed(uses));
  }
}
