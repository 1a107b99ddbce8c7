import type { Transaction } from '../../src/application/index.js';
import {
  type Actor,
  type ApiToken,
  ConfigurationVersion,
  type ConfigurationVersionState,
  defaultProjectId,
  type Grant,
  type Identity,
  type IngressAttributes,
  type LinkedRepository,
  type Member,
  type Membership,
  memberOf,
  type Organization,
  type Project,
  type ProjectGrant,
  type ProjectId,
  Run,
  type RunComment,
  type RunOptions,
  type RunState,
  type Session,
  type SetVariable,
  type SoleTokenOwner,
  type StateOutput,
  type StateVersion,
  type TagBinding,
  type Team,
  type TeamId,
  TeamProject,
  type TeamProjectState,
  TeamToken,
  TeamWorkspace,
  type TeamWorkspaceState,
  type Timed,
  type TokenOwner,
  type User,
  type Variable,
  type VariableSet,
  type Workspace,
  type WorkspaceId,
  type WorkspacePermissions,
} from '../../src/domain/index.js';
import { initialDefaults } from '../../src/domain/supporting/organizations/organization.js';
import { initialSettings } from '../../src/domain/supporting/organizations/organization-settings.js';
import { defaultTeamSettings } from '../../src/domain/supporting/teams/team.js';
import { nothingInherited } from '../../src/domain/supporting/workspaces/auto-destroy.js';
import { defaultSettings } from '../../src/domain/supporting/workspaces/workspace.js';
import { nothing } from '../../src/domain/team-access/workspace-permissions.js';

export const noon = '2030-01-01T12:00:00.000Z';

/** The bounds of access that a caller gives whose own rights have no end. */
export const unbounded = { now: noon, rightEnds: () => null } as const;

/** The instant `seconds` after noon. */
export const afterNoon = (seconds: number): string => new Date(Date.parse(noon) + seconds * 1000).toISOString();

let made = 0;

/** A text nothing else has in this process. */
export const unique = (what: string): string => {
  made += 1;
  return `${what}-${made}`;
};

export const aUser = (given: Partial<User> = {}): User => {
  const id = unique('user');
  return {
    id,
    username: id,
    email: `${id}@example.com`,
    siteAdministrator: false,
    suspended: false,
    createdAt: noon,
    ...given,
  };
};

export const anOrganization = (given: Partial<Organization> = {}): Organization => {
  const id = unique('org');
  const email = `${id}@example.com`;
  return {
    id,
    name: id,
    email,
    defaults: initialDefaults,
    settings: initialSettings,
    retention: null,
    createdAt: noon,
    ...given,
  };
};

/** A user who is an active member, as the organization sees them. */
export const asMember = (user: User): Member => memberOf({ invitedEmail: null }, user);

export const aMembership = (
  { id: organizationId }: Organization,
  { id: userId }: Pick<User, 'id'>,
  given: Partial<Membership> = {},
): Membership => ({
  id: unique('ou'),
  organizationId,
  userId,
  createdAt: noon,
  invitedEmail: null,
  identityId: null,
  ...given,
});

export const aTeam = (organization: Organization, given: Partial<Team> = {}): Team => {
  const id = unique('team');
  return {
    ...defaultTeamSettings,
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    name: id,
    owners: false,
    usersCount: 0,
    createdAt: noon,
    revision: 0,
    ...given,
  };
};

export const aProject = (organization: Organization, given: Partial<Project> = {}): Project => {
  const id = unique('prj');
  return {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    executionMode: null,
    agentPoolId: null,
    executionDefaults: organization.defaults,
    autoDestroy: null,
    name: id,
    description: '',
    createdAt: noon,
    updatedAt: noon,
    revision: 0,
    ...given,
  };
};

export const aWorkspace = (organization: Organization, given: Partial<Workspace> = {}): Workspace => {
  const id = unique('ws');
  return {
    ...defaultSettings,
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    executionDefaults: organization.defaults,
    allowForceDelete: organization.settings.allowForceDeleteWorkspaces,
    name: id,
    projectId: defaultProjectId(organization.id),
    lock: null,
    repository: null,
    autoDestroy: null,
    inheritedDestruction: nothingInherited,
    retention: null,
    organizationRetention: organization.retention,
    source: 'tfe-api',
    tagNames: [],
    currentConfigurationVersionId: null,
    createdAt: noon,
    updatedAt: noon,
    revision: 0,
    ...given,
  };
};

export const aTagBinding = (workspace: Workspace, given: Partial<TagBinding> = {}): TagBinding => ({
  id: unique('tb'),
  organizationId: workspace.organizationId,
  owner: { kind: 'workspace', id: workspace.id },
  key: 'stage',
  value: 'test',
  createdAt: noon,
  ...given,
});

