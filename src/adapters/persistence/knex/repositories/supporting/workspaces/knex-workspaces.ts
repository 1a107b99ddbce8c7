import type { Knex } from 'knex';
import { sealPrefix } from '../../../../../../application/ports/outside/secret-box.js';
import type { WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  StateConsumersChange,
  WorkspaceOfRun,
  WorkspaceRepository,
} from '../../../../../../application/ports/repositories/workspace-repository.js';
import { runStanding } from '../../../../../../domain/authorization/actor.js';
import {
  type Actor,
  type AgentPoolId,
  alreadyTaken,
  type ConfigurationVersionId,
  type Instant,
  type OrganizationId,
  type ProjectId,
  type Standing,
  type WebhookId,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
  type WorkspaceVisibility,
} from '../../../../../../domain/index.js';
import { sorted } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import {
  columnsOf,
  pageOf,
  type Statements,
  spelledOut,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { workspacesThrough } from '../../authorization/grant-rows.js';
import { seeing, standingOnEach } from '../../authorization/standing.js';
import { dueInProject, firstInProject } from './inherited-destruction.js';
import { plainStatements } from './plain-workspace-lists.js';
import { WorkspaceLists } from './workspace-lists.js';
import { modeToRow, workspaceRows } from './workspace-rows.js';

const changeable = workspaceRows.except('id', 'organizationId', 'currentConfigurationVersionId', 'createdAt', 'source');

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const tagNames = `(select string_agg(t.name, ' ') from workspace_tags as wt join tags as t on t.id = wt.tag_id
  where wt.workspace_id = w.id)`;

/** The default of the project of a workspace `w` in an organization `o`, as `defaultsIn` says. */
const defaultOf = (column: string): string =>
  `coalesce((select dp.${column} from projects as dp where dp.id = w.project_id), o.${column})`;

const defaultModeOf = defaultOf('default_execution_mode');
const defaultPoolOf = defaultOf('default_agent_pool_id');

const select = (sql: Knex, workspaces: Knex.QueryBuilder): Knex.QueryBuilder =>
  workspaces.leftJoin('projects as pr', 'pr.id', 'w.project_id').select(...columnsOf('w', workspaceRows.columns), {
    default_execution_mode: sql.raw('coalesce(pr.default_execution_mode, o.default_execution_mode)'),
    default_agent_pool_id: sql.raw('coalesce(pr.default_agent_pool_id, o.default_agent_pool_id)'),
    last_state_at: 'w.last_state_at',
    project_destroy_by_kind: 'pr.auto_destroy_by_kind',
    project_destroy_by_id: 'pr.auto_destroy_by_id',
    project_destroy_activity_duration: 'pr.auto_destroy_activity_duration',
    project_destroy_since: 'pr.auto_destroy_since',
    project_destroy_next_check_at: 'pr.auto_destroy_next_check_at',
    organization_name: 'o.name',
    force_delete_by_owners: 'o.force_delete_by_owners',
    organization_retention_id: 'o.retention_id',
    organization_retention_days: 'o.retention_days',
    tag_names: sql.raw(tagNames),
  });

/** Keeps of a query that has workspaces as `w` the living ones, in living organizations `o`. */
export const activeWorkspaces = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.join('organizations as o', 'o.id', 'w.organization_id').where({ 'w.deleted_at': null, 'o.deleted_at': null });

const living = (sql: Knex): Knex.QueryBuilder => activeWorkspaces(sql('workspaces as w'));

const shown = { active: living, present: select };
const plain = plainStatements(shown);

/** The mode of a workspace `w` of an organization `o`, as `executionOf` says. */
export const executionModeOf = `case when w.inherits_execution_mode = TRUE then ${defaultModeOf} else w.execution_mode end`;

/** The pool of the same in mode `agent`. */
export const agentPoolOf = `coalesce(w.agent_pool_id, ${defaultPoolOf})`;

/** Keeps workspaces `w` of organizations `o` whose runs agents of these pools execute. */
export const executedBy = (
  sql: Knex,
  workspaces: Knex.QueryBuilder,
  poolIds: Knex.QueryBuilder | readonly AgentPoolId[],
): Knex.QueryBuilder =>
  workspaces.whereRaw(`${executionModeOf} = 'agent'`).whereIn(sql.raw(agentPoolOf) as never, poolIds as never);

const findById = seeing(
  'workspace',
  (sql, { id }: { readonly id: WorkspaceId }) => select(sql, living(sql).where('w.id', id)),
  workspaceRows.read,
);

const idOf = ({ id }: { readonly id: WorkspaceId }): WorkspaceId => id;

const findId = seeing(
  'workspace',
  (sql, { id }: { readonly id: WorkspaceId }) => living(sql).where('w.id', id).select('w.id'),
  idOf,
);

const dueForDestruction = prepared((sql, { now, limit }: { readonly now: Instant; readonly limit: number }) =>
  living(sql)
    .where('w.auto_destroy_at', '<=', now)
    .select('w.id')
    .orderBy(['w.auto_destroy_at', 'w.id'])
    .limit(limit, spelledOut),
);

const workspaceById = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  select(sql, living(sql).where('w.id', id)),
);

