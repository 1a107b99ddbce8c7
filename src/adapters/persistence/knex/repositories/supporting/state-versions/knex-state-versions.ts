import type { Knex } from 'knex';
import { sealPrefixOf } from '../../../../../../application/ports/outside/secret-box.js';
import {
  type Page,
  type PageRequest,
  partsWithin,
  type SliceSize,
} from '../../../../../../application/ports/repositories/page.js';
import type {
  StateVersionRepository,
  StateVersionSummary,
} from '../../../../../../application/ports/repositories/state-version-repository.js';
import type {
  Actor,
  Bundle,
  Instant,
  RunId,
  StateContents,
  StateOutput,
  StateVersion,
  StateVersionId,
  WithStanding,
  WorkspaceId,
} from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, type Statements, throwIfStale } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

const versionRows = rowsOf<StateVersion>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  source: row.source,
  runId: row.run_id,
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by_id }),
  serial: as.number(row.serial),
  lineage: row.lineage,
  md5: row.md5,
  size: as.number(row.size),
  status: row.status,
  bundle: as.group(row.bundle_key, {
    key: row.bundle_key,
    bytes: as.joined(row.size, Number),
    sha256: row.bundle_sha256,
  }),
  jsonBundle: as.group(row.json_bundle_key, {
    key: row.json_bundle_key,
    bytes: as.number(row.json_bundle_bytes),
    sha256: row.json_bundle_sha256,
  }),
  forced: as.flag(row.forced),
  outputsRead: as.flag(row.outputs_read),
  unreadReason: row.unread_because,
  rollbackOf: row.rollback_of,
  createdAt: row.created_at,
}));

const withoutData = versionRows.only('bundle', 'jsonBundle', 'status', 'outputsRead', 'unreadReason');

/** A workspace's counter with one of its state versions, or with none when the page lies past the end. */
type CountedRow = { readonly last_state_sequence: number; readonly id: StateVersionId | null };

// Spelled out and not bound: a plan that must fit any value does not use a partial index.
export const isFinalized = "sv.status = 'finalized'";

/** State versions `sv` of living workspaces `w`. */
export const activeVersions = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('state_versions as sv').join('workspaces as w', 'w.id', 'sv.workspace_id'));

const byId = (sql: Knex, { id }: { readonly id: StateVersionId }): Knex.QueryBuilder =>
  activeVersions(sql)
    .where('sv.id', id)
    .select(...columnsOf('sv', versionRows.columns));

const version = prepared(byId);
const findWithStanding = seeing(
  'workspace',
  (sql, sought: { readonly id: StateVersionId }) =>
    byId(sql, sought).whereRaw(`(sv.status <> 'pending' or sv.source = 'client')`),
  versionRows.read,
);

const currentOf = prepared((sql, { workspaceId }: { readonly workspaceId: WorkspaceId }) =>
  activeVersions(sql)
    .where('sv.workspace_id', workspaceId)
    .whereRaw('sv.sequence = w.last_state_sequence')
    .select(...columnsOf('sv', versionRows.columns)),
);

const pendingOf = prepared((sql, { runId }: { readonly runId: RunId }) =>
  activeVersions(sql)
    .where('sv.run_id', runId)
    .whereRaw("sv.status = 'pending' and sv.source = 'agent'")
    .select(...columnsOf('sv', versionRows.columns)),
);

const pendingOfClientIn = prepared((sql, { workspaceId }: { readonly workspaceId: WorkspaceId }) =>
  activeVersions(sql)
    .where('sv.workspace_id', workspaceId)
    .whereRaw("sv.status = 'pending' and sv.source = 'client'")
    .select(...columnsOf('sv', versionRows.columns)),
);

/** Sequences are dense, so a page is a range of them below the counter: nothing is counted, and nothing skipped. */
const versionsInRange = prepared(
  (sql, range: { readonly workspaceId: WorkspaceId; readonly skipped: number; readonly reached: number }) =>
    activeWorkspaces(sql('workspaces as w'))
      .leftJoin('state_versions as sv', (on) =>
        on
          .on('sv.workspace_id', 'w.id')
          .on('sv.sequence', '<=', sql.raw('w.last_state_sequence - cast(? as bigint)', [range.skipped]))
          .on('sv.sequence', '>', sql.raw('w.last_state_sequence - cast(? as bigint)', [range.reached])),
      )
      .where('w.id', range.workspaceId)
      .select(...columnsOf('sv', versionRows.columns), 'w.last_state_sequence')
      .orderBy('sv.sequence', 'desc'),
);

