import type { ExecutionMode, UserId, Workspace } from '../../../../../../domain/index.js';
import { idsIn } from '../../../engine/lists.js';
import { rowsOf } from '../../../engine/rows.js';

interface ModeRow {
  readonly execution_mode: ExecutionMode;
  /** Whether it follows the organization, whatever its own mode says. */
  readonly inherits_execution_mode: boolean | number;
}

const modeFrom = (row: ModeRow): ExecutionMode | null => (row.inherits_execution_mode ? null : row.execution_mode);

export const modeToRow = ({ executionMode }: Workspace): ModeRow => ({
  execution_mode: executionMode ?? 'remote',
  inherits_execution_mode: executionMode === null,
});

export const workspaceRows = rowsOf<Workspace>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  projectId: row.project_id,
  name: row.name,
  description: row.description,
  autoApply: as.flag(row.auto_apply),
  executionMode: as.read(row, ['execution_mode', 'inherits_execution_mode'], modeFrom),
  terraformVersion: row.terraform_version,
  workingDirectory: row.working_directory,
  agentPoolId: row.agent_pool_id,
  executionDefaults: {
    executionMode: as.joined(row.default_execution_mode),
    agentPoolId: as.joined(row.default_agent_pool_id),
  },
  allowForceDelete: as.joined(row.force_delete_by_owners, (byOwners: boolean | number) => !byOwners),
  lock: as.group(row.lock_by_kind, {
    by: { kind: row.lock_by_kind, id: row.lock_by_id },
    reason: row.lock_reason,
    at: row.locked_at,
  }),
  repository: as.group(row.webhook_id, {
    cloneUrl: row.clone_url,
    branch: row.branch,
    credential: row.credential,
    webhookId: row.webhook_id,
    sealedWebhookKey: row.webhook_key,
    linkedBy: { kind: row.linked_by_kind, id: row.linked_by_id },
  }),
  allowDestroyPlan: as.flag(row.allow_destroy_plan),
  queueAllRuns: as.flag(row.queue_all_runs),
  speculativeEnabled: as.flag(row.speculative_enabled),
  fileTriggersEnabled: as.flag(row.file_triggers_enabled),
  triggerPrefixes: as.json(row.trigger_prefixes),
  triggerPatterns: as.json(row.trigger_patterns),
  globalRemoteState: as.flag(row.global_remote_state),
  source: row.source,
  sourceName: row.source_name,
  sourceUrl: row.source_url,
  structuredRunOutputEnabled: as.flag(row.structured_run_output_enabled),
  assessmentsEnabled: as.flag(row.assessments_enabled),
  autoApplyRunTrigger: as.flag(row.auto_apply_run_trigger),
  autoDestroy: as.group(row.auto_destroy_by_kind, {
    at: row.auto_destroy_at,
    activityDuration: row.auto_destroy_activity_duration,
    by: { kind: row.auto_destroy_by_kind, id: row.auto_destroy_by_id },
  }),
  inheritedDestruction: {
    ignored: as.flag(row.ignores_project_auto_destroy),
    since: row.inherited_destruction_since,
    doneFor: row.inherited_destruction_done_for,
    lastStateAt: as.joined(row.last_state_at),
    project: as.group(row.project_destroy_by_kind, {
      activityDuration: as.joined(row.project_destroy_activity_duration),
      since: as.joined(row.project_destroy_since),
      nextCheckAt: as.joined(row.project_destroy_next_check_at),
      // It may be of any kind: a union cannot be joined member by member.
      by: { kind: as.joined<'user'>(row.project_destroy_by_kind), id: as.joined<UserId>(row.project_destroy_by_id) },
    }),
  },
  tagNames: as.joined(row.tag_names, idsIn),
  retention: as.group(row.retention_id, { id: row.retention_id, days: row.retention_days }),
  organizationRetention: as.group(row.organization_retention_id, {
    id: as.joined(row.organization_retention_id),
    days: as.joined(row.organization_retention_days),
  }),
  currentConfigurationVersionId: row.current_configuration_version_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));
