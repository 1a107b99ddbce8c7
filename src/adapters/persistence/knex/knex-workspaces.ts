import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import { sealPrefix } from '../../../application/ports/secret-box.js';
import type { WorkspaceRepository } from '../../../application/ports/workspace-repository.js';
import {
  type Actor,
  type AgentPoolId,
  alreadyTaken,
  type ConfigurationVersionId,
  type ExecutionMode,
  type Instant,
  type LinkedRepository,
  notFound,
  type OrganizationId,
  type Seen,
  type Standing,
  type TeamId,
  type TokenOwner,
  type WebhookId,
  type Workspace,
  type WorkspaceId,
  type WorkspaceVisibility,
} from '../../../domain/index.js';
import { listSize, ofPage, partOf } from './engine/lists.js';
import { prepared } from './engine/prepared.js';
import { columnsOf, pageOf, type Statements, unlessStale, unlessTaken } from './engine/statements.js';
import { seeing, standingOnEach } from './standing.js';

interface WorkspaceRow {
  readonly id: WorkspaceId;
  readonly organization_id: OrganizationId;
  readonly organization_name: string;
  readonly default_execution_mode: ExecutionMode;
  readonly default_agent_pool_id: AgentPoolId | null;
  readonly name: string;
  readonly description: string | null;
  readonly auto_apply: boolean | number;
  readonly execution_mode: ExecutionMode;
  /** Whether it follows the organization, whatever its own mode says. */
  readonly inherits_execution_mode: boolean | number;
  readonly terraform_version: string;
  readonly working_directory: string;
  readonly agent_pool_id: AgentPoolId | null;
  readonly clone_url: string;
  readonly branch: string | null;
  readonly credential: string | null;
  readonly webhook_id: WebhookId | null;
  readonly webhook_key: string;
  readonly linked_by_kind: TokenOwner['kind'];
  readonly linked_by_id: string;
  readonly lock_by_kind: TokenOwner['kind'] | null;
  readonly lock_by_id: string;
  readonly lock_reason: string | null;
  readonly locked_at: Instant;
  readonly current_configuration_version_id: ConfigurationVersionId | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly revision: number;
}

const columns = [
  'id',
  'organization_id',
  'name',
  'description',
  'auto_apply',
  'execution_mode',
  'inherits_execution_mode',
  'terraform_version',
  'working_directory',
  'agent_pool_id',
  'clone_url',
  'branch',
  'credential',
  'webhook_id',
  'webhook_key',
  'linked_by_kind',
  'linked_by_id',
  'lock_by_kind',
  'lock_by_id',
  'lock_reason',
  'locked_at',
  'current_configuration_version_id',
  'created_at',
  'updated_at',
  'revision',
] as const satisfies readonly (keyof WorkspaceRow)[];

const repositoryToRow = (repository: LinkedRepository | null) => ({
  clone_url: repository?.cloneUrl ?? null,
  branch: repository?.branch ?? null,
  credential: repository?.credential ?? null,
  webhook_id: repository?.webhookId ?? null,
  webhook_key: repository?.sealedWebhookKey ?? null,
  linked_by_kind: repository?.linkedBy.kind ?? null,
  linked_by_id: repository?.linkedBy.id ?? null,
});

const changeableToRow = (workspace: Workspace) => ({
  name: workspace.name,
  description: workspace.description,
  auto_apply: workspace.autoApply,
  execution_mode: workspace.executionMode ?? 'remote',
  inherits_execution_mode: workspace.executionMode === null,
  terraform_version: workspace.terraformVersion,
  working_directory: workspace.workingDirectory,
  agent_pool_id: workspace.agentPoolId,
  ...repositoryToRow(workspace.repository),
  lock_by_kind: workspace.lock?.by.kind ?? null,
  lock_by_id: workspace.lock?.by.id ?? null,
  lock_reason: workspace.lock?.reason ?? null,
  locked_at: workspace.lock?.at ?? null,
  updated_at: workspace.updatedAt,
  revision: workspace.revision,
});

const toRow = (workspace: Workspace) => ({
  ...changeableToRow(workspace),
  id: workspace.id,
  organization_id: workspace.organizationId,
  current_configuration_version_id: workspace.currentConfigurationVersionId,
  last_sequence: 0,
  created_at: workspace.createdAt,
});

