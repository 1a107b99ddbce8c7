import { type Agent, DomainError } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TokenUses } from '../users/token-uses.js';

export const unknownAgent = (): DomainError =>
  new DomainError('actor/unauthenticated', 'a valid agent token is required');

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
    const found =
      secret === undefined
        ? undefined
        : await this.unitOfWork.read((tx) => tx.agentTokens.findAgent(this.secrets.digestOf(secret)));
    if (found === undefined) throw unknownAgent();
    this.uses.note('agent', found.token, this.clock.now());
    return found.agent;
  }
}
