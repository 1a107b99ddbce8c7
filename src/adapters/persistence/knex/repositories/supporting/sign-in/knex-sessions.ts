import type { Knex } from 'knex';
import type {
  ListedSession,
  SessionCredential,
  SessionRepository,
  SessionsOf,
} from '../../../../../../application/ports/repositories/session-repository.js';
import type { Instant, LoginCode, Session, SessionId, UserId } from '../../../../../../domain/index.js';
import { usedAt } from '../../../../../../domain/supporting/sign-in/session.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import type { Statements } from '../../../engine/statements.js';

const listed = rowsOf<ListedSession>((row) => ({
  id: row.id,
  userId: row.user_id,
  identityId: row.identity_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  longestIdle: row.longest_idle,
}));

/** The columns that change with a use. */
const use = listed.only('lastUsedAt', 'longestIdle');

interface CredentialRow {
  readonly id: SessionId;
  readonly user_id: UserId;
  readonly created_at: Instant;
  readonly expires_at: Instant;
  readonly last_used_at: Instant | null;
  readonly longest_idle: number;
  readonly site_administrator: boolean | number;
  readonly suspended: boolean | number;
  readonly invited: boolean | number;
}

/** Sessions `s` of living users. */
const credentials = (sql: Knex): Knex.QueryBuilder =>
  sql('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .whereNull('u.deleted_at')

    .select(
      's.id',
      's.user_id',
      's.created_at',
      's.expires_at',
      's.last_used_at',
      's.longest_idle',
      'u.site_administrator',
      'u.suspended',
      {
        invited: sql.raw(
          'exists (select 1 from organization_memberships as i where i.user_id = s.user_id and i.invited_email is not null)',
        ),
      },
    );

const credential = prepared((sql, { secretDigest }: { readonly secretDigest: string }) =>
  credentials(sql).where('s.secret_digest', secretDigest),
);

function credentialFrom(row: CredentialRow | undefined): SessionCredential | undefined {
  if (row === undefined || row.suspended) return undefined;
  const siteAdministrator = Boolean(row.site_administrator);
  return {
    session: { id: row.id, expiresAt: row.expires_at },
    actor: {
      kind: 'user',
      tokenId: row.id,
      userId: row.user_id,
      siteAdministrator,
      session: {
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        longestIdle: row.longest_idle,
        at: row.last_used_at ?? row.created_at,
      },
    },
    invited: Boolean(row.invited),
  };
}

interface CodeRow extends CredentialRow {
  readonly code_challenge: string;
  readonly code_redirect_uri: string;
  readonly code_expires_at: Instant;
}

const noCode = { code_digest: null, code_challenge: null, code_redirect_uri: null, code_expires_at: null };

export class KnexSessions implements SessionRepository {
  constructor(private readonly db: Statements) {}

  async findCredential(secretDigest: string): Promise<SessionCredential | undefined> {
    return credentialFrom(await this.db.first<CredentialRow>(credential(this.db, { secretDigest })));
  }

  async keepCode({ sessionId, codeDigest, challenge, redirectUri, expiresAt }: LoginCode): Promise<void> {
    const code = {
      code_digest: codeDigest,
      code_challenge: challenge,
      code_redirect_uri: redirectUri,
      code_expires_at: expiresAt,
    };
    await this.db.run(this.db.sql('sessions').where({ id: sessionId }).update(code));
  }

  async takeCode(
    codeDigest: string,
  ): Promise<{ readonly code: LoginCode; readonly credential: SessionCredential } | undefined> {
    const { sql } = this.db;
    const row = await this.db.first<CodeRow>(
      credentials(sql)
        .where('s.code_digest', codeDigest)
        .select('s.code_challenge', 's.code_redirect_uri', 's.code_expires_at'),
    );
    const taken = await this.db.run(sql('sessions').where({ code_digest: codeDigest }).update(noCode));
    const credential = taken === 0 ? undefined : credentialFrom(row);
    if (row === undefined || credential === undefined) return undefined;
    const { code_challenge: challenge, code_redirect_uri: redirectUri, code_expires_at: expiresAt } = row;
    return { code: { sessionId: row.id, codeDigest, challenge, redirectUri, expiresAt }, credential };
  }

  async add({ secretDigest, ...session }: Session): Promise<void> {
    const row = { ...listed.write(session), secret_digest: secretDigest };
    await this.db.run(inserted(this.db, 'sessions', row));
  }

  async ofUser(userId: UserId, now: Instant): Promise<readonly ListedSession[]> {
    const own = this.db.sql('sessions').where({ user_id: userId }).where('expires_at', '>', now);
    const rows = own.select(listed.columns).orderBy('created_at', 'desc').orderBy('id', 'desc');
    return (await this.db.all<object>(rows)).map(listed.read);
  }

  async remove(secretDigest: string): Promise<void> {
    await this.db.run(this.db.sql('sessions').where({ secret_digest: secretDigest }).delete());
  }

  async removeOf(userId: UserId, { until, except }: SessionsOf = {}): Promise<number> {
    const own = this.db.sql('sessions').where({ user_id: userId });
    if (until !== undefined) own.where('expires_at', '<=', until);
    if (except !== undefined) own.whereNot('id', except);
    return this.db.run(own.delete());
  }

  async removeOne(userId: UserId, id: SessionId): Promise<boolean> {
    return (await this.db.run(this.db.sql('sessions').where({ id, user_id: userId }).delete())) > 0;
  }

  async markUsed(uses: ReadonlyMap<SessionId, Instant>): Promise<void> {
    // In a fixed order, so that two processes marking the same sessions cannot deadlock.
    for (const [id, now] of [...uses].sort()) {
      const session = this.db.sql('sessions').where({ id });
      const row = await this.db.first<object>(session.clone().select(listed.columns).forNoKeyUpdate());
      const before = row && listed.read(row);
      if (before === undefined || (before.lastUsedAt ?? '') >= now) continue;
      await this.db.run(session.update(use.write(usedAt(before, now))));
    }
  }
}
