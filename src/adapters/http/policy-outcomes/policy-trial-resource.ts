import { z } from 'zod';
import type { ListedTrialPlan, ShownPolicyTrial, TrialCount } from '../../../application/index.js';
import {
  enforcementLevels,
  later,
  outcomeStatuses,
  type PolicyOutcome,
  type PolicyTrial,
  type TrialOutcome,
  trialLimits,
  trialStatuses,
  trialVerdicts,
} from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { count, dateTime, maybeText, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const status = z.enum(trialStatuses);
const stamps = timestamps(stampsOf(trialStatuses));
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const level = z.enum(enforcementLevels);
const recorded = z.enum(outcomeStatuses);
const maybeRecorded = recorded.nullable();
const verdict = z.enum(trialVerdicts);
const maybeVerdict = verdict.nullable();
const output = z.array(z.unknown()).nullable();

const policyTrial =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ trial, counts }: { readonly trial: PolicyTrial; readonly counts?: readonly TrialCount[] }): Resource => {
    const { attribute, group, each, optional, toOne, toOneOrNone, link } = words;
    const self = `${dialect.prefix}/policy-trials/${trial.id}`;
    return {
      id: trial.id,
      type: 'policy-trials',
      attributes: {
        status: attribute(status, trial.status, '`queued` while no agent evaluates its plans.'),
        'error-message': attribute(maybeText, trial.failure, 'Null unless the status is `errored`.'),
        verdicts: optional(
          counts &&
            each(
              counts,
              ({ before, now, plans }) => ({
                before: attribute(
                  maybeRecorded,
                  before,
                  'The recorded status of the policy set. Null if none was recorded.',
                ),
                now: attribute(maybeVerdict, now, 'Null for plans that wait.'),
                plans: attribute(count, plans),
              }),
              'Number of plans for each pair of verdicts. Only runs that the caller may read.',
            ),
          'Not present in lists.',
        ),
        archive: group(
          { sha256: attribute(sha256, trial.archive.sha256), size: attribute(count, trial.archive.bytes) },
          'The draft code, which is kept until the trial ends.',
        ),
        policies: each(trial.policies, (policy) => ({
          name: attribute(text, policy.name),
          query: attribute(maybeText, policy.query),
          'enforcement-level': attribute(level, policy.enforcementLevel),
        })),
        'policy-tool-version': attribute(maybeText, trial.policyToolVersion),
        parameters: each(trial.parameters, ({ key, value }) => ({
          key: attribute(text, key),
          value: attribute(text, value),
        })),
        'status-timestamps': attribute(stamps, trial.statusTimestamps),
        'created-at': attribute(dateTime, trial.createdAt),
        'updated-at': attribute(dateTime, trial.updatedAt),
        'expires-at': attribute(
          dateTime,
          later(trial.createdAt, trialLimits.keptSeconds),
          'When the trial and its results are removed.',
        ),
      },
      relationships: {
        'created-by': toOne(trial.requestedBy.kind === 'team' ? 'teams' : 'users', trial.requestedBy.id),
        'policy-set': toOneOrNone('policy-sets', trial.policySetId, 'The set whose recorded outcomes are compared.'),
      },
      links: { self: link(self), results: link(`${self}/results`) },
    };
  };

export const presentPolicyTrial = (dialect: Dialect) => (trial: PolicyTrial) =>
  policyTrial(presenting)(dialect)({ trial });
export const presentShownPolicyTrial = (dialect: Dialect) => (shown: ShownPolicyTrial) =>
  policyTrial(presenting)(dialect)(shown);

export const policyTrialSchema = described(
  { name: 'PolicyTrial', about: 'A policy set as it would be, evaluated against plans that exist.' },
  (words, dialect) =>
    policyTrial(words)(dialect)({ trial: anyView({ createdAt: '2030-01-31T09:00:00.000Z' }), counts: [anyView()] }),
);

interface Pair {
  readonly name: string;
  readonly now: TrialOutcome | null;
  readonly before: PolicyOutcome | null;
}

/** The policies of the trial, and after them those that only the recorded outcome has. */
const pairsOf = ({ now, recorded: before }: ListedTrialPlan): readonly Pair[] => {
  const outcomes = now?.outcomes ?? [];
  const names = new Set([...outcomes.map((one) => one.policyName), ...before.map((one) => one.policyName)]);
  return [...names].map((name) => ({
    name,
    now: outcomes.find((one) => one.policyName === name) ?? null,
    before: before.find((one) => one.policyName === name) ?? null,
  }));
};

const result =
  (words: ResourceBuilder) =>
  (plan: ListedTrialPlan, pairs: readonly Pair[]): Resource => {
    const { attribute, each, orNull, toOne, toOneOrNone } = words;
    return {
      id: `${plan.trialId}.${plan.runId}`,
      type: 'policy-trial-results',
      attributes: {
        before: orNull(
          plan.before,
          (one) => ({
            status: attribute(recorded, one.status),
            'policy-tool-version': attribute(text, one.policyToolVersion),
          }),
          'The recorded outcome of the policy set. Null without one.',
        ),
        now: orNull(
          plan.now,
          (one) => ({
            status: attribute(
              verdict,
              one.verdict,
              '`not-comparable` if the verdict may depend on what the plan no longer shows.',
            ),
            reason: attribute(maybeText, one.reason, 'Why it is not comparable, or why the whole set errored.'),
            'policy-tool-version': attribute(maybeText, one.policyToolVersion, 'Null if the plan was not evaluated.'),
          }),
          'Null until the plan was evaluated.',
        ),
        policies: each(pairs, ({ name, now, before }) => ({
          name: attribute(text, name),
          before: orNull(before, (one) => ({
            status: attribute(recorded, one.status),
            output: attribute(output, one.output),
          })),
          now: orNull(now, (one) => ({
            status: attribute(verdict, one.status),
            'enforcement-level': attribute(level, one.enforcementLevel),
            output: attribute(output, one.output, 'The messages. Null unless the policy failed or errored.'),
            reason: attribute(maybeText, one.reason, 'Null unless the status is `not-comparable`.'),
          })),
        })),
      },
      relationships: {
        run: toOne('runs', plan.runId),
        workspace: toOne('workspaces', plan.workspaceId),
        'policy-set-outcome': toOneOrNone('policy-set-outcomes', plan.before?.outcomeId ?? null),
      },
    };
  };

export const presentTrialResult = (plan: ListedTrialPlan): Resource => result(presenting)(plan, pairsOf(plan));

export const trialResultSchema = described({ name: 'PolicyTrialResult' }, (words) =>
  result(words)(anyView(), [anyView()]),
);
