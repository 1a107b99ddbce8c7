import type { Knex } from 'knex';
import type { Effect } from '../../../../../application/ports/repositories/effect.js';
import { neverEnded } from '../../../../../application/ports/repositories/effect-lanes.js';
import type { Claim } from '../../../../../application/ports/repositories/effect-outbox.js';
import type { Instant } from '../../../../../domain/index.js';
import { onPostgres } from '../../engine/on-postgres.js';
import { prepared } from '../../engine/prepared.js';

/** With this many at a time, a statement stays short however many come at once. */
const maxAtOnce = 100;

/** The lane in which an effect is claimed whose lease has ended without the end of its attempt. */
export const laneAfterLease = `case when leased_until is not null and begun >= ${neverEnded.alone} then 'alone' else lane end`;

/**
 * Whether no older effect of its subject remains. Spelled out: the index leaves out what was put aside. A value and not
 * an `exists`, which Postgres may turn into a join with all effects.
 */
const isOldest = `e.id = (select older.id from effects as older
  where older.subject = e.subject and older.lane <> 'aside' order by older.id limit 1)`;

/** Postgres skips rows that others are changing, and checks those again that changed since it began. */
const skippingLocked = (sql: Knex): string => (onPostgres(sql) ? 'for update of e skip locked' : '');

/** Materialized, because a subquery that runs again would skip the rows it has locked itself and take more. */
const materialized = (name: string, rows: string): string => `${name} as materialized (${rows})`;

/** Makes effects claimable whose time has come, or whose lease has ended. */
export const promoted = prepared((sql, { now }: { readonly now: Instant }) => {
  const come = `select e.id from effects as e where e.waits_until <= ? order by e.waits_until
    limit ${maxAtOnce} ${skippingLocked(sql)}`;
  const text = `with ${materialized('come', come)}
    update effects set waits_until = null, leased_until = null, lane = ${laneAfterLease}
    where id in (select id from come)`;
  return sql.raw(text, [now]);
});

/** Text of a statement with the values that it takes, in their order. */
class Text {
  readonly values: unknown[] = [];

  /** Stands for the value where it is written. */
  of(value: unknown): string {
    this.values.push(value);
    return '?';
  }

  among(column: string, values: readonly unknown[] | undefined, not = ''): string {
    if (values === undefined || values.length === 0) return '';
    return `and ${column} ${not} in (${values.map((value) => this.of(value)).join(', ')})`;
  }
}

/**
 * Walks from organization to organization along the index of claimable effects, in a circle that begins after the one
 * that had the last turn. No step depends on how many effects an organization has. The time is checked again: the clock
 * of the process that made an effect claimable may be ahead of this one.
 */
export const claimReturning = (returning: readonly string[]) =>
  prepared((sql, { now, lane, after, except, kinds, limit, until }: Given) => {
    const text = new Text();
    const ready = (alias: string) => `${alias}.lane = ${text.of(lane)} and ${alias}.waits_until is null`;
    const next = (than: () => string) =>
      `(select min(n.organization_id) from effects as n where ${ready('n')} and n.organization_id > ${than()})`;
    const oldest = (selected: string, organization: string, max: number) =>
      `select ${selected} from effects as e
       where ${ready('e')} and e.organization_id = ${organization} ${text.among('e.kind', kinds)}
         and (e.not_before is null or e.not_before <= ${text.of(now)}) and ${isOldest}
       order by coalesce(e.place, e.id), e.id limit ${max}`;
    const first = '(select organization_id from heads order by round, organization_id limit 1)';
    const statement = `with recursive turns(round, organization_id) as (
        select 0, ${next(() => text.of(after))}
        union all
        select case when t.organization_id is null then 1 else t.round end,
          ${next(() => "coalesce(t.organization_id, '')")}
        from turns as t where t.round = 0 or t.organization_id < ${text.of(after)}
      ),
      ${materialized(
        'heads',
        `select * from (
           select t.round, t.organization_id, (${oldest('e.id', 't.organization_id', 1)}) as id from turns as t
           where (t.round = 0 or t.organization_id <= ${text.of(after)})
             ${text.among('t.organization_id', except, 'not')}
         ) as h where h.id is not null order by h.round, h.organization_id limit ${limit}`,
      )},
      ${
        limit === 1
          ? 'picked as (select id from heads)'
          : `candidates as (
               select id, 0 as place from heads
               union all select * from (${oldest('e.id, coalesce(e.place, e.id) as place', first, limit)}) as rest
             ),
             picked as (select id from candidates group by id order by min(place), id limit ${limit})`
      },
      ${materialized(
        'claimed',
        // By their ids: as \`is null\`, the last condition would have Postgres walk along all that is claimable.
        `select e.id from effects as e
         where e.id in (select id from picked) and coalesce(e.waits_until, '') = '' ${skippingLocked(sql)}`,
      )}
      update effects set leased_until = ${text.of(until)}, waits_until = ${text.of(until)}, begun = begun + 1
      where id in (select id from claimed) returning ${returning.join(', ')}`;
    return sql.raw(statement, text.values as Knex.RawBinding[]);
  });

interface Given extends Readonly<Record<string, unknown>>, Claim {
  readonly kinds: readonly Effect['kind'][] | undefined;
}

interface Due extends Readonly<Record<string, unknown>> {
  readonly now: Instant;
  readonly kinds: readonly Effect['kind'][];
  readonly limit: number;
}

export const dueWith = (columns: readonly string[]) =>
  prepared((sql, { now, kinds, limit }: Due) =>
    sql('effects as e')
      .whereRaw(`e.lane <> 'aside' and ${isOldest}`)
      .whereIn('e.kind', kinds)
      .where((come) => come.whereNull('e.not_before').orWhere('e.not_before', '<=', now))
      .where((free) => free.whereNull('e.leased_until').orWhere('e.leased_until', '<=', now))
      .orderBy('e.id')
      .limit(limit, { skipBinding: true })
      .select(...columns),
  );

/** Two ranges of two indexes: what is claimable, and what becomes so with the next claim. */
export const lanesDue = (lanes: readonly string[]) =>
  prepared((sql, { now }: { readonly now: Instant }) => {
    // One walk for each lane, which ends at its first row.
    const ready = lanes.map(
      (lane) => `select lane from (select e.lane from effects as e where e.lane = '${lane}' and e.waits_until is null
        and (e.not_before is null or e.not_before <= ?) and ${isOldest}
        order by e.organization_id, coalesce(e.place, e.id), e.id limit 1) as of_${lane}`,
    );
    const text = `${ready.join(' union ')} union select lane from (
        select ${laneAfterLease} as lane from effects as e where e.waits_until <= ? and ${isOldest}
        order by e.waits_until limit ${maxAtOnce}) as come`;
    return sql.raw(text, [...lanes.map(() => now), now]);
  });
