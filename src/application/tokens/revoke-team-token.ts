import { type Actor, notFound, type TeamId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { findTeamToken } from './show-team-token.js';

/** DELETE /teams/:id/authentication-token. Effective from the next request. */
export class RevokeTeamToken {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'teams' | 'audit'>) {}

  execute(actor: Actor, teamId: TeamId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { token, organizationId, done } = await findTeamToken(tx, actor, teamId);
      if (!(await tx.tokens.remove(token.id))) throw notFound();
      await tx.audit.add(done(token.id), { organizationId });
    });
  }
}
