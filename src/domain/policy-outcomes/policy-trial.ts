import { DomainError } from '../shared/domain-error.js';
import {
  type AgentPoolId,
  type Instant,
  later,
  type OrganizationId,
  type PolicySetId,
  type PolicySetOutcomeId,
  type PolicyTrialId,
  type RunId,
  secondsBetween,
  type WorkspaceId,
} from '../shared/id.js';
import { entered, Lifecycle, type LifecycleRow } from '../shared/lifecycle-engine.js';
import { revised } from '../shared/revision.js';
import type { TokenOwner } from '../shared/token-owner.js';
import type { EnforcementLevel, Policy } from '../supporting/policies/policy.js';
import { type OutcomeStatus, type ReportedPolicySet, readReport } from './policy-set-outcome.js';

export const trialStatuses = ['queued', 'running', 'finished', 'canceled', 'errored'] as const;

/** `queued` while no agent evaluates any of its plans, also between two agents. */
export type TrialStatus = (typeof trialStatuses)[number];

export type TrialTrigger = 'start' | 'wait' | 'finish' | 'cancel' | 'fail';

const move = { guards: [], effects: [], refusedAs: 'policy-trial/transition-refused', done: 'moved' } as const;

/** The complete lifecycle of a trial. Only `cancel` is refused if it does not start from the current status. */
export const trialMoves: readonly LifecycleRow<TrialStatus, TrialTrigger>[] = [
  { ...move, trigger: 'start', from: ['queued'], to: 'running' },
  { ...move, trigger: 'wait', from: ['running'], to: 'queued' },
  { ...move, trigger: 'finish', from: ['queued', 'running'], to: 'finished' },
  { ...move, trigger: 'cancel', from: ['queued', 'running'], to: 'canceled', done: 'canceled' },
  { ...move, trigger: 'fail', from: ['queued', 'running'], to: 'errored' },
];

const life = new Lifecycle('policy trial', trialMoves, {});

export const trialLimits = {
  /** Bytes of the archive. */
  archive: 1024 * 1024,
  /** Plans of one trial, which are the newest. */
  plans: 100,
  /** Workspaces that a request may name. */
  workspaces: 100,
  /** The newest runs of the organization among which the plans are looked for. */
  runs: 1000,
  ofAsker: 1,
  ofOrganization: 2,
  evaluationSeconds: 600,
  waitingSeconds: 3600,
  keptSeconds: 30 * 24 * 3600,
} as const;

/** Never sensitive: a trial shows its parameters. */
export interface TrialParameter {
  readonly key: string;
  readonly value: string;
}

