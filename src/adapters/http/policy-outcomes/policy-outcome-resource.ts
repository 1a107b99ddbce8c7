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
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { count, dateTime, flag, maybeText, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const stageStatus = z.enum(taskStageStatuses);
const stageName = z.enum(taskStageNames);
const stageTimestamps = timestamps(stampsOf(taskStageStatuses));

const taskStage =
  ({ attribute, group, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ subject: stage, standing }: WithStanding<TaskStageSummary>): Resource => {
    const mayOverride = may(standing, 'policy-outcomes/override');
    return {
      id: stage.id,
      type: 'task-stages',
      attributes: {
        status: attribute(stageStatus, stage.status),
        stage: attribute(stageName, stage.stage),
        'status-timestamps': attribute(stageTimestamps, stage.statusTimestamps),
        'created-at': attribute(dateTime, stage.createdAt),
        'updated-at': attribute(dateTime, stage.updatedAt),
        permissions: group(
          {
            'can-override-policy': attribute(flag, mayOverride),
            'can-override-tasks': attribute(flag, mayOverride),
            'can-override': attribute(flag, mayOverride),
          },
          "The caller's permissions, regardless of the status.",
        ),
        actions: group(
          { 'is-overridable': attribute(flag, canOverride(stage)) },
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

const resultCount = ({ attribute }: ResourceBuilder, counts: ResultCount) => ({
  'advisory-failed': attribute(count, counts.advisoryFailed),
  'mandatory-failed': attribute(count, counts.mandatoryFailed),
  passed: attribute(count, counts.passed),
  errored: attribute(count, counts.errored),
});

const evaluationStatus = z.enum(evaluationStatuses);
const policyKind = z.enum(policyKinds);
const evaluationTimestamps = timestamps(stampsOf(evaluationStatuses));

const policyEvaluation = (words: ResourceBuilder) => (dialect: Dialect) => {
  const { attribute, group, toOne, link } = words;
  return (evaluation: LocatedEvaluation): Resource => {
    const self = `${dialect.prefix}/policy-evaluations/${evaluation.id}`;
    return {
      id: evaluation.id,
      type: 'policy-evaluations',
      attributes: {
        status: attribute(evaluationStatus, evaluation.status),
        'policy-kind': attribute(policyKind, evaluation.kind),
        'policy-tool-version': attribute(text, evaluation.policyToolVersion, 'Empty until an agent reports it.'),
        'result-count': group(
          resultCount(words, evaluation.resultCount),
          'Number of policies by result, across all policy sets.',
        ),
        'status-timestamps': attribute(evaluationTimestamps, evaluation.statusTimestamps),
        'created-at': attribute(dateTime, evaluation.createdAt),
        'updated-at': attribute(dateTime, evaluation.updatedAt),
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
  ({ attribute }: ResourceBuilder) =>
  (outcome: PolicyOutcome) => ({
    enforcement_level: attribute(
      maybeLevel,
      outcome.status === 'errored' ? null : outcome.enforcementLevel,
      'Null if the policy errored.',
    ),
    query: attribute(maybeText, outcome.query, 'The OPA query. Null for Sentinel.'),
    status: attribute(outcomeStatus, outcome.status),
    policy_name: attribute(text, outcome.policyName),
    description: attribute(text, outcome.description),
    output: attribute(output, outcome.output, 'The output of the policy. Null if there is none.'),
  });

const warnings = z.array(text);

/** The counts stand under two names: clients of two generations read one or the other. */
const policySetOutcome = (words: ResourceBuilder) => {
  const { attribute, group, each, toOne, link } = words;
  const outcomeOf = policyOutcome(words);
  return (dialect: Dialect) =>
    (outcome: PolicySetOutcome): Resource => {
      const verdict = verdictOf(outcome);
      const counts = resultCount(words, resultCountOf(outcome));
      return {
        id: outcome.id,
        type: 'policy-set-outcomes',
        attributes: {
          status: attribute(outcomeStatus, verdict.status),
          'enforcement-level': attribute(
            maybeLevel,
            verdict.enforcementLevel,
            'The strictest enforcement level among the policies with this status. Null if the set errored or has no policies.',
          ),
          outcomes: each(outcome.outcomes, outcomeOf),
          error: attribute(text, outcome.error ?? '', 'Why the policy set could not be evaluated. Empty if it was.'),
          warnings: attribute(warnings, outcome.warnings),
          overridable: attribute(flag, outcome.overridable),
          'policy-set-name': attribute(text, outcome.policySetName),
          'policy-set-description': attribute(maybeText, outcome.policySetDescription),
          'result-count': counts,
          result_count: group(counts, 'Same as `result-count`, under the name that older clients read.'),
          'policy-tool-version': attribute(text, outcome.policyToolVersion),
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
