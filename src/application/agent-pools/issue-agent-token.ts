import {
  type Actor,
  type AgentPoolId,
  type AgentToken,
  authorized,
  doneBy,
  identityOf,
  notFound,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { SecretGenerator } from '../ports/secret-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST /agent-pools/:id/authentication-tokens. The secret is given here and never again. */
export class IssueAgentToken {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  execute(
    actor: Actor,
    poolId: AgentPoolId,
    description: string,
  ): Promise<{ readonly token: AgentToken; readonly secret: string }> {
    return this.unitOfWork.run(async (tx) => {
      const pool = authorized(await tx.agentPools.findFor(actor, poolId), 'agent-pools/manage');
      if (!(await tx.holds.share({ kind: 'agent-pool', id: poolId }))) throw notFound();
      const { secret, digest } = this.secrets.generate();
      const token: AgentToken = {
        id: this.ids.next('token'),
        poolId,
        secretDigest: digest,
        description,
        createdBy: identityOf(actor),
        createdAt: this.clock.now(),
        lastUsedAt: null,
      };
      await tx.agentTokens.add(token);
      await tx.audit.add(doneBy(actor, 'agent-pools/manage', token.id), pool);
      return { token, secret };
    });
  }
}
