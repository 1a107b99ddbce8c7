import { type Actor, notFound, type TeamId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** DELETE /teams/:id/authentication-token. Effective from the next request. */
export class RevokeTeamToken {
  constructor(private readonly unitOfWork: UnitOfWork<'teamTokens' | 'teams' | 'audit'>) {}

  execute(actor: Actor, teamId: TeamId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: { organizationId },
        done,
      } = changing(actor, await tx.teams.findFor(actor, teamId), 'team-tokens/manage');
      const removed = await tx.teamTokens.remove(teamId);
      if (removed === undefined) throw notFound();
      await tx.audit.add(done(removed), { organizationId });
    });
  }
}
