import type {
  SessionCredential,
  SessionRepository,
} from '../../../../application/ports/repositories/session-repository.js';
import type { Instant, Session, SessionId, UserId } from '../../../../domain/index.js';
import { prepared } from '../engine/prepared.js';
import type { Statements } from '../engine/statements.js';

interface CredentialRow {
  readonly id: SessionId;
  readonly user_id: UserId;
  readonly expires_at: Instant;
  readonly site_administrator: boolean | number;
  readonly suspended: boolean | number;
  readonly invited: boolean | number;
}

const credential = prepared((sql, { secretDigest }: { readonly secretDigest: string }) =>
  sql('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .where('s.secret_digest', secretDigest)
    .whereNull('u.deleted_at')
    .select('s.id', 's.user_id', 's.expires_at', 'u.site_administrator', 'u.suspended', {
      invited: sql.raw(
        'exists (select 1 from organization_memberships as i where i.user_id = s.user_id and i.invited_email is not null)',
      ),
    }),
);

export class KnexSessions implements SessionRepository {
  constructor(private readonly db: Statements) {}

  async findCredential(secretDigest: string): Promise<SessionCredential | undefined> {
    const row = await this.db.first<CredentialRow>(credential(this.db, { secretDigest }));
    if (row === undefined || row.suspended) return undefined;
    const siteAdministrator = Boolean(row.site_administrator);
    return {
      session: { id: row.id, expiresAt: row.expires_at },
      actor: { kind: 'user', tokenId: row.id, userId: row.user_id, siteAdministrator },
      invited: Boolean(row.invited),
    };
  }

  async add({ id, userId, secretDigest, createdAt, expiresAt }: Session): Promise<void> {
    const row = {
      id,
      user_id: userId,
      secret_digest: secretDigest,
      created_at: createdAt,
      expires_at: expiresAt,
    };
    await this.db.run(this.db.sql('sessions').insert(row));
  }

  async remove(secretDigest: string): Promise<void> {
    await this.db.run(this.db.sql('sessions').where({ secret_digest: secretDigest }).delete());
  }

  async removeOf(userId: UserId, until?: Instant): Promise<void> {
    const own = this.db.sql('sessions').where({ user_id: userId });
    await this.db.run((until === undefined ? own : own.where('expires_at', '<=', until)).delete());
  }
}
