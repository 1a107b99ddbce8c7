import type { Knex } from 'knex';
import type {
  ListedSession,
  SessionCredential,
  SessionRepository,
  SessionsOf,
} from '../../../../../../application/ports/repositories/session-repository.js';
import type {
  EndedSession,
  Instant,
  LoginCode,
  Session,
  SessionId,
  SignedInWith,
  SignInLink,
  TokenId,
  UserId,
} from '../../../../../../domain/index.js';
import { usedAt } from '../../../../../../domain/supporting/sign-in/session.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import type { Statements } from '../../../engine/statements.js';

const listed = rowsOf<ListedSession>((row) => ({
  id: row.id,
  userId: row.user_id,
  identityId: row.identity_id,
  tokenId: row.token_id,
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
  readonly identity_id: string | null;
  readonly token_id: TokenId | null;
  readonly token_expires_at: Instant | null;
  readonly site_administrator: boolean | number;
  readonly suspended: boolean | number;
  readonly invited: boolean | number;
}

/** Sessions `s` of living users. */
const credentials = (sql: Knex): Knex.QueryBuilder =>
  sql('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .leftJoin('api_tokens as k', 'k.id', 's.token_id')
    .whereNull('u.deleted_at')
    .select(
      's.id',
      's.user_id',
      's.created_at',
      's.expires_at',
      's.last_used_at',
      's.longest_idle',
      's.identity_id',
      's.token_id',
      'u.site_administrator',
      'u.suspended',
      {
        token_expires_at: 'k.expires_at',
        invited: sql.raw(
          'exists (select 1 from organization_memberships as i where i.user_id = s.user_id and i.invited_email is not null)',
        ),
      },
    );

const credential = prepared(
  (sql, { secretDigest }: { readonly secretDigest: string }) => credentials(sql).where('s.secret_digest', secretDigest),
  { short: true },
);

function signedInWith({ identity_id, token_id, token_expires_at }: CredentialRow): SignedInWith {
  if (token_id !== null) return { kind: 'token', id: token_id, expiresAt: token_expires_at };
  return { kind: identity_id === null ? 'link' : 'identity' };
}

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
        signedInWith: signedInWith(row),
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

interface LinkRow {
  readonly user_id: UserId;
  readonly code_digest: string;
  readonly expires_at: Instant;
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
    await this.db.run(this.db.sql('first_sign_in').insert({ nth: 1 }).onConflict('nth').ignore());
  }

  async addWithin(session: Session, max: number): Promise<readonly EndedSession[]> {
    const { sql } = this.db;
    await this.db.first(sql('users').where('id', session.userId).select('id').forNoKeyUpdate());
    const kept = sql('sessions')
      .where({ user_id: session.userId, identity_id: null })
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(max - 1)
      .select('id');
    const ended = await this.end('user_id = ? and identity_id is null and id not in (?)', session.userId, kept);
    await this.add(session);
    return ended;
  }

  async anyEver(): Promise<boolean> {
    for (const table of ['first_sign_in', 'identities', 'sessions']) {
      if ((await this.db.first(this.db.sql(table).select('*').limit(1))) !== undefined) return true;
    }
    return false;
  }

  async ofUser(userId: UserId, now: Instant): Promise<readonly ListedSession[]> {
    const own = this.db.sql('sessions').where({ user_id: userId }).where('expires_at', '>', now);
    const rows = own.select(listed.columns).orderBy('created_at', 'desc').orderBy('id', 'desc');
    return (await this.db.all<object>(rows)).map(listed.read);
  }

  remove(secretDigest: string): Promise<readonly EndedSession[]> {
    return this.end('secret_digest = ?', secretDigest);
  }

  async removeOf(userId: UserId, { until, except }: SessionsOf = {}): Promise<readonly EndedSession[]> {
    if (until !== undefined) return this.end('user_id = ? and expires_at <= ?', userId, until);
    if (except !== undefined) return this.end('user_id = ? and id <> ?', userId, except);
    await this.db.run(this.db.sql('sign_in_links').where({ user_id: userId }).delete());
    return this.end('user_id = ?', userId);
  }

  removeOne(userId: UserId, id: SessionId): Promise<readonly EndedSession[]> {
    return this.end('user_id = ? and id = ?', userId, id);
  }

  removeMadeFrom(tokenId: TokenId): Promise<readonly EndedSession[]> {
    return this.end('token_id = ?', tokenId);
  }

  async keepLink({ userId, codeDigest, expiresAt }: SignInLink): Promise<void> {
    const row: LinkRow = { user_id: userId, code_digest: codeDigest, expires_at: expiresAt };
    await this.db.run(this.db.sql('sign_in_links').insert(row).onConflict('user_id').merge());
  }

  async takeLink(codeDigest: string): Promise<SignInLink | undefined> {
    const { sql } = this.db;
    const row = await this.db.first<LinkRow>(
      sql.raw('delete from sign_in_links where code_digest = ? returning user_id, code_digest, expires_at', [
        codeDigest,
      ]),
    );
    return row && { userId: row.user_id, codeDigest: row.code_digest, expiresAt: row.expires_at };
  }

  /** As text, since Knex builds a deletion on SQLite without what it returns. */
  private async end(
    which: string,
    ...values: readonly (string | Knex.QueryBuilder)[]
  ): Promise<readonly EndedSession[]> {
    const rows = await this.db.all<{ readonly id: SessionId; readonly token_id: TokenId | null }>(
      this.db.sql.raw(`delete from sessions where ${which} returning id, token_id`, values),
    );
    return rows.map(({ id, token_id: tokenId }) => ({ id, tokenId }));
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
