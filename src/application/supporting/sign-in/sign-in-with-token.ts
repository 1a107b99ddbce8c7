import { DomainError, hasExpired, type RequestTrace } from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { sessionStarted } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TokenUses } from '../users/token-uses.js';
import type { NewSession, NewSessions } from './new-sessions.js';

/** The credentials of a browser, and its request. */
export interface BrowserSignIn {
  /** The token, or the code of a sign-in link. */
  readonly secret: string;
  /** The secret of the session that the browser has. It ends. */
  readonly former: string | undefined;
  readonly request: RequestTrace;
}

/** POST /session with a user token, where no identity provider is configured. */
export class SignInWithToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions' | 'tokens' | 'agentTokens' | 'audit'>,
    private readonly provider: IdentityProvider,
    private readonly sessions: NewSessions,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly uses: TokenUses,
  ) {}

  /** Throws `actor/unauthenticated` for an unknown or expired token, and `attribute/invalid` for one that is not a user's. */
  async execute({ secret, former, request }: BrowserSignIn): Promise<NewSession> {
    if (this.provider.configured) throw notTaken;
    const digest = this.secrets.digestOf(secret);
    const { made, token } = await this.unitOfWork.run(async (tx) => {
      const { actor, token } = await this.credential(tx, digest);
      if (actor.kind !== 'user') throw notOfUser;
      const asking = { ...actor, request };
      const made = this.sessions.make({ userId: actor.userId, token });
      await this.sessions.begin(tx, asking, made.session, former);
      // Again: a suspension that was under way is committed now, and one that comes later ends this session.
      await this.credential(tx, digest);
      await tx.audit.add(sessionStarted(asking, made.session), 'site');
      return { made, token };
    });
    this.uses.note('api', token, this.clock.now());
    return made;
  }

  private async credential(tx: Transaction<'tokens' | 'agentTokens'>, digest: string) {
    const found = await tx.tokens.findCredential(digest);
    if (found !== undefined && !hasExpired(found.token, this.clock.now())) return found;
    if (found === undefined && (await tx.agentTokens.findAgent(digest)) !== undefined) throw notOfUser;
    throw new DomainError('actor/unauthenticated', 'the token is unknown, was revoked or has expired');
  }
}

const notTaken = invalidAttribute(
  'token',
  'Token cannot be used to sign in where there is an identity provider. Open /session/sign-in',
);

const notOfUser = invalidAttribute(
  'token',
  'Token must be a user token: the tokens of teams, organizations and agents belong to no person',
);
