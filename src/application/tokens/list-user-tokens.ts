import { type Actor, type ApiToken, authorize, isUser, standingOnSite, type UserId } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /users/:id/authentication-tokens: the caller's own, without their secrets. */
export class ListUserTokens {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens'>) {}

  async execute(actor: Actor, userId: UserId, page: PageRequest): Promise<Page<ApiToken>> {
    authorize(standingOnSite(actor, isUser(actor, userId)), 'user-tokens/manage');
    return this.unitOfWork.read((tx) => tx.tokens.pageOfUser(userId, page));
  }
}
