import type { RequestTrace } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /session. Effective from the next request. */
export class EndSession {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions' | 'audit'>,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Does nothing for a session that has ended. */
  async execute(secret: string, request: RequestTrace): Promise<void> {
    const digest = this.secrets.digestOf(secret);
    await this.unitOfWork.run(async (tx) => {
      const found = await tx.sessions.findCredential(digest);
      await tx.sessions.remove(digest);
      if (found === undefined) return;
      const { actor, session } = found;
      await tx.audit.add(doneBy({ ...actor, request }, 'sessions/end', session.id), 'site');
    });
  }
}
