import type { Knex } from 'knex';
import type {
  CommitReport,
  ConfigurationVersionQueries,
  ConfigurationVersionRepository,
  ConfigurationVersionSummary,
  VersionPlace,
} from '../../../application/ports/configuration-version-repository.js';
import type { Page, PageRequest } from '../../../application/ports/page.js';
import {
  type Actor,
  type BundleKey,
  ConfigurationVersion,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type IngressAttributes,
  type Instant,
  type Seen,
  type TokenOwner,
  type WorkspaceId,
} from '../../../domain/index.js';
import { inserting, prepared } from './engine/prepared.js';
import { columnsOf, type Statements, unlessStale } from './engine/statements.js';
import { livingWorkspaces } from './knex-workspaces.js';
import { seeing } from './standing.js';

interface VersionRow {
  readonly id: ConfigurationVersionId;
  readonly workspace_id: WorkspaceId;
  readonly sequence: number;
  readonly status: ConfigurationVersionState['status'];
  readonly origin: ConfigurationVersionState['origin'];
  readonly source: string;
  readonly auto_queue_runs: boolean | number;
  readonly speculative: boolean | number;
  readonly provisional: boolean | number;
  readonly error: string | null;
  readonly error_message: string;
  readonly status_timestamps: string;
  readonly bundle_key: BundleKey | null;
  readonly bundle_bytes: number | string;
  readonly bundle_sha256: string;
  readonly ingress_attributes_id: string | null;
  readonly purge_at: Instant | null;
  readonly created_by_kind: TokenOwner['kind'] | null;
  readonly created_by_id: string;
  readonly created_at: Instant;
  readonly revision: number;
}

/** What readers are shown: half of a row, and so half of what reading one takes. */
const summaryColumns = [
  'id',
  'status',
  'source',
  'auto_queue_runs',
  'speculative',
  'provisional',
  'error',
  'error_message',
  'status_timestamps',
  'ingress_attributes_id',
] as const satisfies readonly (keyof VersionRow)[];

const columns = [
  ...summaryColumns,
  'workspace_id',
  'sequence',
  'origin',
  'bundle_key',
  'bundle_bytes',
  'bundle_sha256',
  'purge_at',
  'created_by_kind',
  'created_by_id',
  'created_at',
  'revision',
] as const satisfies readonly (keyof VersionRow)[];

const changeableColumns = [
  'status',
  'auto_queue_runs',
  'speculative',
  'provisional',
  'error',
  'error_message',
  'status_timestamps',
  'bundle_key',
  'bundle_bytes',
  'bundle_sha256',
  'ingress_attributes_id',
  'purge_at',
  'revision',
] as const satisfies readonly (keyof VersionRow)[];

type ChangeableRow = Readonly<Record<(typeof changeableColumns)[number], unknown>>;

const changeableToRow = ({ bundle, failure, ...state }: ConfigurationVersionState): ChangeableRow => ({
  status: state.status,
  auto_queue_runs: state.autoQueueRuns,
  speculative: state.speculative,
  provisional: state.provisional,
  error: failure?.error ?? null,
  error_message: failure?.errorMessage ?? null,
  status_timestamps: JSON.stringify(state.statusTimestamps),
  bundle_key: bundle?.key ?? null,
  bundle_bytes: bundle?.bytes ?? null,
  bundle_sha256: bundle?.sha256 ?? null,
  ingress_attributes_id: state.ingressAttributesId,
  purge_at: state.purgeAt,
  revision: state.revision,
});

const toRow = (state: ConfigurationVersionState) => ({
  ...changeableToRow(state),
  id: state.id,
  workspace_id: state.workspaceId,
  sequence: state.sequence,
  origin: state.origin,
  source: state.source,
  created_by_kind: state.createdBy?.kind ?? null,
  created_by_id: state.createdBy?.id ?? null,
  created_at: state.createdAt,
});

type SummaryRow = Pick<VersionRow, (typeof summaryColumns)[number]>;

const summaryFromRow = (row: SummaryRow): ConfigurationVersionSummary => ({
  id: row.id,
  status: row.status,
  source: row.source,
  autoQueueRuns: Boolean(row.auto_queue_runs),
  speculative: Boolean(row.speculative),
  provisional: Boolean(row.provisional),
  failure: row.error === null ? null : { error: row.error, errorMessage: row.error_message },
  statusTimestamps: JSON.parse(row.status_timestamps),
  ingressAttributesId: row.ingress_attributes_id,
});

