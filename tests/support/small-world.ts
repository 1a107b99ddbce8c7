import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BundleStore, UnitOfWork } from '../../src/application/index.js';
import type {
  LinkedRepository,
  Organization,
  ProjectGrant,
  RunStatus,
  Standing,
  Status,
  TaskStageStatus,
  Team,
  TeamInQuestion,
} from '../../src/domain/index.js';
import { initialDefaults } from '../../src/domain/supporting/organizations/organization.js';
import { initialSettings } from '../../src/domain/supporting/organizations/organization-settings.js';
import { defaultProjectId } from '../../src/domain/supporting/projects/project.js';
import { customProjectDefaults } from '../../src/domain/team-access/project-access-level.js';
import {
  aBundle,
  aConfigurationVersion,
  aCustomGrant,
  afterNoon,
  aMembership,
  anIdentity,
  anOrganization,
  aProject,
  aRun,
  aRunComment,
  aSession,
  aSetVariable,
  aStateOutput,
  aStateVersion,
  aTagBinding,
  aTeam,
  aToken,
  aUser,
  aVariable,
  aVariableSet,
  aWorkspace,
  giveGrant,
  giveProjectGrant,
  noon,
  ownedBy,
  someIngressAttributes,
  unique,
} from './builders.js';
import { aClaim } from './claims.js';
import {
  aManagedPolicy,
  aNotificationConfiguration,
  anAgentPool,
  anAgentToken,
  anEvaluation,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aPolicySetParameter,
  aPolicySetVersion,
  aPolicyTrial,
  aRunTask,
  aRunTrigger,
  aSiteAgentPool,
  aTaskResult,
  aTaskStage,
  aTrialPlan,
  aWorkspaceTask,
} from './policy-builders.js';
import type { Referred } from './route-bodies.js';

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const secret = 'secret-of-the-caller';
const expiredSecret = 'secret-that-has-expired';
const outsidersSecret = 'secret-of-the-outsider';
const agentsSecret = 'secret-of-the-agent';
const auditorsSecret = 'secret-of-the-auditor';
const stateBytes = Buffer.from('{"version":4}');
const secrets = { digest: digestOf(secret), expiredDigest: digestOf(expiredSecret) };

/** A minimal organization with one object of every kind, and a caller of the requested kind. */
export interface SmallWorld {
  readonly secret: string;
  readonly expiredSecret: string;
  /** The secret of a user from whom everything here is hidden. */
  readonly outsidersSecret: string;
  /** The secret of an agent, which is not a caller of the API. */
  readonly agentsSecret: string;
  /** The secret of the audit token; absent if the caller is one. */
  readonly auditorsSecret: string;
  /** Path parameters of existing objects, for `pathAbout`. */
  readonly existing: Readonly<Record<string, string>>;
  /** Objects that bodies may refer to. */
  readonly referred: Referred;
  /** Tokens other than users' that are addressed by their own ids: the target team's and an agent's. */
  readonly tokens: { readonly team: string; readonly agent: string };
}

/** The statuses of a run, its policies and its configuration version. */
export interface Scene {
  readonly run: RunStatus;
  readonly stage: TaskStageStatus;
  readonly version: Status;
  /** Whether the caller has locked the workspace. */
  readonly locked: boolean;
  /** Whether the agent was asked to stop, long ago. */
  readonly cancelRequested: boolean;
  /** Whether another run holds the workspace. */
  readonly blocked: boolean;
  /** Whether a run task is attached to the workspace. */
  readonly attached: boolean;
  /** Whether runs of another workspace trigger runs of the workspace. */
  readonly connected: boolean;
  /** Whether the policy trial has not ended. */
  readonly tried: boolean;
}

/** Nothing is in progress, so that everything may be deleted. */
const afterwards: Scene = {
  run: 'applied',
  stage: 'passed',
  version: 'uploaded',
  locked: false,
  cancelRequested: false,
  blocked: false,
  attached: false,
  connected: false,
  tried: false,
};