const findByName = seeing(
  'workspace',
  (sql, { organizationName, name }: { readonly organizationName: string; readonly name: string }) =>
    select(sql, living(sql).where({ 'o.name': organizationName, 'w.name': name })),
  workspaceRows.read,
);

/** Locked for as long as the transaction lasts, as all of SQLite is in any that may write. */
const lockedRow = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  sql('workspaces').where('id', id).select('id').forNoKeyUpdate(),
);

export class KnexWorkspaces implements WorkspaceRepository {
  constructor(
    private readonly db: Statements,
    private readonly isFilled: (name: string) => boolean,
  ) {}

  findFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<Workspace> | undefined> {
    return findById(this.db, actor, { id });
  }

  findIdFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<WorkspaceId> | undefined> {
    return findId(this.db, actor, { id });
  }

  findByNameFor(actor: Actor, organizationName: string, name: string): Promise<WithStanding<Workspace> | undefined> {
    return findByName(this.db, actor, { organizationName, name });
  }

  async find(id: WorkspaceId): Promise<Workspace | undefined> {
    const row = await this.db.first<object>(workspaceById(this.db, { id }));
    return row && workspaceRows.read(row);
  }

  async findByWebhook(id: WebhookId): Promise<Workspace | undefined> {
    return (await this.all(living(this.db.sql).where('w.webhook_id', id)))[0];
  }

  async sealedWithOtherKeys(fingerprint: string, after: WorkspaceId, limit: number): Promise<readonly Workspace[]> {
    const otherwise = living(this.db.sql)
      .where('w.id', '>', after)
      .whereNot('w.webhook_key', 'like', `${sealPrefix(fingerprint)}%`);
    return this.all(otherwise.orderBy('w.id').limit(limit));
  }

  async retaining(after: WorkspaceId, limit: number): Promise<readonly Workspace[]> {
    const retaining = living(this.db.sql).whereRaw('w.retention_days is not null').where('w.id', '>', after);
    return this.all(retaining.orderBy('w.id').limit(limit));
  }

  async withoutRetention(
    organizationId: OrganizationId,
    after: Pick<Workspace, 'createdAt' | 'id'> | null,
    limit: number,
  ): Promise<readonly Workspace[]> {
    const inheriting = living(this.db.sql).where('w.organization_id', organizationId).whereNull('w.retention_id');
    if (after !== null) inheriting.whereRaw('(w.created_at, w.id) > (?, ?)', [after.createdAt, after.id]);
    return this.all(inheriting.orderBy(['w.created_at', 'w.id']).limit(limit));
  }

  add(workspace: Workspace): Promise<void> {
    const row = { ...workspaceRows.write(workspace), ...modeToRow(workspace), last_sequence: 0 };
    return throwIfTaken(this.db.run(inserted(this.db, 'workspaces', row)), nameTaken);
  }

