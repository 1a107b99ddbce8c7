import { type Actor, type ApiToken, authorized, notFound, type TeamId } from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** The team's token. Throws `resource/not-found`, also when there is none. */
export async function findTeamToken(tx: Transaction, actor: Actor, teamId: TeamId): Promise<ApiToken> {
  const { id } = authorized(await tx.teams.findFor(actor, teamId), 'team-tokens/manage');
  const token = await tx.tokens.findOf({ kind: 'team', id });
  if (token === undefined) throw notFound();
  return token;
}

/** GET /teams/:id/authentication-token: metadata only. */
export class ShowTeamToken {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, teamId: TeamId): Promise<ApiToken> {
    return this.unitOfWork.read((tx) => findTeamToken(tx, actor, teamId));
  }
}
