import {
  type AppliedPolicy,
  type AppliedPolicySet,
  type EnforcementLevel,
  type ManagedPolicy,
  openTaskStage,
  type PolicyOutcome,
  type PolicySetOutcome,
  type ReportedPolicySet,
  type TaskStage,
} from '../../src/domain/index.js';
import { noon } from './samples.js';

const said = { policyName: 'a-policy', description: '', query: null, output: null };

export const passed = (enforcementLevel: EnforcementLevel): PolicyOutcome => ({
  ...said,
  status: 'passed',
  enforcementLevel,
});
export const failed = (enforcementLevel: EnforcementLevel): PolicyOutcome => ({
  ...said,
  status: 'failed',
  enforcementLevel,
});
export const errored: PolicyOutcome = { ...said, status: 'errored' };

export const aPolicy = (
  name: string,
  enforcementLevel: EnforcementLevel,
  query: string | null = null,
): AppliedPolicy => ({
  name,
  description: `About ${name}`,
  query,
  enforcementLevel,
  code: null,
});

export const aManagedPolicy = (name: string, given: Partial<ManagedPolicy> = {}): ManagedPolicy => ({
  ...aPolicy(name, 'mandatory', `data.${name}.deny`),
  id: `pol-${name}`,
  organizationId: 'org-1',
  organizationName: 'acme',
  kind: 'opa',
  policySetIds: [],
  createdAt: noon,
  updatedAt: noon,
  revision: 0,
  ...given,
});

export const anAppliedSet = (given: Partial<AppliedPolicySet> = {}): AppliedPolicySet => ({
  id: 'polset-1',
  name: 'network',
  description: null,
  overridable: false,
  policyToolVersion: null,
  archive: null,
  policies: [],
  ...given,
});

export const aSetOutcome = (given: Partial<PolicySetOutcome> = {}): PolicySetOutcome => ({
  id: 'psout-1',
  policyEvaluationId: 'poleval-opa',
  position: 0,
  policySetName: 'network',
  policySetDescription: null,
  overridable: false,
  policyToolVersion: '0.70.0',
  error: null,
  warnings: [],
  outcomes: [],
  ...given,
});

/** The report of an agent when every policy of the set passed. */
export const aReport = ({ id, policies }: AppliedPolicySet): ReportedPolicySet => ({
  policySetId: id,
  error: null,
  warnings: [],
  policies: policies.map(({ name }) => ({ name, status: 'passed', output: null })),
});

/** With an evaluation of each kind. */
export const anOpenStage = (): TaskStage =>
  openTaskStage({ id: 'ts-1', runId: 'run-1', stage: 'post_plan', createdAt: noon }, [
    { id: 'poleval-opa', kind: 'opa', policySets: [anAppliedSet()] },
    { id: 'poleval-sentinel', kind: 'sentinel', policySets: [anAppliedSet({ id: 'polset-2' })] },
  ]);
