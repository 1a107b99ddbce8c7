import type { Knex } from 'knex';
import type { PolicySetVersionRepository } from '../../../../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type Instant,
  type PolicySetId,
  type PolicySetVersion,
  type PolicySetVersionId,
  runStatusesInProgress,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, type Statements, throwIfStale } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';

const versionRows = rowsOf<PolicySetVersion>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  policySetId: row.policy_set_id,
  sequence: row.sequence,
  source: row.source,
  commit: as.group(row.commit_sha, {
    branch: row.branch,
    cloneUrl: row.clone_url,
    commitMessage: row.commit_message,
    commitSha: row.commit_sha,
    commitUrl: row.commit_url,
    identifier: row.identifier,
  }),
  status: row.status,
  failure: as.group(row.error, { error: row.error, errorMessage: row.error_message }),
  bundle: as.group(row.bundle_key, {
    key: row.bundle_key,
    bytes: as.number(row.bundle_bytes),
    sha256: row.bundle_sha256,
  }),
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by_id }),
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  supersededAt: row.superseded_at,
  revision: row.revision,
}));

const changeable = versionRows.only(
  'commit',
  'status',
  'failure',
  'bundle',
  'statusTimestamps',
  'updatedAt',
  'revision',
);

/** Versions `v` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('policy_set_versions as v').join('organizations as o', 'o.id', 'v.organization_id').whereNull('o.deleted_at');

const select = (versions: Knex.QueryBuilder): Knex.QueryBuilder =>
  versions.select(...columnsOf('v', versionRows.columns));

const findWithStanding = seeing(
  'organization',
  (sql, { id }: { readonly id: PolicySetVersionId }) =>
    select(living(sql).where('v.id', id).whereNotNull('v.policy_set_id')),
  versionRows.read,
);

export class KnexPolicySetVersions implements PolicySetVersionRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: PolicySetVersionId): Promise<WithStanding<PolicySetVersion> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async find(id: PolicySetVersionId): Promise<PolicySetVersion | undefined> {
    return (await this.allOf([id]))[0];
  }

  async allOf(ids: readonly PolicySetVersionId[]): Promise<readonly PolicySetVersion[]> {
    if (ids.length === 0) return [];
    const these = select(living(this.db.sql).whereIn('v.id', ids).orderBy('v.id'));
    return (await this.db.all<object>(these)).map(versionRows.read);
  }

  async add(version: PolicySetVersion): Promise<void> {
    await this.db.run(inserted(this.db, 'policy_set_versions', versionRows.write(version)));
  }

  async save(version: PolicySetVersion): Promise<void> {
    const { id, revision } = version;
    const row = this.db.sql('policy_set_versions').where({ id, revision: revision - 1 });
    // Kept apart from the other columns: it changes without a revision.
    const superseded = version.supersededAt === null ? {} : { superseded_at: version.supersededAt };
    const update = row.update({ ...changeable.write(version), ...superseded });
    await throwIfStale({ table: 'policy_set_versions', id }, this.db.run(update));
  }

  async supersede(id: PolicySetVersionId, now: Instant): Promise<void> {
    const row = this.db.sql('policy_set_versions').where({ id }).whereNull('superseded_at');
    await this.db.run(row.update({ superseded_at: now }));
  }

  async release(policySetId: PolicySetId, now: Instant): Promise<void> {
    const { sql } = this.db;
    await this.db.run(
      sql('policy_set_versions')
        .where('policy_set_id', policySetId)
        .update({ policy_set_id: null, superseded_at: sql.raw('coalesce(superseded_at, ?)', [now]) }),
    );
  }

  async unneeded(before: Instant, limit: number): Promise<readonly PolicySetVersion[]> {
    const { sql } = this.db;
    const inProgress = sql('policy_set_version_runs as u')
      .join('runs as r', 'r.id', 'u.run_id')
      .whereRaw('u.policy_set_version_id = v.id')
      .whereIn('r.status', runStatusesInProgress)
      .select('r.id');
    const unneeded = living(sql)
      .where('v.superseded_at', '<', before)
      .whereNotNull('v.bundle_key')
      .whereNotExists(inProgress)
      .orderBy('v.superseded_at')
      .limit(limit);
    return (await this.db.all<object>(select(unneeded))).map(versionRows.read);
  }
}
