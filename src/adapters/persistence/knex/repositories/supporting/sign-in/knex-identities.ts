import type { IdentityRepository } from '../../../../../../application/ports/repositories/identity-repository.js';
import {
  alreadyTaken,
  type Identity,
  type IdentityId,
  type User,
  type UserId,
} from '../../../../../../domain/index.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, type Statements, throwIfTaken } from '../../../engine/statements.js';
import { userRows } from '../users/knex-users.js';

export const identityRows = rowsOf<Identity>((row) => ({
  id: row.id,
  userId: row.user_id,
  issuer: row.issuer,
  subject: row.subject,
  createdAt: row.created_at,
}));

export class KnexIdentities implements IdentityRepository {
  constructor(private readonly db: Statements) {}

  async find(
    issuer: string,
    subject: string,
  ): Promise<{ readonly identity: Identity; readonly user: User } | undefined> {
    const { sql } = this.db;
    const row = await this.db.first<Record<string, unknown>>(
      sql('identities as i')
        .join('users as u', 'u.id', 'i.user_id')
        .where({ 'i.issuer': issuer, 'i.subject': subject, 'u.deleted_at': null })
        .select(...columnsOf('u', userRows.columns), { identity_id: 'i.id', linked_at: 'i.created_at' }),
    );
    if (row === undefined) return undefined;
    const user = userRows.read(row);
    const { identity_id: id, linked_at: createdAt } = row as { identity_id: IdentityId; linked_at: string };
    return { identity: { id, userId: user.id, issuer, subject, createdAt }, user };
  }

  add(identity: Identity): Promise<void> {
    return throwIfTaken(this.db.run(inserted(this.db, 'identities', identityRows.write(identity))), {
      subject: () => alreadyTaken('subject', 'Subject'),
    });
  }

  async ofUser(userId: UserId): Promise<readonly Identity[]> {
    const { sql } = this.db;
    const rows = sql('identities').where({ user_id: userId }).orderBy(['created_at', 'id']);
    return (await this.db.all<object>(rows.select(identityRows.columns))).map(identityRows.read);
  }

  async remove(userId: UserId, id: IdentityId): Promise<boolean> {
    return (await this.db.run(this.db.sql('identities').where({ id, user_id: userId }).delete())) > 0;
  }

  async sendsAuthTime(issuer: string): Promise<boolean | undefined> {
    const row = await this.db.first<{ readonly sends_auth_time: boolean | number }>(
      this.db.sql('identity_providers').where({ issuer }).select('sends_auth_time'),
    );
    return row && Boolean(row.sends_auth_time);
  }

  async noteAuthTime(issuer: string, sent: boolean): Promise<void> {
    const insert = this.db.sql('identity_providers').insert({ issuer, sends_auth_time: sent }).onConflict('issuer');
    await this.db.run(sent ? insert.merge(['sends_auth_time']) : insert.ignore());
  }
}
