import { z } from 'zod';
import {
  canOverride,
  enforcementLevels,
  evaluationStatuses,
  type LocatedEvaluation,
  may,
  outcomeStatuses,
  type PolicyOutcome,
  type PolicySetOutcome,
  policyKinds,
  type ResultCount,
  resultCountOf,
  type Seen,
  type TaskStage,
  taskStageStatuses,
  verdictOf,
} from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  count,
  dateTime,
  flags,
  linkedSchema,
  linkIn,
  perDialect,
  resourceSchema,
  stampsOf,
  timestamps,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';

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

export const taskStageSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'TaskStage',
    type: 'task-stages',
    description: 'Where a run is held to policies. There as soon as the run is.',
    attributes: {
      status: z.enum(taskStageStatuses),
      stage: z.literal('post_plan'),
      'status-timestamps': timestamps(stampsOf(taskStageStatuses)),
      'created-at': dateTime,
      'updated-at': dateTime,
      permissions: flags(['can-override-policy', 'can-override-tasks', 'can-override']).describe(
        'What the caller may do, whatever the status.',
      ),
      actions: flags(['is-overridable']).describe('What the status allows, whoever asks.'),
    },
    relationships: {
      run: toOneSchema('runs'),
      'task-results': z.strictObject({ data: z.array(z.unknown()).max(0) }),
      'policy-evaluations': toManySchema('policy-evaluations').describe('One for each kind of policy.'),
    },
    links: { self: linkIn(dialect) },
    example: presentTaskStage(dialect)(examples.seenStage),
  }),
);

const resultCounts = z.strictObject({
  'advisory-failed': count,
  'mandatory-failed': count,
  passed: count,
  errored: count,
});

export const policyEvaluationSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'PolicyEvaluation',
    type: 'policy-evaluations',
    attributes: {
      status: z.enum(evaluationStatuses),
      'policy-kind': z.enum(policyKinds),
      'policy-tool-version': z.string().describe('Empty until an agent reported.'),
      'result-count': resultCounts.describe('Policies, over all its sets.'),
      'status-timestamps': timestamps(stampsOf(evaluationStatuses)),
      'created-at': dateTime,
      'updated-at': dateTime,
    },
    relationships: {
      'policy-attachable': toOneSchema('task-stages'),
      'policy-set-outcomes': linkedSchema(link),
    },
    links: { self: link },
    example: presentPolicyEvaluation(dialect)(examples.policyEvaluation),
  });
});

const outcomeSchema = z.strictObject({
  enforcement_level: z.enum(enforcementLevels).nullable().describe('Null where the policy errored.'),
  query: z.string().nullable().describe('The rule that is asked; null for Sentinel.'),
  status: z.enum(outcomeStatuses),
  policy_name: z.string(),
  description: z.string(),
  output: z.array(z.unknown()).nullable().describe('What the policy printed; null for nothing.'),
});

export const policySetOutcomeSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'PolicySetOutcome',
    type: 'policy-set-outcomes',
    description: 'What the policies of one set said of one run.',
    attributes: {
      status: z.enum(outcomeStatuses),
      'enforcement-level': z
        .enum(enforcementLevels)
        .nullable()
        .describe('The strictest level that has the status; null where the set errored or has no policy.'),
      outcomes: z.array(outcomeSchema),
      error: z.string().describe('Why the set as a whole could not be evaluated; empty when it could.'),
      warnings: z.array(z.string()),
      overridable: z.boolean(),
      'policy-set-name': z.string(),
      'policy-set-description': z.string().nullable(),
      'result-count': resultCounts,
      result_count: resultCounts.describe('The same as `result-count`, under the name that older clients read.'),
      'policy-tool-version': z.string(),
    },
    relationships: { 'policy-evaluation': toOneSchema('policy-evaluations') },
    links: { self: linkIn(dialect) },
    example: presentPolicySetOutcome(dialect)(examples.policySetOutcome),
  }),
);
