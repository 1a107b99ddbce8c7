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
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type Words } from '../routing/resource.js';
import { count, dateTime, flag, maybeText, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const stageStatus = z.enum(taskStageStatuses);
const postPlan = z.literal('post_plan');
const stageTimestamps = timestamps(stampsOf(taskStageStatuses));
const empty = z.array(z.unknown()).max(0);

const taskStage =
  ({ is, group, toOne, toMany, link }: Words) =>
  (dialect: Dialect) =>
  ({ subject: stage, standing }: Seen<TaskStage>): Resource => {
    const mayOverride = may(standing, 'policy-outcomes/override');
    return {
      id: stage.id,
      type: 'task-stages',
      attributes: {
        status: is(stageStatus, stage.status),
        stage: is(postPlan, stage.stage),
        'status-timestamps': is(stageTimestamps, stage.statusTimestamps),
        'created-at': is(dateTime, stage.createdAt),
        'updated-at': is(dateTime, stage.updatedAt),
        permissions: group(
          {
            'can-override-policy': is(flag, mayOverride),
            'can-override-tasks': is(flag, false),
            'can-override': is(flag, mayOverride),
          },
          'What the caller may do, whatever the status.',
        ),
        actions: group({ 'is-overridable': is(flag, canOverride(stage)) }, 'What the status allows, whoever asks.'),
      },
      relationships: {
        run: toOne('runs', stage.runId),
        'task-results': { data: is(empty, []) },
        'policy-evaluations': toMany(
          'policy-evaluations',
          stage.evaluations.map(({ id }) => id),
          'One for each kind of policy.',
        ),
      },
      links: { self: link(`${dialect.prefix}/task-stages/${stage.id}`) },
    };
  };

export const presentTaskStage = taskStage(presenting);

export const taskStageSchema = described(
  { name: 'TaskStage', about: 'Where a run is held to policies. There as soon as the run is.' },
  (words, dialect) => taskStage(words)(dialect)(anyView()),
);

const resultCount = ({ is }: Words, counts: ResultCount) => ({
  'advisory-failed': is(count, counts.advisoryFailed),
  'mandatory-failed': is(count, counts.mandatoryFailed),
  passed: is(count, counts.passed),
  errored: is(count, counts.errored),
});

const evaluationStatus = z.enum(evaluationStatuses);
const policyKind = z.enum(policyKinds);
const evaluationTimestamps = timestamps(stampsOf(evaluationStatuses));

const policyEvaluation = (words: Words) => (dialect: Dialect) => {
  const { is, group, toOne, link } = words;
  return (evaluation: LocatedEvaluation): Resource => {
    const self = `${dialect.prefix}/policy-evaluations/${evaluation.id}`;
    return {
      id: evaluation.id,
      type: 'policy-evaluations',
      attributes: {
        status: is(evaluationStatus, evaluation.status),
        'policy-kind': is(policyKind, evaluation.kind),
        'policy-tool-version': is(text, evaluation.policyToolVersion, 'Empty until an agent reported.'),
        'result-count': group(resultCount(words, evaluation.resultCount), 'Policies, over all its sets.'),
        'status-timestamps': is(evaluationTimestamps, evaluation.statusTimestamps),
        'created-at': is(dateTime, evaluation.createdAt),
        'updated-at': is(dateTime, evaluation.updatedAt),
      },
      relationships: {
        'policy-attachable': toOne('task-stages', evaluation.taskStageId),
        'policy-set-outcomes': { links: { related: link(`${self}/policy-set-outcomes`) } },
      },
      links: { self: link(self) },
    };
  };
};

export const presentPolicyEvaluation = policyEvaluation(presenting);

export const policyEvaluationSchema = described({ name: 'PolicyEvaluation' }, (words, dialect) =>
  policyEvaluation(words)(dialect)(anyView()),
);

const outcomeStatus = z.enum(outcomeStatuses);
const maybeLevel = z.enum(enforcementLevels).nullable();
const output = z.array(z.unknown()).nullable();

const policyOutcome =
  ({ is }: Words) =>
  (outcome: PolicyOutcome) => ({
    enforcement_level: is(
      maybeLevel,
      outcome.status === 'errored' ? null : outcome.enforcementLevel,
      'Null where the policy errored.',
    ),
    query: is(maybeText, outcome.query, 'The rule that is asked; null for Sentinel.'),
    status: is(outcomeStatus, outcome.status),
    policy_name: is(text, outcome.policyName),
    description: is(text, outcome.description),
    output: is(output, outcome.output, 'What the policy printed; null for nothing.'),
  });

const warnings = z.array(text);

/** The counts stand under two names: clients of two generations read one or the other. */
const policySetOutcome = (words: Words) => {
  const { is, group, each, toOne, link } = words;
  const outcomeOf = policyOutcome(words);
  return (dialect: Dialect) =>
    (outcome: PolicySetOutcome): Resource => {
      const verdict = verdictOf(outcome);
      const counts = resultCount(words, resultCountOf(outcome));
      return {
        id: outcome.id,
        type: 'policy-set-outcomes',
        attributes: {
          status: is(outcomeStatus, verdict.status),
          'enforcement-level': is(
            maybeLevel,
            verdict.enforcementLevel,
            'The strictest level that has the status; null where the set errored or has no policy.',
          ),
          outcomes: each(outcome.outcomes, outcomeOf),
          error: is(text, outcome.error ?? '', 'Why the set as a whole could not be evaluated; empty when it could.'),
          warnings: is(warnings, outcome.warnings),
          overridable: is(flag, outcome.overridable),
          'policy-set-name': is(text, outcome.policySetName),
          'policy-set-description': is(maybeText, outcome.policySetDescription),
          'result-count': counts,
          result_count: group(counts, 'The same as `result-count`, under the name that older clients read.'),
          'policy-tool-version': is(text, outcome.policyToolVersion),
        },
        relationships: { 'policy-evaluation': toOne('policy-evaluations', outcome.policyEvaluationId) },
        links: { self: link(`${dialect.prefix}/policy-set-outcomes/${outcome.id}`) },
      };
    };
};

export const presentPolicySetOutcome = policySetOutcome(presenting);

export const policySetOutcomeSchema = described(
  { name: 'PolicySetOutcome', about: 'What the policies of one set said of one run.' },
  (words, dialect) => policySetOutcome(words)(dialect)(anyView({ outcomes: [anyView({ status: 'errored' })] })),
);
