import {
  type Actor,
  type ApiToken,
  authorized,
  type Instant,
  identityOf,
  issueToken,
  type TeamId,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { SecretGenerator } from '../ports/secret-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST /teams/:id/authentication-token: replaces the one there is. The secret is shown here only. */
export class IssueTeamToken {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  async execute(
    actor: Actor,
    command: { readonly teamId: TeamId; readonly expiresAt: Instant | null },
  ): Promise<{ token: ApiToken; secret: string }> {
    const { secret, digest } = this.secrets.generate();
    const token = await this.unitOfWork.run(async (tx) => {
      const { id } = authorized(await tx.teams.findFor(actor, command.teamId), 'team-tokens/manage');
      const issued = issueToken({
        id: this.ids.next('token'),
        owner: { kind: 'team', id },
        secretDigest: digest,
        description: null,
        createdBy: identityOf(actor),
        createdAt: this.clock.now(),
        expiresAt: command.expiresAt,
      });
      await tx.tokens.replace(issued);
      return issued;
    });
    return { token, secret };
  }
}
