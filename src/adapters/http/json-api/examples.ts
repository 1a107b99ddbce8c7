import type {
  FailingEffect,
  Job,
  MembershipView,
  ShownOutput,
  ShownPhase,
  ShownRun,
  ShownStateVersion,
  TeamWorkspaceView,
  VariableView,
} from '../../../application/index.js';
import {
  type AgentPool,
  type AgentToken,
  type ApiToken,
  type AuditEvent,
  asApplied,
  asQuestion,
  type Bundle,
  type ConfigurationVersionState,
  defaultRunOptions,
  defaultSettings,
  type IngressAttributes,
  initialDefaults,
  type LocatedEvaluation,
  type ManagedPolicy,
  type Organization,
  type PolicySet,
  type PolicySetOutcome,
  type RunState,
  type Seen,
  type Standing,
  type StateVersion,
  type TaskStage,
  type Team,
  type TokenOwner,
  type User,
  type Workspace,
  widestScope,
} from '../../../domain/index.js';

/**
 * The world the examples of the reference are taken from: a change to a workspace's network, pushed by Ann, is planned,
 * and a policy stands in its way. Presenters make the examples of it, so that they are what the service writes.
 */

const at = (time: string): string => `2030-01-31T${time}.000Z`;

export const organization: Organization = {
  id: 'org-2mWc7QbT9sLxV4Rn',
  name: 'acme',
  email: 'infrastructure@acme.example',
  defaults: initialDefaults,
  createdAt: at('08:00:00'),
};

export const user: User = {
  id: 'user-8KpZ3dYh6fGtJ1Wc',
  username: 'ann',
  email: 'ann@acme.example',
  siteAdministrator: false,
  suspended: false,
  createdAt: at('08:00:00'),
};

const ann: TokenOwner = { kind: 'user', id: user.id };

export const team: Team = {
  id: 'team-5RtY1nBv8mQwE3Xk',
  organizationId: organization.id,
  organizationName: organization.name,
  name: 'network',
  owners: false,
  usersCount: 1,
  visibility: 'organization',
  membersManageToken: true,
  access: new Set(['read-workspaces']),
  createdAt: at('08:05:00'),
  revision: 0,
};

/** An owner's. */
export const standing: Standing = {
  actor: 'user',
  siteAdministrator: false,
  member: true,
  teams: [{ teamId: 'team-9HsD4jLp2cZaU7Mf', owners: true, access: new Set() }],
  team: asQuestion(team),
};

export const membership: MembershipView = {
  id: 'ou-6VxN2kRf0tHbC8Ys',
  organizationId: organization.id,
  organizationName: organization.name,
  userId: user.id,
  user,
  teams: [team],
  createdAt: at('08:10:00'),
  invitedEmail: null,
};

const token: ApiToken = {
  id: 'at-3GqL7wTz5bXnK9Dj',
  owner: ann,
  secretDigest: '',
  description: 'laptop',
  createdBy: ann,
  createdAt: at('08:20:00'),
  expiresAt: '2031-01-31T00:00:00.000Z',
  lastUsedAt: at('09:00:00'),
};

export const tokens = {
  user: token,
  team: { ...token, id: 'at-1FkP8sVc4yMhR6Eu', owner: { kind: 'team', id: team.id }, description: null },
  organization: {
    ...token,
    id: 'at-7BdW0gJn2xQtA5Lo',
    owner: { kind: 'organization', id: organization.id },
    description: null,
  },
} as const satisfies Partial<Record<TokenOwner['kind'], ApiToken>>;

export const secret = 'gatehouse.v1.EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPL';

export const ingressAttributes: IngressAttributes = {
  id: 'ia-4MzC9uHq1vSgB7Kw',
  branch: 'main',
  cloneUrl: 'https://git.example.com/acme/network.git',
  commitMessage: 'Open the subnet to the office',
  commitSha: '6f1e0d2c9b8a7f6e5d4c3b2a19080706f5e4d3c2',
  commitUrl: 'https://git.example.com/acme/network/commit/6f1e0d2c9b8a7f6e5d4c3b2a19080706f5e4d3c2',
  compareUrl: null,
  identifier: 'acme/network',
  isPullRequest: false,
  onDefaultBranch: true,
  pullRequestNumber: null,
  pullRequestUrl: null,
  pullRequestTitle: null,
  pullRequestBody: null,
  tag: null,
  senderUsername: 'ann',
  senderAvatarUrl: null,
  senderHtmlUrl: 'https://git.example.com/ann',
};

/** Fetched from version control. */
export const configurationVersion: ConfigurationVersionState = {
  id: 'cv-0TjX5rNy3pWkF8Hd',
  workspaceId: 'ws-7LcQ2vKb9zRtD4Sm',
  sequence: 12,
  status: 'uploaded',
  origin: 'version-control',
  source: 'github',
  autoQueueRuns: true,
  speculative: false,
  provisional: false,
  failure: null,
  statusTimestamps: { 'fetching-at': at('09:00:01'), 'uploaded-at': at('09:00:03') },
  bundle: null,
  ingressAttributesId: ingressAttributes.id,
  purgeAt: null,
  createdBy: ann,
  createdAt: at('09:00:00'),
  revision: 2,
};