/** The initial statuses for routes that trigger a transition. */
const beginnings: Readonly<Record<string, Partial<Scene>>> = {
  'get /organizations/:organization/tasks': { attached: true },
  'get /workspaces/:workspaceId/run-triggers': { connected: true },
  'post /workspaces/:workspaceId/run-triggers': { connected: true },
  'get /run-triggers/:id': { connected: true },
  'delete /run-triggers/:id': { connected: true },
  'post /policy-trials/:id/actions/cancel': { tried: true },
  'get /task-results/:id': { attached: true },
  'get /task-results/:taskResultId/outcomes': { attached: true },
  'get /workspaces/:workspaceId/tasks/:workspaceTaskId': { attached: true },
  'patch /workspaces/:workspaceId/tasks/:workspaceTaskId': { attached: true },
  'delete /workspaces/:workspaceId/tasks/:workspaceTaskId': { attached: true },
  'post /runs/:id/actions/apply': { run: 'post_plan_completed' },
  'post /runs/:id/actions/discard': { run: 'post_plan_completed' },
  'post /runs/:id/actions/cancel': { run: 'planning', stage: 'pending' },
  'post /runs/:id/actions/force-cancel': { run: 'applying', cancelRequested: true },
  'post /runs/:id/actions/force-execute': { run: 'pending', blocked: true },
  'post /task-stages/:id/actions/override': { run: 'post_plan_awaiting_decision', stage: 'awaiting_override' },
  'post /workspaces/:workspaceId/state-versions': { locked: true },
  'patch /workspaces/:workspaceId/state-versions': { locked: true },
  'post /configuration-versions/:id/actions/restore_backing_data': { version: 'backing_data_soft_deleted' },
  'post /configuration-versions/:id/actions/permanently_delete_backing_data': { version: 'backing_data_soft_deleted' },
};

/** The scene in which the route with this key succeeds. */
export const sceneOf = (key: string): Scene => ({ ...afterwards, ...beginnings[key] });

const onePage = { number: 1, size: 1 };

const leastInProject: ProjectGrant = { access: 'custom', permissions: customProjectDefaults };

const evaluationIn: Readonly<Partial<Record<TaskStageStatus, 'pending' | 'failed'>>> = {
  pending: 'pending',
  awaiting_override: 'failed',
};

const inQuestion = (question: TeamInQuestion | undefined): Partial<Team> =>
  question === undefined
    ? { visibility: 'organization' }
    : {
        visibility: question.secret ? 'secret' : 'organization',
        membersManageToken: question.membersManageToken,
        access: question.access,
      };

/**
 * Makes the caller that `standing` describes, and everything else. The resources that paths name belong to another user,
 * unless the standing is one towards the caller's own. The store gets only the bytes of the state.
 */
