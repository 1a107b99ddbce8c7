import type { RunState } from '../../../../../../domain/index.js';
import { rowsOf } from '../../../engine/rows.js';

export const runRows = rowsOf<RunState>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  configurationVersionId: row.configuration_version_id,
  sequence: row.sequence,
  status: row.status,
  source: row.source,
  triggerDepth: row.trigger_depth,
  options: as.json(row.options),
  planOnly: as.flag(row.plan_only),
  savePlan: as.flag(row.save_plan),
  autoApply: as.flag(row.auto_apply),
  createdBy: as.group(row.created_by_kind, { kind: row.created_by_kind, id: row.created_by }),
  hasChanges: as.flag(row.has_changes),
  cancelRequested: as.flag(row.cancel_requested),
  decisions: as.json(row.decisions),
  planned: as.json(row.planned),
  applied: as.json(row.applied),
  failure: row.failure,
  // Null for files that were fetched before it was recorded: a number of 0.
  ownFiles: as.group(row.own_files, { key: row.own_files, bytes: as.number(row.own_files_bytes) }),
  lease: as.group(row.lease_pool_id, {
    poolId: row.lease_pool_id,
    agent: row.lease_agent,
    digest: row.lease_digest,
    expiresAt: row.lease_expires_at,
  }),
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  revision: row.revision,
}));
