import { type Agent, DomainError } from '../../../domain/index.js';
import { noToken } from '../../../domain/shared/domain-error.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TokenUses } from '../users/token-uses.js';

export const unknownAgent = (): DomainError =>
  new DomainError('actor/unauthenticated', 'the token is unknown or was revoked, or is not that of an agent pool');

/**
 * The agent that a secret authenticates. Throws `actor/unauthenticated` if it is missing or does not belong to an
 * agent.
 */
export class AuthenticateAgent {
  constructor(
    private readonly unitOfWork: UnitOfWork<'agentTokens'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly uses: TokenUses,
  ) {}

  async execute(secret: string | undefined): Promise<Agent> {
    if (secret === undefined) throw noToken();
    const found = await this.unitOfWork.read((tx) => tx.agentTokens.findAgent(this.secrets.digestOf(secret)));
    if (found === undefined) throw unknownAgent();
    this.uses.note('agent', found.token, this.clock.now());
    return found.agent;
  }
}