const lockFromRow = (row: WorkspaceRow): Workspace['lock'] =>
  row.lock_by_kind && {
    by: { kind: row.lock_by_kind, id: row.lock_by_id },
    reason: row.lock_reason,
    at: row.locked_at,
  };

const repositoryFromRow = (row: WorkspaceRow): LinkedRepository | null =>
  row.webhook_id && {
    cloneUrl: row.clone_url,
    branch: row.branch,
    credential: row.credential,
    webhookId: row.webhook_id,
    sealedWebhookKey: row.webhook_key,
    linkedBy: { kind: row.linked_by_kind, id: row.linked_by_id },
  };

const fromRow = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  name: row.name,
  description: row.description,
  autoApply: Boolean(row.auto_apply),
  executionMode: row.inherits_execution_mode ? null : row.execution_mode,
  terraformVersion: row.terraform_version,
  workingDirectory: row.working_directory,
  agentPoolId: row.agent_pool_id,
  organizationDefaults: { executionMode: row.default_execution_mode, agentPoolId: row.default_agent_pool_id },
  lock: lockFromRow(row),
  repository: repositoryFromRow(row),
  currentConfigurationVersionId: row.current_configuration_version_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
});

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const select = (workspaces: Knex.QueryBuilder): Knex.QueryBuilder =>
  workspaces.select(...columnsOf('w', columns), 'o.default_execution_mode', 'o.default_agent_pool_id', {
    organization_name: 'o.name',
  });

const byName = (matching: Knex.QueryBuilder): Knex.QueryBuilder =>
  select(matching).orderByRaw('lower(w.name)').orderBy('w.id');

/** Keeps of a query that has workspaces as `w` the living ones, in living organizations `o`. */
export const livingWorkspaces = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.join('organizations as o', 'o.id', 'w.organization_id').where({ 'w.deleted_at': null, 'o.deleted_at': null });

/** The mode of a workspace `w` of an organization `o`, as `executionOf` says. */
export const executionModeOf =
  'case when w.inherits_execution_mode = TRUE then o.default_execution_mode else w.execution_mode end';

const findById = seeing(
  'workspace',
  (sql, { id }: { readonly id: WorkspaceId }) => select(livingWorkspaces(sql('workspaces as w')).where('w.id', id)),
  fromRow,
);

const findId = seeing(
  'workspace',
  (sql, { id }: { readonly id: WorkspaceId }) =>
    livingWorkspaces(sql('workspaces as w')).where('w.id', id).select('w.id'),
  ({ id }: { readonly id: WorkspaceId }) => id,
);

const findByName = seeing(
  'workspace',
  (sql, { organizationName, name }: { readonly organizationName: string; readonly name: string }) =>
    select(livingWorkspaces(sql('workspaces as w')).where({ 'o.name': organizationName, 'w.name': name })),
  fromRow,
);

/** Locked for as long as the transaction lasts, as all of SQLite is in any that may write. */
const lockedRow = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  sql('workspaces').where('id', id).select('id').forNoKeyUpdate(),
);

const takeSequence = prepared(
  (sql, { id, current }: { readonly id: WorkspaceId; readonly current: ConfigurationVersionId | undefined }) => {
    const livingOrganization = sql('organizations as o')
      .whereRaw('o.id = workspaces.organization_id')
      .whereNull('o.deleted_at')
      .select('o.id');
    return sql('workspaces')
      .where({ id, deleted_at: null })
      .whereExists(livingOrganization)
      .update({
        last_sequence: sql.raw('last_sequence + 1'),
        ...(current !== undefined && { current_configuration_version_id: current }),
      })
      .returning('last_sequence');
  },
);

