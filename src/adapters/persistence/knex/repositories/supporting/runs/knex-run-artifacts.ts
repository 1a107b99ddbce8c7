import type { RunArtifacts } from '../../../../../../application/ports/repositories/run-artifacts.js';
import type { ArtifactName, Bundle, BundleKey, RunId } from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import type { Statements } from '../../../engine/statements.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

interface ArtifactRow {
  readonly bundle_key: BundleKey;
  /** Postgres answers a bigint as text. */
  readonly bundle_bytes: number | string;
  readonly bundle_sha256: string;
}

const artifact = prepared((sql, { id, name }: { readonly id: RunId; readonly name: ArtifactName }) =>
  activeWorkspaces(
    sql('run_artifacts as a').join('runs as r', 'r.id', 'a.run_id').join('workspaces as w', 'w.id', 'r.workspace_id'),
  )
    .where({ 'a.run_id': id, 'a.name': name })
    .select('a.bundle_key', 'a.bundle_bytes', 'a.bundle_sha256'),
);

export class KnexRunArtifacts implements RunArtifacts {
  constructor(private readonly db: Statements) {}

  async find(id: RunId, name: ArtifactName): Promise<Bundle | undefined> {
    const row = await this.db.first<ArtifactRow>(artifact(this.db, { id, name }));
    return row && { key: row.bundle_key, bytes: Number(row.bundle_bytes), sha256: row.bundle_sha256 };
  }

  async put(id: RunId, name: ArtifactName, { key, bytes, sha256 }: Bundle): Promise<BundleKey | null> {
    const [replaced = null] = await this.drop(id, name);
    const row = { run_id: id, name, bundle_key: key, bundle_bytes: bytes, bundle_sha256: sha256 };
    await this.db.run(inserted(this.db, 'run_artifacts', row));
    return replaced;
  }

  async drop(id: RunId, name?: ArtifactName): Promise<readonly BundleKey[]> {
    const rows = () => this.db.sql('run_artifacts').where({ run_id: id, ...(name !== undefined && { name }) });
    const dropped = await this.db.all<ArtifactRow>(rows().select('bundle_key'));
    if (dropped.length > 0) await this.db.run(rows().delete());
    // Trials keep nothing of a plan that is no longer kept.
    if (name === undefined) await this.db.run(this.db.sql('policy_trial_plans').where('run_id', id).delete());
    return dropped.map(({ bundle_key }) => bundle_key);
  }
}