/** Waiting for its upload. */
export const createdConfigurationVersion: ConfigurationVersionState = {
  ...configurationVersion,
  id: 'cv-9WgM6hBz1nVxS3Qe',
  status: 'pending',
  origin: 'api',
  source: 'tfe-api',
  statusTimestamps: {},
  ingressAttributesId: null,
};

export const uploadUrl =
  'https://gatehouse.example.com/v1/object/cv-9WgM6hBz1nVxS3Qe.t3q8d4.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2lnbmF0dXJl';

export const workspace: Workspace = {
  ...defaultSettings,
  id: configurationVersion.workspaceId,
  organizationId: organization.id,
  organizationName: organization.name,
  organizationDefaults: organization.defaults,
  name: 'network',
  description: 'Subnets of the offices',
  terraformVersion: '1.11.4',
  lock: null,
  repository: {
    cloneUrl: ingressAttributes.cloneUrl,
    branch: null,
    credential: 'git-example',
    webhookId: 'hook-2YbK6tRj8wCnP0Vx',
    sealedWebhookKey: '',
    linkedBy: ann,
  },
  currentConfigurationVersionId: configurationVersion.id,
  createdAt: at('08:15:00'),
  updatedAt: at('08:30:00'),
  revision: 1,
};

export const variable: VariableView = {
  variable: {
    id: 'var-9TgX3kWq6pHnC1Zd',
    workspaceId: workspace.id,
    key: 'region',
    description: 'Where the subnets are',
    category: 'terraform',
    hcl: false,
    sensitive: false,
    sealedValue: '',
    size: 12,
    createdAt: at('08:45:00'),
    revision: 0,
  },
  value: 'eu-central-1',
};

export const webhookKey = 'whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZUVYQU0=';

export const teamWorkspace: TeamWorkspaceView = {
  id: 'tws-1NvZ4qGm7kXsH9Bt',
  teamId: team.id,
  workspaceId: workspace.id,
  organizationName: organization.name,
  workspaceName: workspace.name,
  grant: { access: 'write' },
  revision: 0,
};

const policies: PolicySet['policies'] = [
  {
    name: 'no-open-ports',
    description: 'Nothing may be open to the whole internet',
    query: 'data.terraform.network.deny',
    enforcementLevel: 'mandatory',
  },
];

export const policySet: PolicySet = {
  id: 'polset-8ScF3xDy6mJqL1Zr',
  organizationId: organization.id,
  organizationName: organization.name,
  name: 'baseline',
  description: 'What every workspace is held to',
  kind: 'opa',
  global: false,
  overridable: true,
  policies,
  workspaceIds: [workspace.id],
  policyIds: ['pol-4NdW9rKc2vHsT7Bq'],
  createdAt: at('08:40:00'),
  updatedAt: at('08:40:00'),
  revision: 0,
};

export const policy: ManagedPolicy = {
  id: 'pol-4NdW9rKc2vHsT7Bq',
  organizationId: organization.id,
  organizationName: organization.name,
  name: 'all-tagged',
  description: 'Every resource says whose it is',
  kind: 'opa',
  query: 'data.terraform.tags.deny',
  enforcementLevel: 'advisory',
  code: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  policySetIds: [policySet.id],
  createdAt: at('08:42:00'),
  updatedAt: at('08:43:00'),
  revision: 1,
};

export const run: RunState = {
  id: 'run-5HtW8bQn2gKzV6Yc',
  workspaceId: workspace.id,
  configurationVersionId: configurationVersion.id,
  sequence: 7,
  status: 'post_plan_awaiting_decision',
  source: 'tfe-configuration-version',
  options: { ...defaultRunOptions, message: 'Open the subnet to the office' },
  planOnly: false,
  savePlan: false,
  autoApply: false,
  createdBy: ann,
  hasChanges: true,
  cancelRequested: false,
  planned: { additions: 1, changes: 2, destructions: 0, imports: 0 },
  applied: null,
  failure: null,
  ownFiles: null,
  lease: null,
  statusTimestamps: {
    'plan-queueable-at': at('09:00:03'),
    'plan-queued-at': at('09:00:03'),
    'planning-at': at('09:00:10'),
    'planned-at': at('09:00:40'),
    'post-plan-running-at': at('09:00:40'),
    'post-plan-awaiting-decision-at': at('09:00:45'),
  },
  createdAt: at('09:00:03'),
  revision: 6,
};

