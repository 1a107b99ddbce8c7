import type {
  Effect,
  EffectOutbox,
  PendingEffect,
  Removals,
  RemovalTarget,
} from '../../../application/ports/effect-outbox.js';
import type {
  BundleKey,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import { columnsOf, type Statements } from './engine/statements.js';

interface EffectRow {
  readonly id: number | string;
  readonly kind: Effect['kind'];
  readonly payload: string;
  readonly attempts: number;
  readonly last_error: string | null;
}

const columns = ['id', 'kind', 'payload', 'attempts', 'last_error'] as const satisfies readonly (keyof EffectRow)[];

const toRow = (subject: string, { kind, ...payload }: Effect) => ({
  subject,
  kind,
  payload: JSON.stringify(payload),
  attempts: 0,
});

const fromRow = (row: EffectRow): PendingEffect => ({
  // Postgres answers a bigint as text.
  id: Number(row.id),
  effect: { kind: row.kind, ...JSON.parse(row.payload) },
  attempts: row.attempts,
  lastError: row.last_error,
});

export class KnexEffects implements EffectOutbox {
  constructor(private readonly db: Statements) {}

  async enqueue(subject: string, effects: readonly Effect[]): Promise<void> {
    if (effects.length === 0) return;
    await this.db.run(this.db.sql('effects').insert(effects.map((effect) => toRow(subject, effect))));
  }

  async due(now: Instant, limit: number): Promise<readonly PendingEffect[]> {
    const { sql } = this.db;
    const older = sql('effects as older').whereRaw('older.subject = e.subject and older.id < e.id').select('older.id');
    const rows = await this.db.all<EffectRow>(
      sql('effects as e')
        .whereNotExists(older)
        .where((come) => come.whereNull('e.not_before').orWhere('e.not_before', '<=', now))
        .select(...columnsOf('e', columns))
        .orderBy('e.id')
        .limit(limit),
    );
    return rows.map(fromRow);
  }

  async done(id: number): Promise<void> {
    await this.db.run(this.db.sql('effects').where({ id }).delete());
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    const { sql } = this.db;
    const tried = { attempts: sql.raw('attempts + 1'), last_error: error, not_before: notBefore };
    await this.db.run(sql('effects').where({ id }).update(tried));
  }
}

type Batch = Awaited<ReturnType<Removals['removeBatch']>>;

/** Takes rows away from the leaves down, so that no row ever refers to one that is gone. */
export class KnexRemovals implements Removals {
  constructor(private readonly db: Statements) {}

  async removeBatch({ kind, id }: RemovalTarget, limit: number): Promise<Batch> {
    if (kind === 'workspace') return this.removeFromWorkspace(id, limit);
    if (kind === 'organization') return this.removeFromOrganization(id, limit);
    await (kind === 'team' ? this.removeTeams({ id }) : this.removeUser(id));
    return { bundleKeys: [], finished: true };
  }

  private async removeFromWorkspace(id: WorkspaceId, limit: number): Promise<Batch> {
    const { sql } = this.db;
    const versions = await this.db.all<{ id: ConfigurationVersionId; bundle_key: BundleKey | null }>(
      sql('configuration_versions')
        .where('workspace_id', id)
        .select('id', 'bundle_key')
        .orderBy('sequence')
        .limit(limit),
    );
    await this.removeVersions(versions.map((version) => version.id));
    const finished = versions.length < limit;
    if (finished) {
      await this.db.run(sql('team_workspaces').where('workspace_id', id).delete());
      await this.db.run(sql('workspaces').where({ id }).delete());
    }
    return { bundleKeys: versions.flatMap(({ bundle_key }) => bundle_key ?? []), finished };
  }

  private async removeVersions(ids: readonly ConfigurationVersionId[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql } = this.db;
    for (const table of ['ingress_attributes', 'runs']) {
      await this.db.run(sql(table).whereIn('configuration_version_id', ids).delete());
    }
    await this.db.run(sql('configuration_versions').whereIn('id', ids).delete());
  }

  private async removeFromOrganization(id: OrganizationId, limit: number): Promise<Batch> {
    const { sql } = this.db;
    const workspace = await this.db.first<{ id: WorkspaceId }>(
      sql('workspaces').where('organization_id', id).select('id').limit(1),
    );
    if (workspace !== undefined) {
      return { ...(await this.removeFromWorkspace(workspace.id, limit)), finished: false };
    }
    await this.removeTeams({ organization_id: id });
    for (const table of ['organization_memberships', 'api_tokens']) {
      await this.db.run(sql(table).where('organization_id', id).delete());
    }
    await this.db.run(sql('organizations').where({ id }).delete());
    return { bundleKeys: [], finished: true };
  }

  private async removeTeams(which: { id: TeamId } | { organization_id: OrganizationId }): Promise<void> {
    const { sql } = this.db;
    for (const table of ['team_workspaces', 'team_members', 'api_tokens']) {
      await this.db.run(sql(table).whereIn('team_id', sql('teams').where(which).select('id')).delete());
    }
    await this.db.run(sql('teams').where(which).delete());
  }

  private async removeUser(id: UserId): Promise<void> {
    const { sql } = this.db;
    for (const table of ['api_tokens', 'team_members', 'organization_memberships']) {
      await this.db.run(sql(table).where('user_id', id).delete());
    }
    await this.db.run(sql('users').where({ id }).delete());
  }
}
