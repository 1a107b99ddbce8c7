import type { Actor, TokenId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { findManageableToken, type ManageableToken } from './find-manageable-token.js';

/** GET /authentication-tokens/:id: metadata only. */
export class ShowToken {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'teams' | 'agentPools' | 'agentTokens'>) {}

  async execute(actor: Actor, id: TokenId): Promise<ManageableToken> {
    const { done: _, ...found } = await this.unitOfWork.read((tx) => findManageableToken(tx, actor, id));
    return found;
  }
}
