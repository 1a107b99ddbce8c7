import type {
  SessionCredential,
  SessionRepository,
} from '../../../application/ports/repositories/session-repository.js';
import type { Instant, LoginCode, Session, UserId } from '../../../domain/index.js';
import type { CurrentTables } from './memory-tables.js';

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
    const { id, expiresAt } = session;
    return {
      session: { id, expiresAt },
      actor: { kind: 'user', tokenId: id, userId: user.id, siteAdministrator: user.siteAdministrator },
      invited: [...tables.memberships.values()].some(
        ({ userId, invitedEmail }) => userId === user.id && invitedEmail !== null,
      ),
    };
  }

  async add(session: Session): Promise<void> {
    this.tables().sessions.set(session.id, session);
  }

  async remove(secretDigest: string): Promise<void> {
    this.drop((row) => row.secretDigest === secretDigest);
  }

  async removeOf(userId: UserId, until?: Instant): Promise<void> {
    this.drop((session) => session.userId === userId && (until === undefined || session.expiresAt <= until));
  }

  private drop(isGone: (session: Session) => boolean): void {
    const { sessions, loginCodes } = this.tables();
    for (const [id, session] of sessions) {
      if (!isGone(session)) continue;
      sessions.delete(id);
      loginCodes.delete(id);
    }
  }
}
