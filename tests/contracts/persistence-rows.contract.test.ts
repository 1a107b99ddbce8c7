import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import {
  type AuditEvent,
  type ConfigurationVersionState,
  impliedInProject,
  type NewAuditEvent,
  type OrganizationSettings,
  organizationPermissions,
  type PolicySetVersion,
  type PolicyTrial,
  type Run,
  type RunState,
  type TokenOwner,
  type TrialPart,
  type TrialResult,
  type WithStanding,
  type Workspace,
  type WorkspacePermissions,
} from '../../src/domain/index.js';
import { initialSettings } from '../../src/domain/supporting/organizations/organization-settings.js';
import { policyCommit } from '../../src/domain/supporting/policies/policy-set-version.js';
import { nothingInherited } from '../../src/domain/supporting/workspaces/auto-destroy.js';
import {
  aBundle,
  aConfigurationVersion,
  afterNoon,
  aMembership,
  anIdentity,
  anOrganization,
  aProject,
  aRepository,
  aRun,
  aRunComment,
  aSession,
  aSetVariable,
  aStateOutput,
  aStateVersion,
  asOrganization,
  aTeam,
  aTeamProject,
  aTeamWorkspace,
  aToken,
  aUser,
  aVariable,
  aVariableSet,
  aWorkspace,
  changed,
  noon,
  someIngressAttributes,
  someRunOptions,
  unbounded,
  unique,
} from '../support/builders.js';
import {
  aManagedPolicy,
  aNotificationConfiguration,
  anAgentPool,
  anAgentToken,
  anAppliedPolicy,
  anEvaluation,
  aPolicy,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aPolicySetParameter,
  aPolicySetVersion,
  aPolicyTrial,
  aRunTask,
  aRunTrigger,
  aTaskResult,
  aTaskStage,
  aTrialPlan,
  aWorkspaceTask,
} from '../support/policy-builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

/** A value as written, and as read back. */
type Pair = readonly [written: object, read: unknown];

const someone = (): TokenOwner => ({ kind: 'team', id: unique('team') });
const page = { number: 1, size: 10 };

async function aPlace(on: Ground) {
  const organization = await on.organization();
  return { organization, actor: asOrganization(organization), workspace: await on.workspace(organization) };
}

async function aRunIn(on: Ground, workspace: Workspace, given: Partial<RunState> = {}): Promise<Run> {
  const version = await on.version(workspace);
  return on.run(async (tx) => {
    const run = aRun(workspace, version.state, {
      ...given,
      sequence: (await tx.runs.takeSequence(workspace.id)).sequence,
    });
    await tx.runs.add(run);
    return run;
  });
}

type Saved =
  | 'agentPools'
  | 'policySetParameters'
  | 'policySetVersions'
  | 'policySets'
  | 'projects'
  | 'taskStages'
  | 'variables'
  | 'workspaceTasks';
type ItemOf<Name extends Saved> = Parameters<Transaction[Name]['save']>[0];

/** An object that is added, then saved with changes, and what is read after each. */
async function savedTwice<Name extends Saved>(
  on: Ground,
  name: Name,
  [first, second]: readonly [ItemOf<Name>, ItemOf<Name>],
  find: (tx: Transaction) => Promise<WithStanding<unknown> | undefined>,
): Promise<readonly Pair[]> {
  const repository = (tx: Transaction) => tx[name] as Readonly<Record<'add' | 'save', (item: object) => Promise<void>>>;
  const read = async () => (await on.read(find))?.subject;
  await on.run((tx) => repository(tx).add(first));
  const added = await read();
  await on.run((tx) => repository(tx).save(second));
  return [
    [first, added],
    [second, await read()],
  ];
}

const wholeVersion = (): Partial<ConfigurationVersionState> => ({
  status: 'errored',
  origin: 'version-control',
  source: 'github',
  autoQueueRuns: true,
  speculative: true,
  provisional: true,
  failure: { error: 'some-code', errorMessage: 'A sentence' },
  statusTimestamps: { 'uploaded-at': noon },
  bundle: aBundle(),
  ingressAttributesId: unique('ia'),
  purgeAt: afterNoon(1),
  createdBy: someone(),
  createdAt: afterNoon(2),
});

const counts = { additions: 1, changes: 2, destructions: 3, imports: 4 };

const wholeRun = (poolId: string): Partial<RunState> => ({
  status: 'planning',
  source: 'tfe-configuration-version',
  triggerDepth: 3,
  options: someRunOptions({
    isDestroy: true,
    refreshOnly: true,
    allowEmptyApply: true,
    allowConfigGeneration: true,
    targetAddrs: ['a.b'],
    replaceAddrs: ['c.d'],
    variables: [{ key: 'k', value: 'v' }],
    terraformVersion: '1.9.0',
    debuggingMode: true,
  }),
  planOnly: true,
  savePlan: true,
  autoApply: true,
  createdBy: someone(),
  hasChanges: true,
  cancelRequested: true,
  decisions: [{ action: 'confirm', by: someone(), at: noon, comment: 'Looks good' }],
  planned: counts,
  applied: { ...counts, imports: 5 },
  failure: 'It failed',
  ownFiles: { key: unique('bundle'), bytes: 5_000_000_000 },
  lease: { poolId, agent: 'agent-1', digest: unique('digest'), expiresAt: afterNoon(3) },
  statusTimestamps: { 'planning-at': noon },
  createdAt: afterNoon(4),
});

const inheritedDestruction = { ...nothingInherited, ignored: true, since: afterNoon(5), doneFor: afterNoon(6) };

const wholeWorkspace: Partial<Workspace> = {
  description: 'A description of everything',
  autoApply: true,
  executionMode: 'local',
  terraformVersion: '1.9.0',
  workingDirectory: 'network',
  allowDestroyPlan: false,
  queueAllRuns: true,
  speculativeEnabled: false,
  fileTriggersEnabled: false,
  triggerPrefixes: ['modules'],
  triggerPatterns: ['**/*.tf'],
  globalRemoteState: true,
  source: 'terraform',
  sourceName: 'A program',
  sourceUrl: 'https://example.com',
  structuredRunOutputEnabled: true,
  assessmentsEnabled: true,
  autoApplyRunTrigger: true,
  autoDestroy: { at: afterNoon(4), activityDuration: '14d', by: someone() },
  inheritedDestruction,
  retention: { id: 'drp-1', days: 30 },
  lock: { by: someone(), reason: 'Maintenance', at: afterNoon(1) },
  createdAt: afterNoon(2),
  updatedAt: afterNoon(3),
};