export const aStateVersion = (
  { workspaceId, id: runId }: Pick<RunState, 'id' | 'workspaceId'>,
  given: Partial<StateVersion> = {},
): StateVersion => ({
  id: unique('sv'),
  workspaceId,
  source: 'agent',
  runId,
  createdBy: null,
  serial: 1,
  lineage: 'lineage-1',
  md5: 'd'.repeat(32),
  size: 3,
  status: 'pending',
  bundle: null,
  jsonBundle: null,
  forced: false,
  outputsRead: true,
  unreadReason: null,
  rollbackOf: null,
  createdAt: noon,
  ...given,
});

export const aStateOutput = (
  { id: stateVersionId }: Pick<StateVersion, 'id'>,
  given: Partial<StateOutput> = {},
): StateOutput => {
  const id = unique('wsout');
  return { id, stateVersionId, name: id, type: '"string"', value: '"here"', sensitive: false, ...given };
};

export const aVariableSet = (organization: Organization, given: Partial<VariableSet> = {}): VariableSet => {
  const id = unique('varset');
  return {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    projectId: null,
    name: id,
    description: '',
    global: false,
    priority: false,
    workspaceIds: [],
    projectIds: [],
    variableIds: [],
    createdAt: noon,
    updatedAt: noon,
    revision: 0,
    ...given,
  };
};

export const aSetVariable = (
  { id: variableSetId }: Pick<VariableSet, 'id'>,
  given: Partial<SetVariable> = {},
): SetVariable => {
  const { workspaceId: _, ...variable } = aVariable({ id: '' });
  return { ...variable, variableSetId, ...given };
};

export const aVariable = ({ id: workspaceId }: Pick<Workspace, 'id'>, given: Partial<Variable> = {}): Variable => {
  const id = unique('var');
  return {
    id,
    workspaceId,
    key: id.replace('-', '_'),
    description: null,
    category: 'terraform',
    hcl: false,
    sensitive: false,
    sealedValue: 'v2.key.sealed',
    size: 5,
    createdAt: noon,
    revision: 0,
    ...given,
  };
};

export const aConfigurationVersion = (
  { id: workspaceId }: Pick<Workspace, 'id'>,
  given: Partial<ConfigurationVersionState> = {},
): ConfigurationVersion =>
  ConfigurationVersion.restore({
    ...ConfigurationVersion.create({
      ...{ id: unique('cv'), workspaceId, origin: 'api', source: 'tfe-api' },
      ...{ ingressAttributesId: null, createdBy: null, createdAt: noon },
    }).state,
    ...given,
  });

/** The same version one change later. */
export const changed = (
  { state }: ConfigurationVersion,
  change: Partial<ConfigurationVersionState> = {},
): ConfigurationVersion => ConfigurationVersion.restore({ ...state, ...change, revision: state.revision + 1 });

export const someRunOptions = (given: Partial<RunOptions> = {}): RunOptions => ({
  message: 'Queued by a test',
  isDestroy: false,
  refresh: true,
  refreshOnly: false,
  allowEmptyApply: false,
  allowConfigGeneration: false,
  targetAddrs: null,
  replaceAddrs: null,
  variables: [],
  terraformVersion: null,
  debuggingMode: false,
  ...given,
});

export const aRun = (
  { id: workspaceId }: Pick<Workspace, 'id'>,
  { id: configurationVersionId }: Pick<ConfigurationVersionState, 'id'>,
  given: Partial<RunState> = {},
): Run =>
  Run.restore({
    id: unique('run'),
    workspaceId,
    configurationVersionId,
    sequence: 1,
    status: 'pending',
    source: 'tfe-api',
    triggerDepth: 0,
    options: someRunOptions(),
    planOnly: false,
    savePlan: false,
    autoApply: false,
    createdBy: null,
    hasChanges: false,
    cancelRequested: false,
    decisions: [],
    planned: null,
    applied: null,
    failure: null,
    ownFiles: null,
    lease: null,
    statusTimestamps: {},
    createdAt: noon,
    revision: 0,
    ...given,
  });

export const aRunComment = ({ id: runId }: Pick<RunState, 'id'>, given: Partial<RunComment> = {}): RunComment => ({
  id: unique('wsc'),
  runId,
  body: 'Looks good',
  createdBy: { kind: 'user', id: 'user-1' },
  createdAt: noon,
  ...given,
});

export const aBundle = () => ({ key: unique('bundle'), bytes: 1024, sha256: 'a'.repeat(64) });

export const someIngressAttributes = (given: Partial<IngressAttributes> = {}): IngressAttributes => ({
  id: unique('ia'),
  branch: 'main',
  cloneUrl: 'https://example.com/acme/network.git',
  commitMessage: 'Add a subnet',
  commitSha: '9f4b1c3d',
  commitUrl: 'https://example.com/acme/network/commit/9f4b1c3d',
  compareUrl: 'https://example.com/acme/network/compare/1a2b...9f4b',
  identifier: 'acme/network',
  isPullRequest: true,
  onDefaultBranch: false,
  pullRequestNumber: 7,
  pullRequestUrl: 'https://example.com/acme/network/pull/7',
  pullRequestTitle: 'Subnets',
  pullRequestBody: 'One more',
  tag: null,
  senderUsername: 'ann',
  senderAvatarUrl: null,
  senderHtmlUrl: null,
  ...given,
});

