import { type Actor, notFound, type TokenId } from '../../domain/index.js';
import { doneBy } from '../../domain/supporting/audit/audit-event.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { actionOn, auditPlaceOf } from '../supporting/agent-pools/agent-pool-in-hand.js';
import { findManageableToken } from './find-manageable-token.js';

/** DELETE /authentication-tokens/:id. Effective from the next request. */
export class RevokeToken {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'teams' | 'agentPools' | 'agentTokens' | 'audit'>) {}

  execute(actor: Actor, id: TokenId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const found = await findManageableToken(tx, actor, id);
      if (found.kind === 'agent') {
        await tx.agentTokens.remove(id);
        await tx.audit.add(doneBy(actor, actionOn(found.pool), id), auditPlaceOf(found.pool));
        return;
      }
      if (!(await tx.tokens.remove(id))) throw notFound();
      const action = found.team === undefined ? 'user-tokens/manage' : 'team-tokens/manage';
      await tx.audit.add(doneBy(actor, action, id), found.team ?? 'site');
    });
  }
}
