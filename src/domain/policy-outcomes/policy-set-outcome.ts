import type { PolicyEvaluationId, PolicySetOutcomeId } from '../shared/id.js';
import type { EnforcementLevel } from '../supporting/policies/policy.js';
import { type AppliedPolicySet, invalidReport } from '../supporting/policies/policy-set.js';

export const outcomeStatuses = ['passed', 'failed', 'errored'] as const;

export type OutcomeStatus = (typeof outcomeStatuses)[number];

/** The status of one policy. An errored policy has no enforcement level, since its result is unknown. */
export type Verdict =
  | { readonly status: 'passed' | 'failed'; readonly enforcementLevel: EnforcementLevel }
  | { readonly status: 'errored' };

/** The result of one policy. */
export type PolicyOutcome = Verdict & {
  readonly policyName: string;
  readonly description: string;
  readonly query: string | null;
  /** The policy's output, as its engine returned it; null without output. */
  readonly output: readonly unknown[] | null;
};

/** The results of one set's policies for one run. Status, level and counts are derived. */
export interface PolicySetOutcome {
  readonly id: PolicySetOutcomeId;
  readonly policyEvaluationId: PolicyEvaluationId;
  /** From 0 within its evaluation, in the order in which the sets apply. */
  readonly position: number;
  readonly policySetName: string;
  readonly policySetDescription: string | null;
  readonly overridable: boolean;
  readonly policyToolVersion: string;
  /** The reason the whole set could not be evaluated; null if it could. */
  readonly error: string | null;
  readonly warnings: readonly string[];
  readonly outcomes: readonly PolicyOutcome[];
}

export interface ResultCount {
  readonly advisoryFailed: number;
  readonly mandatoryFailed: number;
  readonly passed: number;
  readonly errored: number;
}

export const noResults: ResultCount = { advisoryFailed: 0, mandatoryFailed: 0, passed: 0, errored: 0 };

const counterOf = (verdict: Verdict): keyof ResultCount => {
  if (verdict.status !== 'failed') return verdict.status;
  return verdict.enforcementLevel === 'mandatory' ? 'mandatoryFailed' : 'advisoryFailed';
};

export const resultCountOf = ({ outcomes }: Pick<PolicySetOutcome, 'outcomes'>): ResultCount => {
  const counts = { ...noResults };
  for (const outcome of outcomes) counts[counterOf(outcome)] += 1;
  return counts;
};

export const sumOfCounts = (counts: readonly ResultCount[]): ResultCount =>
  counts.reduce(
    (sum, count) => ({
      advisoryFailed: sum.advisoryFailed + count.advisoryFailed,
      mandatoryFailed: sum.mandatoryFailed + count.mandatoryFailed,
      passed: sum.passed + count.passed,
      errored: sum.errored + count.errored,
    }),
    noResults,
  );

/** The set's status and enforcement level. The level is null if the set errored, or if it passed without any policy. */
export interface SetVerdict {
  readonly status: OutcomeStatus;
  readonly enforcementLevel: EnforcementLevel | null;
}

const strictest = (levels: readonly EnforcementLevel[]): EnforcementLevel | null => {
  if (levels.includes('mandatory')) return 'mandatory';
  return levels.length > 0 ? 'advisory' : null;
};

export function verdictOf({ error, outcomes }: Pick<PolicySetOutcome, 'error' | 'outcomes'>): SetVerdict {
  const levels: Record<'passed' | 'failed', EnforcementLevel[]> = { passed: [], failed: [] };
  let errored = error !== null;
  for (const outcome of outcomes) {
    if (outcome.status === 'errored') errored = true;
    else levels[outcome.status].push(outcome.enforcementLevel);
  }
  if (errored) return { status: 'errored', enforcementLevel: null };
  const failed = strictest(levels.failed);
  if (failed !== null) return { status: 'failed', enforcementLevel: failed };
  return { status: 'passed', enforcementLevel: strictest(levels.passed) };
}

/**
 * Whether it blocks the run: the whole set errored, or a mandatory policy failed or errored. `applied` has the levels of
 * errored policies, whose outcomes have none; a policy that it lacks counts as mandatory.
 */
