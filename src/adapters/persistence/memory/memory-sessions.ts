import type {
  ListedSession,
  SessionCredential,
  SessionRepository,
  SessionsOf,
} from '../../../application/ports/repositories/session-repository.js';
import type { Instant, LoginCode, Session, SessionId, UserId } from '../../../domain/index.js';
import { usedAt } from '../../../domain/supporting/sign-in/session.js';
import { byText, type CurrentTables } from './memory-tables.js';

const listed = ({ secretDigest: _, ...session }: Session): ListedSession => session;

export class MemorySessions implements SessionRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findCredential(secretDigest: string): Promise<SessionCredential | undefined> {
    return this.credentialOf([...this.tables().sessions.values()].find((row) => row.secretDigest === secretDigest));
  }

  async keepCode(code: LoginCode): Promise<void> {
    this.tables().loginCodes.set(code.sessionId, code);
  }

  async takeCode(
    codeDigest: string,
  ): Promise<{ readonly code: LoginCode; readonly credential: SessionCredential } | undefined> {
    const { loginCodes, sessions } = this.tables();
    const code = [...loginCodes.values()].find((row) => row.codeDigest === codeDigest);
    if (code === undefined) return undefined;
    loginCodes.delete(code.sessionId);
    const credential = this.credentialOf(sessions.get(code.sessionId));
    return credential && { code, credential };
  }

  private credentialOf(session: Session | undefined): SessionCredential | undefined {
    const tables = this.tables();
    const user = session && tables.user(session.userId);
    if (session === undefined || user === undefined || user.suspended) return undefined;
    const { id, createdAt, expiresAt, lastUsedAt, longestIdle } = session;
    return {
      session: { id, expiresAt },
      actor: {
        kind: 'user',
        tokenId: id,
        userId: user.id,
        siteAdministrator: user.siteAdministrator,
        session: { createdAt, lastUsedAt, longestIdle, at: lastUsedAt ?? createdAt },
      },
      invited: [...tables.memberships.values()].some(
        ({ userId, invitedEmail }) => userId === user.id && invitedEmail !== null,
      ),
    };
  }

  async add(session: Session): Promise<void> {
    this.tables().sessions.set(session.id, session);
  }

  async ofUser(userId: UserId, now: Instant): Promise<readonly ListedSession[]> {
    const own = [...this.tables().sessions.values()].filter((row) => row.userId === userId && row.expiresAt > now);
    return own
      .sort(byText(({ createdAt }) => createdAt))
      .reverse()
      .map(listed);
  }

  async remove(secretDigest: string): Promise<void> {
    this.drop((row) => row.secretDigest === secretDigest);
  }

  async removeOf(userId: UserId, { until, except }: SessionsOf = {}): Promise<number> {
    return this.drop(
      (session) =>
        session.userId === userId && session.id !== except && (until === undefined || session.expiresAt <= until),
    );
  }

  async removeOne(userId: UserId, id: SessionId): Promise<boolean> {
    return this.drop((session) => session.userId === userId && session.id === id) > 0;
  }

  async markUsed(uses: ReadonlyMap<SessionId, Instant>): Promise<void> {
    const { sessions } = this.tables();
    for (const [id, now] of uses) {
      const session = sessions.get(id);
      if (session && (session.lastUsedAt ?? '') < now) sessions.set(id, usedAt(session, now));
    }
  }

  /** Returns the number of sessions removed. */
  private drop(isGone: (session: Session) => boolean): number {
    const { sessions, loginCodes } = this.tables();
    const before = sessions.size;
    for (const [id, session] of sessions) {
      if (!isGone(session)) continue;
      sessions.delete(id);
      loginCodes.delete(id);
    }
    return before - sessions.size;
  }
}
