import type { Knex } from 'knex';
import type {
  Backlog,
  Effect,
  EffectOutbox,
  FailingEffect,
  PendingEffect,
} from '../../../../application/ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../../../../application/ports/repositories/page.js';
import type { Instant } from '../../../../domain/index.js';
import { prepared } from '../engine/prepared.js';
import { rowsOf } from '../engine/rows.js';
import { columnsOf, pageOf, type Statements, spelledOut } from '../engine/statements.js';

const kept = rowsOf<PendingEffect>((row, as) => ({
  id: as.number(row.id),
  effect: as.read(row, ['kind', 'payload'], effectFrom),
  attempts: row.attempts,
  lastError: row.last_error,
}));

interface EffectRow {
  readonly kind: Effect['kind'];
  readonly payload: string;
}

function effectFrom({ kind, payload }: EffectRow): Effect {
  return { kind, ...JSON.parse(payload) };
}

const failing = rowsOf<FailingEffect>((row, as) => ({
  id: as.number(row.id),
  subject: row.subject,
  kind: row.kind,
  attempts: row.attempts,
  lastError: row.last_error,
  notBefore: row.not_before,
}));

const toRow = (subject: string, { kind, ...payload }: Effect, notBefore: Instant | undefined) => ({
  subject,
  kind,
  payload: JSON.stringify(payload),
  attempts: 0,
  not_before: notBefore ?? null,
});

/**
 * Postgres skips rows that others are changing, and rechecks those that changed since it began; SQLite has one writer
 * at a time.
 */
const skippingLocked = (sql: Knex, rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  sql.client.driverName === 'pg' ? rows.forUpdate('e').skipLocked() : rows;

interface Due extends Readonly<Record<string, unknown>> {
  readonly now: Instant;
  readonly kinds: readonly Effect['kind'][];
  readonly limit: number;
}

/** The oldest of each subject. */
const dueBy = (sql: Knex, { now, kinds, limit }: Due): Knex.QueryBuilder => {
  const older = sql('effects as older').whereRaw('older.subject = e.subject and older.id < e.id').select('older.id');
  return sql('effects as e')
    .whereNotExists(older)
    .whereIn('e.kind', kinds)
    .where((come) => come.whereNull('e.not_before').orWhere('e.not_before', '<=', now))
    .where((free) => free.whereNull('e.leased_until').orWhere('e.leased_until', '<=', now))
    .orderBy('e.id')
    .limit(limit, spelledOut);
};

const due = prepared((sql, which: Due) => dueBy(sql, which).select(...columnsOf('e', kept.columns)));

/** Materialized, because a subquery that runs again would skip the rows it has locked itself and take more. */
const claimed = prepared((sql, which: Due & { readonly until: Instant }) =>
  sql('effects')
    .withMaterialized('claimed', skippingLocked(sql, dueBy(sql, which).select('e.id')))
    .whereIn('id', sql('claimed').select('id'))
    .update({ leased_until: which.until })
    .returning([...kept.columns]),
);

export class KnexEffects implements EffectOutbox {
  constructor(
    private readonly db: Statements,
    /** Called for an effect that is due as soon as it is committed. */
    private readonly ordered: (kind: Effect['kind']) => void,
  ) {}

  async enqueue(subject: string, effects: readonly Effect[], notBefore?: Instant): Promise<void> {
    if (effects.length === 0) return;
    const rows = effects.map((effect) => toRow(subject, effect, notBefore));
    await this.db.runLater(this.db.sql('effects').insert(rows));
    if (notBefore === undefined) for (const { kind } of effects) this.ordered(kind);
  }

  async claim(
    now: Instant,
    kinds: readonly Effect['kind'][],
    limit: number,
    until: Instant,
  ): Promise<readonly PendingEffect[]> {
    const rows = await this.db.all<object>(claimed(this.db, { now, kinds, limit, until }));
    return rows.map(kept.read).sort((a, b) => a.id - b.id);
  }

  async due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]> {
    return (await this.db.all<object>(due(this.db, { now, kinds, limit }))).map(kept.read);
  }

  async renew(ids: readonly number[], until: Instant): Promise<void> {
    if (ids.length === 0) return;
    await this.db.run(this.db.sql('effects').whereIn('id', ids).update({ leased_until: until }));
  }

  async free(): Promise<void> {
    await this.db.run(this.db.sql('effects').whereNotNull('leased_until').update({ leased_until: null }));
  }

  async done(id: number): Promise<boolean> {
    return (await this.db.run(this.db.sql('effects').where({ id }).delete())) > 0;
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    const { sql } = this.db;
    const tried = { attempts: sql.raw('attempts + 1'), last_error: error, not_before: notBefore, leased_until: null };
    await this.db.run(sql('effects').where({ id }).update(tried));
  }

  failing(page: PageRequest): Promise<Page<FailingEffect>> {
    const tried = this.db.sql('effects as e').where('e.attempts', '>', 0);
    return pageOf(
      this.db,
      tried,
      (matching) => matching.select(...columnsOf('e', failing.columns)).orderBy('e.id'),
      failing.read,
      page,
    );
  }

  async backlog(now: Instant, most: number): Promise<readonly Backlog[]> {
    const { sql } = this.db;
    const state = `case when e.leased_until > ? then 'in-hand' when e.attempts > 0 then 'failing'
      when e.not_before > ? then 'later' else 'due' end as state`;
    const oldest = sql('effects as e')
      .select('e.id', 'e.kind', sql.raw(state, [now, now]))
      .orderBy('e.id')
      .limit(most);
    const rows = await this.db.all<
      Pick<Backlog, 'kind' | 'state'> & { total: number | string; oldest: number | string }
    >(
      sql
        .from(oldest.as('b'))
        .groupBy('b.kind', 'b.state')
        .select('b.kind', 'b.state')
        .count({ total: '*' })
        .min({ oldest: 'b.id' }),
    );
    return rows.map(({ kind, state, total, oldest }) => ({
      kind,
      state,
      count: Number(total),
      oldest: Number(oldest),
    }));
  }
}