export class KnexWorkspaces implements WorkspaceRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: WorkspaceId): Promise<Seen<Workspace> | undefined> {
    return findById(this.db, actor, { id });
  }

  findIdFor(actor: Actor, id: WorkspaceId): Promise<Seen<WorkspaceId> | undefined> {
    return findId(this.db, actor, { id });
  }

  findByNameFor(actor: Actor, organizationName: string, name: string): Promise<Seen<Workspace> | undefined> {
    return findByName(this.db, actor, { organizationName, name });
  }

  async find(id: WorkspaceId): Promise<Workspace | undefined> {
    const row = await this.db.first<WorkspaceRow>(select(this.living().where('w.id', id)));
    return row && fromRow(row);
  }

  async findByWebhook(id: WebhookId): Promise<Workspace | undefined> {
    const row = await this.db.first<WorkspaceRow>(select(this.living().where('w.webhook_id', id)));
    return row && fromRow(row);
  }

  async sealedOtherwise(fingerprint: string, after: WorkspaceId, limit: number): Promise<readonly Workspace[]> {
    const otherwise = this.living()
      .where('w.id', '>', after)
      .whereNot('w.webhook_key', 'like', `${sealPrefix(fingerprint)}%`);
    return (await this.db.all<WorkspaceRow>(select(otherwise).orderBy('w.id').limit(limit))).map(fromRow);
  }

  add(workspace: Workspace): Promise<void> {
    return unlessTaken(this.db.run(this.db.sql('workspaces').insert(toRow(workspace))), nameTaken);
  }

  save(workspace: Workspace): Promise<void> {
    const update = this.db
      .sql('workspaces')
      .where({ id: workspace.id, revision: workspace.revision - 1, deleted_at: null })
      .update(changeableToRow(workspace));
    return unlessTaken(unlessStale({ table: 'workspaces', id: workspace.id }, this.db.run(update)), nameTaken);
  }

  async remove(id: WorkspaceId, now: Instant): Promise<void> {
    await this.db.run(this.db.sql('workspaces').where({ id, deleted_at: null }).update({ deleted_at: now }));
  }

  async takeSequence(id: WorkspaceId, versionId: ConfigurationVersionId, becomesCurrent: boolean): Promise<number> {
    const current = becomesCurrent ? versionId : undefined;
    const row = await this.db.first<{ last_sequence: number }>(takeSequence(this.db, { id, current }));
    if (row === undefined) throw notFound();
    return row.last_sequence;
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

  async takeTurn(id: WorkspaceId): Promise<void> {
    await this.db.first(lockedRow(this.db, { id }));
  }

  async visibleAmong(
    organizationId: OrganizationId,
    ids: readonly WorkspaceId[],
    visibility: WorkspaceVisibility,
  ): Promise<readonly WorkspaceId[]> {
    const among = this.living().where('w.organization_id', organizationId).whereIn('w.id', ids);
    if (visibility !== 'all') among.whereIn('w.id', this.grantedTo(visibility.throughTeams));
    return (await this.db.all<{ id: WorkspaceId }>(among.select('w.id').orderBy('w.id'))).map(({ id }) => id);
  }

  async page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<Seen<Workspace>>> {
    const found = await (visibility === 'all'
      ? this.pageOfAll(organizationId, page)
      : this.pageThrough(organizationId, visibility.throughTeams, page));
    const standingOn = await standingOnEach(
      this.db,
      standing,
      found.items.map(({ id }) => id),
    );
    return { ...found, items: found.items.map((subject) => ({ subject, standing: standingOn(subject.id) })) };
  }

  private async pageOfAll(organizationId: OrganizationId, page: PageRequest): Promise<Page<Workspace>> {
    const listed = (way: 'asc' | 'desc') =>
      this.db
        .sql('workspaces as l')
        .where({ 'l.organization_id': organizationId, 'l.deleted_at': null })
        .select('l.id')
        .orderByRaw(`lower(l.name) ${way}`)
        .orderBy('l.id', way);
    const total = await listSize(this.db, 'workspaces', organizationId);
    return partOf(this.db, total, (part) => byName(ofPage(this.living(), part(listed), 'w')), fromRow, page);
  }

  private pageThrough(
    organizationId: OrganizationId,
    teams: readonly TeamId[],
    page: PageRequest,
  ): Promise<Page<Workspace>> {
    const workspaces = this.living().where('w.organization_id', organizationId).whereIn('w.id', this.grantedTo(teams));
    return pageOf(this.db, workspaces, byName, fromRow, page);
  }

  private grantedTo(teams: readonly TeamId[]): Knex.QueryBuilder {
    return this.db.sql('team_workspaces').select('workspace_id').whereIn('team_id', teams);
  }

  private living(): Knex.QueryBuilder {
    return livingWorkspaces(this.db.sql('workspaces as w'));
  }
}
