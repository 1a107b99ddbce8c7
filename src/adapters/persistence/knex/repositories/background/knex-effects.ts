import type { Knex } from 'knex';
import type { Effect, RemovalTarget } from '../../../../../application/ports/repositories/effect.js';
import { type Lane, laneNames, laneOf, lanes } from '../../../../../application/ports/repositories/effect-lanes.js';
import {
  type Backlog,
  type Claim,
  type ClaimedEffect,
  type EffectOutbox,
  type FailingEffect,
  noOrganization,
  type PendingEffect,
} from '../../../../../application/ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type { Instant } from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, countOf, pageOf, type Statements } from '../../engine/statements.js';
import { claimReturning, dueWith, laneAfterLease, lanesDue, promoted } from './effect-claims.js';
import { walkIndexes } from './index-walks.js';

const kept = rowsOf<PendingEffect>((row, as) => ({
  id: as.number(row.id),
  effect: as.read(row, ['kind', 'payload'], effectFrom),
  attempts: row.attempts,
  lastError: row.last_error,
}));

const leased = rowsOf<ClaimedEffect>((row, as) => ({
  ...kept.literal(row, as),
  organizationId: row.organization_id,
  begun: row.begun,
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
  status: as.read(row, ['lane'], ({ lane }: { readonly lane: string }) =>
    lane === 'aside' ? 'put_aside' : 'retrying',
  ),
}));

const ofWorkspace = (id: string) => `(select w.organization_id from workspaces as w where w.id = ${id})`;
const ofVersion = ofWorkspace('(select v.workspace_id from configuration_versions as v where v.id = ?)');
const ofRun = (id: string) => `(select r.organization_id from runs as r where r.id = ${id})`;
const ofResult = ofRun(`(select s.run_id from task_results as x
  join task_stages as s on s.id = x.task_stage_id where x.id = ?)`);

type Named = readonly [text: string, id?: string];

const ofTarget: Readonly<Record<RemovalTarget['kind'], (id: string) => Named>> = {
  organization: (id) => ['?', id],
  workspace: (id) => [ofWorkspace('?'), id],
  team: (id) => ['(select t.organization_id from teams as t where t.id = ?)', id],
  user: () => ['null'],
};

