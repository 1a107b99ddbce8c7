import type { LocatedEvaluation, PolicyEvaluation } from '../../../../../domain/index.js';
import { rowsOf } from '../../engine/rows.js';

export const locatedRows = rowsOf<LocatedEvaluation>((row, as) => ({
  id: row.id,
  taskStageId: row.task_stage_id,
  kind: row.kind,
  status: row.status,
  policyToolVersion: row.policy_tool_version,
  resultCount: as.json(row.result_count),
  overridable: as.flag(row.overridable),
  statusTimestamps: as.json(row.status_timestamps),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
}));

export const changeableEvaluation = locatedRows.except('id', 'taskStageId', 'kind', 'createdAt');

export const evaluationFrom = ({ policy_sets, ...row }: { readonly policy_sets: string }): PolicyEvaluation => {
  const { taskStageId: _, ...evaluation } = locatedRows.read(row);
  return { ...evaluation, policySets: JSON.parse(policy_sets) };
};