const allPermissions: WorkspacePermissions = {
  runs: 'plan',
  variables: 'write',
  stateVersions: 'read-outputs',
  policyMocks: 'read',
  workspaceLocking: true,
  runTasks: true,
  policyOverrides: true,
};

const anEvent = (given: Partial<NewAuditEvent> = {}): NewAuditEvent => ({
  actor: { kind: 'user', id: unique('user'), tokenId: unique('at') },
  action: 'teams/update',
  subject: unique('team'),
  outcome: 'done',
  count: 2,
  detail: { added: [{ id: unique('user') }] },
  request: { id: unique('request'), address: '192.0.2.1', route: 'PATCH /teams/:id' },
  ...given,
});

const otherSettings: OrganizationSettings = {
  aggregatedCommitStatusEnabled: false,
  allowForceDeleteWorkspaces: true,
  assessmentsEnforced: true,
  collaboratorAuthPolicy: 'two_factor_mandatory',
  costEstimationEnabled: true,
  enforceHyok: true,
  maxTtlEnabled: true,
  tokenLifetimes: {
    organization: { max: 3_600_000, changedAt: noon },
    team: { max: 7_200_000, changedAt: noon },
    user: { max: 10_800_000, changedAt: noon },
    auditor: { max: 14_400_000, changedAt: noon },
  },
  ownersTeamSamlRoleId: 'owners',
  registryMonorepoSupportEnabled: true,
  sendPassingStatusesForUntriggeredSpeculativePlans: true,
  sessionRemember: 60,
  sessionTimeout: 5,
  speculativePlanManagementEnabled: false,
  stacksEnabled: true,
  userTokensEnabled: false,
};

