import {
  canOverride,
  type LocatedEvaluation,
  may,
  type PolicyOutcome,
  type PolicySetOutcome,
  type ResultCount,
  resultCountOf,
  type Seen,
  type TaskStage,
  verdictOf,
} from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';

export const presentTaskStage =
  (dialect: Dialect) =>
  ({ subject: stage, standing }: Seen<TaskStage>): Resource => {
    const mayOverride = may(standing, 'policy-outcomes/override');
    return {
      id: stage.id,
      type: 'task-stages',
      attributes: {
        status: stage.status,
        stage: stage.stage,
        'status-timestamps': stage.statusTimestamps,
        'created-at': stage.createdAt,
        'updated-at': stage.updatedAt,
        permissions: {
          'can-override-policy': mayOverride,
          'can-override-tasks': false,
          'can-override': mayOverride,
        },
        actions: { 'is-overridable': canOverride(stage) },
      },
      relationships: {
        run: toOne('runs', stage.runId),
        'task-results': { data: [] },
        'policy-evaluations': { data: stage.evaluations.map(({ id }) => ({ id, type: 'policy-evaluations' })) },
      },
      links: { self: `${dialect.prefix}/task-stages/${stage.id}` },
    };
  };

const countsToWire = (counts: ResultCount) => ({
  'advisory-failed': counts.advisoryFailed,
  'mandatory-failed': counts.mandatoryFailed,
  passed: counts.passed,
  errored: counts.errored,
});

export const presentPolicyEvaluation =
  (dialect: Dialect) =>
  (evaluation: LocatedEvaluation): Resource => {
    const self = `${dialect.prefix}/policy-evaluations/${evaluation.id}`;
    return {
      id: evaluation.id,
      type: 'policy-evaluations',
      attributes: {
        status: evaluation.status,
        'policy-kind': evaluation.kind,
        'policy-tool-version': evaluation.policyToolVersion,
        'result-count': countsToWire(evaluation.resultCount),
        'status-timestamps': evaluation.statusTimestamps,
        'created-at': evaluation.createdAt,
        'updated-at': evaluation.updatedAt,
      },
      relationships: {
        'policy-attachable': toOne('task-stages', evaluation.taskStageId),
        'policy-set-outcomes': { links: { related: `${self}/policy-set-outcomes` } },
      },
      links: { self },
    };
  };

const outcomeToWire = (outcome: PolicyOutcome) => ({
  enforcement_level: outcome.status === 'errored' ? null : outcome.enforcementLevel,
  query: outcome.query,
  status: outcome.status,
  policy_name: outcome.policyName,
  description: outcome.description,
  output: outcome.output,
});

/** The counts stand under two names: clients of two generations read one or the other. */
export const presentPolicySetOutcome =
  (dialect: Dialect) =>
  (outcome: PolicySetOutcome): Resource => {
    const verdict = verdictOf(outcome);
    const counts = countsToWire(resultCountOf(outcome));
    return {
      id: outcome.id,
      type: 'policy-set-outcomes',
      attributes: {
        status: verdict.status,
        'enforcement-level': verdict.enforcementLevel,
        outcomes: outcome.outcomes.map(outcomeToWire),
        error: outcome.error ?? '',
        warnings: outcome.warnings,
        overridable: outcome.overridable,
        'policy-set-name': outcome.policySetName,
        'policy-set-description': outcome.policySetDescription,
        'result-count': counts,
        result_count: counts,
        'policy-tool-version': outcome.policyToolVersion,
      },
      relationships: { 'policy-evaluation': toOne('policy-evaluations', outcome.policyEvaluationId) },
      links: { self: `${dialect.prefix}/policy-set-outcomes/${outcome.id}` },
    };
  };