  save(workspace: Workspace): Promise<void> {
    const update = this.db
      .sql('workspaces')
      .where({ id: workspace.id, revision: workspace.revision - 1, deleted_at: null })
      .update({ ...changeable.write(workspace), ...modeToRow(workspace) });
    return throwIfTaken(throwIfStale({ table: 'workspaces', id: workspace.id }, this.db.run(update)), nameTaken);
  }

  async moveTo(projectId: ProjectId, ids: readonly WorkspaceId[], now: Instant): Promise<void> {
    const { sql } = this.db;
    const change = {
      project_id: projectId,
      inherited_destruction_since: now,
      updated_at: now,
      revision: sql.raw('revision + 1'),
    };
    await this.db.run(sql('workspaces').whereIn('id', ids).where('deleted_at', null).update(change));
  }

  async remove(id: WorkspaceId, now: Instant): Promise<void> {
    await this.db.run(this.db.sql('workspaces').where({ id, deleted_at: null }).update({ deleted_at: now }));
  }

  async promote(id: WorkspaceId, versionId: ConfigurationVersionId): Promise<void> {
    const { sql } = this.db;
    const sequenceOf = (id: Knex.Raw) => sql('configuration_versions').where('id', id).select('sequence');
    // Compared as values and not joined: an update that had to wait for the row asks again with what it then finds
    // there. A current version it cannot see yet was made meanwhile, so it is the newer one.
    const notNewer = sql.raw('(?) <= (?)', [
      sequenceOf(sql.raw('workspaces.current_configuration_version_id')),
      sequenceOf(sql.raw('?', [versionId])),
    ]);
    await this.db.run(
      sql('workspaces')
        .where({ id })
        .where((either) => either.whereNull('current_configuration_version_id').orWhere(notNewer))
        .update({ current_configuration_version_id: versionId }),
    );
  }

  async lockRow(id: WorkspaceId): Promise<void> {
    await this.db.runLater(lockedRow(this.db, { id }));
  }

  async visibleAmong(
    organizationId: OrganizationId,
    ids: readonly WorkspaceId[],
    visibility: WorkspaceVisibility,
  ): Promise<readonly WorkspaceId[]> {
    const among = living(this.db.sql).where('w.organization_id', organizationId).whereIn('w.id', ids);
    if (visibility !== 'all') among.whereIn('w.id', workspacesThrough(this.db, visibility.throughTeams));
    return (await this.db.all<{ id: WorkspaceId }>(among.select('w.id').orderBy('w.id'))).map(({ id }) => id);
  }

  async among(ids: readonly WorkspaceId[]): Promise<readonly Workspace[]> {
    if (ids.length === 0) return [];
    return this.all(living(this.db.sql).whereIn('w.id', ids));
  }

  visibleWithStanding(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    ids: readonly WorkspaceId[],
  ): Promise<readonly WithStanding<Workspace>[]> {
    return this.seen(organizationId, standing, visibility, living(this.db.sql).whereIn('w.id', ids));
  }

  using(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    poolIds: readonly AgentPoolId[],
  ): Promise<readonly WithStanding<Workspace>[]> {
    const serving = executedBy(this.db.sql, living(this.db.sql), poolIds);
    return this.seen(organizationId, standing, visibility, serving);
  }

  private async seen(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    workspaces: Knex.QueryBuilder,
  ): Promise<readonly WithStanding<Workspace>[]> {
    workspaces.where('w.organization_id', organizationId);
    if (visibility !== 'all') workspaces.whereIn('w.id', workspacesThrough(this.db, visibility.throughTeams));
    const found = await this.all(sorted(workspaces, 'w', 'lower(w.name)'));
    const standingOn = await standingOnEach(
      this.db,
      standing,
      found.map(({ id }) => id),
    );
    return found.map((subject) => ({ subject, standing: standingOn(subject.id) }));
  }

