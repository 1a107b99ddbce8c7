import { type Actor, notFound, type TokenId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { findManageableToken } from './find-manageable-token.js';

/** DELETE /authentication-tokens/:id. Its secret is refused from the next request on. */
export class RevokeToken {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, id: TokenId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { kind } = await findManageableToken(tx, actor, id);
      if (kind === 'agent') await tx.agentTokens.remove(id);
      else if (!(await tx.tokens.remove(id))) throw notFound();
    });
  }
}