/** A policy set as it would be, evaluated against plans that exist. It changes nothing of their runs. */
export interface PolicyTrial {
  readonly id: PolicyTrialId;
  readonly organizationId: OrganizationId;
  /** The set whose recorded outcomes are compared, which may be deleted meanwhile; null without one. */
  readonly policySetId: PolicySetId | null;
  readonly status: TrialStatus;
  /** A sentence; null unless the status is `errored`. */
  readonly failure: string | null;
  /** As the archive defines them. */
  readonly policies: readonly Policy[];
  readonly policyToolVersion: string | null;
  readonly parameters: readonly TrialParameter[];
  /** The archive itself is kept until the trial ends. */
  readonly archive: { readonly sha256: string; readonly bytes: number };
  readonly requestedBy: TokenOwner;
  /** Without the time since it was last started. */
  readonly evaluatedSeconds: number;
  /** When it fails unless its status changes; null once it has ended. */
  readonly dueAt: Instant | null;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** The recorded outcome of the compared set for a run. */
export interface RecordedOutcome {
  readonly outcomeId: PolicySetOutcomeId;
  readonly status: OutcomeStatus;
  readonly policyToolVersion: string;
}

export const trialVerdicts = [...(['passed', 'failed', 'errored'] as const), 'not-comparable'] as const;

export type TrialVerdict = (typeof trialVerdicts)[number];

/** The result of one policy for one plan. */
export interface TrialOutcome {
  readonly policyName: string;
  readonly enforcementLevel: EnforcementLevel;
  readonly status: TrialVerdict;
  /** The messages of the policy; null unless it failed or errored. */
  readonly output: readonly unknown[] | null;
  /** Why it is not comparable; null otherwise. */
  readonly reason: string | null;
}

export interface TrialResult {
  readonly verdict: TrialVerdict;
  /** Why the plan is not comparable, or why the whole set errored; null otherwise. */
  readonly reason: string | null;
  /** Null if the plan was not evaluated. */
  readonly policyToolVersion: string | null;
  readonly outcomes: readonly TrialOutcome[];
}

/** One plan of a trial. */
export interface TrialPlan {
  readonly trialId: PolicyTrialId;
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  /** From 0, newest first. */
  readonly position: number;
  readonly before: RecordedOutcome | null;
  /** Null until it was evaluated. */
  readonly now: TrialResult | null;
}

/** The plans of one workspace, which one agent evaluates at a time. */
export interface TrialPart {
  readonly trialId: PolicyTrialId;
  readonly workspaceId: WorkspaceId;
  readonly lease: TrialLease | null;
}

export interface TrialLease {
  readonly poolId: AgentPoolId;
  readonly agent: string;
  /** The SHA-256 of the token that proves it. */
  readonly digest: string;
  readonly expiresAt: Instant;
}

type Draft = Pick<
  PolicyTrial,
  | 'id'
  | 'organizationId'
  | 'policySetId'
  | 'policies'
  | 'policyToolVersion'
  | 'parameters'
  | 'archive'
  | 'requestedBy'
  | 'createdAt'
>;

export const newTrial = (draft: Draft): PolicyTrial => ({
  ...draft,
  status: 'queued',
  failure: null,
  evaluatedSeconds: 0,
  dueAt: later(draft.createdAt, trialLimits.waitingSeconds),
  statusTimestamps: { 'queued-at': draft.createdAt },
  updatedAt: draft.createdAt,
  revision: 0,
});

/** Throws `attribute/invalid` for two parameters with the same key. */
export function checkTrialParameters(parameters: readonly TrialParameter[]): void {
  if (new Set(parameters.map(({ key }) => key)).size === parameters.length) return;
  throw new DomainError('attribute/invalid', 'Parameters must have different keys', { attribute: 'parameters' });
}

/** Throws `policy-trial/busy` if the caller or the organization has its maximum of open trials. */
export function checkOpenTrials(open: readonly TokenOwner[], asker: TokenOwner): void {
  const own = open.filter(({ kind, id }) => kind === asker.kind && id === asker.id).length;
  if (own >= trialLimits.ofAsker) {
    throw new DomainError('policy-trial/busy', 'you have a policy trial that has not ended: wait for it, or cancel it');
  }
  if (open.length >= trialLimits.ofOrganization) {
    const sentence = `the organization has ${trialLimits.ofOrganization} policy trials that have not ended: wait for one`;
    throw new DomainError('policy-trial/busy', sentence);
  }
}

export const isOpen = ({ status }: Pick<PolicyTrial, 'status'>): boolean => life.startsFrom(status, 'fail');

/** When a trial in this status fails; undefined for one that has ended. */
const dueIn: Readonly<Partial<Record<TrialStatus, (evaluatedSeconds: number) => number>>> = {
  queued: () => trialLimits.waitingSeconds,
  running: (evaluatedSeconds) => Math.max(0, trialLimits.evaluationSeconds - evaluatedSeconds),
};

/** Why a trial fails that stays in a status for too long. */
const overdue: Readonly<Partial<Record<TrialStatus, string>>> = {
  queued: 'No agent that serves its workspaces was free for an hour. Start an agent with OPA, and ask again',
  running: 'The evaluation took longer than 10 minutes. Ask for fewer plans',
};

const moved = (trial: PolicyTrial, trigger: TrialTrigger, now: Instant): PolicyTrial => {
  const next = entered(trial, life.fire(trigger, trial), now);
  const since = trial.statusTimestamps['running-at'] ?? now;
  const worked = trial.status === 'running' ? Math.max(0, secondsBetween(since, now)) : 0;
  const evaluatedSeconds = Math.ceil(trial.evaluatedSeconds + worked);
  const seconds = dueIn[next.status as TrialStatus]?.(evaluatedSeconds);
  const dueAt = seconds === undefined ? null : later(now, seconds);
  return { ...revised(trial), ...next, evaluatedSeconds, dueAt, updatedAt: now } as PolicyTrial;
};

/** Throws `policy-trial/transition-refused` once it has ended. */
export const canceledTrial = (trial: PolicyTrial, now: Instant): PolicyTrial => moved(trial, 'cancel', now);

/** The trial, which an agent evaluates. */
export const startedTrial = (trial: PolicyTrial, now: Instant): PolicyTrial =>
  life.startsFrom(trial.status, 'start') ? moved(trial, 'start', now) : trial;

/** The trial after its time has passed; unchanged if it has not, or if the trial has ended. */
export function overdueTrial(trial: PolicyTrial, now: Instant): PolicyTrial {
  const failure = overdue[trial.status];
  if (failure === undefined || trial.dueAt === null || trial.dueAt > now) return trial;
  return { ...moved(trial, 'fail', now), failure };
}

/** The work that is left of an open trial. */
export interface TrialProgress {
  /** Plans without a result. */
  readonly waiting: number;
  /** Parts that an agent evaluates. */
  readonly leased: number;
}

/** The trial after a part was evaluated or given back; unchanged if nothing follows from that. */
export function settledTrial(trial: PolicyTrial, { waiting, leased }: TrialProgress, now: Instant): PolicyTrial {
  if (waiting === 0) return life.startsFrom(trial.status, 'finish') ? moved(trial, 'finish', now) : trial;
  return leased === 0 && life.startsFrom(trial.status, 'wait') ? moved(trial, 'wait', now) : trial;
}

/** The result for a plan that is not evaluated. */
export const planNotKept: TrialResult = {
  verdict: 'not-comparable',
  reason: 'The plan is no longer kept, or was never stored as JSON',
  policyToolVersion: null,
  outcomes: [],
};

/** An agent's report on one plan. Its only set has the id of the trial. */
export interface TrialReport {
  readonly policyToolVersion: string;
  readonly policySets: readonly ReportedPolicySet[];
  /** By policy: why its verdict may depend on what the plan no longer shows. */
  readonly notComparable: ReadonlyMap<string, string>;
}

/** From the strongest: a plan has the verdict of its strongest policy. */
const byStrength: readonly TrialVerdict[] = ['errored', 'not-comparable', 'failed', 'passed'];

/**
 * The result of a report. Another version of OPA may decide otherwise, so that its verdicts are not comparable with recorded
 * ones. Throws `agent-report/invalid` unless each policy is reported once.
 */
export function trialResult(trial: PolicyTrial, { before }: TrialPlan, report: TrialReport): TrialResult {
  const { policyToolVersion, notComparable } = report;
  const set = {
    id: String(trial.id),
    name: '',
    description: null,
    overridable: false,
    policyToolVersion: null,
    policies: trial.policies.map((policy) => ({ ...policy, code: null })),
    archive: null,
  };
  const [read] = readReport([set], report.policySets);
  const otherVersion =
    before === null || before.policyToolVersion === policyToolVersion
      ? undefined
      : `Recorded with OPA ${before.policyToolVersion || 'of an unknown version'}, evaluated with OPA ${policyToolVersion}`;
  const levels = new Map(trial.policies.map(({ name, enforcementLevel }) => [name, enforcementLevel]));
  const outcomes = (read?.outcomes ?? []).map(({ policyName, status, output }): TrialOutcome => {
    const reason = notComparable.get(policyName) ?? (status === 'errored' ? undefined : otherVersion) ?? null;
    const said = reason === null ? { status, output: status === 'passed' ? null : output } : hidden;
    return { policyName, enforcementLevel: levels.get(policyName) ?? 'mandatory', ...said, reason };
  });
  const found = new Set(outcomes.map(({ status }) => status));
  const strongest = byStrength.find((one) => found.has(one)) ?? 'passed';
  const error = read?.error ?? null;
  const verdict = error === null ? strongest : 'errored';
  const because = outcomes.find(({ status }) => status === verdict && status === 'not-comparable');
  return { verdict, reason: error ?? because?.reason ?? null, policyToolVersion, outcomes };
}

const hidden = { status: 'not-comparable', output: null } as const;
