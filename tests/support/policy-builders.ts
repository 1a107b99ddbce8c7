import type {
  AgentPool,
  AgentToken,
  AppliedPolicy,
  ManagedPolicy,
  NotificationConfiguration,
  Organization,
  Policy,
  PolicyEvaluation,
  PolicyOutcome,
  PolicySet,
  PolicySetOutcome,
  PolicySetParameter,
  PolicySetVersion,
  PolicyTrial,
  Run,
  RunState,
  RunTask,
  TaskResult,
  TaskStage,
  TrialPlan,
  Workspace,
  WorkspaceRunTrigger,
  WorkspaceTask,
} from '../../src/domain/index.js';
import { noResults } from '../../src/domain/index.js';
import { newTrial } from '../../src/domain/policy-outcomes/policy-trial.js';
import { widestScope } from '../../src/domain/supporting/agents/agent-pool.js';
import { noon, unique } from './builders.js';

export const aPolicy = (given: Partial<Policy> = {}): Policy => ({
  name: unique('policy'),
  description: 'Keeps things in order',
  query: 'data.terraform.deny',
  enforcementLevel: 'mandatory',
  ...given,
});

export const anAppliedPolicy = (given: Partial<AppliedPolicy> = {}): AppliedPolicy => ({
  ...aPolicy(given),
  code: null,
  ...given,
});

export const aManagedPolicy = (organization: Organization, given: Partial<ManagedPolicy> = {}): ManagedPolicy => {
  const id = unique('pol');
  return {
    ...aPolicy({ name: id }),
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    kind: 'opa',
    code: null,
    policySetIds: [],
    createdAt: noon,
    updatedAt: noon,
    revision: 0,
    ...given,
  };
};

export const aPolicySet = (organization: Organization, given: Partial<PolicySet> = {}): PolicySet => {
  const id = unique('polset');
  return {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    name: id,
    description: null,
    kind: 'opa',
    global: false,
    overridable: false,
    policies: [],
    policyToolVersion: null,
    agentEnabled: false,
    updatePatterns: [],
    policiesPath: null,
    repository: null,
    workspaceIds: [],
    excludedWorkspaceIds: [],
    projectIds: [],
    excludedProjectIds: [],
    tagSelectors: [],
    policyIds: [],
    versions: null,
    createdAt: noon,
    updatedAt: noon,
    revision: 0,
    ...given,
  };
};

export const aPolicySetVersion = (set: PolicySet, given: Partial<PolicySetVersion> = {}): PolicySetVersion => ({
  id: unique('polsetver'),
  organizationId: set.organizationId,
  policySetId: set.id,
  sequence: 1,
  source: 'tfe-api',
  commit: null,
  status: 'pending',
  failure: null,
  bundle: null,
  createdBy: null,
  statusTimestamps: { 'pending-at': noon },
  createdAt: noon,
  updatedAt: noon,
  supersededAt: null,
  revision: 0,
  ...given,
});

export const aPolicyTrial = (
  { id: organizationId }: Pick<Organization, 'id'>,
  given: Partial<PolicyTrial> = {},
): PolicyTrial => ({
  ...newTrial({
    id: unique('poltrial'),
    organizationId,
    policySetId: null,
    policies: [aPolicy()],
    policyToolVersion: null,
    parameters: [],
    archive: { sha256: '0'.repeat(64), bytes: 3 },
    requestedBy: { kind: 'user', id: unique('user') },
    createdAt: noon,
  }),
  ...given,
});

export const aTrialPlan = (
  { id: trialId }: Pick<PolicyTrial, 'id'>,
  { id: runId, workspaceId }: Pick<RunState, 'id' | 'workspaceId'>,
  given: Partial<TrialPlan> = {},
): TrialPlan => ({ trialId, runId, workspaceId, position: 0, before: null, now: null, ...given });

export const aPolicySetParameter = (set: PolicySet, given: Partial<PolicySetParameter> = {}): PolicySetParameter => ({
  id: unique('var'),
  policySetId: set.id,
  key: unique('key'),
  sensitive: false,
  sealedValue: 'sealed:text',
  createdAt: noon,
  revision: 0,
  ...given,
});

export const anEvaluation = (given: Partial<PolicyEvaluation> = {}): PolicyEvaluation => ({
  id: unique('poleval'),
  kind: 'opa',
  status: 'pending',
  policyToolVersion: '',
  policySets: [],
  resultCount: noResults,
  overridable: true,
  statusTimestamps: {},
  createdAt: noon,
  updatedAt: noon,
  ...given,
});

