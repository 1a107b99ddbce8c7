import { type Actor, type AgentToken, checkLasting, identityOf } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AgentPoolReference, agentPoolInHand, auditPlaceOf } from './agent-pool-in-hand.js';

/** POST /agent-pools/:id/authentication-tokens, also below /admin. Only this response contains the secret. */
export class IssueAgentToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'agentPools' | 'agentTokens' | 'rowLocks' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  execute(
    actor: Actor,
    reference: AgentPoolReference,
    description: string,
  ): Promise<{ readonly token: AgentToken; readonly secret: string }> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: pool, done } = await agentPoolInHand(tx, actor, reference);
      checkLasting(actor);
      const { secret, digest } = this.secrets.generate();
      const token: AgentToken = {
        id: this.ids.next('token'),
        poolId: pool.id,
        secretDigest: digest,
        description,
        createdBy: identityOf(actor),
        createdAt: this.clock.now(),
        lastUsedAt: null,
      };
      await tx.agentTokens.add(token);
      await tx.audit.add(done(token.id), auditPlaceOf(pool));
      return { token, secret };
    });
  }
}