/** By stored entity. Each member has a value in one of the pairs, and members that may change do. */
const stories: Readonly<Record<string, (on: Ground) => Promise<readonly Pair[]>>> = {
  User: async (on) => {
    const users = [aUser({ siteAdministrator: true, createdAt: afterNoon(1) }), aUser()];
    for (const user of users) await on.run((tx) => tx.users.add(user));
    const [first, second] = users;
    if (first === undefined || second === undefined) throw new Error('no users');
    await on.run((tx) => tx.users.setSuspended(second.id, true));
    return [
      [first, await on.read((tx) => tx.users.find(first.id))],
      [{ ...second, suspended: true }, await on.read((tx) => tx.users.find(second.id))],
    ];
  },
  Organization: async (on) => {
    const organization = anOrganization({
      createdAt: afterNoon(1),
      settings: otherSettings,
      retention: { id: 'drp-1', days: 30 },
    });
    await on.run((tx) => tx.organizations.add(organization));
    const read = () => on.read((tx) => tx.organizations.findFor(asOrganization(organization), organization.name));
    const before = (await read())?.subject;
    const pool = anAgentPool(organization);
    await on.run((tx) => tx.agentPools.add(pool));
    const defaults = { executionMode: 'agent', agentPoolId: pool.id } as const;
    const renamed = {
      ...organization,
      email: 'other@example.com',
      settings: initialSettings,
      defaults,
      retention: null,
    };
    await on.run((tx) => tx.organizations.save(renamed));
    await on.run((tx) => tx.organizations.setDefaults(organization.id, defaults));
    await on.run((tx) => tx.organizations.setRetention(organization.id, null));
    return [
      [organization, before],
      [renamed, (await read())?.subject],
    ];
  },
  Team: async (on) => {
    const { organization, actor } = await aPlace(on);
    const member = await on.member(organization);
    const access = new Set(organizationPermissions);
    const team = await on.team(
      organization,
      { membersManageToken: true, access, ssoTeamId: 'sso-1', createdAt: afterNoon(1) },
      [member],
    );
    const read = () => on.read((tx) => tx.teams.findFor(actor, team.id));
    const before = (await read())?.subject;
    const after = { ...team, name: unique('team'), visibility: 'organization', revision: 1 } as const;
    const less = { ...after, membersManageToken: false, access: new Set([]), ssoTeamId: null };
    await on.run((tx) => tx.teams.save(less));
    const owners = aTeam(organization, { owners: true });
    await on.run((tx) => tx.teams.add(owners));
    return [
      [team, before],
      [less, (await read())?.subject],
      [owners, (await on.read((tx) => tx.teams.findFor(actor, owners.id)))?.subject],
    ];
  },
  TeamWorkspaceState: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const team = await on.team(organization);
    const names = { organizationName: organization.name, workspaceName: workspace.name };
    const custom = aTeamWorkspace(team.id, workspace.id, { grant: { access: 'custom', permissions: allPermissions } });
    await on.run((tx) => tx.teamAccess.add(custom));
    const read = async () => (await on.read((tx) => tx.teamAccess.findFor(actor, custom.state.id)))?.subject;
    const filter = { workspaceId: workspace.id, teamId: undefined, visibility: 'all' } as const;
    const [listed] = (await on.read((tx) => tx.teamAccess.page(filter, page))).items;
    const before = await read();
    const fixed = custom.change({ access: 'plan', permissions: {}, unnamed: 'default' }, unbounded);
    await on.run((tx) => tx.teamAccess.save(fixed));
    return [
      [{ teamWorkspace: custom.state, ...names }, before],
      [{ teamWorkspace: custom.state, ...names }, listed],
      [{ teamWorkspace: fixed.state, ...names }, await read()],
    ];
  },
  TeamProjectState: async (on) => {
    const { organization, actor } = await aPlace(on);
    const [team, project] = [await on.team(organization), aProject(organization)];
    await on.run((tx) => tx.projects.add(project));
    const permissions = { ...impliedInProject.admin, workspaces: allPermissions };
    const custom = aTeamProject(team.id, project.id, { grant: { access: 'custom', permissions } });
    await on.run((tx) => tx.projectAccess.add(custom));
    const read = async () => (await on.read((tx) => tx.projectAccess.findFor(actor, custom.state.id)))?.subject;
    const before = await read();
    const nothing = { project: {}, workspaces: {} };
    const fixed = custom.change({ access: 'maintain', permissions: nothing, unnamed: 'default' }, unbounded);
    await on.run((tx) => tx.projectAccess.save(fixed));
    return [
      [{ teamProject: custom, organizationId: organization.id }, before],
      [{ teamProject: fixed, organizationId: organization.id }, await read()],
    ];
  },
  Workspace: async (on) => {
    const settings = { ...initialSettings, allowForceDeleteWorkspaces: true };
    const organization = await on.organization({ settings, retention: { id: 'drp-2', days: 60 } });
    const pool = anAgentPool(organization);
    await on.run((tx) => tx.agentPools.add(pool));
    const defaults = { executionMode: 'agent', agentPoolId: pool.id } as const;
    await on.run((tx) => tx.organizations.setDefaults(organization.id, defaults));
    const autoDestroy = { activityDuration: '5d', since: noon, nextCheckAt: afterNoon(9), by: someone() };
    const project = aProject(organization, { autoDestroy });
    await on.run((tx) => tx.projects.add(project));
    const given = { ...wholeWorkspace, projectId: project.id, agentPoolId: pool.id, executionDefaults: defaults };
    const workspace = aWorkspace(organization, {
      ...given,
      inheritedDestruction: {
        ...inheritedDestruction,
        lastStateAt: afterNoon(7),
        project: autoDestroy,
      },
      tagNames: ['network'],
      repository: aRepository({ linkedBy: someone() }),
    });
    const tag = { id: unique('tag'), name: 'network' };
    const state = aStateVersion(
      { workspaceId: workspace.id, id: unique('run') },
      { runId: null, createdAt: afterNoon(7) },
    );
    await on.run(async (tx) => {
      await tx.workspaces.add(workspace);
      await tx.tags.give(organization.id, [workspace.id], [tag], noon);
      await tx.stateVersions.add(state, []);
      await tx.stateVersions.finalize(state, aBundle());
    });
    const read = () => on.read((tx) => tx.workspaces.find(workspace.id));
    const before = await read();
    const version = await on.version(workspace);
    await on.run((tx) => tx.workspaces.promote(workspace.id, version.state.id));
    const bare = aWorkspace(
      { ...organization, defaults, retention: null },
      {
        id: workspace.id,
        createdAt: workspace.createdAt,
        source: 'terraform',
        inheritedDestruction: { ...nothingInherited, lastStateAt: afterNoon(7) },
      },
    );
    const after = { ...bare, currentConfigurationVersionId: version.state.id, revision: 1 };
    await on.run(async (tx) => {
      await tx.organizations.setRetention(organization.id, null);
      await tx.workspaces.save(after);
      await tx.tags.takeFrom(workspace.id, 'all');
    });
    return [
      [workspace, before],
      [after, await read()],
    ];
  },
  Tag: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const tag = { id: unique('tag'), name: unique('tag') };
    await on.run((tx) => tx.tags.give(organization.id, [workspace.id], [tag], afterNoon(1)));
    const { id: organizationId, name: organizationName } = organization;
    const written = { ...tag, organizationId, organizationName, createdAt: afterNoon(1) };
    const found = await on.read((tx) => tx.tags.findFor(actor, tag.id));
    return [[written, found?.subject]];
  },
  Project: async (on) => {
    const { organization, actor } = await aPlace(on);
    const defaults = { executionMode: 'agent', agentPoolId: 'apool-2' } as const;
    await on.run((tx) => tx.organizations.setDefaults(organization.id, defaults));
    const project = aProject(
      { ...organization, defaults },
      {
        description: 'Networks',
        executionMode: 'agent',
        agentPoolId: 'apool-1',
        autoDestroy: { activityDuration: '14d', since: afterNoon(3), nextCheckAt: afterNoon(4), by: someone() },
        createdAt: afterNoon(1),
        updatedAt: afterNoon(2),
      },
    );
    const after = {
      ...project,
      name: unique('prj'),
      description: '',
      executionMode: null,
      agentPoolId: null,
      autoDestroy: null,
      updatedAt: afterNoon(3),
      revision: 1,
    };
    return savedTwice(on, 'projects', [project, after], (tx) => tx.projects.findFor(actor, project.id));
  },
  Variable: async (on) => {
    const { actor, workspace } = await aPlace(on);
    const whole = { description: 'A number', hcl: true, sensitive: true, createdAt: afterNoon(1) };
    const variable = aVariable(workspace, whole);
    const { id, createdAt } = variable;
    const after = aVariable(workspace, { id, createdAt, category: 'env', sealedValue: 'v2.a.b', size: 1, revision: 1 });
    return savedTwice(on, 'variables', [variable, after], (tx) =>
      tx.variables.findFor(actor, workspace.id, variable.id),
    );
  },
  VariableSet: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const inProject = await on.workspace(organization, { projectId: project.id });
    const whole = { description: 'Shared', priority: true, createdAt: afterNoon(1), updatedAt: afterNoon(2) };
    const owned = aVariableSet(organization, {
      ...whole,
      projectId: project.id,
      workspaceIds: [inProject.id],
      projectIds: [project.id],
    });
    const set = aVariableSet(organization, { ...whole, global: true, workspaceIds: [workspace.id] });
    const variable = aSetVariable(set);
    await on.run(async (tx) => {
      for (const one of [owned, set]) await tx.variableSets.add(one);
      await tx.setVariables.add(variable);
    });
    const read = async (id: string) => (await on.read((tx) => tx.variableSets.findFor(actor, id)))?.subject;
    const [ownedBefore, before] = [await read(owned.id), await read(set.id)];
    const variableIds = [variable.id];
    const after = aVariableSet(organization, { id: set.id, createdAt: set.createdAt, variableIds, revision: 1 });
    await on.run((tx) => tx.variableSets.save(after));
    return [
      [owned, ownedBefore],
      [{ ...set, variableIds }, before],
      [after, await read(set.id)],
    ];
  },
  SetVariable: async (on) => {
    const { organization } = await aPlace(on);
    const set = aVariableSet(organization);
    const variable = aSetVariable(set, {
      description: 'A number',
      hcl: true,
      sensitive: true,
      createdAt: afterNoon(1),
    });
    await on.run(async (tx) => {
      await tx.variableSets.add(set);
      await tx.setVariables.add(variable);
    });
    const read = () => on.read((tx) => tx.setVariables.find(set.id, variable.id));
    const before = await read();
    const { id, createdAt } = variable;
    const after = aSetVariable(set, { id, createdAt, category: 'env', sealedValue: 'v2.a.b', size: 1, revision: 1 });
    await on.run((tx) => tx.setVariables.save(after));
    return [
      [variable, before],
      [after, await read()],
    ];
  },
  ConfigurationVersionState: async (on) => {
    const { workspace } = await aPlace(on);
    const version = await on.version(workspace, wholeVersion());
    const { id, workspaceId, origin, source, createdBy, createdAt } = version.state;
    const read = async () => (await on.read((tx) => tx.configurationVersions.find(id)))?.state;
    const before = await read();
    const fixed = { id, workspaceId, origin, source, createdBy, createdAt };
    const after = changed(aConfigurationVersion(workspace, { ...fixed, autoQueueRuns: false }));
    await on.run((tx) => tx.configurationVersions.save(after));
    const nobodys = await on.version(workspace);
    const found = await on.read((tx) => tx.configurationVersions.find(nobodys.state.id));
    return [
      [version.state, before],
      [after.state, await read()],
      [nobodys.state, found?.state],
    ];
  },
  ConfigurationVersionSummary: async (on) => {
    const { actor, workspace } = await aPlace(on);
    const { state } = await on.version(workspace, wholeVersion());
    const { origin: _o, bundle: _b, purgeAt: _p, createdBy: _c, createdAt: _t, revision: _r, ...seen } = state;
    const { workspaceId: _w, ...summary } = seen;
    const [listed] = (await on.read((tx) => tx.configurationVersions.page(workspace.id, page))).items;
    return [
      [summary, listed],
      [summary, (await on.read((tx) => tx.configurationVersions.findSummaryFor(actor, state.id)))?.subject],
    ];
  },
  IngressAttributes: async (on) => {
    const { workspace } = await aPlace(on);
    const senders = { senderUsername: 'ann', senderAvatarUrl: 'https://a.example', senderHtmlUrl: 'https://b.example' };
    const whole = someIngressAttributes({ onDefaultBranch: true, tag: 'v1', ...senders });
    const none = { commitMessage: null, commitUrl: null, compareUrl: null, isPullRequest: false, senderUsername: null };
    const noPull = { pullRequestNumber: null, pullRequestUrl: null, pullRequestTitle: null, pullRequestBody: null };
    const pairs: Pair[] = [];
    for (const attributes of [whole, someIngressAttributes({ ...none, ...noPull })]) {
      const { id } = (await on.version(workspace, { ingressAttributesId: attributes.id })).state;
      await on.run((tx) => tx.configurationVersions.addIngressAttributes(id, attributes));
      const found = await on.read((tx) => tx.configurationVersions.ingressAttributes([id]));
      pairs.push([attributes, found.get(id)]);
    }
    return pairs;
  },
  RunState: async (on) => {
    const { organization, workspace } = await aPlace(on);
    const pool = anAgentPool(organization);
    await on.run((tx) => tx.agentPools.add(pool));
    const { state } = await aRunIn(on, workspace, wholeRun(pool.id));
    const read = async () => (await on.read((tx) => tx.runs.find(state.id)))?.state;
    const before = await read();
    const { id, workspaceId, configurationVersionId, sequence, source, options } = state;
    const { triggerDepth, planOnly, savePlan, autoApply, createdBy, createdAt } = state;
    const kept = { id, sequence, source, triggerDepth, options };
    const fixed = { ...kept, planOnly, savePlan, autoApply, createdBy, createdAt };
    const after = aRun({ id: workspaceId }, { id: configurationVersionId }, { ...fixed, revision: 1 });
    await on.run((tx) => tx.runs.save(after));
    const nobodys = await aRunIn(on, workspace);
    return [
      [state, before],
      [after.state, await read()],
      [nobodys.state, (await on.read((tx) => tx.runs.page(workspace.id, page))).items[0]],
    ];
  },
  RunComment: async (on) => {
    const { workspace } = await aPlace(on);
    const { state } = await aRunIn(on, workspace);
    const comment = aRunComment(state, { body: 'Looks\ngood', createdBy: someone(), createdAt: afterNoon(1) });
    await on.run((tx) => tx.runComments.add(comment));
    const { body: _, ...dated } = comment;
    return [
      [comment, await on.read((tx) => tx.runComments.find(comment.id))],
      [dated, (await on.read((tx) => tx.runComments.datesOfRuns([state.id]))).get(state.id)?.[0]],
    ];
  },
  OrganizationRemoval: async (on) => {
    const { organization } = await aPlace(on);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    const { items } = await on.read((tx) => tx.removals.organizations({ number: 1, size: 100 }, 5));
    const removal = { organizationName: organization.name, begunAt: noon, workspacesLeft: 1 };
    return [
      [
        { organizationId: organization.id, ...removal },
        items.find(({ organizationId }) => organizationId === organization.id),
      ],
    ];
  },
  StateVersion: async (on) => {
    const { workspace } = await aPlace(on);
    const { state } = await aRunIn(on, workspace);
    const whole = {
      source: 'client',
      createdBy: someone(),
      serial: 5_000_000_000,
      size: 6_000_000_000,
      forced: true,
      outputsRead: false,
      rollbackOf: 'sv-earlier',
      createdAt: afterNoon(1),
    } as const;
    const version = aStateVersion(state, whole);
    await on.run((tx) => tx.stateVersions.add(version, []));
    const read = () => on.read((tx) => tx.stateVersions.find(version.id));
    const before = await read();
    const bundle = aBundle();
    await on.run((tx) => tx.stateVersions.finalize(version, bundle));
    const finalized = { ...version, status: 'finalized', size: bundle.bytes, bundle };
    const afterwards = await read();
    const jsonBundle = { ...aBundle(), bytes: 6_000_000_000 };
    await on.run((tx) => tx.stateVersions.keepJson(version.id, jsonBundle));
    await on.run((tx) => tx.stateVersions.keepOutputs(version.id, []));
    const withOutputs = await read();
    await on.run((tx) => tx.stateVersions.markUnread(version.id, 'it is too large'));
    const unread = await read();
    await on.run((tx) => tx.stateVersions.markUnread(version.id, null));
    return [
      [version, before],
      [finalized, afterwards],
      [{ ...finalized, jsonBundle, outputsRead: true }, withOutputs],
      [{ ...finalized, jsonBundle, outputsRead: true, unreadReason: 'it is too large' }, unread],
      [{ ...finalized, jsonBundle, outputsRead: true }, await read()],
    ];
  },
  StateContents: async (on) => {
    const { workspace } = await aPlace(on);
    const version = aStateVersion((await aRunIn(on, workspace)).state);
    const resource = { name: 'a', type: 'null_resource', module: 'root', provider: 'null', count: 2 };
    const contents = {
      terraformVersion: '1.11.4',
      resourceCount: 2,
      resources: [resource],
      warnings: ['Some is left out'],
    };
    await on.run(async (tx) => {
      await tx.stateVersions.add(version, []);
      await tx.stateVersions.keepContents(version.id, contents);
      await tx.stateVersions.keepContents(version.id, { ...contents, terraformVersion: null });
    });
    const read = async (whole: boolean) =>
      (await on.read((tx) => tx.stateVersions.contentsOf([version.id, 'sv-nobody'], whole))).get(version.id);
    return [
      [contents, await read(true)],
      [{ ...contents, resources: [] }, await read(false)],
    ];
  },
  StateOutput: async (on) => {
    const { workspace } = await aPlace(on);
    const version = aStateVersion((await aRunIn(on, workspace)).state);
    const sensitive = aStateOutput(version, { name: 'a', type: '["list","number"]', sensitive: true, value: 'v2.a.b' });
    const outputs = [sensitive, aStateOutput(version, { name: 'b' })];
    await on.run((tx) => tx.stateVersions.add(version, outputs));
    await on.run((tx) => tx.stateVersions.finalize(version, aBundle()));
    const found = await on.read((tx) => tx.stateOutputs.slice(version.id, undefined, { rows: 2, characters: 1000 }));
    return outputs.map((output, index): Pair => [output, found.items[index]]);
  },
  WorkspaceRunTrigger: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const created = { createdBy: someone(), createdAt: afterNoon(1) };
    const trigger = aRunTrigger(workspace, await on.workspace(organization), created);
    await on.run((tx) => tx.runTriggers.add(trigger));
    return [[trigger, (await on.read((tx) => tx.runTriggers.findFor(actor, trigger.id)))?.subject]];
  },
  AgentPool: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const other = await on.workspace(organization);
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const lists = {
      allowedWorkspaceIds: [workspace.id],
      allowedProjectIds: [project.id],
      excludedWorkspaceIds: [other.id],
    };
    const pool = anAgentPool(organization, { ...lists, organizationScoped: true, createdAt: afterNoon(1) });
    const after = { ...pool, name: unique('pool'), organizationScoped: false, excludedWorkspaceIds: [] };
    return savedTwice(on, 'agentPools', [pool, after], (tx) => tx.agentPools.findFor(actor, pool.id));
  },
  AgentToken: async (on) => {
    const pool = anAgentPool(await on.organization());
    const whole = { createdBy: someone(), createdAt: afterNoon(1), lastUsedAt: afterNoon(2) };
    const tokens = [anAgentToken(pool, whole), anAgentToken(pool)];
    await on.run((tx) => tx.agentPools.add(pool));
    for (const token of tokens) await on.run((tx) => tx.agentTokens.add(token));
    return on.read((tx) =>
      Promise.all(tokens.map(async (token) => [token, await tx.agentTokens.find(token.id)] as const)),
    );
  },
  ApiToken: async (on) => {
    const { organization } = await aPlace(on);
    const [user, team] = [await on.user(), await on.team(organization)];
    const given = { createdBy: someone(), expiresAt: afterNoon(1), lastUsedAt: afterNoon(2), createdAt: afterNoon(3) };
    const tokens = [
      aToken({ kind: 'user', id: user.id }, { madeInSession: true }),
      aToken({ kind: 'team', id: team.id }, { ...given, description: 'Of a team' }),
      aToken({ kind: 'organization', id: organization.id }),
      aToken({ kind: 'auditor', id: organization.id }),
    ];
    for (const token of tokens) await on.run((tx) => tx.tokens.add(token));
    return on.read((tx) => Promise.all(tokens.map(async (token) => [token, await tx.tokens.find(token.id)] as const)));
  },
  Identity: async (on) => {
    const user = await on.user();
    const identity = anIdentity(user, { createdAt: afterNoon(1) });
    await on.run((tx) => tx.identities.add(identity));
    const [read] = await on.read((tx) => tx.identities.ofUser(user.id));
    return [[identity, read]];
  },
  ListedSession: async (on) => {
    const user = await on.user();
    const identity = anIdentity(user);
    const token = aToken({ kind: 'user', id: user.id });
    const from = { identityId: identity.id, tokenId: token.id };
    const given = { ...from, createdAt: afterNoon(1), expiresAt: afterNoon(3) };
    const { secretDigest, ...session } = aSession(user, { ...given, lastUsedAt: afterNoon(2), longestIdle: 60 });
    await on.run(async (tx) => {
      await tx.identities.add(identity);
      await tx.tokens.add(token);
      await tx.sessions.add({ ...session, secretDigest });
    });
    const [read] = await on.read((tx) => tx.sessions.ofUser(user.id, noon));
    return [[session, read]];
  },
  Membership: async (on) => {
    const user = await on.user();
    const identity = anIdentity(user);
    const given = { identityId: identity.id, invitedEmail: user.email, createdAt: afterNoon(1) };
    const membership = aMembership(await on.organization(), user, given);
    await on.run(async (tx) => {
      await tx.identities.add(identity);
      await tx.memberships.add(membership);
    });
    const [read] = await on.read((tx) => tx.teamGroups.withoutTeam({ userId: user.id }));
    return [[membership, read]];
  },
  ManagedPolicy: async (on) => {
    const { organization, actor } = await aPlace(on);
    const code = await on.run((tx) => tx.policies.keepCode(organization.id, 'package terraform'));
    const policy = aManagedPolicy(organization, { code, createdAt: afterNoon(1), updatedAt: afterNoon(2) });
    await on.run((tx) => tx.policies.add(policy));
    const set = aPolicySet(organization, { policyIds: [policy.id] });
    await on.run((tx) => tx.policySets.add(set));
    const read = () => on.read((tx) => tx.policies.findFor(actor, policy.id));
    const before = (await read())?.subject;
    const changes = { description: 'Other', query: null, code: null, enforcementLevel: 'advisory' } as const;
    const after = { ...policy, ...changes, updatedAt: afterNoon(3), revision: 1 };
    await on.run((tx) => tx.policies.save(after));
    const attached = { policySetIds: [set.id] };
    return [
      [{ ...policy, ...attached }, before],
      [{ ...after, ...attached }, (await read())?.subject],
    ];
  },
  PolicyTrial: async (on) => {
    const { organization, actor } = await aPlace(on);
    const trial = aPolicyTrial(organization, {
      policySetId: unique('polset'),
      policyToolVersion: '1.9.0',
      parameters: [{ key: 'limit', value: '3' }],
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
    });
    const after: PolicyTrial = {
      ...trial,
      status: 'errored',
      failure: 'It took too long',
      evaluatedSeconds: 12,
      dueAt: null,
      statusTimestamps: { 'errored-at': noon },
      updatedAt: afterNoon(3),
      revision: 1,
    };
    const read = async () => (await on.read((tx) => tx.policyTrials.findFor(actor, trial.id)))?.subject;
    await on.run((tx) => tx.policyTrials.add(trial, Buffer.from('code'), []));
    const added = await read();
    await on.run((tx) => tx.policyTrials.save(after));
    return [
      [trial, added],
      [after, await read()],
    ];
  },
  TrialPlan: async (on) => {
    const { organization, workspace } = await aPlace(on);
    const { state } = await aRunIn(on, workspace);
    const trial = aPolicyTrial(organization);
    const before = { outcomeId: unique('psout'), status: 'failed', policyToolVersion: '1.9.0' } as const;
    const waiting = aTrialPlan(trial, state, { before, position: 3 });
    const now: TrialResult = {
      verdict: 'not-comparable',
      reason: 'Something is hidden',
      policyToolVersion: '1.10.0',
      outcomes: [
        { policyName: 'tags', enforcementLevel: 'mandatory', status: 'not-comparable', output: null, reason: 'Hidden' },
      ],
    };
    await on.run((tx) => tx.policyTrials.add(trial, Buffer.from('code'), [waiting]));
    const [added] = await on.read((tx) => tx.policyTrials.waitingPlans(waiting));
    await on.run((tx) => tx.policyTrials.keepResult(waiting, now));
    const { items } = await on.read((tx) => tx.policyTrials.results(trial.id, 'all', page));
    const { recorded: _, ...kept } = items[0] ?? { recorded: [] };
    return [
      [waiting, added],
      [{ ...waiting, now }, kept],
    ];
  },
  TrialPart: async (on) => {
    const { organization, workspace } = await aPlace(on);
    const { state } = await aRunIn(on, workspace);
    const trial = aPolicyTrial(organization);
    const part: TrialPart = {
      trialId: trial.id,
      workspaceId: workspace.id,
      lease: { poolId: unique('apool'), agent: 'rack 4', digest: unique('digest'), expiresAt: afterNoon(1) },
    };
    await on.run((tx) => tx.policyTrials.add(trial, Buffer.from('code'), [aTrialPlan(trial, state)]));
    await on.run((tx) => tx.policyTrials.saveLease(part, part.lease));
    return [[part, await on.read((tx) => tx.policyTrials.partByLease(part.lease?.digest ?? ''))]];
  },
  PolicySetVersion: async (on) => {
    const { organization, actor } = await aPlace(on);
    const set = aPolicySet(organization);
    await on.run((tx) => tx.policySets.add(set));
    const version = aPolicySetVersion(set, {
      source: 'github',
      createdBy: someone(),
      sequence: 3,
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
    });
    const after: PolicySetVersion = {
      ...version,
      commit: policyCommit(someIngressAttributes()),
      status: 'errored',
      failure: { error: 'bad-archive', errorMessage: 'It is bad' },
      bundle: aBundle(),
      statusTimestamps: { 'errored-at': noon },
      updatedAt: afterNoon(3),
      supersededAt: afterNoon(4),
      revision: 1,
    };
    return savedTwice(on, 'policySetVersions', [version, after], (tx) =>
      tx.policySetVersions.findFor(actor, version.id),
    );
  },
  PolicySetParameter: async (on) => {
    const { organization, actor } = await aPlace(on);
    const set = aPolicySet(organization);
    await on.run((tx) => tx.policySets.add(set));
    const parameter = aPolicySetParameter(set, { createdAt: afterNoon(1) });
    const after = { ...parameter, key: 'other', sensitive: true, sealedValue: 'other:text', revision: 1 };
    return savedTwice(on, 'policySetParameters', [parameter, after], (tx) =>
      tx.policySetParameters.findFor(actor, set.id, parameter.id),
    );
  },
  PolicySet: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const policy = aManagedPolicy(organization, { kind: 'sentinel' });
    await on.run((tx) => tx.policies.add(policy));
    const excluded = await on.workspace(organization);
    const [project, spared] = [aProject(organization), aProject(organization)];
    await on.run(async (tx) => {
      await tx.projects.add(project);
      await tx.projects.add(spared);
    });
    const lists = {
      policies: [aPolicy()],
      workspaceIds: [workspace.id],
      excludedWorkspaceIds: [excluded.id],
      projectIds: [project.id],
      excludedProjectIds: [spared.id],
      tagSelectors: [{ key: 'env', value: 'prod', excludes: true }],
      policyIds: [policy.id],
      updatePatterns: ['policies/**/*.rego'],
      policiesPath: 'policies/prod',
      repository: aRepository({ linkedBy: someone() }),
    };
    const version = { id: 'polsetver-1', sequence: 1 };
    const current = { ...version, sha256: 'e'.repeat(64), bytes: 3, hardMandatory: true };
    const flags = {
      versions: { newest: version, current },
      global: true,
      overridable: true,
      policyToolVersion: '0.70.0',
      agentEnabled: true,
    };
    const times = { createdAt: afterNoon(1), updatedAt: afterNoon(2) };
    const set = aPolicySet(organization, { description: 'All', kind: 'sentinel', ...flags, ...lists, ...times });
    const after = aPolicySet(organization, { id: set.id, createdAt: set.createdAt, revision: 1 });
    return savedTwice(on, 'policySets', [set, after], (tx) => tx.policySets.findFor(actor, set.id));
  },
  TaskStage: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const run = await aRunIn(on, workspace);
    const set = aPolicySet(organization);
    const version = aPolicySetVersion(set);
    await on.run(async (tx) => {
      await tx.policySets.add(set);
      await tx.policySetVersions.add(version);
    });
    const policies = [anAppliedPolicy({ code: 'c'.repeat(64) }), anAppliedPolicy()];
    const facts = { name: 'baseline', description: null, overridable: true, policyToolVersion: '0.70.0' };
    const archive = { versionId: version.id, sha256: 'd'.repeat(64), bytes: 9 };
    const applied = { id: unique('polset'), ...facts, policies, archive };
    const times = { createdAt: afterNoon(1), updatedAt: afterNoon(2), statusTimestamps: { 'pending-at': noon } };
    const evaluation = anEvaluation({ policySets: [applied], ...times });
    const result = aTaskResult({ enforcementLevel: 'mandatory', ...times });
    const stage = aTaskStage(run, { evaluations: [evaluation], results: [result, aTaskResult()], ...times });
    const moved = { status: 'running', statusTimestamps: { 'running-at': noon }, updatedAt: afterNoon(3) } as const;
    const after = { ...stage, evaluations: [{ ...evaluation, ...moved }], ...moved, revision: 1 };
    return savedTwice(on, 'taskStages', [stage, after], (tx) => tx.taskStages.findFor(actor, stage.id));
  },
  LocatedResult: async (on) => {
    const { actor, workspace } = await aPlace(on);
    const times = { createdAt: afterNoon(1), updatedAt: afterNoon(2), statusTimestamps: { 'running-at': noon } };
    const open = {
      tokenDigest: unique('digest'),
      calledAt: afterNoon(1),
      deadline: afterNoon(9),
      message: 'half way',
      url: 'https://a.example',
    };
    const result = aTaskResult({
      enforcementLevel: 'mandatory',
      speculative: true,
      status: 'running',
      ...open,
      ...times,
    });
    const stage = aTaskStage(await aRunIn(on, workspace), { stage: 'pre_plan', evaluations: [], results: [result] });
    await on.run((tx) => tx.taskStages.add(stage));
    const read = () => on.read((tx) => tx.taskResults.findFor(actor, result.id));
    const located = { taskStageId: stage.id, runId: stage.runId, stage: 'pre_plan' } as const;
    const before = (await read())?.subject;
    const ended = {
      status: 'passed',
      tokenDigest: null,
      calledAt: null,
      deadline: null,
      message: 'done',
      url: '',
    } as const;
    const after = { ...result, ...ended, statusTimestamps: { 'passed-at': noon }, updatedAt: afterNoon(3) };
    await on.run((tx) => tx.taskStages.save({ ...stage, results: [after], revision: 1 }));
    return [
      [{ ...result, ...located }, before],
      [{ ...after, ...located }, (await read())?.subject],
    ];
  },
  TaskResultOutcome: async (on) => {
    const { workspace } = await aPlace(on);
    const result = aTaskResult();
    const stage = aTaskStage(await aRunIn(on, workspace), { results: [result] });
    await on.run((tx) => tx.taskStages.add(stage));
    const outcomes = [1, 2].map((n) => ({
      outcomeId: `finding-${n}`,
      description: 'A bucket is public',
      body: '# Close it',
      url: 'https://scanner.example/finding',
      tags: { Severity: [{ label: 'High', level: 'error' }] },
    }));
    await on.run((tx) => tx.taskResults.keepOutcomes(result.id, outcomes));
    return [[outcomes, (await on.read((tx) => tx.taskResults.outcomes(result.id, page))).items]];
  },
  RunTask: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const task = aRunTask(organization, { description: 'It scans', sealedHmacKey: 'sealed', createdAt: afterNoon(1) });
    await on.run((tx) => tx.runTasks.add(task));
    const read = () => on.read((tx) => tx.runTasks.findFor(actor, task.id));
    const before = (await read())?.subject;
    const attached = aWorkspaceTask(workspace, task);
    await on.run((tx) => tx.workspaceTasks.add(attached));
    const bare = { url: 'https://other.example', description: '', enabled: false, sealedHmacKey: null };
    const after = { ...task, name: unique('other'), ...bare, workspaceTaskIds: [attached.id], revision: 1 };
    await on.run((tx) => tx.runTasks.save(after));
    return [
      [task, before],
      [after, (await read())?.subject],
    ];
  },
  WorkspaceTask: async (on) => {
    const { organization, actor, workspace } = await aPlace(on);
    const task = aRunTask(organization);
    const attached = aWorkspaceTask(workspace, task, { createdAt: afterNoon(1) });
    await on.run((tx) => tx.runTasks.add(task));
    const stages = ['pre_plan', 'post_apply'] as const;
    const after = { ...attached, enforcementLevel: 'mandatory', stages, revision: 1 } as const;
    return savedTwice(on, 'workspaceTasks', [attached, after], (tx) =>
      tx.workspaceTasks.findFor(actor, workspace.id, attached.id),
    );
  },
  NotificationConfiguration: async (on) => {
    const { workspace } = await aPlace(on);
    const response = { url: 'https://hooks.example', code: '200', body: 'ok' };
    const email = { destinationType: 'email', url: null, emailAddresses: ['ops@acme.example'] } as const;
    const configured = aNotificationConfiguration(workspace, {
      ...email,
      userIds: ['user-1'],
      createdAt: afterNoon(1),
    });
    const after = {
      ...configured,
      name: 'Their channel',
      enabled: true,
      url: 'https://hooks.example',
      sealedToken: 'sealed',
      triggers: ['run:created', 'run:errored'] as const,
      emailAddresses: [],
      userIds: [],
      deliveries: [{ ...response, successful: true, sentAt: afterNoon(3) }],
      updatedAt: afterNoon(2),
      revision: 1,
    };
    const read = () => on.read((tx) => tx.notificationConfigurations.find(configured.id));
    await on.run((tx) => tx.notificationConfigurations.add(configured));
    const added = await read();
    await on.run((tx) => tx.notificationConfigurations.save(after));
    return [
      [configured, added],
      [after, await read()],
    ];
  },
  ApplyingTask: async (on) => {
    const { organization, workspace } = await aPlace(on);
    const task = aRunTask(organization);
    const attached = aWorkspaceTask(workspace, task);
    const { id, enforcementLevel, stages } = attached;
    await on.run((tx) => tx.runTasks.add(task));
    await on.run((tx) => tx.workspaceTasks.add(attached));
    const expected = { id, enforcementLevel, stages, task: { id: task.id, name: task.name, url: task.url } };
    return [[[expected], await on.read((tx) => tx.workspaceTasks.applyingTo(workspace.id))]];
  },
  LocatedEvaluation: async (on) => {
    const { actor, workspace } = await aPlace(on);
    const resultCount = { advisoryFailed: 1, mandatoryFailed: 2, passed: 3, errored: 4 };
    const times = { createdAt: afterNoon(1), updatedAt: afterNoon(2), statusTimestamps: { 'passed-at': noon } };
    const whole = { kind: 'sentinel', status: 'passed', policyToolVersion: '0.44.0', resultCount } as const;
    const evaluation = anEvaluation({ ...whole, ...times });
    const stage = aTaskStage(await aRunIn(on, workspace), { evaluations: [evaluation] });
    await on.run((tx) => tx.taskStages.add(stage));
    const read = () => on.read((tx) => tx.taskStages.findEvaluationFor(actor, evaluation.id));
    const before = (await read())?.subject;
    const { id, kind, createdAt } = evaluation;
    const after = anEvaluation({ id, kind, createdAt, overridable: false, statusTimestamps: { 'running-at': noon } });
    await on.run((tx) => tx.taskStages.save({ ...stage, evaluations: [after], revision: 1 }));
    const located = ({ policySets: _, ...rest }: typeof evaluation) => ({ ...rest, taskStageId: stage.id });
    return [
      [located(evaluation), before],
      [located(after), (await read())?.subject],
    ];
  },
  PolicySetOutcome: async (on) => {
    const { actor, workspace } = await aPlace(on);
    const evaluation = anEvaluation();
    const stage = aTaskStage(await aRunIn(on, workspace), { evaluations: [evaluation] });
    await on.run((tx) => tx.taskStages.add(stage));
    const failed = { status: 'failed', enforcementLevel: 'advisory', query: 'data.deny', output: [{ a: 1 }] } as const;
    const outcomes = [aPolicyOutcome({ ...failed, description: 'Cheap' }), aPolicyOutcome({ status: 'errored' })];
    const said = { error: 'No data', warnings: ['Slow'], outcomes, overridable: true, policySetDescription: 'All' };
    const sets = [aPolicySetOutcome(evaluation), aPolicySetOutcome(evaluation, { ...said, position: 1 })];
    await on.run((tx) => tx.taskStages.addOutcomes(sets));
    const listed = await on.read((tx) => tx.taskStages.outcomes(evaluation.id, [], page));
    const found = await Promise.all(sets.map(({ id }) => on.read((tx) => tx.taskStages.findOutcomeFor(actor, id))));
    return [
      ...sets.map((set, index): Pair => [set, listed.items[index]]),
      ...sets.map((set, index): Pair => [set, found[index]?.subject]),
    ];
  },
  AuditEvent: async (on) => {
    const { organization, workspace } = await aPlace(on);
    const actor = { kind: 'nobody', id: null, tokenId: null } as const;
    const bare = anEvent({ actor, subject: null, detail: null, request: null, count: 1 });
    const { id, username } = await on.user();
    const named = anEvent({ actor: { kind: 'user', id, tokenId: unique('at') }, comment: 'because' });
    const events = [named, bare, anEvent({ subject: workspace.id })];
    const [first, second, third] = events;
    if (!first || !second || !third) throw new Error('no events');
    await on.run((tx) => tx.audit.add(first, { organizationId: organization.id }));
    await on.run((tx) => tx.audit.add(second, { organizationId: organization.id }));
    await on.run((tx) => tx.audit.add(third, { workspaceId: workspace.id }));
    const { items } = await on.read((tx) => tx.audit.page(organization.id, undefined, page));
    const stamped = (event: NewAuditEvent, read: AuditEvent | undefined): Pair => [
      {
        ...event,
        comment: event.comment ?? null,
        id: read?.id,
        at: read?.at,
        organizationId: organization.id,
        workspaceId: event === third ? workspace.id : null,
        names: {
          actor: event === named ? username : null,
          subject: event === third ? workspace.name : null,
          workspace: event === third ? workspace.name : null,
        },
      },
      read,
    ];
    return events.map((event, index) => stamped(event, items.toReversed()[index]));
  },
  Effect: async (on) => {
    const subject = unique('subject');
    const effect = { kind: 'discard-bundle', bundleKey: unique('bundle') } as const;
    await on.run((tx) => tx.effects.enqueue(subject, [effect]));
    const due = async () => (await on.read((tx) => tx.effects.due(noon, [effect.kind], 100))).at(-1);
    const before = await due();
    const id = before?.id ?? 0;
    await on.run((tx) => tx.effects.failed(id, 'It failed', noon));
    const { items } = await on.read((tx) => tx.effects.failing(page));
    return [
      [{ id, effect, attempts: 0, lastError: null }, before],
      [{ id, effect, attempts: 1, lastError: 'It failed' }, await due()],
      [
        { id, subject, kind: effect.kind, attempts: 1, lastError: 'It failed', notBefore: noon, status: 'retrying' },
        items.at(-1),
      ],
    ];
  },
};

