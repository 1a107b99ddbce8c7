import type { Knex } from 'knex';
import type {
  CommitReport,
  ConfigurationVersionQueries,
  ConfigurationVersionRepository,
  ConfigurationVersionSummary,
  VersionPlace,
} from '../../../../../application/ports/repositories/configuration-version-repository.js';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import {
  type Actor,
  ConfigurationVersion,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type IngressAttributes,
  type Instant,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../domain/index.js';
import { columnsFrom, prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, mapMissing, type Statements, throwIfStale } from '../../engine/statements.js';
import { seeing } from '../authorization/standing.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';

/** The columns readers are shown: half of a row, and so half the cost of reading one. */
const summaryRows = rowsOf<ConfigurationVersionSummary>((row, as) => ({
  id: row.id,
  status: row.status,
  source: row.source,
  autoQueueRuns: as.flag(row.auto_queue_runs),
  speculative: as.flag(row.speculative),
  provisional: as.flag(row.provisional),
  failure: as.group(row.error, { error: row.error, errorMessage: row.error_message }),
  statusTimestamps: as.json(row.status_timestamps),
  ingressAttributesId: row.ingress_attributes_id,
}));

const versionRows = rowsOf<ConfigurationVersionState>((row, as) => ({
  ...summaryRows.literal(row, as),
  workspaceId: row.workspace_id,
  origin: row.origin,
  bundle: as.group(row.bundle_key, {
    key: row.bundle_key,
    bytes: as.number(row.bundle_bytes),
    sha256: row.bundle_sha256,
  }),
  purgeAt: row.purge_at,
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by_id }),
  createdAt: row.created_at,
  revision: row.revision,
}));

const changeable = versionRows.except('id', 'workspaceId', 'origin', 'source', 'createdBy', 'createdAt');

const restored = (row: object): ConfigurationVersion => ConfigurationVersion.restore(versionRows.read(row));

const ingressRows = rowsOf<IngressAttributes>((row, as) => ({
  id: row.id,
  branch: row.branch,
  cloneUrl: row.clone_url,
  commitMessage: row.commit_message,
  commitSha: row.commit_sha,
  commitUrl: row.commit_url,
  compareUrl: row.compare_url,
  identifier: row.identifier,
  isPullRequest: as.flag(row.is_pull_request),
  onDefaultBranch: as.flag(row.on_default_branch),
  pullRequestNumber: row.pull_request_number,
  pullRequestUrl: row.pull_request_url,
  pullRequestTitle: row.pull_request_title,
  pullRequestBody: row.pull_request_body,
  tag: row.tag,
  senderUsername: row.sender_username,
  senderAvatarUrl: row.sender_avatar_url,
  senderHtmlUrl: row.sender_html_url,
}));

/** A workspace's counter with one of its versions, or with none when the page lies past the end. */
type CountedRow = { readonly last_sequence: number; readonly id: ConfigurationVersionId | null };

/** Versions `v` of living workspaces `w`. */
const activeVersions = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('configuration_versions as v').join('workspaces as w', 'w.id', 'v.workspace_id'));

const byId =
  (columns: readonly string[]) =>
  (sql: Knex, { id }: { readonly id: ConfigurationVersionId }): Knex.QueryBuilder =>
    activeVersions(sql)
      .where('v.id', id)
      .select(...columnsOf('v', columns));

const version = prepared(byId(versionRows.columns));
const findWithStanding = seeing('workspace', byId(versionRows.columns), restored);
const findSummaryWithStanding = seeing('workspace', byId(summaryRows.columns), summaryRows.read);

/** Sequences are dense within a workspace, from 1, and never reused: the higher one is the newer version. */
const takeSequence = prepared(
  (sql, { id, current }: { readonly id: WorkspaceId; readonly current: ConfigurationVersionId | undefined }) =>
    sql('workspaces')
      .where({ id })
      .update({
        last_sequence: sql.raw('last_sequence + 1'),
        ...(current !== undefined && { current_configuration_version_id: current }),
      }),
);

/** With the sequence that was just taken: this finds none in a workspace that is deleted. */
const insertVersion = prepared((sql, row: { readonly workspace_id?: WorkspaceId }) => {
  const living = activeWorkspaces(sql('workspaces as w')).where('w.id', row.workspace_id);
  return sql('configuration_versions').insert({
    ...columnsFrom(row, versionRows.columns),
    sequence: living.select('w.last_sequence'),
  });
});

const updateVersion = prepared((sql, row: { readonly id: ConfigurationVersionId; readonly revision_before: number }) =>
  sql('configuration_versions')
    .where({ id: row.id, revision: row.revision_before })
    .update(columnsFrom(row, changeable.columns)),
);

/** Sequences are dense, so a page is a range of them below the counter: nothing is counted, and nothing skipped. */
const versionsInRange = prepared(
  (sql, range: { readonly workspaceId: WorkspaceId; readonly skipped: number; readonly reached: number }) =>
    activeWorkspaces(sql('workspaces as w'))
      .leftJoin('configuration_versions as v', (on) =>
        on
          .on('v.workspace_id', 'w.id')
          .on('v.sequence', '<=', sql.raw('w.last_sequence - cast(? as bigint)', [range.skipped]))
          .on('v.sequence', '>', sql.raw('w.last_sequence - cast(? as bigint)', [range.reached])),
      )
      .where('w.id', range.workspaceId)
      .select(...columnsOf('v', summaryRows.columns), 'w.last_sequence')
      .orderBy('v.sequence', 'desc'),
);

