import { type Actor, type ApiToken, notFound, type OrganizationId, type TeamId } from '../../domain/index.js';
import { type Change, changing } from '../../domain/supporting/audit/change.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

interface Found extends Pick<Change<unknown>, 'done'> {
  readonly token: ApiToken;
  readonly organizationId: OrganizationId;
}

/** A team's token with its team. Throws `resource/not-found`, also if there is none. */
export async function findTeamToken(tx: Transaction<'tokens' | 'teams'>, actor: Actor, teamId: TeamId): Promise<Found> {
  const { subject, done } = changing(actor, await tx.teams.findFor(actor, teamId), 'team-tokens/manage');
  const { id, organizationId } = subject;
  const token = await tx.tokens.findOf({ kind: 'team', id });
  if (token === undefined) throw notFound();
  return { token, organizationId, done };
}

/** GET /teams/:id/authentication-token: metadata only. */
export class ShowTeamToken {
  constructor(private readonly unitOfWork: UnitOfWork<'tokens' | 'teams'>) {}

  async execute(actor: Actor, teamId: TeamId): Promise<ApiToken> {
    return (await this.unitOfWork.read((tx) => findTeamToken(tx, actor, teamId))).token;
  }
}
