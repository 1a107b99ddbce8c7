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
  type TaskStageSummary,
  taskStageNames,
  taskStageStatuses,
  verdictOf,
  type WithStanding,
} from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type Words } from '../routing/resource.js';
import { count, dateTime, flag, maybeText, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const stageStatus = z.enum(taskStageStatuses);
const stageName = z.enum(taskStageNames);
const stageTimestamps = timestamps(stampsOf(taskStageStatuses));

const taskStage =
  ({ is, group, toOne, toMany, link }: Words) =>
  (dialect: Dialect) =>
  ({ subject: stage, standing }: WithStanding<TaskStageSummary>): Resource => {
    const mayOverride = may(standing, 'policy-outcomes/override');
    return {
      id: stage.id,
      type: 'task-stages',
      attributes: {
        status: is(stageStatus, stage.status),
        stage: is(stageName, stage.stage),
        'status-timestamps': is(stageTimestamps, stage.statusTimestamps),
        'created-at': is(dateTime, stage.createdAt),
        'updated-at': is(dateTime, stage.updatedAt),
        permissions: group(
          {
            'can-override-policy': is(flag, mayOverride),
            'can-override-tasks': is(flag, mayOverride),
            'can-override': is(flag, mayOverride),
          },
          "The caller's permissions, regardless of the status.",
        ),
        actions: group(
          { 'is-overridable': is(flag, canOverride(stage)) },
          "The actions that the status allows, regardless of the caller's permissions.",
        ),
      },
      relationships: {
        run: toOne('runs', stage.runId),
        'task-results': toMany(
          'task-results',
          stage.results.map(({ id }) => id),
          'One per run task.',
        ),
        'policy-evaluations': toMany(
          'policy-evaluations',
          stage.evaluations.map(({ id }) => id),
          'One per policy kind. Only after the plan.',
        ),
      },
      links: { self: link(`${dialect.prefix}/task-stages/${stage.id}`) },
    };
  };

export const presentTaskStage = taskStage(presenting);

export const taskStageSchema = described(
  {
    name: 'TaskStage',
    about:
      'Groups the policy evaluations and the results of run tasks at one point of a run. Created together with the run.',
  },
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
        'policy-tool-version': is(text, evaluation.policyToolVersion, 'Empty until an agent reports it.'),
        'result-count': group(
          resultCount(words, evaluation.resultCount),
          'Number of policies by result, across all policy sets.',
        ),
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
      'Null if the policy errored.',
    ),
    query: is(maybeText, outcome.query, 'The OPA query. Null for Sentinel.'),
    status: is(outcomeStatus, outcome.status),
    policy_name: is(text, outcome.policyName),
    description: is(text, outcome.description),
    output: is(output, outcome.output, 'The output of the policy. Null if there is none.'),
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
            'The strictest enforcement level among the policies with this status. Null if the set errored or has no policies.',
          ),
          outcomes: each(outcome.outcomes, outcomeOf),
          error: is(text, outcome.error ?? '', 'Why the policy set could not be evaluated. Empty if it was.'),
          warnings: is(warnings, outcome.warnings),
          overridable: is(flag, outcome.overridable),
          'policy-set-name': is(text, outcome.policySetName),
          'policy-set-description': is(maybeText, outcome.policySetDescription),
          'result-count': counts,
          result_count: group(counts, 'Same as `result-count`, under the name that older clients read.'),
          'policy-tool-version': is(text, outcome.policyToolVersion),
        },
        relationships: { 'policy-evaluation': toOne('policy-evaluations', outcome.policyEvaluationId) },
        links: { self: link(`${dialect.prefix}/policy-set-outcomes/${outcome.id}`) },
      };
    };
};

export const presentPolicySetOutcome = policySetOutcome(presenting);

export const policySetOutcomeSchema = described(
  { name: 'PolicySetOutcome', about: 'The result of one policy set for one run.' },
  (words, dialect) => policySetOutcome(words)(dialect)(anyView({ outcomes: [anyView({ status: 'errored' })] })),
);
