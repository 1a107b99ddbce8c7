import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import {
  type AuditedThing,
  type AuditPlace,
  type AuditQuery,
  type AuditSlice,
  type AuditTrail,
  maxLookedAt,
  maxNumbered,
} from '../../../../../../application/ports/repositories/audit-trail.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import {
  type AuditEvent,
  auditEventId,
  auditIdsFrom,
  type Instant,
  later,
  type NewAuditEvent,
  type OrganizationId,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { ofPage } from '../../../engine/lists.js';
import { columnsFrom, inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, countOf, type Statements } from '../../../engine/statements.js';

const eventRows = rowsOf<AuditEvent>((row, as) => ({
  id: row.id,
  at: row.at,
  organizationId: row.organization_id,
  actor: { kind: row.actor_kind, id: row.actor_id, tokenId: row.token_id },
  action: row.action,
  subject: row.subject,
  outcome: row.outcome,
  count: row.count,
  detail: as.json(row.detail),
  request: as.group(row.request_id, { id: row.request_id, address: row.address, route: row.route }),
}));

/** All that is stored of an event but its organization. */
const own = eventRows.except('organizationId');

/** The organization is looked up by the same statement: it is seldom known where a workspace is. */
const insertOfWorkspace = prepared((sql, row: { readonly workspace_id: string }) =>
  sql('audit_events').insert({
    ...columnsFrom(row, own.columns),
    organization_id: sql('workspaces').where('id', row.workspace_id).select('organization_id'),
  }),
);

const lookup = (build: (sql: Knex, id: string) => Knex.QueryBuilder) =>
  prepared((sql, { id }: { readonly id: string }) => build(sql, id));

const ofWorkspace = (things: Knex.QueryBuilder, id: string): Knex.QueryBuilder =>
  things.join('workspaces as w', 'w.id', 't.workspace_id').where('t.id', id).select('w.organization_id');

/** How the organization of a thing is found. */
const ways: Readonly<Record<AuditedThing['kind'], ReturnType<typeof lookup>>> = {
  organizations: lookup((sql, name) =>
    sql('organizations').where({ name, deleted_at: null }).select('id as organization_id'),
  ),
  workspaces: lookup((sql, id) => sql('workspaces').where({ id }).select('organization_id')),
  projects: lookup((sql, id) => sql('projects').where({ id }).select('organization_id')),
  teams: lookup((sql, id) => sql('teams').where({ id }).select('organization_id')),
  'team-workspaces': lookup((sql, id) => ofWorkspace(sql('team_workspaces as t'), id)),
  'team-projects': lookup((sql, id) =>
    sql('team_projects as t')
      .join('projects as p', 'p.id', 't.project_id')
      .where('t.id', id)
      .select('p.organization_id'),
  ),
  'organization-memberships': lookup((sql, id) =>
    sql('organization_memberships').where({ id }).select('organization_id'),
  ),
  'authentication-tokens': lookup((sql, id) =>
    sql('api_tokens as t').join('teams as p', 'p.id', 't.team_id').where('t.id', id).select('p.organization_id'),
  ),
  'configuration-versions': lookup((sql, id) => ofWorkspace(sql('configuration_versions as t'), id)),
  'state-versions': lookup((sql, id) => ofWorkspace(sql('state_versions as t'), id)),
  runs: lookup((sql, id) => ofWorkspace(sql('runs as t'), id)),
  'task-stages': lookup((sql, id) =>
    sql('task_stages as s')
      .join('runs as t', 't.id', 's.run_id')
      .join('workspaces as w', 'w.id', 't.workspace_id')
      .where('s.id', id)
      .select('w.organization_id'),
  ),
  'task-results': lookup((sql, id) =>
    sql('task_results as x')
      .join('task_stages as s', 's.id', 'x.task_stage_id')
      .join('runs as t', 't.id', 's.run_id')
      .join('workspaces as w', 'w.id', 't.workspace_id')
      .where('x.id', id)
      .select('w.organization_id'),
  ),
  tasks: lookup((sql, id) => sql('run_tasks').where({ id }).select('organization_id')),
  'notification-configurations': lookup((sql, id) => ofWorkspace(sql('notification_configurations as t'), id)),
  'policy-sets': lookup((sql, id) => sql('policy_sets').where({ id }).select('organization_id')),
  'policy-set-versions': lookup((sql, id) => sql('policy_set_versions').where({ id }).select('organization_id')),
  policies: lookup((sql, id) => sql('policies').where({ id }).select('organization_id')),
  tags: lookup((sql, id) => sql('tags').where({ id }).select('organization_id')),
  varsets: lookup((sql, id) => sql('variable_sets').where({ id }).select('organization_id')),
  'agent-pools': lookup((sql, id) => sql('agent_pools').where({ id }).select('organization_id')),
};

let made = 0;

/** In the order in which this process asks, and different from those of others. */
const nextChance = (): string => {
  made = (made + 1) % 0x10000;
  return made.toString(16).padStart(4, '0') + randomBytes(6).toString('hex');
};

