import { type Actor, checkOutlived, type Instant, identityOf, type TeamId } from '../../domain/index.js';
import { checkLifetime } from '../../domain/shared/token-lifetimes.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { TeamToken } from '../../domain/tokens/team-token.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from './token-issuer.js';

/** POST /teams/:id/authentication-token: replaces the existing token. Only this response contains the secret. */
export class IssueTeamToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teamTokens' | 'teams' | 'audit'>,
    private readonly issuer: TokenIssuer,
  ) {}

  execute(
    actor: Actor,
    { teamId, expiresAt }: { readonly teamId: TeamId; readonly expiresAt: Instant | null },
  ): Promise<IssuedToken> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: { team, limits },
        done,
      } = changing(actor, await tx.teams.findLimitedFor(actor, teamId), 'team-tokens/manage');
      const { organizationId } = team;
      const { secret, ...made } = this.issuer.make();
      const issued = TeamToken.issue(teamId, { ...made, createdBy: identityOf(actor), expiresAt });
      const token = issued.apiToken;
      checkLifetime(token, [limits]);
      checkOutlived(actor, expiresAt);
      await tx.teamTokens.put(issued);
      await tx.audit.add(done(token.id), { organizationId });
      return { token, secret };
    });
  }
}
