import {
  type Actor,
  type IdentityId,
  type Instant,
  maxSessionsWithoutIdentity,
  type Session,
  startSession,
  type TokenId,
  type UserId,
} from '../../../domain/index.js';
import { tokenSessionsEnded } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Settings } from '../../ports/outside/settings.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The origin of a session: an identity, a token, or neither for a link. */
interface From {
  readonly userId: UserId;
  readonly identityId?: IdentityId;
  readonly token?: { readonly id: TokenId; readonly expiresAt: Instant | null };
}

/** A session with its secret, which is shown once. */
export interface NewSession {
  readonly session: Session;
  readonly secret: string;
}

/** Begins sessions. */
export class NewSessions {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly settings: Pick<Settings, 'sessionHours'>,
  ) {}

  make({ userId, identityId, token }: From): NewSession {
    const { secret, digest: secretDigest } = this.secrets.generate();
    const given = { id: this.ids.next('session'), userId, secretDigest, createdAt: this.clock.now() };
    const from = { identityId: identityId ?? null, tokenId: token?.id ?? null };
    return { session: startSession({ ...given, ...from }, this.settings.sessionHours, token?.expiresAt), secret };
  }

  /** Adds it in place of `former`, the secret of the session that the browser had, and of those that have expired. */
  async begin(
    tx: Transaction<'sessions' | 'audit'>,
    actor: Actor,
    session: Session,
    former: string | undefined,
  ): Promise<void> {
    const { userId, createdAt, identityId } = session;
    // Here and not in the background: a user has few, and only those who sign in leave any.
    await tx.sessions.removeOf(userId, { until: createdAt });
    const ended = former === undefined ? [] : await tx.sessions.remove(this.secrets.digestOf(former));
    const replaced =
      identityId === null
        ? await tx.sessions.addWithin(session, maxSessionsWithoutIdentity)
        : await tx.sessions.add(session).then(() => []);
    for (const event of tokenSessionsEnded(actor, [...ended, ...replaced])) await tx.audit.add(event, 'site');
  }
}
