import type { RequestTrace } from '../../../domain/index.js';
import { sessionEnded } from '../../../domain/supporting/sign-in/session-events.js';
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
      const [ended] = await tx.sessions.remove(digest);
      if (found === undefined || ended === undefined) return;
      await tx.audit.add(sessionEnded({ ...found.actor, request }, ended), 'site');
    });
  }
}
