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
  idPrefixes,
  later,
  type NewAuditEvent,
  type OrganizationId,
  type UserId,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { ofPage } from '../../../engine/lists.js';
import { columnsFrom, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { type Compiled, columnsOf, countOf, type Statements } from '../../../engine/statements.js';
import { eraseName, forgetUsernames, personNamed } from './usernames.js';

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
  comment: row.comment,
  workspaceId: row.workspace_id,
  names: { actor: row.actor_name, subject: row.subject_name, workspace: row.workspace_name },
}));

/** All that an event says itself. */
const own = eventRows.except('organizationId', 'workspaceId', 'names');

/** The tables of what has a name, by the prefix of its ids. Names of people are looked up when events are read. */
const named: Readonly<Record<string, string>> = {
  [idPrefixes.organization]: 'organizations',
  [idPrefixes.workspace]: 'workspaces',
  [idPrefixes.project]: 'projects',
  [idPrefixes.team]: 'teams',
  [idPrefixes['policy-set']]: 'policy_sets',
  [idPrefixes.policy]: 'policies',
  [idPrefixes['variable-set']]: 'variable_sets',
  [idPrefixes['agent-pool']]: 'agent_pools',
  [idPrefixes['run-task']]: 'run_tasks',
};

/** The tables of what belongs to a workspace, by the prefix of its ids. */
const inWorkspaces: Readonly<Record<string, string>> = {
  [idPrefixes.run]: 'runs',
  [idPrefixes['configuration-version']]: 'configuration_versions',
  [idPrefixes['state-version']]: 'state_versions',
  [idPrefixes['team-workspace']]: 'team_workspaces',
};

/** `subject` is the first id in the subject of the event. Each variant of the statement has the tables of two prefixes. */
interface Insertion extends Readonly<Record<string, unknown>> {
  readonly organization_id: OrganizationId | null;
  readonly workspace_id: WorkspaceId | null;
  readonly actor_id: string | null;
  readonly subject_name: string | null;
  readonly subject_id: string | null;
}

const prefixOf = (id: string | null): string => id?.slice(0, id.indexOf('-')) ?? '';

const insertions = new Map<string, (db: Statements, row: Insertion) => Compiled>();

/**
 * Inserts an event with the names of what it is about. They are looked up by the same statement, as the organization is where
 * only the workspace is known.
 */
function insertion(db: Statements, row: Insertion): Compiled {
  const [actorPrefix, subjectPrefix] = [prefixOf(row.actor_id), prefixOf(row.subject_id)];
  const [actors, subjects, held] = [named[actorPrefix], named[subjectPrefix], inWorkspaces[subjectPrefix]];
  const key = `${actors} ${subjects} ${held}`;
  let statement = insertions.get(key);
  if (statement === undefined) {
    const isWorkspace = subjectPrefix === idPrefixes.workspace;
    statement = prepared<Insertion>((sql, given) => insertOf(sql, given, { actors, subjects, held, isWorkspace }));
    insertions.set(key, statement);
  }
  return statement(db, row);
}

interface Variant {
  readonly actors: string | undefined;
  readonly subjects: string | undefined;
  readonly held: string | undefined;
  readonly isWorkspace: boolean;
}

