import type { Knex } from 'knex';
import {
  type EnforcementLevel,
  type OutcomeFilter,
  type PolicyOutcome,
  type PolicySetOutcome,
  verdictOf,
} from '../../../../../domain/index.js';
import { rowsOf } from '../../engine/rows.js';

export const setRows = rowsOf<Omit<PolicySetOutcome, 'outcomes'>>((row, as) => ({
  id: row.id,
  policyEvaluationId: row.policy_evaluation_id,
  position: row.position,
  policySetName: row.policy_set_name,
  policySetDescription: row.policy_set_description,
  overridable: as.flag(row.overridable),
  policyToolVersion: row.policy_tool_version,
  error: row.error,
  warnings: as.json(row.warnings),
}));

/** With the verdict of the set, which filters compare. */
export const setToRow = (outcome: PolicySetOutcome) => {
  const { status, enforcementLevel } = verdictOf(outcome);
  return { ...setRows.write(outcome), status, enforcement_level: enforcementLevel };
};

/** Restricts outcomes of policy sets `q` to those that `selects` returns true for. */
export const onlySelected = (sets: Knex.QueryBuilder, { status, enforcementLevel }: OutcomeFilter): Knex.QueryBuilder =>
  sets.where({ 'q.status': status, ...(enforcementLevel !== null && { 'q.enforcement_level': enforcementLevel }) });

const policyResultRows = rowsOf<Omit<PolicyOutcome, 'enforcementLevel'>>((row, as) => ({
  status: row.status,
  policyName: row.policy_name,
  description: row.description,
  query: row.query,
  output: as.json(row.output),
}));

/** A policy's result without its position. */
export const policyResultColumns = [...policyResultRows.columns, 'enforcement_level'];

export interface PolicyResultRow {
  readonly status: PolicyOutcome['status'];
  readonly enforcement_level: EnforcementLevel | null;
}

export const policiesToRows = ({ id, outcomes }: PolicySetOutcome) =>
  outcomes.map((outcome, position) => ({
    ...policyResultRows.write(outcome),
    policy_set_outcome_id: id,
    position,
    enforcement_level: outcome.status === 'errored' ? null : outcome.enforcementLevel,
  }));

export const policyFrom = (row: PolicyResultRow): PolicyOutcome => {
  const outcome = policyResultRows.read(row);
  // The table's check says which of the two it is.
  const verdict =
    row.status === 'errored' ? outcome : Object.assign(outcome, { enforcementLevel: row.enforcement_level });
  return verdict as PolicyOutcome;
};