/** The organization of the resource that an effect is about, as a query and the id that it takes. */
const organizationsOf: {
  readonly [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => Named;
} = {
  'discard-bundle': () => ['null'],
  'remove-rows': ({ target: { kind, id } }) => ofTarget[kind](id),
  'queue-run': ({ versionId }) => [ofVersion, versionId],
  'purge-backing-data': ({ versionId }) => [ofVersion, versionId],
  'archive-version': ({ versionId }) => [ofVersion, versionId],
  'fetch-commit': ({ versionId }) => [ofVersion, versionId],
  'fetch-run-files': ({ runId }) => [ofRun('?'), runId],
  'fetch-policies': ({ versionId }) => [
    '(select p.organization_id from policy_set_versions as p where p.id = ?)',
    versionId,
  ],
  'follow-run-triggers': ({ runId }) => [ofRun('?'), runId],
  'queue-triggered-run': ({ runId }) => [ofRun('?'), runId],
  'call-run-task': ({ resultId }) => [ofResult, resultId],
  'send-notification': ({ event }) => [ofRun('?'), event.runId],
  'read-state-outputs': ({ stateVersionId }) => [
    ofWorkspace('(select s.workspace_id from state_versions as s where s.id = ?)'),
    stateVersionId,
  ],
};

function organizationOf<Kind extends Effect['kind']>(sql: Knex, effect: Extract<Effect, { kind: Kind }>): Knex.Raw {
  const [text, ...ids] = (organizationsOf[effect.kind as Kind] as (given: typeof effect) => Named)(effect);
  return sql.raw(`coalesce(${text}, '${noOrganization}')`, ids as string[]);
}

const toRow = (sql: Knex, subject: string, effect: Effect, notBefore: Instant | undefined) => {
  const { kind, ...payload } = effect;
  return {
    subject,
    kind,
    lane: laneOf(kind),
    organization_id: organizationOf(sql, effect),
    payload: JSON.stringify(payload),
    attempts: 0,
    begun: 0,
    not_before: notBefore ?? null,
    waits_until: notBefore ?? null,
  };
};

const claims = claimReturning(leased.columns);
const due = dueWith(columnsOf('e', kept.columns));
const someLanesDue = lanesDue(laneNames);

/** The lane that an effect begins in. */
const ownLane = `case ${laneNames
  .flatMap((lane) => lanes[lane].kinds.map((kind) => `when kind = '${kind}' then '${lane}'`))
  .join(' ')} end`;

/** Behind the others of its lane. */
const failed = prepared(
  (sql, { id, error, notBefore }: { readonly id: number; readonly error: string; readonly notBefore: Instant }) =>
    sql('effects')
      .where({ id })
      .update({
        attempts: sql.raw('attempts + 1'),
        begun: 0,
        lane: sql.raw(ownLane),
        last_error: error,
        leased_until: null,
        not_before: notBefore,
        place: sql('effects').select(sql.raw('max(id) + 1')),
        waits_until: notBefore,
      }),
);

interface Order {
  readonly subject: string;
  readonly effect: Effect;
}

/** Each row takes up to ten values of the 32,766 that SQLite allows in a statement. */
const maxInserted = 500;

export class KnexEffects implements EffectOutbox {
  constructor(
    private readonly db: Statements,
    /** Called for an effect that is due as soon as it is committed. */
    private readonly ordered: (kind: Effect['kind']) => void,
  ) {}

  async enqueue(subject: string, effects: readonly Effect[], notBefore?: Instant): Promise<void> {
    await this.add(
      effects.map((effect) => ({ subject, effect })),
      notBefore,
    );
  }

  async enqueueEach(orders: readonly Order[]): Promise<void> {
    for (let begin = 0; begin < orders.length; begin += maxInserted) {
      await this.add(orders.slice(begin, begin + maxInserted));
    }
  }

  private async add(orders: readonly Order[], notBefore?: Instant): Promise<void> {
    if (orders.length === 0) return;
    const rows = orders.map(({ subject, effect }) => toRow(this.db.sql, subject, effect, notBefore));
    await this.db.runLater(this.db.sql('effects').insert(rows));
    if (notBefore === undefined) for (const { effect } of orders) this.ordered(effect.kind);
  }

  async claim({ kinds, ...claim }: Claim): Promise<readonly ClaimedEffect[]> {
    // All in one round trip.
    await walkIndexes(this.db);
    await this.db.runLater(promoted(this.db, { now: claim.now }));
    const rows = await this.db.all<object>(claims(this.db, { kinds, ...claim }));
    return rows.map(leased.read).sort((a, b) => a.id - b.id);
  }

  async due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]> {
    return (await this.db.all<object>(due(this.db, { now, kinds, limit }))).map(kept.read);
  }

  async lanesDue(now: Instant): Promise<readonly Lane[]> {
    await walkIndexes(this.db);
    const found = new Set((await this.db.all<{ lane: Lane }>(someLanesDue(this.db, { now }))).map(({ lane }) => lane));
    return laneNames.filter((lane) => found.has(lane));
  }

  async renew(ids: readonly number[], until: Instant): Promise<void> {
    if (ids.length === 0) return;
    await this.db.run(this.db.sql('effects').whereIn('id', ids).update({ leased_until: until, waits_until: until }));
  }

  async giveBack(claimed: readonly Pick<ClaimedEffect, 'id' | 'begun'>[]): Promise<void> {
    const { sql } = this.db;
    const free = { leased_until: null, waits_until: null, begun: sql.raw('begun - 1') };
    for (const { id, begun } of claimed) await this.db.run(sql('effects').where({ id, begun }).update(free));
  }

  async free(): Promise<void> {
    const { sql } = this.db;
    const ended = { leased_until: null, waits_until: null, lane: sql.raw(laneAfterLease) };
    await this.db.run(sql('effects').whereNotNull('leased_until').update(ended));
  }

  async done(id: number): Promise<boolean> {
    return (await this.db.run(this.db.sql('effects').where({ id }).delete())) > 0;
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    await this.db.run(failed(this.db, { id, error, notBefore }));
  }

  async putAside(id: number, reason: string): Promise<boolean> {
    const aside = { lane: 'aside', leased_until: null, waits_until: null, not_before: null, last_error: reason };
    return (await this.db.run(this.db.sql('effects').where({ id }).update(aside))) > 0;
  }

  async retry(id: number): Promise<FailingEffect | undefined> {
    const { sql } = this.db;
    const failed = () => sql('effects').where({ id }).whereNotNull('last_error');
    const again = { lane: sql.raw(ownLane), begun: 0, not_before: null, waits_until: null };
    await this.db.run(failed().whereNull('leased_until').update(again));
    const row = await this.db.first<object>(failed().select(...failing.columns));
    if (row === undefined) return undefined;
    const found = failing.read(row);
    this.ordered(found.kind);
    return found;
  }

  failing(page: PageRequest): Promise<Page<FailingEffect>> {
    const tried = this.db.sql('effects as e').whereNotNull('e.last_error');
    return pageOf(
      this.db,
      tried,
      (matching) => matching.select(...columnsOf('e', failing.columns)).orderBy('e.id'),
      failing.read,
      page,
    );
  }

  async countAside(): Promise<number> {
    return countOf(this.db, this.db.sql('effects').whereRaw("lane = 'aside'"));
  }

  async backlog(now: Instant, max: number): Promise<readonly Backlog[]> {
    const { sql } = this.db;
    const state = `case when e.lane = 'aside' then 'aside' when e.leased_until > ? then 'in-hand' when e.attempts > 0 then 'failing'
      when e.not_before > ? then 'later' else 'due' end as state`;
    const oldest = sql('effects as e')
      .select('e.id', 'e.kind', sql.raw(state, [now, now]))
      .orderBy('e.id')
      .limit(max);
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