/** Whether a value is empty, or the least of its kind. */
const isLeast = (value: unknown): boolean => value === null || value === false || value === 0 || value === '';

function* leavesOf(value: unknown, path = ''): Generator<readonly [path: string, leaf: unknown]> {
  if (value instanceof Set) yield [path, value.size];
  else if (typeof value !== 'object' || value === null) yield [path, value];
  else if (Array.isArray(value)) yield [path, value.length];
  else for (const [member, inner] of Object.entries(value)) yield* leavesOf(inner, `${path}.${member}`);
}

onEveryBackend('what was written', (on) => {
  it.each(Object.keys(stories))('is read as it was: %s', async (name) => {
    const pairs = (await stories[name]?.(on)) ?? [];
    for (const [written, read] of pairs) expect(read).toEqual(written);
    // A member that is empty in all of them could be lost unnoticed.
    const leaves = pairs.flatMap(([written]) => [...leavesOf(written)]);
    const said = new Set(leaves.flatMap(([path, leaf]) => (isLeast(leaf) ? [] : [path])));
    const isSaid = (path: string) => [...said].some((other) => other === path || other.startsWith(`${path}.`));
    const silent = leaves.map(([path]) => path).filter((path) => !isSaid(path));
    expect(silent).toEqual([]);
  });
});

it('has a story of each row that describes itself', async () => {
  const folder = new URL('../../src/adapters/persistence/knex/', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const names = texts.flatMap((text) => [...text.matchAll(/= rowsOf<(?:Omit<)?(\w+)/g)].map(([, name]) => name));
  const within: Readonly<Record<string, string>> = {
    WorkspacePermissions: 'TeamWorkspaceState',
    PolicyOutcome: 'PolicySetOutcome',
    StoredVariable: 'Variable',
    PendingEffect: 'Effect',
    ClaimedEffect: 'Effect',
    FailingEffect: 'Effect',
    TaskResult: 'LocatedResult',
    ApplyingPolicySet: 'PolicySet',
    DatedComment: 'RunComment',
  };
  expect(new Set(names.map((name = '') => within[name] ?? name))).toEqual(new Set(Object.keys(stories)));
});
