import { type Actor, DomainError, hasExpired } from '../../../domain/index.js';
import { noToken } from '../../../domain/shared/domain-error.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TokenUses } from './token-uses.js';

/**
 * The actor that a secret authenticates. Throws `actor/unauthenticated` if it is missing, unknown or expired, or its
 * owner is gone.
 */
export class Authenticate {
  constructor(
    private readonly unitOfWork: UnitOfWork<'memberships' | 'tokens'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly uses: TokenUses,
  ) {}

  async execute(secret: string | undefined): Promise<Actor> {
    const now = this.clock.now();
    if (secret === undefined) throw noToken();
    const credential = await this.unitOfWork.read((tx) => tx.tokens.findCredential(this.secrets.digestOf(secret)));
    if (credential === undefined || hasExpired(credential.token, now)) {
      throw new DomainError('actor/unauthenticated', 'the token is unknown, was revoked or has expired; use another');
    }
    const { actor, invited } = credential;
    // Written once per invitation, so that the first authenticated request finds it accepted.
    if (invited && actor.kind === 'user') await this.unitOfWork.run((tx) => tx.memberships.accept(actor.userId));
    this.uses.note('api', credential.token, now);
    return actor;
  }
}