const contentRows = rowsOf<StateContents & { readonly id: StateVersionId }>((row, as) => ({
  id: row.state_version_id,
  terraformVersion: row.terraform_version,
  resourceCount: row.resource_count,
  resources: as.json(row.resources),
  warnings: as.json(row.warnings),
}));

type Some = {
  readonly ids: readonly StateVersionId[];
};

const contentsOf = (sql: Knex, { ids }: Some): Knex.QueryBuilder =>
  sql('state_version_contents').whereIn('state_version_id', ids);

const wholeContents = prepared((sql, some: Some) => contentsOf(sql, some).select(contentRows.columns));

const contentsWithoutResources = prepared((sql, some: Some) =>
  contentsOf(sql, some).select('state_version_id', 'terraform_version', 'resource_count', 'warnings', {
    resources: sql.raw("'[]'"),
  }),
);

const summaries = prepared((sql, { ids }: Some) =>
  activeVersions(sql)
    .leftJoin('state_version_contents as c', 'c.state_version_id', 'sv.id')
    .whereIn('sv.id', ids)
    .whereRaw(isFinalized)
    .select(
      ...columnsOf('sv', versionRows.columns),
      'c.state_version_id',
      'c.terraform_version',
      'c.resource_count',
      'c.warnings',
      {
        resources: sql.raw("'[]'"),
      },
    ),
);

const readContents = (row: object): StateContents => {
  const { id: _, ...contents } = contentRows.read(row);
  return contents;
};

export const outputRows = rowsOf<StateOutput>((row, as) => ({
  id: row.id,
  stateVersionId: row.state_version_id,
  name: row.name,
  type: row.type,
  sensitive: as.flag(row.sensitive),
  value: row.value,
}));

const outputToRow = (output: StateOutput) => ({
  ...outputRows.write(output),
  sealed_by: output.sensitive ? sealPrefixOf(output.value) : null,
  size: output.value.length + output.type.length,
});

/** The limits of one statement that inserts. */
const outputsAtOnce: SliceSize = { rows: 100, characters: 256 * 1024 };

const nextSequence = prepared((sql, { workspaceId }: { readonly workspaceId: WorkspaceId }) =>
  sql('workspaces')
    .where({ id: workspaceId })
    .update({ last_state_sequence: sql.raw('last_state_sequence + 1') }),
);

type Finalized = Pick<StateVersion, 'id' | 'workspaceId'> & Pick<Bundle, 'key' | 'bytes' | 'sha256'>;

const finalized = prepared((sql, { id, workspaceId, key, bytes, sha256 }: Finalized) =>
  sql('state_versions')
    .where({ id, status: 'pending' })
    .update({
      status: 'finalized',
      sequence: sql('workspaces').where({ id: workspaceId }).select('last_state_sequence'),
      bundle_key: key,
      size: bytes,
      bundle_sha256: sha256,
    }),
);

export class KnexStateVersions implements StateVersionRepository {
  constructor(private readonly db: Statements) {}

  async find(id: StateVersionId): Promise<StateVersion | undefined> {
    const row = await this.db.first<object>(version(this.db, { id }));
    return row && versionRows.read(row);
  }

  findFor(actor: Actor, id: StateVersionId): Promise<WithStanding<StateVersion> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async current(workspaceId: WorkspaceId): Promise<StateVersion | undefined> {
    const row = await this.db.first<object>(currentOf(this.db, { workspaceId }));
    return row && versionRows.read(row);
  }

  async pending(runId: RunId): Promise<StateVersion | undefined> {
    const row = await this.db.first<object>(pendingOf(this.db, { runId }));
    return row && versionRows.read(row);
  }

  async pendingOfClient(workspaceId: WorkspaceId): Promise<StateVersion | undefined> {
    const row = await this.db.first<object>(pendingOfClientIn(this.db, { workspaceId }));
    return row && versionRows.read(row);
  }

  async add(version: StateVersion, outputs: readonly StateOutput[]): Promise<void> {
    await this.db.runLater(inserted(this.db, 'state_versions', versionRows.write(version)));
    await this.insertOutputs(outputs);
  }

  private async insertOutputs(outputs: readonly StateOutput[]): Promise<void> {
    for (const rows of partsWithin(outputs.map(outputToRow), outputsAtOnce)) {
      const insert = this.db
        .sql('state_version_outputs')
        .insert(rows)
        .onConflict(['state_version_id', 'name'])
        .ignore();
      await this.db.runLater(insert);
    }
  }

  async finalize({ id, workspaceId }: StateVersion, bundle: Bundle): Promise<void> {
    await this.db.runLater(nextSequence(this.db, { workspaceId }));
    const { key, bytes, sha256 } = bundle;
    const update = finalized(this.db, { id, workspaceId, key, bytes, sha256 });
    await throwIfStale({ table: 'state_versions', id }, this.db.run(update));
  }

