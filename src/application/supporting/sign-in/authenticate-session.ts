import { DomainError, hasEnded, isFresh, type User } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { SessionCredential } from '../../ports/repositories/session-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TokenUses } from '../users/token-uses.js';

/** A session and its user, as the person sees them. */
export interface ShownSession {
  readonly user: User;
  readonly expiresAt: string;
  /** Whether it makes user tokens. */
  readonly isFresh: boolean;
}

/** The actor that a session authenticates. A session of an identity counts only while a provider is configured. */
export class AuthenticateSession {
  constructor(
    private readonly unitOfWork: UnitOfWork<'memberships' | 'sessions' | 'users'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly uses: TokenUses,
    private readonly provider: IdentityProvider,
  ) {}

  /** Throws `actor/unauthenticated` if the session is unknown or has ended, or its user is suspended or gone. */
  async execute(secret: string): Promise<SessionCredential['actor']> {
    const credential = await this.find(secret);
    if (credential === undefined) {
      throw new DomainError('actor/unauthenticated', 'the session has ended; sign in again');
    }
    const { actor, invited, session } = credential;
    // Written once per invitation, so that the first authenticated request finds it accepted.
    if (invited) await this.unitOfWork.run((tx) => tx.memberships.accept(actor.userId));
    const now = this.clock.now();
    this.uses.note('session', { id: session.id, lastUsedAt: actor.session.lastUsedAt }, now);
    return { ...actor, session: { ...actor.session, at: now } };
  }

  /** GET /session. Undefined without a valid session. */
  async show(secret: string): Promise<ShownSession | undefined> {
    const credential = await this.find(secret);
    const user = credential && (await this.unitOfWork.read((tx) => tx.users.find(credential.actor.userId)));
    if (credential === undefined || user === undefined) return undefined;
    const { actor, session } = credential;
    return { user, expiresAt: session.expiresAt, isFresh: isFresh(actor.session, this.clock.now()) };
  }

  private async find(secret: string): Promise<SessionCredential | undefined> {
    const found = await this.unitOfWork.read((tx) => tx.sessions.findCredential(this.secrets.digestOf(secret)));
    if (found === undefined || hasEnded(found.session, this.clock.now())) return undefined;
    const byIdentity = found.actor.session.signedInWith.kind === 'identity';
    return byIdentity && !this.provider.configured ? undefined : found;
  }
}