export class KnexAuditTrail implements AuditTrail {
  constructor(
    private readonly db: Statements,
    private readonly now: () => Instant,
    /** For how long an event may still be kept once it has its time; 0 where those that have one earlier are kept earlier. */
    private readonly settlesInSeconds: number,
    private readonly changed: (id: WorkspaceId) => void,
  ) {}

  async add(event: NewAuditEvent, place: AuditPlace): Promise<void> {
    const at = this.now();
    const row = own.write({ ...event, id: auditEventId(at, nextChance()), at });
    const statement =
      place === 'site' || 'organizationId' in place
        ? inserted(this.db, 'audit_events', { ...row, organization_id: place === 'site' ? null : place.organizationId })
        : insertOfWorkspace(this.db, { ...row, workspace_id: place.workspaceId });
    await this.db.runLater(statement);
    if (place !== 'site' && place.workspaceId !== undefined) this.changed(place.workspaceId);
  }

  async organizationOf({ kind, id }: AuditedThing): Promise<OrganizationId | undefined> {
    const row = await this.db.first<{ readonly organization_id: OrganizationId | null }>(ways[kind](this.db, { id }));
    return row?.organization_id ?? undefined;
  }

  async slice(query: AuditQuery, after: string | undefined, limit: number): Promise<AuditSlice> {
    const { actorId, action } = query;
    const looked = () => this.ordered(query, after).select(...columnsOf('e', eventRows.columns));
    if (actorId === undefined && action === undefined) return this.found(looked().limit(limit + 1), limit);
    const way = query.oldestFirst ? 'asc' : 'desc';
    const matching = this.db.sql.from(looked().limit(maxLookedAt).as('l')).select(...columnsOf('l', eventRows.columns));
    if (actorId !== undefined) matching.where('l.actor_id', actorId);
    if (action !== undefined) matching.where('l.action', action);
    const slice = await this.found(matching.orderBy('l.id', way).limit(limit + 1), limit);
    if (slice.last !== undefined) return slice;
    const end = this.ordered(query, after)
      .select('e.id')
      .limit(1)
      .offset(maxLookedAt - 1);
    return { ...slice, last: (await this.db.first<{ readonly id: string }>(end))?.id };
  }

  async page(
    organizationId: OrganizationId,
    since: Instant | undefined,
    { number, size }: PageRequest,
  ): Promise<Page<AuditEvent>> {
    const { sql } = this.db;
    const query = { of: { organizationId }, since, until: undefined, oldestFirst: false };
    const ids = () => this.ordered(query, undefined).select('e.id');
    const total = await countOf(this.db, sql.from(ids().limit(maxNumbered).as('n')));
    const offset = (number - 1) * size;
    if (offset >= total) return { number, size, total, items: [] };
    const part = ids()
      .limit(Math.min(size, total - offset))
      .offset(offset);
    const rows = ofPage(sql('audit_events as e'), part, 'e').select(...columnsOf('e', eventRows.columns));
    return {
      number,
      size,
      total,
      items: (await this.db.all<object>(rows.orderBy('e.id', 'desc'))).map(eventRows.read),
    };
  }

  settledBefore(): Instant | undefined {
    return this.settlesInSeconds === 0 ? undefined : later(this.now(), -this.settlesInSeconds);
  }

  async forget(before: Instant, limit: number): Promise<number> {
    const { sql } = this.db;
    await this.db.run(sql('audit_horizon').where('forgotten_before', '<', before).update({ forgotten_before: before }));
    const old = sql('audit_events').where('id', '<', auditIdsFrom(before)).select('id').orderBy('id').limit(limit);
    return this.db.run(sql('audit_events').whereIn('id', old).delete());
  }

  private async found(rows: Knex.QueryBuilder, limit: number): Promise<AuditSlice> {
    const found = (await this.db.all<object>(rows)).map(eventRows.read);
    return found.length <= limit
      ? { items: found, last: undefined }
      : { items: found.slice(0, limit), last: found[limit - 1]?.id };
  }

  /** A range of one index. */
  private ordered(
    { of, since, until, oldestFirst }: Omit<AuditQuery, 'actorId' | 'action'>,
    after: string | undefined,
  ): Knex.QueryBuilder {
    const { sql } = this.db;
    const events = sql('audit_events as e').orderBy('e.id', oldestFirst ? 'asc' : 'desc');
    if (of === 'site') events.whereNull('e.organization_id');
    else if ('organizationId' in of) events.where('e.organization_id', of.organizationId);
    else {
      const living = sql('organizations').where({ id: of.removed, deleted_at: null }).select('id');
      events.where('e.organization_id', of.removed).whereNotExists(living);
    }
    if (since !== undefined) events.where('e.id', '>=', auditIdsFrom(since));
    if (until !== undefined) events.where('e.id', '<', auditIdsFrom(until));
    if (after !== undefined) events.where('e.id', oldestFirst ? '>' : '<', after);
    return events;
  }
}