export class KnexConfigurationVersions implements ConfigurationVersionRepository, ConfigurationVersionQueries {
  constructor(private readonly db: Statements) {}

  async find(id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined> {
    const row = await this.db.first<object>(version(this.db, { id }));
    return row && restored(row);
  }

  findFor(actor: Actor, id: ConfigurationVersionId): Promise<WithStanding<ConfigurationVersion> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  findSummaryFor(
    actor: Actor,
    id: ConfigurationVersionId,
  ): Promise<WithStanding<ConfigurationVersionSummary> | undefined> {
    return findSummaryWithStanding(this.db, actor, { id });
  }

  async add({ state }: ConfigurationVersion, becomesCurrent = false): Promise<void> {
    const { id, workspaceId } = state;
    const current = becomesCurrent ? id : undefined;
    await this.db.runLater(takeSequence(this.db, { id: workspaceId, current }));
    await this.db.runLater(insertVersion(this.db, versionRows.write(state)), mapMissing('sequence'));
  }

  save({ state }: ConfigurationVersion): Promise<void> {
    const row = { ...changeable.write(state), id: state.id, revision_before: state.revision - 1 };
    return throwIfStale({ table: 'configuration_versions', id: state.id }, this.db.run(updateVersion(this.db, row)));
  }

  async addIngressAttributes(id: ConfigurationVersionId, attributes: IngressAttributes): Promise<void> {
    const row = { ...ingressRows.write(attributes), configuration_version_id: id };
    const insert = this.db.sql('ingress_attributes').insert(row);
    await this.db.runLater(insert.onConflict('configuration_version_id').ignore());
  }

  async isKnown(report: CommitReport): Promise<boolean> {
    const { workspaceId, delivery, cloneUrl, branch, commitSha, isPullRequest } = report;
    const { sql } = this.db;
    const reported = sql('configuration_versions as v')
      .join('ingress_attributes as i', 'i.configuration_version_id', 'v.id')
      .whereRaw('v.workspace_id = w.id')
      .whereNot('v.status', 'errored')
      .where({ 'i.clone_url': cloneUrl, 'i.branch': branch, 'i.commit_sha': commitSha })
      .where('i.is_pull_request', isPullRequest)
      .select('v.id');
    const delivered = sql('vcs_deliveries as d')
      .join('configuration_versions as v', 'v.id', 'd.configuration_version_id')
      .whereRaw('d.workspace_id = w.id')
      .whereNot('v.status', 'errored')
      .select('d.delivery');
    const known = activeWorkspaces(sql('workspaces as w'))
      .where('w.id', workspaceId)
      .where((either) => {
        either.whereExists(reported);
        if (delivery !== null) either.orWhereExists(delivered.where('d.delivery', delivery));
      })
      .select('w.id');
    return (await this.db.first(known)) !== undefined;
  }

  async addDelivery(workspaceId: WorkspaceId, delivery: string, id: ConfigurationVersionId): Promise<void> {
    const row = { workspace_id: workspaceId, delivery, configuration_version_id: id };
    const insert = this.db.sql('vcs_deliveries').insert(row).onConflict(['workspace_id', 'delivery']);
    await this.db.runLater(insert.merge(['configuration_version_id']));
  }

  async uploaded(
    before: Instant,
    limit: number,
    after?: VersionPlace,
    workspaceId?: WorkspaceId,
  ): Promise<readonly ConfigurationVersion[]> {
    // The status is part of the text, and no value bound to it: SQLite then knows the index that holds no other.
    const uploaded = this.living().whereRaw("v.status = 'uploaded'").where('v.created_at', '<', before);
    if (workspaceId === undefined) uploaded.where({ 'w.retention_id': null, 'o.retention_id': null });
    else uploaded.where('v.workspace_id', workspaceId);
    if (after !== undefined) uploaded.whereRaw('(v.created_at, v.id) > (?, ?)', [after.createdAt, after.id]);
    const rows = await this.db.all<object>(
      uploaded
        .select(...columnsOf('v', versionRows.columns))
        .orderBy(['v.created_at', 'v.id'])
        .limit(limit),
    );
    return rows.map(restored);
  }

  async among(ids: readonly ConfigurationVersionId[]): Promise<readonly ConfigurationVersionSummary[]> {
    if (ids.length === 0) return [];
    const versions = this.living().whereIn('v.id', ids);
    return (await this.db.all<object>(versions.select(...columnsOf('v', summaryRows.columns)))).map(summaryRows.read);
  }

  async page(workspaceId: WorkspaceId, { number, size }: PageRequest): Promise<Page<ConfigurationVersionSummary>> {
    const range = { workspaceId, skipped: (number - 1) * size, reached: number * size };
    const rows = await this.db.all<CountedRow>(versionsInRange(this.db, range));
    const items = rows.filter(({ id }) => id !== null).map(summaryRows.read);
    return { number, size, total: rows[0]?.last_sequence ?? 0, items };
  }

  async ingressAttributes(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, IngressAttributes>> {
    const rows = await this.db.all<{ readonly configuration_version_id: ConfigurationVersionId }>(
      this.living()
        .join('ingress_attributes as i', 'i.configuration_version_id', 'v.id')
        .whereIn('v.id', ids)
        .select(...columnsOf('i', ['configuration_version_id', ...ingressRows.columns])),
    );
    return new Map(rows.map((row) => [row.configuration_version_id, ingressRows.read(row)]));
  }

  private living(): Knex.QueryBuilder {
    return activeVersions(this.db.sql);
  }
}