export function blocks(
  applied: Pick<AppliedPolicySet, 'policies'> | undefined,
  { error, outcomes }: Pick<PolicySetOutcome, 'error' | 'outcomes'>,
): boolean {
  const isMandatory = (outcome: PolicyOutcome): boolean => {
    if (outcome.status !== 'errored') return outcome.enforcementLevel === 'mandatory';
    return applied?.policies.find(({ name }) => name === outcome.policyName)?.enforcementLevel !== 'advisory';
  };
  return error !== null || outcomes.some((outcome) => outcome.status !== 'passed' && isMandatory(outcome));
}

/** One group of a filter. A null level selects outcomes of every level, and those without one. */
export interface OutcomeFilter {
  readonly status: OutcomeStatus;
  readonly enforcementLevel: EnforcementLevel | null;
}

/** Whether a filter selects an outcome: by the outcome's own status and level, never by those of its policies. */
export function selects(filter: OutcomeFilter, outcome: Pick<PolicySetOutcome, 'error' | 'outcomes'>): boolean {
  const { status, enforcementLevel } = verdictOf(outcome);
  return filter.status === status && (filter.enforcementLevel === null || filter.enforcementLevel === enforcementLevel);
}

/** How many policies came to each end. */
export interface OutcomeSums {
  readonly passed: number;
  readonly failed: number;
  /** Failed or errored, unless advisory, in an evaluation that was overridden. These count as nothing else. */
  readonly overridden: number;
  readonly errored: number;
}

/** The sum that the outcome of a policy belongs to. An errored one has no level, and is overridden with the others. */
export const countsAs = (
  status: OutcomeStatus,
  level: EnforcementLevel | null,
  isOverridden: boolean,
): keyof OutcomeSums => (isOverridden && status !== 'passed' && level !== 'advisory' ? 'overridden' : status);

/** An agent's report on one set. It contains names and statuses only: the set defines levels and overridability. */
export interface ReportedPolicySet {
  readonly policySetId: string;
  readonly error: string | null;
  readonly warnings: readonly string[];
  readonly policies: readonly {
    readonly name: string;
    readonly status: OutcomeStatus;
    readonly output: readonly unknown[] | null;
  }[];
}

/** An outcome as a report describes it, before it belongs to an evaluation. */
export type DraftOutcome = Omit<PolicySetOutcome, 'id' | 'policyEvaluationId' | 'policyToolVersion'>;

/**
 * The reported outcomes, in the order in which the sets apply. The report must contain every set once and, for every
 * set without an error of its own, each of its policies once. Throws `agent-report/invalid` otherwise.
 */
export function readReport(
  applied: readonly AppliedPolicySet[],
  reported: readonly ReportedPolicySet[],
): DraftOutcome[] {
  reported.forEach(({ policySetId }, index) => {
    const member = `policySets/${index}/policySetId`;
    if (!applied.some(({ id }) => id === policySetId)) {
      throw invalidReport('Policy set does not apply to the run', member);
    }
    if (reported.findIndex((other) => other.policySetId === policySetId) !== index) {
      throw invalidReport('Policy set is reported more than once', member);
    }
  });
  return applied.map((set, position) => {
    const index = reported.findIndex(({ policySetId }) => policySetId === set.id);
    const report = reported[index];
    if (report === undefined) throw invalidReport(`Policy set ${set.id} is not reported`, 'policySets');
    return {
      position,
      policySetName: set.name,
      policySetDescription: set.description,
      overridable: set.overridable,
      error: report.error,
      warnings: report.warnings,
      outcomes: outcomesOf(set, report, `policySets/${index}/policies`),
    };
  });
}

function outcomesOf(set: AppliedPolicySet, report: ReportedPolicySet, member: string): PolicyOutcome[] {
  report.policies.forEach(({ name }, index) => {
    if (!set.policies.some((policy) => policy.name === name)) {
      throw invalidReport('Policy is not in the set', `${member}/${index}/name`);
    }
    if (report.policies.findIndex((other) => other.name === name) !== index) {
      throw invalidReport('Policy is reported more than once', `${member}/${index}/name`);
    }
  });
  return set.policies.flatMap(({ name, description, query, enforcementLevel }) => {
    const said = report.policies.find((policy) => policy.name === name);
    if (said === undefined) {
      if (report.error !== null) return [];
      throw invalidReport(`Policy ${name} is not reported`, member);
    }
    const { status, output } = said;
    const verdict: Verdict = status === 'errored' ? { status } : { status, enforcementLevel };
    return [{ ...verdict, policyName: name, description, query, output }];
  });
}
