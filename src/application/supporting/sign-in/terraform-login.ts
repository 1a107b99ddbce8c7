import {
  checkFresh,
  DomainError,
  hasEnded,
  type LoginCode,
  later,
  type RequestTrace,
  terraformLogin,
} from '../../../domain/index.js';
import { longestLifetime } from '../../../domain/shared/token-lifetimes.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Settings } from '../../ports/outside/settings.js';
import type { SessionCredential } from '../../ports/repositories/session-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { addUserToken } from '../../tokens/issue-user-token.js';
import type { IssuedToken, TokenIssuer } from '../../tokens/token-issuer.js';

/** POST /oauth/authorize: the person lets the command have a token. */
export class IssueLoginCode {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
  ) {}

  /**
   * Returns the code. It replaces an earlier one of the session. Throws `actor/unauthenticated` without a session, and
   * `sign-in/too-old`.
   */
  async execute(session: string, asked: Pick<LoginCode, 'challenge' | 'redirectUri'>): Promise<string> {
    const { secret, digest: codeDigest } = this.secrets.generate();
    await this.unitOfWork.run(async (tx) => {
      const found = await tx.sessions.findCredential(this.secrets.digestOf(session));
      const now = this.clock.now();
      if (found === undefined || hasEnded(found.session, now)) {
        throw new DomainError('actor/unauthenticated', 'the session has ended; sign in again');
      }
      checkFresh(found.actor.session, now);
      const expiresAt = later(now, terraformLogin.codeSeconds);
      await tx.sessions.keepCode({ sessionId: found.session.id, codeDigest, expiresAt, ...asked });
    });
    return secret;
  }
}

export interface Redemption {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly request: RequestTrace;
}

/**
 * POST /oauth/token: the command gets a token of the person, which the list of the person's tokens shows. It ends no later
 * than an organization of the person allows for user tokens, nor than the token that the session was made from.
 */
export class RedeemLoginCode {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'sessions' | 'tokens' | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly issuer: TokenIssuer,
    private readonly settings: Pick<Settings, 'maxTokensPerUser'>,
  ) {}

  /** Throws `sign-in/not-begun` and `user-tokens/limit-reached`. A code is used up by the first attempt. */
  async execute({ code, verifier, redirectUri, request }: Redemption): Promise<IssuedToken> {
    const taken = await this.unitOfWork.run((tx) => tx.sessions.takeCode(this.secrets.digestOf(code)));
    const now = this.clock.now();
    if (
      taken === undefined ||
      taken.code.expiresAt <= now ||
      hasEnded(taken.credential.session, now) ||
      taken.code.redirectUri !== redirectUri ||
      taken.code.challenge !== this.secrets.digestOf(verifier)
    ) {
      throw new DomainError(
        'sign-in/not-begun',
        'the code is unknown, was used or has expired, or is for another request',
      );
    }
    return this.issue(taken.credential, request);
  }

  private async issue({ actor }: SessionCredential, request: RequestTrace): Promise<IssuedToken> {
    const owner = { kind: 'user', id: actor.userId } as const;
    const joined = await this.unitOfWork.read((tx) => tx.organizations.joinedBy(actor.userId));
    const seconds = Math.min(terraformLogin.tokenDays * 86_400, longestLifetime('user', joined) / 1000);
    const from = actor.session.signedInWith;
    const ends = [later(this.clock.now(), seconds), from.kind === 'token' ? from.expiresAt : null];
    const [expiresAt = null] = ends.filter((end) => end !== null).sort();
    const issued = this.issuer.issue({
      owner,
      createdBy: owner,
      description: 'terraform login',
      expiresAt,
      madeInSession: true,
    });
    await this.unitOfWork.run(async (tx) => {
      await addUserToken(tx, issued, this.settings);
      await tx.audit.add(doneBy({ ...actor, request }, 'user-tokens/manage', issued.token.id), 'site');
    });
    return issued;
  }
}
