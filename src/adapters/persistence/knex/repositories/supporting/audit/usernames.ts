import type { Instant, UserId } from '../../../../../../domain/index.js';
import { deletedUser } from '../../../../../../domain/supporting/audit/audit-event.js';
import type { Statements } from '../../../engine/statements.js';

/** Names of deleted users, which a trigger keeps for the events that name them. */
const kept = 'audit_usernames';

/** The person who has the username, or else had it when they were deleted. */
export async function personNamed(db: Statements, username: string): Promise<UserId | undefined> {
  const having = (table: string) => db.sql(table).whereRaw('lower(username) = lower(?)', [username]);
  const user = await db.first<{ readonly id: UserId }>(having('users').select('id').limit(1));
  if (user !== undefined) return user.id;
  const former = having(kept).whereNot('username', deletedUser).select({ id: 'user_id' });
  return (await db.first<{ readonly id: UserId }>(former.orderBy('user_id').limit(1)))?.id;
}

export async function eraseName(db: Statements, id: UserId, now: Instant): Promise<void> {
  const erased = db.sql(kept).insert({ user_id: id, username: deletedUser, kept_at: now });
  await db.run(erased.onConflict('user_id').merge(['username']));
}

/** Deletes the names of at most `limit` users who were deleted before `before`. */
export async function forgetUsernames(db: Statements, before: Instant, limit: number): Promise<void> {
  const old = db.sql(kept).where('kept_at', '<', before).select('user_id').orderBy('kept_at').limit(limit);
  await db.run(db.sql(kept).whereIn('user_id', old).delete());
}
