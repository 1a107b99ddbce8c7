import type { Knex } from 'knex';
import { sealPrefix } from '../../../../../../application/ports/outside/secret-box.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  RunTaskRepository,
  WorkspaceTaskRepository,
} from '../../../../../../application/ports/repositories/run-task-repository.js';
import {
  type Actor,
  type ApplyingTask,
  alreadyTaken,
  type OrganizationId,
  type RunTask,
  type RunTaskId,
  type WithStanding,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../../../../domain/index.js';
import { idsByName, idsIn, ofOrganization, ofPage, withPart } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, countOf, pageOf, type Statements, throwIfStale, throwIfTaken } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

const taskRows = rowsOf<RunTask>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  url: row.url,
  description: row.description,
  enabled: as.flag(row.enabled),
  sealedHmacKey: row.hmac_key,
  workspaceTaskIds: as.joined(row.workspace_task_ids, idsIn),
  createdAt: row.created_at,
  revision: row.revision,
}));

const changeableTask = taskRows.except('id', 'organizationId', 'createdAt');

const attachedIds = `(select string_agg(a.id, ' ') from workspace_tasks as a where a.run_task_id = t.id)`;

/** Run tasks `t` of living organizations `o`. */
const activeTasks = (sql: Knex): Knex.QueryBuilder =>
  sql('run_tasks as t').join('organizations as o', 'o.id', 't.organization_id').whereNull('o.deleted_at');

const selectTasks = (sql: Knex, tasks: Knex.QueryBuilder): Knex.QueryBuilder =>
  tasks.select(...columnsOf('t', taskRows.columns), {
    organization_name: 'o.name',
    workspace_task_ids: sql.raw(attachedIds),
  });

const findTask = seeing(
  'organization',
  (sql, { id }: { readonly id: RunTaskId }) => selectTasks(sql, activeTasks(sql).where('t.id', id)),
  taskRows.read,
);

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

export class KnexRunTasks implements RunTaskRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: RunTaskId): Promise<WithStanding<RunTask> | undefined> {
    return findTask(this.db, actor, { id });
  }

  async find(id: RunTaskId): Promise<RunTask | undefined> {
    const { sql } = this.db;
    const row = await this.db.first<object>(selectTasks(sql, activeTasks(sql).where('t.id', id)));
    return row && taskRows.read(row);
  }

  page(organizationId: OrganizationId, page: PageRequest, search?: string): Promise<Page<RunTask>> {
    const { sql } = this.db;
    const listed = withPart(ofOrganization(sql, 'run_tasks', organizationId), 'l.name', search);
    const present = (part: Knex.QueryBuilder) =>
      selectTasks(sql, ofPage(activeTasks(sql), idsByName(part), 't'))
        .orderByRaw('lower(t.name)')
        .orderBy('t.id');
    return pageOf(this.db, listed, present, taskRows.read, page);
  }

  async add(task: RunTask): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'run_tasks', taskRows.write(task))), nameTaken);
  }

  async save(task: RunTask): Promise<void> {
    const { id, revision } = task;
    const row = this.db.sql('run_tasks').where({ id, revision: revision - 1 });
    const saved = this.db.run(row.update(changeableTask.write(task)));
    await throwIfTaken(throwIfStale({ table: 'run_tasks', id }, saved), nameTaken);
  }

  async remove(id: RunTaskId): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('workspace_tasks').where('run_task_id', id).delete());
    // If two remove it at once, the second decides again and finds nothing.
    await throwIfStale({ table: 'run_tasks', id }, this.db.run(sql('run_tasks').where({ id }).delete()));
  }

  async sealedWithOtherKeys(fingerprint: string, after: RunTaskId, limit: number): Promise<readonly RunTask[]> {
    const { sql } = this.db;
    const otherwise = activeTasks(sql)
      .where('t.id', '>', after)
      .whereNot('t.hmac_key', 'like', `${sealPrefix(fingerprint)}%`);
    return (await this.db.all<object>(selectTasks(sql, otherwise).orderBy('t.id').limit(limit))).map(taskRows.read);
  }
}