const fromRow = (row: VersionRow): ConfigurationVersionState => ({
  ...summaryFromRow(row),
  workspaceId: row.workspace_id,
  sequence: row.sequence,
  origin: row.origin,
  // Postgres answers a bigint as text.
  bundle: row.bundle_key && { key: row.bundle_key, bytes: Number(row.bundle_bytes), sha256: row.bundle_sha256 },
  purgeAt: row.purge_at,
  createdBy: row.created_by_kind && { kind: row.created_by_kind, id: row.created_by_id },
  createdAt: row.created_at,
  revision: row.revision,
});

const restoreFromRow = (row: VersionRow): ConfigurationVersion => ConfigurationVersion.restore(fromRow(row));

interface IngressAttributesRow {
  readonly id: string;
  readonly configuration_version_id: ConfigurationVersionId;
  readonly branch: string;
  readonly clone_url: string;
  readonly commit_message: string | null;
  readonly commit_sha: string;
  readonly commit_url: string | null;
  readonly compare_url: string | null;
  readonly identifier: string;
  readonly is_pull_request: boolean | number;
  readonly on_default_branch: boolean | number;
  readonly pull_request_number: number | null;
  readonly pull_request_url: string | null;
  readonly pull_request_title: string | null;
  readonly pull_request_body: string | null;
  readonly tag: string | null;
  readonly sender_username: string | null;
  readonly sender_avatar_url: string | null;
  readonly sender_html_url: string | null;
}

const ingressAttributesColumns = [
  'id',
  'configuration_version_id',
  'branch',
  'clone_url',
  'commit_message',
  'commit_sha',
  'commit_url',
  'compare_url',
  'identifier',
  'is_pull_request',
  'on_default_branch',
  'pull_request_number',
  'pull_request_url',
  'pull_request_title',
  'pull_request_body',
  'tag',
  'sender_username',
  'sender_avatar_url',
  'sender_html_url',
] as const satisfies readonly (keyof IngressAttributesRow)[];

const ingressAttributesToRow = (
  versionId: ConfigurationVersionId,
  attributes: IngressAttributes,
): IngressAttributesRow => ({
  id: attributes.id,
  configuration_version_id: versionId,
  branch: attributes.branch,
  clone_url: attributes.cloneUrl,
  commit_message: attributes.commitMessage,
  commit_sha: attributes.commitSha,
  commit_url: attributes.commitUrl,
  compare_url: attributes.compareUrl,
  identifier: attributes.identifier,
  is_pull_request: attributes.isPullRequest,
  on_default_branch: attributes.onDefaultBranch,
  pull_request_number: attributes.pullRequestNumber,
  pull_request_url: attributes.pullRequestUrl,
  pull_request_title: attributes.pullRequestTitle,
  pull_request_body: attributes.pullRequestBody,
  tag: attributes.tag,
  sender_username: attributes.senderUsername,
  sender_avatar_url: attributes.senderAvatarUrl,
  sender_html_url: attributes.senderHtmlUrl,
});

const ingressAttributesFromRow = (row: IngressAttributesRow): IngressAttributes => ({
  id: row.id,
  branch: row.branch,
  cloneUrl: row.clone_url,
  commitMessage: row.commit_message,
  commitSha: row.commit_sha,
  commitUrl: row.commit_url,
  compareUrl: row.compare_url,
  identifier: row.identifier,
  isPullRequest: Boolean(row.is_pull_request),
  onDefaultBranch: Boolean(row.on_default_branch),
  pullRequestNumber: row.pull_request_number,
  pullRequestUrl: row.pull_request_url,
  pullRequestTitle: row.pull_request_title,
  pullRequestBody: row.pull_request_body,
  tag: row.tag,
  senderUsername: row.sender_username,
  senderAvatarUrl: row.sender_avatar_url,
  senderHtmlUrl: row.sender_html_url,
});

/** A workspace's counter with one of its versions, or with none when the page lies past the end. */
type CountedRow = { readonly last_sequence: number } & (SummaryRow | { readonly id: null });

const hasVersion = (row: CountedRow): row is CountedRow & SummaryRow => row.id !== null;

/** Versions `v` of living workspaces `w`. */
const livingVersions = (sql: Knex): Knex.QueryBuilder =>
  livingWorkspaces(sql('configuration_versions as v').join('workspaces as w', 'w.id', 'v.workspace_id'));

const byId =
  (shown: readonly (keyof VersionRow)[]) =>
  (sql: Knex, { id }: { readonly id: ConfigurationVersionId }): Knex.QueryBuilder =>
    livingVersions(sql)
      .where('v.id', id)
      .select(...columnsOf('v', shown));

