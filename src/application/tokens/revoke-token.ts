import { type Actor, notFound, type TokenId } from '../../domain/index.js';
import { tokenSessionsEnded } from '../../domain/supporting/sign-in/session-events.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { auditPlaceOf } from '../supporting/agent-pools/agent-pool-in-hand.js';
import { findManageableToken } from './find-manageable-token.js';

/** DELETE /authentication-tokens/:id. Effective from the next request, also for sessions that were made from it. */
export class RevokeToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'tokens' | 'sessions' | 'teams' | 'agentPools' | 'agentTokens' | 'audit'>,
  ) {}

  execute(actor: Actor, id: TokenId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const found = await findManageableToken(tx, actor, id);
      if (found.kind === 'agent') {
        await tx.agentTokens.remove(id);
        await tx.audit.add(found.done(id), auditPlaceOf(found.pool));
        return;
      }
      const ended = found.team === undefined ? await tx.sessions.removeMadeFrom(id) : [];
      if (!(await tx.tokens.remove(id))) throw notFound();
      await tx.audit.add(found.done(id), found.team ?? 'site');
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
    });
  }
}
