import { type Actor, type ApiToken, authorized, notFound, type TeamId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /teams/:id/authentication-token: metadata only. */
export class ShowTeamToken {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'teams'>) {}

  execute(actor: Actor, teamId: TeamId): Promise<ApiToken> {
    return this.unitOfWork.read(async (tx) => {
      const { id } = authorized(await tx.teams.findFor(actor, teamId), 'team-tokens/manage');
      const token = await tx.tokens.findOf({ kind: 'team', id });
      if (token === undefined) throw notFound();
      return token;
    });
  }
}