/** A commit on a branch, as a forge reports it. */
export const aCommit = (given: Partial<IngressAttributes> = {}) => {
  const noPull = { pullRequestNumber: null, pullRequestUrl: null, pullRequestTitle: null, pullRequestBody: null };
  const whole = someIngressAttributes({ isPullRequest: false, ...noPull, ...given });
  const { id: _, cloneUrl: __, onDefaultBranch: ___, ...commit } = whole;
  return commit;
};

export const aToken = <Owner extends TokenOwner>(
  owner: Owner,
  given: Partial<Omit<ApiToken, 'owner'>> = {},
): ApiToken & { readonly owner: Owner } => {
  const id = unique('at');
  return {
    id,
    owner,
    secretDigest: `digest of ${id}`,
    description: owner.kind === 'user' ? 'a test' : null,
    createdBy: null,
    madeInSession: false,
    createdAt: noon,
    expiresAt: null,
    lastUsedAt: null,
    ...given,
  };
};

/** Stores the only token of an owner. */
export const keepToken = (tx: Transaction, token: ApiToken & { readonly owner: SoleTokenOwner }): Promise<void> => {
  const { owner } = token;
  return owner.kind === 'team'
    ? tx.teamTokens.put(TeamToken.restore(owner.id, token))
    : tx.tokens.replace({ ...token, owner });
};

export const anIdentity = (user: Pick<User, 'id'>, given: Partial<Identity> = {}): Identity => ({
  id: unique('idn'),
  userId: user.id,
  issuer: 'https://provider.test',
  subject: unique('subject'),
  createdAt: noon,
  ...given,
});

export const aSession = (user: Pick<User, 'id'>, given: Partial<Session> = {}): Session => {
  const id = unique('sess');
  return {
    id,
    userId: user.id,
    secretDigest: `digest of ${id}`,
    identityId: null,
    tokenId: null,
    createdAt: noon,
    expiresAt: afterNoon(1),
    lastUsedAt: null,
    longestIdle: 0,
    ...given,
  };
};

export const ownedBy = <Kind extends TokenOwner['kind']>(kind: Kind, { id }: { readonly id: string }) =>
  ({ kind, id }) as Extract<TokenOwner, { readonly kind: Kind }>;

export const aCustomGrant = (permissions: Partial<WorkspacePermissions> = {}): Grant => ({
  access: 'custom',
  permissions: { ...nothing, ...permissions },
});

export const asUser = ({ id: userId, siteAdministrator }: User): Actor => ({
  kind: 'user',
  tokenId: 'at-of-user',
  userId,
  siteAdministrator,
});

export const asTeam = ({ id: teamId, organizationId }: Team): Actor => ({
  kind: 'team',
  tokenId: 'at-of-team',
  teamId,
  organizationId,
});

export const asOrganization = ({ id: organizationId }: Organization): Actor => ({
  kind: 'organization',
  tokenId: 'at-of-organization',
  organizationId,
});

export const aTeamProject = (
  teamId: TeamId,
  projectId: ProjectId,
  given: Partial<TeamProjectState> = {},
): TeamProject =>
  TeamProject.restore({ id: unique('tprj'), teamId, projectId, grant: { access: 'read' }, revision: 0, ...given });

export const aTeamWorkspace = (
  teamId: TeamId,
  workspaceId: WorkspaceId,
  given: Partial<TeamWorkspaceState> = {},
): TeamWorkspace =>
  TeamWorkspace.restore({ id: unique('tws'), teamId, workspaceId, grant: { access: 'read' }, revision: 0, ...given });

/** Gives a team rights on a workspace. */
export const giveGrant = (
  tx: Transaction,
  teamId: TeamId,
  workspaceId: WorkspaceId,
  grant: Timed<Grant>,
): Promise<void> => tx.teamAccess.add(aTeamWorkspace(teamId, workspaceId, { grant }));

export const giveProjectGrant = (
  tx: Transaction,
  teamId: TeamId,
  projectId: ProjectId,
  grant: ProjectGrant,
): Promise<void> => tx.projectAccess.add(aTeamProject(teamId, projectId, { grant }));

export const aRepository = (given: Partial<LinkedRepository> = {}): LinkedRepository => ({
  cloneUrl: 'https://example.com/acme/network.git',
  branch: 'release',
  credential: 'forge',
  webhookId: unique('webhook'),
  sealedWebhookKey: 'sealed',
  linkedBy: { kind: 'user', id: 'user-1' },
  ...given,
});
