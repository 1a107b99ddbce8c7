import { type Actor, type Instant, identityOf, type TeamId } from '../../domain/index.js';
import { checkLifetime } from '../../domain/shared/token-lifetimes.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from './token-issuer.js';

/** POST /teams/:id/authentication-token: replaces the existing token. Only this response contains the secret. */
export class IssueTeamToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'tokens' | 'teams' | 'audit'>,
    private readonly issuer: TokenIssuer,
  ) {}

  execute(
    actor: Actor,
    command: { readonly teamId: TeamId; readonly expiresAt: Instant | null },
  ): Promise<IssuedToken> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.teams.findLimitedFor(actor, command.teamId);
      const {
        subject: { team, limits },
        done,
      } = changing(actor, seen, 'team-tokens/manage');
      const { id, organizationId } = team;
      const owner = { kind: 'team', id } as const;
      const { expiresAt } = command;
      const issued = this.issuer.issue({ owner, createdBy: identityOf(actor), description: null, expiresAt });
      checkLifetime(issued.token, [limits]);
      await tx.tokens.replace(issued.token);
      await tx.audit.add(done(issued.token.id), { organizationId });
      return issued;
    });
  }
}
