import {
  type Actor,
  checkFresh,
  checkOutlived,
  DomainError,
  type Instant,
  identityOf,
  isUser,
  type UserId,
} from '../../domain/index.js';
import { checkLifetime } from '../../domain/shared/token-lifetimes.js';
import { changingSite } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Settings } from '../ports/outside/settings.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from './token-issuer.js';

export interface NewUserToken {
  readonly userId: UserId;
  readonly description: string;
  readonly expiresAt: Instant | null;
}

/** Throws `user-tokens/limit-reached`. */
export async function addUserToken(
  tx: Transaction<'tokens'>,
  { token }: IssuedToken,
  { maxTokensPerUser }: Pick<Settings, 'maxTokensPerUser'>,
): Promise<void> {
  const max = maxTokensPerUser || Number.MAX_SAFE_INTEGER;
  if (await tx.tokens.addWithin(token, max)) return;
  throw new DomainError(
    'user-tokens/limit-reached',
    `a user may have at most ${max} API tokens. Revoke one, or ask the operator to raise MAX_TOKENS_PER_USER`,
  );
}

/** POST /users/:id/authentication-tokens: adds a token of the caller's own. Only this response contains the secret. */
export class IssueUserToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens' | 'audit'>,
    private readonly clock: Clock,
    private readonly issuer: TokenIssuer,
    private readonly settings: Pick<Settings, 'maxTokensPerUser'>,
  ) {}

  /** Throws `user-tokens/limit-reached`, and `sign-in/too-old` in a session. Existing tokens above a lowered limit stay valid. */
  async execute(actor: Actor, { userId, ...given }: NewUserToken): Promise<IssuedToken> {
    const { done } = changingSite(actor, 'user-tokens/manage', isUser(actor, userId));
    const owner = { kind: 'user', id: userId } as const;
    const { session, madeInSession = session !== undefined } = actor.kind === 'user' ? actor : {};
    if (session !== undefined) checkFresh(session, this.clock.now());
    checkOutlived(actor, given.expiresAt);
    const issued = this.issuer.issue({ owner, createdBy: identityOf(actor), madeInSession, ...given });
    await this.unitOfWork.run(async (tx) => {
      checkLifetime(issued.token, await tx.organizations.joinedBy(userId));
      await addUserToken(tx, issued, this.settings);
      await tx.audit.add(done(issued.token.id), 'site');
    });
    return issued;
  }
}