  async dropPending(runId: RunId): Promise<void> {
    const { sql } = this.db;
    const pending = () =>
      sql('state_versions').where({ run_id: runId }).whereRaw("status = 'pending' and source = 'agent'");
    await this.db.run(sql('state_version_outputs').whereIn('state_version_id', pending().select('id')).delete());
    await this.db.run(pending().delete());
  }

  async dropPendingOfClient(workspaceId: WorkspaceId): Promise<void> {
    // Its outputs are read from its bytes, so that it has none yet.
    const pending = this.db.sql('state_versions').where({ workspace_id: workspaceId });
    await this.db.run(pending.whereRaw("status = 'pending' and source = 'client'").delete());
  }

  async keepJson(id: StateVersionId, bundle: Bundle): Promise<void> {
    const columns = { json_bundle_key: bundle.key, json_bundle_bytes: bundle.bytes, json_bundle_sha256: bundle.sha256 };
    const update = this.db.sql('state_versions').where({ id }).update(columns);
    await throwIfStale({ table: 'state_versions', id }, this.db.run(update));
  }

  async addOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void> {
    await this.markOutputs(id, false);
    await this.insertOutputs(outputs);
  }

  async keepOutputs(id: StateVersionId, outputs: readonly StateOutput[]): Promise<void> {
    await this.markOutputs(id, true);
    await this.insertOutputs(outputs);
  }

  /** Locks the row either way: the data of the state cannot be deleted meanwhile. */
  private async markOutputs(id: StateVersionId, read: boolean): Promise<void> {
    const unread = this.db.sql('state_versions').where({ id, outputs_read: false }).update({ outputs_read: read });
    await throwIfStale({ table: 'state_versions', id }, this.db.run(unread));
  }

  async markUnread(id: StateVersionId, reason: string | null): Promise<void> {
    await this.db.run(this.db.sql('state_versions').where({ id }).update({ unread_because: reason }));
  }

  async keepContents(id: StateVersionId, contents: StateContents): Promise<void> {
    const row = contentRows.write({ id, ...contents });
    await this.db.run(this.db.sql('state_version_contents').insert(row).onConflict('state_version_id').ignore());
  }

  async contentsOf(
    ids: readonly StateVersionId[],
    whole: boolean,
  ): Promise<ReadonlyMap<StateVersionId, StateContents>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.all<object>((whole ? wholeContents : contentsWithoutResources)(this.db, { ids }));
    return new Map(rows.map(contentRows.read).map(({ id, ...contents }) => [id, contents]));
  }

  async outdated(workspaceId: WorkspaceId, before: Instant, limit: number): Promise<readonly StateVersion[]> {
    const outdated = activeVersions(this.db.sql)
      .where('sv.workspace_id', workspaceId)
      .whereRaw(isFinalized)
      .where('sv.created_at', '<', before)
      .whereRaw('sv.sequence < w.last_state_sequence')
      .select(...columnsOf('sv', versionRows.columns));
    const rows = await this.db.all<object>(outdated.orderBy(['sv.created_at', 'sv.id']).limit(limit));
    return rows.map(versionRows.read);
  }

  async deleteData(id: StateVersionId): Promise<void> {
    const { sql } = this.db;
    for (const table of ['state_version_outputs', 'state_version_contents']) {
      await this.db.run(sql(table).where('state_version_id', id).delete());
    }
    const gone = withoutData.write({
      bundle: null,
      jsonBundle: null,
      status: 'backing_data_permanently_deleted',
      outputsRead: true,
      unreadReason: null,
    });
    await this.db.run(sql('state_versions').where({ id, status: 'finalized' }).update(gone));
  }

  async among(ids: readonly StateVersionId[]): Promise<readonly StateVersionSummary[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.all<{ readonly state_version_id: StateVersionId | null }>(summaries(this.db, { ids }));
    return rows.map((row) => ({
      version: versionRows.read(row),
      contents: row.state_version_id === null ? undefined : readContents(row),
    }));
  }

  async page(workspaceId: WorkspaceId, { number, size }: PageRequest): Promise<Page<StateVersion>> {
    const range = { workspaceId, skipped: (number - 1) * size, reached: number * size };
    const rows = await this.db.all<CountedRow>(versionsInRange(this.db, range));
    const items = rows.flatMap((row) => (row.id === null ? [] : versionRows.read(row)));
    return { number, size, total: rows[0]?.last_state_sequence ?? 0, items };
  }
}
