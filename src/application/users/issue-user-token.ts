import {
  type Actor,
  authorize,
  doneBy,
  type Instant,
  identityOf,
  isUser,
  standingOnSite,
  type UserId,
} from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from './token-issuer.js';

export interface NewUserToken {
  readonly userId: UserId;
  readonly description: string;
  readonly expiresAt: Instant | null;
}

/** POST /users/:id/authentication-tokens: one more token of the caller's own. The secret is shown here only. */
export class IssueUserToken {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly issuer: TokenIssuer,
  ) {}

  async execute(actor: Actor, { userId, ...given }: NewUserToken): Promise<IssuedToken> {
    authorize(standingOnSite(actor, isUser(actor, userId)), 'user-tokens/manage');
    const owner = { kind: 'user', id: userId } as const;
    const issued = this.issuer.issue({ owner, createdBy: identityOf(actor), ...given });
    await this.unitOfWork.run(async (tx) => {
      await tx.tokens.add(issued.token);
      await tx.audit.add(doneBy(actor, 'user-tokens/manage', issued.token.id), 'site');
    });
    return issued;
  }
}
