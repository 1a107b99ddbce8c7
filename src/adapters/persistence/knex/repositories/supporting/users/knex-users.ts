import type { Knex } from 'knex';
import type { UserFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  Reservation,
  ReservationUse,
  UserRepository,
} from '../../../../../../application/ports/repositories/user-repository.js';
import { alreadyTaken, awaitedUser, type Instant, type User, type UserId } from '../../../../../../domain/index.js';
import { withPart } from '../../../engine/lists.js';
import { columnsFrom, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { pageOf, type Statements, stale, throwIfTaken } from '../../../engine/statements.js';

export const userRows = rowsOf<User>((row, as) => ({
  id: row.id,
  username: row.username,
  email: row.email,
  siteAdministrator: as.flag(row.site_administrator),
  suspended: as.flag(row.suspended),
  createdAt: row.created_at,
}));

/** Gives up those of these ids that are reserved and that no organization invites. */
export async function forgetUninvited(db: Statements, ids: readonly UserId[]): Promise<void> {
  if (ids.length === 0) return;
  const { sql } = db;
  const awaited = sql('users').whereIn('id', ids).whereRaw('registered = FALSE').orderBy('id').forUpdate();
  // First locked, then asked for: an invitation that has just reserved one holds it until it can be seen.
  const locked = await db.all<{ readonly id: UserId }>(awaited.select('id'));
  if (locked.length === 0) return;
  const invited = sql('organization_memberships as m').whereRaw('m.user_id = users.id').select('m.id');
  const uninvited = sql('users')
    .whereIn(
      'id',
      locked.map(({ id }) => id),
    )
    .whereNotExists(invited);
  await db.run(uninvited.delete());
}

/** `user` is the alias of the users' table. User names are unique, so they need no tie broken. */
/** Only a reserved id can be there already. */
const registered = prepared<ReturnType<typeof userRows.write>>((sql, user) => {
  const row = sql('users').insert({ ...columnsFrom(user, userRows.columns), registered: true });
  const taken = userRows.columns.map((column) => `${column} = excluded.${column}`);
  const statement = `? on conflict (id) do update set registered = TRUE, ${taken.join(', ')} where users.registered = FALSE`;
  return sql.raw(statement, [row]);
});

export const byUsername = (sql: Knex, user: string): Knex.Raw => sql.raw('lower(??)', [`${user}.username`]);

export class KnexUsers implements UserRepository {
  constructor(private readonly db: Statements) {}

  async find(id: UserId): Promise<User | undefined> {
    const row = await this.db.first<object>(this.living().where({ id }).select(userRows.columns));
    return row && userRows.read(row);
  }

  async findByUsername(username: string): Promise<User | undefined> {
    const row = await this.db.first<object>(
      this.living().whereRaw('lower(username) = lower(?)', [username]).select(userRows.columns),
    );
    return row && userRows.read(row);
  }

  async any(): Promise<boolean> {
    return (await this.db.first(this.db.sql('users').select('id').limit(1))) !== undefined;
  }

  async reserve(email: string, ids: Iterable<UserId>, now: Instant, use: ReservationUse): Promise<Reservation> {
    const { sql } = this.db;
    const kept = (row: Knex.QueryBuilder) => (use === 'to add' ? row.forUpdate() : row.forKeyShare());
    for (const id of ids) {
      const row = sql('users').insert({ ...userRows.write(awaitedUser(id, email, now)), registered: false });
      await this.db.run(sql.raw('? on conflict do nothing', [row]));
      const user = sql('users').whereNull('deleted_at').whereRaw('lower(email) = lower(?)', [email]);
      const found = await this.db.first<{ readonly id: UserId; readonly registered: boolean | number }>(
        kept(user.select('id', 'registered')),
      );
      if (found !== undefined) return { id: found.id, registered: Boolean(found.registered) };
    }
    throw stale('the id of the address was released by another request');
  }

  add(user: User): Promise<void> {
    const emailTaken = () => alreadyTaken('email', 'Email');
    const write = async () => {
      if ((await this.db.run(registered(this.db, userRows.write(user)))) === 0) throw emailTaken();
    };
    return throwIfTaken(write(), { username: () => alreadyTaken('username', 'Username'), email: emailTaken });
  }

  async setSuspended(id: UserId, suspended: boolean): Promise<void> {
    await this.db.run(this.living().where({ id }).update({ suspended }));
  }

  async remove(id: UserId, now: Instant): Promise<void> {
    await this.db.run(this.living().where({ id }).update({ deleted_at: now }));
  }

  page(page: PageRequest, { search, siteAdministrator, suspended }: UserFilter = {}): Promise<Page<User>> {
    const listed = this.living();
    if (siteAdministrator !== undefined) listed.where('site_administrator', siteAdministrator);
    if (suspended !== undefined) listed.where('suspended', suspended);
    if (search !== undefined) {
      listed.where((any) =>
        any
          .where((named) => void withPart(named, 'username', search))
          .orWhere((reached) => void withPart(reached, 'email', search)),
      );
    }
    const inOrder = (users: Knex.QueryBuilder) =>
      users.select(userRows.columns).orderBy(byUsername(this.db.sql, 'users'));
    return pageOf(this.db, listed, inOrder, userRows.read, page);
  }

  private living(): Knex.QueryBuilder {
    return this.db.sql('users').whereNull('deleted_at').whereRaw('registered = TRUE');
  }
}
