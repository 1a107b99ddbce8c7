import type { AppliedPolicySet, LocatedEvaluation, Policy, PolicyEvaluation } from '../../../../../domain/index.js';
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

/** A set as earlier releases stored it too, which knew neither code nor versions. */
type StoredSet = Omit<AppliedPolicySet, 'policies' | 'policyToolVersion' | 'archive'> & {
  readonly policies: readonly Policy[];
};

const appliedFrom = (set: StoredSet): AppliedPolicySet => ({
  policyToolVersion: null,
  archive: null,
  ...set,
  policies: set.policies.map((policy) => ({ code: null, ...policy })),
});

export const evaluationFrom = ({ policy_sets, ...row }: { readonly policy_sets: string }): PolicyEvaluation => {
  const { taskStageId: _, ...evaluation } = locatedRows.read(row);
  return { ...evaluation, policySets: (JSON.parse(policy_sets) as readonly StoredSet[]).map(appliedFrom) };
};