export async function makeSmallWorld(
  unitOfWork: UnitOfWork,
  standing: Standing,
  scene: Scene = { ...afterwards, attached: true, connected: true },
  store?: Pick<BundleStore, 'write' | 'keep'>,
): Promise<SmallWorld> {
  const { pool: question } = standing;
  const named = { executionMode: 'agent', agentPoolId: unique('apool') } as const;
  const defaults = question?.named === true && !question.serving ? named : initialDefaults;
  const organization: Organization = anOrganization({
    name: 'acme',
    defaults,
    settings: { ...initialSettings, allowForceDeleteWorkspaces: true },
    retention: { id: unique('drp'), days: 60 },
  });
  const pool = anAgentPool(organization, { id: named.agentPoolId, name: 'ours' });
  const sitePool = aSiteAgentPool();
  const caller = aUser({ username: 'caller', siteAdministrator: standing.siteAdministrator });
  const [boss, other, newcomer] = [
    aUser({ username: 'boss' }),
    aUser({ username: 'other' }),
    aUser({ username: 'newcomer' }),
  ];
  const [standingInOwn] = standing.teams;
  const aboutOwn = standing.team !== undefined && standing.team.teamId === standingInOwn?.teamId;
  const aboutOwners = standing.team?.owners === true;

  const owners = aTeam(organization, {
    name: 'owners',
    owners: true,
    ...(aboutOwners ? inQuestion(standing.team) : {}),
  });
  const own =
    standingInOwn === undefined
      ? undefined
      : standingInOwn.owners
        ? owners
        : aTeam(organization, {
            name: 'own',
            access: standingInOwn.access,
            ...(aboutOwn ? inQuestion(standing.team) : {}),
          });
  const somebodys = aTeam(organization, { name: 'somebodys', ...inQuestion(aboutOwn ? undefined : standing.team) });
  const target = aboutOwners ? owners : ((aboutOwn ? own : undefined) ?? somebodys);
  const freeTeam = aTeam(organization, { name: 'free', visibility: 'organization' });
  const teams = [owners, somebodys, freeTeam, ...(own === undefined || own.owners ? [] : [own])];

  const ofCaller = {
    user: ownedBy('user', caller),
    team: ownedBy('team', own ?? somebodys),
    organization: ownedBy('organization', organization),
    auditor: ownedBy('auditor', organization),
    // A run has no token, so the world has none for it.
    run: ownedBy('organization', organization),
  }[standing.actor];

  const repository: LinkedRepository = {
    cloneUrl: 'https://git.example.com/acme/api.git',
    branch: 'main',
    credential: null,
    webhookId: 'hook-1',
    sealedWebhookKey: 'sealed',
    linkedBy: ownedBy('user', boss),
  };
  const workspace = aWorkspace(organization, {
    name: 'api',
    repository,
    ...(question?.serving ? named : { executionMode: 'remote' }),
    retention: { id: unique('drp'), days: 30 },
    ...(scene.locked && { lock: { by: ofCaller, reason: null, at: noon } }),
  });
  // A grant of the caller's team on a project is one on the project of the workspace: the default one.
  const ofTeam = standingInOwn?.projectGrant;
  const project = aProject(organization, {
    name: 'networks',
    ...(ofTeam && { id: defaultProjectId(organization.id) }),
  });
  const inProject = aWorkspace(organization, { name: 'in-project', projectId: project.id });
  const beside = aProject(organization, { name: 'beside' });
  const another = aWorkspace(organization, { name: 'another', projectId: beside.id, ...named });
  const [source, freeSource] = [
    aWorkspace(organization, { name: 'source', executionMode: 'remote' }),
    aWorkspace(organization, { name: 'free', executionMode: 'remote' }),
  ];
  const runTrigger = aRunTrigger(workspace, source);
  const variable = aVariable(workspace);
  const tag = { id: unique('tag'), name: 'network' };
  const variableSet = aVariableSet(organization);
  const setVariable = aSetVariable(variableSet);
  const commit = someIngressAttributes();
  const version = aConfigurationVersion(workspace, {
    status: scene.version,
    bundle: aBundle(),
    ingressAttributesId: commit.id,
  });
  const run = aRun(workspace, version.state, {
    status: scene.run,
    createdBy: ownedBy('user', boss),
    cancelRequested: scene.cancelRequested,
    decisions: scene.cancelRequested
      ? [{ action: 'cancel', by: ownedBy('user', boss), at: '2029-12-31T00:00:00.000Z', comment: null }]
      : [],
  });
  const comment = aRunComment(run.state);
  const state = aStateVersion(run.state, { md5: createHash('md5').update(stateBytes).digest('hex') });
  const stateBundle = { ...aBundle(), bytes: stateBytes.length };
  await store?.write(stateBundle.key, Readable.from([stateBytes]));
  await store?.keep(stateBundle.key);
  const output = aStateOutput(state);
  const evaluation = anEvaluation({ status: evaluationIn[scene.stage] ?? 'passed' });
  const task = aRunTask(organization, { name: 'scanner' });
  const freeTask = aRunTask(organization, { name: 'free' });
  const attachment = aWorkspaceTask(workspace, task);
  const notification = aNotificationConfiguration(workspace, { url: 'https://127.0.0.1/' });
  const result = aTaskResult({ taskId: task.id, workspaceTaskId: attachment.id, status: 'passed' });
  const stage = aTaskStage(run, {
    status: scene.stage,
    evaluations: [evaluation],
    results: scene.attached ? [result] : [],
  });
  const outcome = aPolicySetOutcome(evaluation, { overridable: true, outcomes: [aPolicyOutcome()] });
  const policySet = aPolicySet(organization, { name: 'baseline' });
  const parameter = aPolicySetParameter(policySet);
  const versionId = unique('polsetver');
  const versions = { newest: { id: versionId, sequence: 1 }, current: null };
  const versioned = aPolicySet(organization, { name: 'versioned', versions });
  const policySetVersion = aPolicySetVersion(versioned, { id: versionId });
  const itself = standing.own === true;
  const policyTrial = aPolicyTrial(organization, {
    ...(itself && { requestedBy: ofCaller }),
    ...(!scene.tried && { status: 'finished', dueAt: null }),
  });
  const policy = aManagedPolicy(organization, { name: 'tags' });
  const ofAgent = anAgentToken(pool, { secretDigest: digestOf(agentsSecret) });
  const ofOther = aToken(ownedBy('user', other));
  const identity = anIdentity(other);
  const [ownIdentity, ownSession] = [anIdentity(caller), aSession(caller, { expiresAt: '2030-12-31T00:00:00.000Z' })];
  const callersToken = aToken(ofCaller, { secretDigest: secrets.digest });
  const otherMembership = aMembership(organization, other);
  const ofTarget = standing.actor === 'team' && target === own ? callersToken : aToken(ownedBy('team', target));
  let targetsRow = '';
  let targetsProjectRow = '';

  const failingId = await unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    for (const user of [caller, boss, other, newcomer]) await tx.users.add(user);
    await tx.memberships.add(aMembership(organization, boss));
    await tx.memberships.add(otherMembership);
    const beyond = anOrganization();
    await tx.organizations.add(beyond);
    await tx.memberships.add(aMembership(beyond, boss));
    if (standing.actor === 'user' && standing.member) await tx.memberships.add(aMembership(organization, caller));
    for (const team of teams) await tx.teams.add(team);
    await tx.teams.addMembers(owners, [boss.id]);
    await tx.teams.addMembers(somebodys, [other.id]);
    if (standing.actor === 'user' && own !== undefined) await tx.teams.addMembers(own, [caller.id]);

    await tx.workspaces.add(workspace);
    if (ofTeam === undefined) await tx.projects.add(project);
    if (own !== undefined && standingInOwn?.inProject) {
      await tx.workspaces.add(inProject);
      await giveGrant(tx, own.id, inProject.id, { access: 'read' });
    }
    if (question?.servingElsewhere) {
      await tx.projects.add(beside);
      await tx.workspaces.add(another);
    }
    if (scene.connected) {
      for (const one of [source, freeSource]) {
        await tx.workspaces.add(one);
        if (own !== undefined && standingInOwn?.grant) await giveGrant(tx, own.id, one.id, standingInOwn.grant);
      }
      await tx.runTriggers.add(runTrigger);
    }
    await tx.variables.add(variable);
    await tx.tags.give(organization.id, [workspace.id], [tag], noon);
    const binding = aTagBinding(workspace);
    await tx.tagBindings.bind(binding.owner, [binding]);
    const ofProject = { kind: 'project', id: project.id } as const;
    const inherited = ['stage', 'team'].map((key) => aTagBinding(workspace, { owner: ofProject, key }));
    await tx.tagBindings.bind(ofProject, inherited);
    await tx.variableSets.add(variableSet);
    await tx.setVariables.add(setVariable);
    if (own !== undefined && standingInOwn?.grant) await giveGrant(tx, own.id, workspace.id, standingInOwn.grant);
    if (own !== undefined && ofTeam) await giveProjectGrant(tx, own.id, project.id, ofTeam);
    if (target !== own || !ofTeam) await giveProjectGrant(tx, target.id, project.id, leastInProject);
    if (standing.team?.grantOn === 'project') {
      if (!ofTeam) await giveProjectGrant(tx, target.id, workspace.projectId, leastInProject);
    } else if (target !== own) await giveGrant(tx, target.id, workspace.id, { access: 'read' });
    else if (!standingInOwn?.grant) await giveGrant(tx, target.id, workspace.id, aCustomGrant());
    const rows = await tx.teamAccess.page({ workspaceId: workspace.id, teamId: target.id, visibility: 'all' }, onePage);
    targetsRow = rows.items[0]?.teamWorkspace.id ?? '';
    const inProjects = await tx.projectAccess.page(
      { projectId: project.id, visibility: { own: [target.id], visible: false } },
      onePage,
    );
    targetsProjectRow = inProjects.items[0]?.teamProject.state.id ?? '';

    await tx.configurationVersions.add(version);
    await tx.configurationVersions.addIngressAttributes(version.state.id, commit);

    await tx.runs.takeSequence(workspace.id);
    await tx.runs.add(run);
    await tx.runComments.add(comment);
    if (scene.blocked) {
      const { sequence } = await tx.runs.takeSequence(workspace.id);
      await tx.runs.add(aRun(workspace, version.state, { status: 'planned', sequence }));
    }
    await tx.stateVersions.add(state, [output]);
    await tx.stateVersions.finalize(state, stateBundle);
    await tx.taskStages.add(stage);
    if (scene.stage !== 'pending') await tx.taskStages.addOutcomes([outcome]);
    await tx.policies.add({ ...policy, code: await tx.policies.keepCode(organization.id, 'package tags') });
    await tx.policySets.add(policySet);
    for (const one of [task, freeTask]) await tx.runTasks.add(one);
    if (scene.attached) await tx.workspaceTasks.add(attachment);
    await tx.notificationConfigurations.add(notification);
    await tx.policySetParameters.add(parameter);
    await tx.policySets.add(versioned);
    await tx.policySetVersions.add(policySetVersion);
    await tx.policyTrials.add(policyTrial, Buffer.from('code'), [aTrialPlan(policyTrial, run.state)]);
    await tx.agentPools.add(pool);
    await tx.agentPools.add(sitePool);
    await tx.agentTokens.add(ofAgent);

    await tx.tokens.add(callersToken);
    await tx.tokens.add(ofOther);
    for (const one of [identity, ownIdentity]) await tx.identities.add(one);
    await tx.sessions.add(ownSession);
    await tx.tokens.add(aToken(ownedBy('user', newcomer), { secretDigest: digestOf(outsidersSecret) }));
    await tx.tokens.add(
      aToken(ownedBy('user', boss), { secretDigest: secrets.expiredDigest, expiresAt: '2029-12-31T00:00:00.000Z' }),
    );
    if (standing.actor !== 'organization') await tx.tokens.add(aToken(ownedBy('organization', organization)));
    if (standing.actor !== 'auditor') {
      await tx.tokens.add(aToken(ownedBy('auditor', organization), { secretDigest: digestOf(auditorsSecret) }));
    }
    for (const team of teams) {
      if (standing.actor === 'team' && team === own) continue;
      await tx.tokens.add(team === target ? ofTarget : aToken(ownedBy('team', team)));
    }
    await tx.effects.enqueue(version.state.id, [{ kind: 'discard-bundle', bundleKey: 'bundle-of-old' }]);
    const [due] = await tx.effects.claim(aClaim('discards', { limit: 1 }));
    await tx.effects.failed(due?.id ?? 0, 'the disk is full', afterNoon(60));
    return due?.id ?? 0;
  });

  const withRights =
    itself && standing.actor === 'team' ? own : standing.team && (standing.team.grantOn ? target : freeTeam);
  return {
    secret,
    expiredSecret,
    outsidersSecret,
    agentsSecret,
    auditorsSecret,
    referred: {
      email: newcomer.email,
      user: other.id,
      membership: otherMembership.id,
      project: project.id,
      workspace: workspace.id,
      source: freeSource.id,
      team: freeTeam.id,
      version: version.state.id,
      policy: policy.id,
      task: freeTask.id,
      tag: tag.id,
      state: state.id,
    },
    tokens: { team: ofTarget.id, agent: ofAgent.id },
    existing: {
      organization: organization.name,
      name: workspace.name,
      workspaceId: workspace.id,
      variableId: variable.id,
      setVariableId: setVariable.id,
      '/varsets': variableSet.id,
      userId: itself ? caller.id : other.id,
      teamId: target.id,
      ...(withRights && { teamWithRightsId: withRights.id }),
      '/team-workspaces': targetsRow,
      '/team-projects': targetsProjectRow,
      projectId: project.id,
      '/projects': project.id,
      '/workspaces': workspace.id,
      '/tags': tag.id,
      '/teams': target.id,
      '/configuration-versions': version.state.id,
      '/organization-memberships': otherMembership.id,
      '/authentication-tokens': itself ? callersToken.id : ofOther.id,
      '/admin/users': other.id,
      '/admin/failing-effects': String(failingId),
      identityId: identity.id,
      '/account/sessions': ownSession.id,
      '/account/identities': ownIdentity.id,
      runId: run.state.id,
      taskStageId: stage.id,
      policyEvaluationId: evaluation.id,
      poolId: pool.id,
      sitePoolId: sitePool.id,
      '/runs': run.state.id,
      '/run-events': `${run.state.id.replace('run', 're')}-created`,
      '/comments': comment.id,
      '/state-versions': state.id,
      '/state-version-outputs': output.id,
      '/plans': run.state.id.replace('run', 'plan'),
      '/applies': run.state.id.replace('run', 'apply'),
      '/task-stages': stage.id,
      '/task-results': result.id,
      taskResultId: result.id,
      workspaceTaskId: attachment.id,
      '/tasks': task.id,
      '/notification-configurations': notification.id,
      '/run-triggers': runTrigger.id,
      '/policy-evaluations': evaluation.id,
      '/policy-set-outcomes': outcome.id,
      '/policy-sets': policySet.id,
      policySetId: policySet.id,
      parameterId: parameter.id,
      '/policy-set-versions': policySetVersion.id,
      '/policies': policy.id,
      '/policy-trials': policyTrial.id,
      '/agent-pools': pool.id,
      '/admin/agent-pools': sitePool.id,
    },
  };
}