const attachmentRows = rowsOf<WorkspaceTask>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  taskId: row.run_task_id,
  enforcementLevel: row.enforcement_level,
  stages: as.json(row.stages),
  createdAt: row.created_at,
  revision: row.revision,
}));

const changeableAttachment = attachmentRows.only('enforcementLevel', 'stages', 'revision');

/** Workspace tasks `a` of living workspaces `w`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('workspace_tasks as a').join('workspaces as w', 'w.id', 'a.workspace_id'));

const findAttachment = seeing(
  'workspace',
  (sql, { workspaceId, id }: { readonly workspaceId: WorkspaceId; readonly id: WorkspaceTaskId }) =>
    living(sql)
      .where({ 'a.id': id, 'a.workspace_id': workspaceId })
      .select(...columnsOf('a', attachmentRows.columns)),
  attachmentRows.read,
);

const applyingRows = rowsOf<ApplyingTask>((row, as) => ({
  id: row.id,
  enforcementLevel: row.enforcement_level,
  stages: as.json(row.stages),
  task: { id: row.task_id, name: row.task_name, url: row.task_url },
}));

const applying = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  living(sql)
    .join('run_tasks as t', 't.id', 'a.run_task_id')
    .where('a.workspace_id', id)
    .whereRaw('t.enabled = TRUE')
    .select('a.id', 'a.enforcement_level', 'a.stages', { task_id: 't.id', task_name: 't.name', task_url: 't.url' })
    .orderBy(['a.created_at', 'a.id']),
);

const attachedAlready = () => alreadyTaken('task', 'Task');
const taken = { 'workspace_tasks.run_task_id': attachedAlready, workspace_tasks_once: attachedAlready };

export class KnexWorkspaceTasks implements WorkspaceTaskRepository {
  constructor(private readonly db: Statements) {}

  findFor(
    actor: Actor,
    workspaceId: WorkspaceId,
    id: WorkspaceTaskId,
  ): Promise<WithStanding<WorkspaceTask> | undefined> {
    return findAttachment(this.db, actor, { workspaceId, id });
  }

  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<WorkspaceTask>> {
    const present = (part: Knex.QueryBuilder) =>
      part.select(...columnsOf('a', attachmentRows.columns)).orderBy(['a.created_at', 'a.id']);
    return pageOf(this.db, this.of(workspaceId), present, attachmentRows.read, page);
  }

  async ofTasks(ids: readonly RunTaskId[]): Promise<readonly WorkspaceTask[]> {
    if (ids.length === 0) return [];
    const attached = living(this.db.sql).whereIn('a.run_task_id', ids);
    const rows = attached.select(...columnsOf('a', attachmentRows.columns)).orderBy(['a.created_at', 'a.id']);
    return (await this.db.all<object>(rows)).map(attachmentRows.read);
  }

  count(workspaceId: WorkspaceId): Promise<number> {
    return countOf(this.db, this.of(workspaceId));
  }

  async has(id: WorkspaceTaskId): Promise<boolean> {
    return (await this.db.first(living(this.db.sql).where('a.id', id).select('a.id'))) !== undefined;
  }

  async applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingTask[]> {
    return (await this.db.all<object>(applying(this.db, { id: workspaceId }))).map(applyingRows.read);
  }

  async add(task: WorkspaceTask): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'workspace_tasks', attachmentRows.write(task))), taken);
  }

  async save(task: WorkspaceTask): Promise<void> {
    const { id, revision } = task;
    const row = this.db.sql('workspace_tasks').where({ id, revision: revision - 1 });
    await throwIfStale({ table: 'workspace_tasks', id }, this.db.run(row.update(changeableAttachment.write(task))));
  }

  async remove(id: WorkspaceTaskId): Promise<void> {
    const row = this.db.sql('workspace_tasks').where({ id });
    await throwIfStale({ table: 'workspace_tasks', id }, this.db.run(row.delete()));
  }

  private of(id: WorkspaceId): Knex.QueryBuilder {
    return living(this.db.sql).where('a.workspace_id', id);
  }
}