/** With one evaluation, of OPA policies. */
export const aTaskStage = ({ state }: Run, given: Partial<TaskStage> = {}): TaskStage => ({
  id: unique('ts'),
  runId: state.id,
  stage: 'post_plan',
  status: 'pending',
  evaluations: [anEvaluation()],
  results: [],
  statusTimestamps: {},
  createdAt: noon,
  updatedAt: noon,
  revision: 0,
  ...given,
});

export const aPolicyOutcome = (given: Partial<PolicyOutcome> = {}): PolicyOutcome =>
  ({
    ...(given.status === 'errored' ? {} : { status: 'passed', enforcementLevel: 'mandatory' }),
    policyName: unique('policy'),
    description: '',
    query: null,
    output: null,
    ...given,
  }) as PolicyOutcome;

export const aPolicySetOutcome = (
  { id: policyEvaluationId }: Pick<PolicyEvaluation, 'id'>,
  given: Partial<PolicySetOutcome> = {},
): PolicySetOutcome => ({
  id: unique('psout'),
  policyEvaluationId,
  position: 0,
  policySetName: 'baseline',
  policySetDescription: null,
  overridable: false,
  policyToolVersion: '0.44.0',
  error: null,
  warnings: [],
  outcomes: [],
  ...given,
});

export const aSiteAgentPool = (given: Partial<AgentPool> = {}): AgentPool => {
  const id = unique('apool');
  return { ...widestScope, id, organizationId: null, organizationName: null, name: id, createdAt: noon, ...given };
};

export const anAgentPool = (organization: Organization, given: Partial<AgentPool> = {}): AgentPool => {
  const id = unique('apool');
  return aSiteAgentPool({
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    name: id,
    ...given,
  });
};

export const anAgentToken = ({ id: poolId }: Pick<AgentPool, 'id'>, given: Partial<AgentToken> = {}): AgentToken => {
  const id = unique('agt');
  return {
    id,
    poolId,
    secretDigest: `digest of ${id}`,
    description: 'In the basement',
    createdBy: null,
    createdAt: noon,
    lastUsedAt: null,
    ...given,
  };
};

export const aRunTask = (organization: Organization, given: Partial<RunTask> = {}): RunTask => ({
  id: unique('task'),
  organizationId: organization.id,
  organizationName: organization.name,
  name: unique('scanner'),
  url: 'https://scanner.example/check',
  description: '',
  enabled: true,
  sealedHmacKey: null,
  workspaceTaskIds: [],
  createdAt: noon,
  revision: 0,
  ...given,
});

export const aWorkspaceTask = (
  { id: workspaceId }: Pick<Workspace, 'id'>,
  { id: taskId }: Pick<RunTask, 'id'>,
  given: Partial<WorkspaceTask> = {},
): WorkspaceTask => ({
  id: unique('wstask'),
  workspaceId,
  taskId,
  enforcementLevel: 'advisory',
  stages: ['post_plan'],
  createdAt: noon,
  revision: 0,
  ...given,
});

/** A configuration of the workspace, unless another subject is given. */
export const aNotificationConfiguration = (
  { id, organizationId }: Pick<Workspace, 'id' | 'organizationId'>,
  given: Partial<NotificationConfiguration> = {},
): NotificationConfiguration => ({
  id: unique('nc'),
  subject: { kind: 'workspace', id },
  organizationId,
  name: 'Our channel',
  enabled: false,
  destinationType: 'generic',
  url: 'https://hooks.example/1',
  sealedToken: null,
  triggers: [],
  emailAddresses: [],
  userIds: [],
  deliveries: [],
  createdAt: noon,
  updatedAt: noon,
  revision: 0,
  ...given,
});

/** The source is a workspace of the same organization. */
export const aRunTrigger = (
  workspace: Pick<Workspace, 'id' | 'name' | 'organizationId' | 'organizationName'>,
  source: Pick<Workspace, 'id' | 'name'>,
  given: Partial<WorkspaceRunTrigger> = {},
): WorkspaceRunTrigger => ({
  id: unique('rt'),
  workspaceId: workspace.id,
  workspaceName: workspace.name,
  sourceId: source.id,
  sourceName: source.name,
  organizationId: workspace.organizationId,
  organizationName: workspace.organizationName,
  createdBy: { kind: 'user', id: 'user-1' },
  createdAt: noon,
  ...given,
});

export const aTaskResult = (given: Partial<TaskResult> = {}): TaskResult => ({
  id: unique('taskrs'),
  taskId: unique('task'),
  taskName: 'scanner',
  taskUrl: 'https://scanner.example/check',
  workspaceTaskId: unique('wstask'),
  enforcementLevel: 'advisory',
  speculative: false,
  status: 'pending',
  message: '',
  url: '',
  tokenDigest: null,
  calledAt: null,
  deadline: null,
  statusTimestamps: {},
  createdAt: noon,
  updatedAt: noon,
  ...given,
});