export const taskStage: TaskStage = {
  id: 'ts-3PmB7yVd0rLfX5Kj',
  runId: run.id,
  stage: 'post_plan',
  status: 'awaiting_override',
  evaluations: [
    {
      id: 'poleval-6QzH1kTs4wGnC9Mv',
      kind: 'opa',
      status: 'failed',
      policyToolVersion: '0.70.0',
      policySets: [asApplied({ ...policySet, attached: [policy] })],
      resultCount: { advisoryFailed: 0, mandatoryFailed: 1, passed: 0, errored: 0 },
      overridable: true,
      statusTimestamps: { 'pending-at': at('09:00:03'), 'running-at': at('09:00:40'), 'failed-at': at('09:00:45') },
      createdAt: at('09:00:03'),
      updatedAt: at('09:00:45'),
    },
  ],
  statusTimestamps: {
    'pending-at': at('09:00:03'),
    'running-at': at('09:00:40'),
    'awaiting-override-at': at('09:00:45'),
  },
  createdAt: at('09:00:03'),
  updatedAt: at('09:00:45'),
  revision: 2,
};

export const seenStage: Seen<TaskStage> = { subject: taskStage, standing };

export const policyEvaluation: LocatedEvaluation = {
  ...(taskStage.evaluations[0] as TaskStage['evaluations'][number]),
  taskStageId: taskStage.id,
};

export const policySetOutcome: PolicySetOutcome = {
  id: 'psout-0XsJ5fRw9bTkD2Nq',
  policyEvaluationId: policyEvaluation.id,
  position: 0,
  policySetName: policySet.name,
  policySetDescription: policySet.description,
  overridable: policySet.overridable,
  policyToolVersion: policyEvaluation.policyToolVersion,
  error: null,
  warnings: [],
  outcomes: policies.map(({ name, description, query, enforcementLevel }) => ({
    status: 'failed',
    enforcementLevel,
    policyName: name,
    description,
    query,
    output: ['port 22 is open to 0.0.0.0/0'],
  })),
};

export const shownRun: ShownRun = { run, standing, stageId: taskStage.id, position: 0 };

export const shownPhase: ShownPhase = {
  run,
  logUrl: `https://gatehouse.example.com/v1/log/${run.id}.t3q8d4.Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2lnbmF0dXJl`,
};

export const agentPool: AgentPool = {
  ...widestScope,
  id: 'apool-4CvT8nKx1zQgY6Lb',
  organizationId: organization.id,
  organizationName: organization.name,
  name: 'basement',
  createdAt: at('08:50:00'),
};

export const agentToken: AgentToken = {
  id: 'at-2DrS6mWj9hPvF0Ux',
  poolId: agentPool.id,
  secretDigest: '',
  description: 'rack 4',
  createdBy: ann,
  createdAt: at('08:55:00'),
  lastUsedAt: null,
};

export const bundle: Bundle = {
  key: 'bundle-1',
  bytes: 181,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const stateVersion: StateVersion = {
  id: 'sv-4JmT8xBq1nRwK6Vc',
  workspaceId: workspace.id,
  runId: run.id,
  createdBy: ann,
  serial: 3,
  lineage: '1f3d0b0a-7c54-4f0e-9a1c-2d6a0c1c9d6e',
  md5: '098f6bcd4621d373cade4e832627b4f6',
  size: bundle.bytes,
  status: 'finalized',
  bundle,
  createdAt: at('09:05:00'),
};

export const shownOutput: ShownOutput = {
  id: 'wsout-7HsK3pNd9tYxF2Ql',
  stateVersionId: stateVersion.id,
  name: 'subnet_ids',
  type: ['list', 'string'],
  size: 23,
  value: ['subnet-1', 'subnet-2'],
  sensitive: false,
};

export const shownStateVersion: ShownStateVersion = {
  version: stateVersion,
  downloadUrl: `https://gatehouse.example.com/v1/object/${stateVersion.id}.t5k2xo.c2lnbmF0dXJl`,
  outputIds: [shownOutput.id],
};

export const job: Job = {
  leaseToken: secret,
  expiresAt: at('09:01:10'),
  phase: 'plan',
  run: { ...run, status: 'planning' },
  workspace,
  version: configurationVersion,
  stage: taskStage,
  variables: [{ ...variable.variable, value: 'eu-central-1' }],
  state: stateVersion,
  planFile: null,
};

export const failingEffect: FailingEffect = {
  id: 42,
  subject: configurationVersion.id,
  kind: 'fetch-commit',
  attempts: 3,
  lastError: 'the repository does not answer',
  notBefore: at('09:05:00'),
};

export const auditEvent: AuditEvent = {
  id: 'ae-20300131090000000-4f1c9a2b7d3e8056',
  at: at('09:00:00'),
  organizationId: organization.id,
  actor: { kind: 'user', id: user.id, tokenId: tokens.user.id },
  action: 'workspaces/update',
  subject: workspace.id,
  outcome: 'done',
  count: 1,
  detail: null,
  request: { id: '6e3c2f6e-9a53-4c1e-8f0b-2f7d3a1c5b90', address: '192.0.2.7', route: 'PATCH /workspaces/:id' },
};