/** Nothing is named in the trail of the site, which others than members read. */
function insertOf(sql: Knex, given: Insertion, { actors, subjects, held, isWorkspace }: Variant): Knex.QueryBuilder {
  const { organization_id: organizationId, workspace_id: place, actor_id: actorId, subject_id: subjectId } = given;
  const row = columnsFrom(given, own.columns);
  const isOfSite = organizationId === null && place === null;
  if (isOfSite) return sql('audit_events').insert({ ...row, subject_name: given.subject_name });
  const ofSubject = held === undefined ? undefined : sql(held).where('id', subjectId).select('workspace_id');
  const workspace = () => {
    if (place !== null) return sql('workspaces').where('id', place);
    if (isWorkspace) return sql('workspaces').where('id', subjectId);
    return ofSubject && sql('workspaces').whereIn('id', ofSubject.clone());
  };
  const organization = () => organizationId ?? workspace()?.select('organization_id') ?? null;
  /** A refused caller may be of another organization, whose names are its own. */
  const nameIn = (table: string | undefined, id: string | null) => {
    const owner = organization();
    if (table === undefined || id === null || owner === null) return null;
    const ownerColumn = table === 'organizations' ? 'id' : 'organization_id';
    return sql(table).where('id', id).where(ownerColumn, owner).select('name');
  };
  return sql('audit_events').insert({
    ...row,
    organization_id: organization(),
    workspace_id: workspace()?.select('id') ?? null,
    workspace_name: workspace()?.select('name') ?? null,
    actor_name: nameIn(actors, actorId),
    subject_name: given.subject_name ?? nameIn(subjects, subjectId),
  });
}

/** The name that is shown of the id in a column: that of a person is not stored with the event. */
const nameOf = (sql: Knex, event: string, id: string, stored: string): Knex.Raw =>
  sql.raw(
    `coalesce((select n.username from audit_usernames as n where n.user_id = ??),
      (select nullif(u.username, '') from users as u where u.id = ??), ??)`,
    [`${event}.${id}`, `${event}.${id}`, `${event}.${stored}`],
  );

/** The columns of events as they are read. */
const shown = (sql: Knex, event: string) => [
  ...columnsOf(
    event,
    eventRows.columns.filter((column) => column !== 'actor_name' && column !== 'subject_name'),
  ),
  {
    actor_name: nameOf(sql, event, 'actor_id', 'actor_name'),
    subject_name: nameOf(sql, event, 'subject', 'subject_name'),
  },
];

/** A condition that an index of the trail has, or one on the events that are looked at. */
type Condition = (events: Knex.QueryBuilder, alias: string) => void;

