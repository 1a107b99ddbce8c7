import type { RemovalTarget } from '../../../../../application/ports/repositories/effect.js';
import type { Removals } from '../../../../../application/ports/repositories/effect-outbox.js';
import type {
  BundleKey,
  ConfigurationVersionId,
  OrganizationId,
  PolicySetVersionId,
  RunId,
  StateVersionId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../../../../domain/index.js';
import type { Statements } from '../../engine/statements.js';
import { forgetUninvited } from '../supporting/users/knex-users.js';
import { ofVariableSets } from '../supporting/variables/knex-variable-sets.js';

/** The remains of a run, logs above all, and code may be large: more at once could take longer than a statement may. */
const largeAtOnce = 20;

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
    const maxStates = Math.min(limit, largeAtOnce);
    const states = await this.db.all<{
      id: StateVersionId;
      bundle_key: BundleKey | null;
      json_bundle_key: BundleKey | null;
    }>(sql('state_versions').where('workspace_id', id).select('id', 'bundle_key', 'json_bundle_key').limit(maxStates));
    await this.removeStates(states.map((state) => state.id));
    const ofStates = states.flatMap((state) => [state.bundle_key ?? [], state.json_bundle_key ?? []].flat());
    if (states.length === maxStates) return { bundleKeys: ofStates, finished: false };

    const versions = await this.db.all<{ id: ConfigurationVersionId; bundle_key: BundleKey | null }>(
      sql('configuration_versions')
        .where('workspace_id', id)
        .select('id', 'bundle_key')
        .orderBy('sequence')
        .limit(limit),
    );
    const versionIds = versions.map((version) => version.id);
    // There may be any number of runs of one version: it stays until the last of them is gone.
    const maxRuns = Math.min(limit, largeAtOnce);
    const runs = await this.db.all<{ id: RunId; own_files: BundleKey | null }>(
      sql('runs').whereIn('configuration_version_id', versionIds).select('id', 'own_files').limit(maxRuns),
    );
    const ofRuns = [...(await this.removeRuns(runs.map((run) => run.id))), ...ofStates];
    for (const { own_files } of runs) if (own_files !== null) ofRuns.push(own_files);
    if (runs.length === maxRuns) return { bundleKeys: ofRuns, finished: false };

    await this.removeVersions(versionIds);
    const finished = versions.length < limit;
    if (finished) {
      for (const table of [
        'team_workspaces',
        'policy_set_workspaces',
        'policy_set_exclusions',
        'agent_pool_workspaces',
        'variable_set_workspaces',
        'variables',
        'workspace_tasks',
        'workspace_tags',
        'workspace_tag_bindings',
      ]) {
        await this.db.run(sql(table).where('workspace_id', id).delete());
      }
      const shared = sql('workspace_state_consumers').where('workspace_id', id).orWhere('consumer_id', id);
      await this.db.run(shared.delete());
      await this.db.run(sql('workspaces').where({ id }).delete());
    }
    return { bundleKeys: [...ofRuns, ...versions.flatMap(({ bundle_key }) => bundle_key ?? [])], finished };
  }

  private async removeStates(ids: readonly StateVersionId[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql } = this.db;
    for (const table of ['state_version_outputs', 'state_version_contents']) {
      await this.db.run(sql(table).whereIn('state_version_id', ids).delete());
    }
    await this.db.run(sql('state_versions').whereIn('id', ids).delete());
  }

  /** Answers the keys of what agents left of their plans. */
  private async removeRuns(ids: readonly RunId[]): Promise<readonly BundleKey[]> {
    if (ids.length === 0) return [];
    const { sql } = this.db;
    const left = () => sql('run_artifacts').whereIn('run_id', ids);
    const artifacts = await this.db.all<{ bundle_key: BundleKey }>(left().select('bundle_key'));
    const stages = () => sql('task_stages').whereIn('run_id', ids);
    const evaluations = () => sql('policy_evaluations').whereIn('task_stage_id', stages().select('id'));
    const sets = () => sql('policy_set_outcomes').whereIn('policy_evaluation_id', evaluations().select('id'));
    const outcomes = sql('policy_outcomes').whereIn('policy_set_outcome_id', sets().select('id'));
    const ofRuns = ['run_log_chunks', 'run_comments', 'policy_set_version_runs'].map((table) =>
      sql(table).whereIn('run_id', ids),
    );
    const results = () => sql('task_results').whereIn('task_stage_id', stages().select('id'));
    const ofResults = sql('task_result_outcomes').whereIn('task_result_id', results().select('id'));
    const ofStages = [ofResults, results(), outcomes, sets(), evaluations(), stages()];
    for (const rows of [left(), ...ofRuns, ...ofStages, sql('runs').whereIn('id', ids)]) {
      await this.db.run(rows.delete());
    }
    return artifacts.map(({ bundle_key }) => bundle_key);
  }

  private async removeVersions(ids: readonly ConfigurationVersionId[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql } = this.db;
    for (const table of ['ingress_attributes', 'vcs_deliveries']) {
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
    const maxCodes = Math.min(limit, largeAtOnce);
    const codes = sql('policy_codes').where('organization_id', id).select('sha256').limit(maxCodes);
    const ofOrganization = sql('policy_codes').where('organization_id', id);
    if ((await this.db.run(ofOrganization.whereIn('sha256', codes).delete())) === maxCodes) {
      return { bundleKeys: [], finished: false };
    }
    const archives = await this.db.all<{ id: PolicySetVersionId; bundle_key: BundleKey | null }>(
      sql('policy_set_versions').where('organization_id', id).select('id', 'bundle_key').limit(limit),
    );
    const archiveIds = archives.map((archive) => archive.id);
    if (archives.length > 0) await this.db.run(sql('policy_set_versions').whereIn('id', archiveIds).delete());
    const bundleKeys = archives.flatMap(({ bundle_key }) => bundle_key ?? []);
    if (archives.length === limit) return { bundleKeys, finished: false };
    await this.removeTeams({ organization_id: id });
    const members = await this.db.all<{ readonly user_id: UserId }>(
      sql('organization_memberships as m')
        .join('users as u', 'u.id', 'm.user_id')
        .where('m.organization_id', id)
        .whereRaw('u.registered = FALSE')
        .select('m.user_id'),
    );
    const sets = sql('policy_sets').where('organization_id', id).select('id');
    for (const table of ['policy_set_policies', 'policy_set_parameters']) {
      await this.db.run(sql(table).whereIn('policy_set_id', sets).delete());
    }
    const variableSets = sql('variable_sets').where('organization_id', id).select('id');
    for (const table of ofVariableSets) await this.db.run(sql(table).whereIn('variable_set_id', variableSets).delete());
    await this.db.run(sql('variable_sets').where('organization_id', id).delete());
    const pools = sql('agent_pools').where('organization_id', id).select('id');
    await this.db.run(sql('agent_tokens').whereIn('pool_id', pools).delete());
    for (const table of [
      'project_tag_bindings',
      'tags',
      'projects',
      'run_tasks',
      'agent_pools',
      'policy_sets',
      'policies',
      'organization_memberships',
      'api_tokens',
    ]) {
      await this.db.run(sql(table).where('organization_id', id).delete());
    }
    await forgetUninvited(
      this.db,
      members.map(({ user_id }) => user_id),
    );
    await this.db.run(sql('organizations').where({ id }).delete());
    return { bundleKeys, finished: true };
  }

  private async removeTeams(which: { id: TeamId } | { organization_id: OrganizationId }): Promise<void> {
    const { sql } = this.db;
    for (const table of ['team_workspaces', 'team_projects', 'team_members', 'api_tokens']) {
      await this.db.run(sql(table).whereIn('team_id', sql('teams').where(which).select('id')).delete());
    }
    await this.db.run(sql('teams').where(which).delete());
  }

  private async removeUser(id: UserId): Promise<void> {
    const { sql } = this.db;
    for (const table of ['sessions', 'identities', 'api_tokens', 'team_members', 'organization_memberships']) {
      await this.db.run(sql(table).where('user_id', id).delete());
    }
    // The id stays, or the next user of the address would get it, with the locks, versions and audit events that name it.
    await this.db.run(sql('users').where({ id }).update({ username: '', email: '' }));
  }
}
