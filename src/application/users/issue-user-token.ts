import {
  type Actor,
  type ApiToken,
  authorize,
  type Instant,
  identityOf,
  issueToken,
  standingOnSite,
  type UserId,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { SecretGenerator } from '../ports/secret-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

export interface NewUserToken {
  readonly userId: UserId;
  readonly description: string;
  readonly expiresAt: Instant | null;
}

/** POST /users/:id/authentication-tokens: one more token of the caller's own. The secret is shown here only. */
export class IssueUserToken {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  async execute(actor: Actor, command: NewUserToken): Promise<{ token: ApiToken; secret: string }> {
    const own = actor.kind === 'user' && actor.userId === command.userId;
    authorize(standingOnSite(actor, own), 'user-tokens/manage');
    const { secret, digest } = this.secrets.generate();
    const token = issueToken({
      id: this.ids.next('token'),
      owner: identityOf(actor),
      secretDigest: digest,
      description: command.description,
      createdBy: identityOf(actor),
      createdAt: this.clock.now(),
      expiresAt: command.expiresAt,
    });
    await this.unitOfWork.run((tx) => tx.tokens.add(token));
    return { token, secret };
  }
}