/** The conditions of a query. Those with an index come first. */
function conditionsOf(query: AuditQuery): {
  readonly indexed: readonly Condition[];
  readonly others: readonly Condition[];
} {
  const { actorId, workspaceId, action, outcome, withoutRoutine } = query;
  const equal =
    (column: string, value: string): Condition =>
    (events, alias) =>
      void events.where(`${alias}.${column}`, value);
  const indexed: Condition[] = [];
  if (actorId !== undefined) indexed.push(equal('actor_id', actorId));
  if (workspaceId !== undefined) indexed.push(equal('workspace_id', workspaceId));
  // Word for word as the indexes: SQLite finds no partial index whose condition is written differently.
  if (outcome !== undefined && outcome !== 'done') {
    indexed.push((events, alias) => void events.whereRaw(`${alias}.outcome <> 'done'`));
  }
  if (withoutRoutine) {
    indexed.push(
      (events, alias) => void events.whereRaw(`not (${alias}.actor_kind = 'agent' and ${alias}.outcome = 'done')`),
    );
  }
  const others: Condition[] = [];
  if (outcome !== undefined && outcome !== 'refused') others.push(equal('outcome', outcome));
  if (action !== undefined) others.push(equal('action', action));
  return { indexed, others };
}

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
  'notification-configurations': lookup((sql, id) =>
    sql('notification_configurations as n')
      .leftJoin('workspaces as w', 'w.id', 'n.workspace_id')
      .leftJoin('projects as p', 'p.id', 'n.project_id')
      .leftJoin('teams as t', 't.id', 'n.team_id')
      .where('n.id', id)
      .select(sql.raw('coalesce(w.organization_id, p.organization_id, t.organization_id) as organization_id')),
  ),
  'run-triggers': lookup((sql, id) => ofWorkspace(sql('run_triggers as t'), id)),
  'policy-sets': lookup((sql, id) => sql('policy_sets').where({ id }).select('organization_id')),
  'policy-trials': lookup((sql, id) => sql('policy_trials').where({ id }).select('organization_id')),
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
    const row = own.write({ ...event, id: auditEventId(at, nextChance()), at, comment: event.comment ?? null });
    const [subjectId = null] = event.subject?.split('/') ?? [];
    const statement = insertion(this.db, {
      ...row,
      organization_id: place !== 'site' && 'organizationId' in place ? place.organizationId : null,
      workspace_id: (place !== 'site' && place.workspaceId) || null,
      actor_id: event.actor.id,
      subject_id: subjectId,
      subject_name: event.subjectName ?? null,
    });
    await this.db.runLater(statement);
    if (place !== 'site' && place.workspaceId !== undefined) this.changed(place.workspaceId);
  }

  async organizationOf({ kind, id }: AuditedThing): Promise<OrganizationId | undefined> {
    const row = await this.db.first<{ readonly organization_id: OrganizationId | null }>(ways[kind](this.db, { id }));
    return row?.organization_id ?? undefined;
  }

  async slice(query: AuditQuery, after: string | undefined, limit: number): Promise<AuditSlice> {
    const { sql } = this.db;
    const { indexed, others } = conditionsOf(query);
    const [leading, ...rest] = indexed;
    const ordered = () => {
      const events = this.ordered(query, after);
      leading?.(events, 'e');
      return events;
    };
    const filters = [...rest, ...others];
    if (filters.length === 0)
      return this.found(
        ordered()
          .select(shown(sql, 'e'))
          .limit(limit + 1),
        limit,
      );
    const way = query.oldestFirst ? 'asc' : 'desc';
    const looked = ordered()
      .select(...columnsOf('e', eventRows.columns))
      .limit(maxLookedAt);
    const matching = sql.from(looked.as('l')).select(shown(sql, 'l'));
    for (const filter of filters) filter(matching, 'l');
    const slice = await this.found(matching.orderBy('l.id', way).limit(limit + 1), limit);
    if (slice.last !== undefined) return slice;
    const end = ordered()
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
    const query = { of: { organizationId }, since, until: undefined, oldestFirst: false } as const;
    const ids = () => this.ordered(query, undefined).select('e.id');
    const total = await countOf(this.db, sql.from(ids().limit(maxNumbered).as('n')));
    const offset = (number - 1) * size;
    if (offset >= total) return { number, size, total, items: [] };
    const part = ids()
      .limit(Math.min(size, total - offset))
      .offset(offset);
    const rows = ofPage(sql('audit_events as e'), part, 'e').select(shown(sql, 'e'));
    return {
      number,
      size,
      total,
      items: (await this.db.all<object>(rows.orderBy('e.id', 'desc'))).map(eventRows.read),
    };
  }

  personNamed(username: string): Promise<UserId | undefined> {
    return personNamed(this.db, username);
  }

  eraseName(id: UserId): Promise<void> {
    return eraseName(this.db, id, this.now());
  }

  settledBefore(): Instant | undefined {
    return this.settlesInSeconds === 0 ? undefined : later(this.now(), -this.settlesInSeconds);
  }

  async forget(before: Instant, limit: number): Promise<number> {
    const { sql } = this.db;
    await this.db.run(sql('audit_horizon').where('forgotten_before', '<', before).update({ forgotten_before: before }));
    const old = sql('audit_events').where('id', '<', auditIdsFrom(before)).select('id').orderBy('id').limit(limit);
    const forgotten = await this.db.run(sql('audit_events').whereIn('id', old).delete());
    if (forgotten < limit) await forgetUsernames(this.db, before, limit);
    return forgotten;
  }

  private async found(rows: Knex.QueryBuilder, limit: number): Promise<AuditSlice> {
    const found = (await this.db.all<object>(rows)).map(eventRows.read);
    return found.length <= limit
      ? { items: found, last: undefined }
      : { items: found.slice(0, limit), last: found[limit - 1]?.id };
  }

  /** A range of one index. */
  private ordered(
    { of, since, until, oldestFirst }: Pick<AuditQuery, 'of' | 'since' | 'until' | 'oldestFirst'>,
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
