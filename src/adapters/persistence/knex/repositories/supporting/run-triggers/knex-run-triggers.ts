import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  RunTriggerQuery,
  RunTriggerRepository,
} from '../../../../../../application/ports/repositories/run-trigger-repository.js';
import {
  type Actor,
  DomainError,
  type RunTriggerId,
  type WithStanding,
  type WorkspaceId,
  type WorkspaceRunTrigger,
} from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import {
  columnsOf,
  countOf,
  pageOf,
  type Statements,
  spelledOut,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { workspacesThrough } from '../../authorization/grant-rows.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

const table = 'run_triggers';

const rows = rowsOf<WorkspaceRunTrigger>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  workspaceName: as.joined(row.workspace_name),
  sourceId: row.source_id,
  sourceName: as.joined(row.source_name),
  organizationId: as.joined(row.organization_id),
  organizationName: as.joined(row.organization_name),
  createdBy: { kind: row.created_by_kind, id: row.created_by },
  createdAt: row.created_at,
}));

/** Triggers `t` of living workspaces `w` by living workspaces `s`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(
    sql(`${table} as t`)
      .join('workspaces as w', 'w.id', 't.workspace_id')
      .join('workspaces as s', 's.id', 't.source_id'),
  ).where('s.deleted_at', null);

const whole = (found: Knex.QueryBuilder): Knex.QueryBuilder =>
  found.select(...columnsOf('t', rows.columns), 'w.organization_id', {
    workspace_name: 'w.name',
    source_name: 's.name',
    organization_name: 'o.name',
  });

const findOne = seeing(
  'workspace',
  (sql, { id }: { readonly id: RunTriggerId }) => whole(living(sql).where('t.id', id)),
  rows.read,
);

const ofSource = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  sql(table).where('source_id', id).select('id').limit(1, spelledOut),
);

const following = prepared(
  (sql, { id, after, limit }: { readonly id: WorkspaceId; readonly after: RunTriggerId; readonly limit: number }) =>
    sql(table).where('source_id', id).where('id', '>', after).select('id').orderBy('id').limit(limit, spelledOut),
);

const connectedAlready = () =>
  new DomainError('attribute/taken', 'Sourceable has already been taken', { relationship: 'sourceable' });
const taken = { 'run_triggers.source_id': connectedAlready, run_triggers_once: connectedAlready };

const sides = { inbound: ['t.workspace_id', 's.id'], outbound: ['t.source_id', 'w.id'] } as const;

export class KnexRunTriggers implements RunTriggerRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: RunTriggerId): Promise<WithStanding<WorkspaceRunTrigger> | undefined> {
    return findOne(this.db, actor, { id });
  }

  async find(id: RunTriggerId): Promise<WorkspaceRunTrigger | undefined> {
    const row = await this.db.first<object>(whole(living(this.db.sql).where('t.id', id)));
    return row && rows.read(row);
  }

  page({ workspaceId, type, visibility }: RunTriggerQuery, page: PageRequest): Promise<Page<WorkspaceRunTrigger>> {
    const [own, other] = sides[type];
    const listed = living(this.db.sql).where(own, workspaceId);
    if (visibility !== 'all') listed.whereIn(other, workspacesThrough(this.db, visibility.throughTeams));
    const present = (part: Knex.QueryBuilder) => whole(part).orderBy(['t.created_at', 't.id']);
    return pageOf(this.db, listed, present, rows.read, page);
  }

  countSources(workspaceId: WorkspaceId): Promise<number> {
    return countOf(this.db, living(this.db.sql).where('t.workspace_id', workspaceId));
  }

  async hasTargets(sourceId: WorkspaceId): Promise<boolean> {
    return (await this.db.first(ofSource(this.db, { id: sourceId }))) !== undefined;
  }

  async after(sourceId: WorkspaceId, after: RunTriggerId, limit: number): Promise<readonly RunTriggerId[]> {
    const found = await this.db.all<{ readonly id: string }>(following(this.db, { id: sourceId, after, limit }));
    return found.map(({ id }) => id);
  }

  async add(trigger: WorkspaceRunTrigger): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, table, rows.write(trigger))), taken);
  }

  async remove(id: RunTriggerId): Promise<void> {
    await throwIfStale({ table, id }, this.db.run(this.db.sql(table).where({ id }).delete()));
  }
}