const version = prepared(byId(columns));
const findSeen = seeing('workspace', byId(columns), restoreFromRow);
const findSummarySeen = seeing('workspace', byId(summaryColumns), summaryFromRow);
const insertVersion = inserting('configuration_versions', columns);
const updateVersion = prepared(
  (sql, row: ChangeableRow & { readonly id: ConfigurationVersionId; readonly revision_before: number }) =>
    sql('configuration_versions')
      .where({ id: row.id, revision: row.revision_before })
      .update(Object.fromEntries(changeableColumns.map((column) => [column, row[column]]))),
);

/** Sequences are dense, so a page is a range of them below the counter: nothing is counted, and nothing skipped. */
const versionsInRange = prepared(
  (sql, range: { readonly workspaceId: WorkspaceId; readonly skipped: number; readonly reached: number }) =>
    livingWorkspaces(sql('workspaces as w'))
      .leftJoin('configuration_versions as v', (on) =>
        on
          .on('v.workspace_id', 'w.id')
          .on('v.sequence', '<=', sql.raw('w.last_sequence - cast(? as bigint)', [range.skipped]))
          .on('v.sequence', '>', sql.raw('w.last_sequence - cast(? as bigint)', [range.reached])),
      )
      .where('w.id', range.workspaceId)
      .select(...columnsOf('v', summaryColumns), 'w.last_sequence')
      .orderBy('v.sequence', 'desc'),
);

export class KnexConfigurationVersions implements ConfigurationVersionRepository, ConfigurationVersionQueries {
  constructor(private readonly db: Statements) {}

  async find(id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined> {
    const row = await this.db.first<VersionRow>(version(this.db, { id }));
    return row && restoreFromRow(row);
  }

  findFor(actor: Actor, id: ConfigurationVersionId): Promise<Seen<ConfigurationVersion> | undefined> {
    return findSeen(this.db, actor, { id });
  }

  findSummaryFor(actor: Actor, id: ConfigurationVersionId): Promise<Seen<ConfigurationVersionSummary> | undefined> {
    return findSummarySeen(this.db, actor, { id });
  }

  async add({ state }: ConfigurationVersion): Promise<void> {
    await this.db.run(insertVersion(this.db, toRow(state)));
  }

  save({ state }: ConfigurationVersion): Promise<void> {
    const row = { ...changeableToRow(state), id: state.id, revision_before: state.revision - 1 };
    return unlessStale({ table: 'configuration_versions', id: state.id }, this.db.run(updateVersion(this.db, row)));
  }

  async addIngressAttributes(id: ConfigurationVersionId, attributes: IngressAttributes): Promise<void> {
    const insert = this.db.sql('ingress_attributes').insert(ingressAttributesToRow(id, attributes));
    await this.db.run(insert.onConflict('configuration_version_id').ignore());
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
    const known = livingWorkspaces(sql('workspaces as w'))
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
    await this.db.run(insert.merge(['configuration_version_id']));
  }

  async uploaded(before: Instant, limit: number, after?: VersionPlace): Promise<readonly ConfigurationVersion[]> {
    // The status is part of the text, and no value bound to it: SQLite then knows the index that holds no other.
    const uploaded = this.living().whereRaw("v.status = 'uploaded'").where('v.created_at', '<', before);
    if (after !== undefined) uploaded.whereRaw('(v.created_at, v.id) > (?, ?)', [after.createdAt, after.id]);
    const rows = await this.db.all<VersionRow>(
      uploaded
        .select(...columnsOf('v', columns))
        .orderBy(['v.created_at', 'v.id'])
        .limit(limit),
    );
    return rows.map(restoreFromRow);
  }

  async page(workspaceId: WorkspaceId, { number, size }: PageRequest): Promise<Page<ConfigurationVersionSummary>> {
    const range = { workspaceId, skipped: (number - 1) * size, reached: number * size };
    const rows = await this.db.all<CountedRow>(versionsInRange(this.db, range));
    const items = rows.filter(hasVersion).map(summaryFromRow);
    return { number, size, total: rows[0]?.last_sequence ?? 0, items };
  }

  async ingressAttributes(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, IngressAttributes>> {
    const rows = await this.db.all<IngressAttributesRow>(
      this.living()
        .join('ingress_attributes as i', 'i.configuration_version_id', 'v.id')
        .whereIn('v.id', ids)
        .select(...columnsOf('i', ingressAttributesColumns)),
    );
    return new Map(rows.map((row) => [row.configuration_version_id, ingressAttributesFromRow(row)]));
  }

  private living(): Knex.QueryBuilder {
    return livingVersions(this.db.sql);
  }
}