  async page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    filter: WorkspaceFilter = {},
  ): Promise<Page<WithStanding<Workspace>>> {
    const kept = {
      currentRuns: this.isFilled('current_runs'),
      everyCurrentRun: this.isFilled('current_runs') && this.isFilled('current_runs_of_all'),
      latestChanges: this.isFilled('latest_changes'),
    };
    const found = await new WorkspaceLists(this.db, organizationId, kept, shown, plain).page(visibility, filter, page);
    return this.seenOnEach(standing, found);
  }

  async stateConsumers(
    id: WorkspaceId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<Workspace>>> {
    const consumers = living(this.db.sql).whereIn('w.id', this.consumersOf(id).select('consumer_id'));
    if (visibility !== 'all') consumers.whereIn('w.id', workspacesThrough(this.db, visibility.throughTeams));
    const byName = (part: Knex.QueryBuilder) => sorted(select(this.db.sql, part), 'w', 'lower(w.name)');
    return this.seenOnEach(standing, await pageOf(this.db, consumers, byName, workspaceRows.read, page));
  }

  async dueForDestruction(now: Instant, limit: number): Promise<readonly WorkspaceId[]> {
    return (await this.db.all<{ readonly id: WorkspaceId }>(dueForDestruction(this.db, { now, limit }))).map(idOf);
  }

  async dueInProject(projectId: ProjectId, beganBy: Instant, limit: number): Promise<readonly WorkspaceId[]> {
    if (!this.isFilled('latest_changes')) return [];
    const due = dueInProject(this.db, { projectId, beganBy, limit });
    return (await this.db.all<{ readonly id: WorkspaceId }>(due)).map(idOf);
  }

  async firstInheriting(projectId: ProjectId): Promise<Instant | null> {
    const row = await this.db.first<{ readonly began_at: Instant }>(firstInProject(this.db, { projectId }));
    return row?.began_at ?? null;
  }

  async findForRun(readerId: WorkspaceId, sought: WorkspaceOfRun): Promise<WithStanding<Workspace> | undefined> {
    const { sql } = this.db;
    const named = 'id' in sought ? { 'w.id': sought.id } : { 'o.name': sought.organizationName, 'w.name': sought.name };
    const found = living(this.db.sql)
      .where(named)
      .join('workspaces as reader', (on) =>
        on.onVal('reader.id', readerId).on('reader.organization_id', 'w.organization_id').onNull('reader.deleted_at'),
      )
      .leftJoin('workspace_state_consumers as c', (on) =>
        on.on('c.workspace_id', 'w.id').onVal('c.consumer_id', readerId),
      );
    const row = await this.db.first<{ readonly shares_state: boolean | number }>(
      select(sql, found).select({ shares_state: sql.raw('w.global_remote_state = TRUE or c.consumer_id is not null') }),
    );
    return row && { subject: workspaceRows.read(row), standing: runStanding(Boolean(row.shares_state)) };
  }

  async changeStateConsumers(id: WorkspaceId, { removed, added }: StateConsumersChange): Promise<void> {
    const gone = this.consumersOf(id);
    if (removed !== 'all') {
      const visible = 'throughTeams' in removed ? workspacesThrough(this.db, removed.throughTeams) : [...removed];
      gone.whereIn('consumer_id', visible);
    }
    if (!Array.isArray(removed) || removed.length > 0) await this.db.run(gone.delete());
    if (added.length === 0) return;
    const { sql } = this.db;
    // Selected, and with a `where`, for the reasons that KnexPolicySets gives.
    const rows = sql('workspaces').whereIn('id', added).select(sql.raw('?', id), 'id');
    const insert = 'insert into workspace_state_consumers (workspace_id, consumer_id)';
    await this.db.run(sql.raw(`${insert} select * from ? as added where true on conflict do nothing`, [rows]));
  }

  private consumersOf(id: WorkspaceId): Knex.QueryBuilder {
    return this.db.sql('workspace_state_consumers').where('workspace_id', id);
  }

  private async seenOnEach(standing: Standing, found: Page<Workspace>): Promise<Page<WithStanding<Workspace>>> {
    const standingOn = await standingOnEach(
      this.db,
      standing,
      found.items.map(({ id }) => id),
    );
    return { ...found, items: found.items.map((subject) => ({ subject, standing: standingOn(subject.id) })) };
  }

  private async all(workspaces: Knex.QueryBuilder): Promise<readonly Workspace[]> {
    return (await this.db.all<object>(select(this.db.sql, workspaces))).map(workspaceRows.read);
  }
}
