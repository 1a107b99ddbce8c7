import { artifactNames } from '../../src/domain/index.js';
import type { Random } from '../torture/random.js';
import type { HeldRun, Pool } from './pool.js';
import { repositories } from './repositories.js';
import { digestOf, stateAfter, stateBytes } from './states.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** A step of a story: an operation on either mount, with random optional members from the description. */
export interface Step {
  readonly operation: string;
  /** The path parameters, in order. */
  readonly about: readonly string[];
  readonly query?: string;
  /** Required members of the body, without resource types; a generated body if omitted. */
  readonly body?: Json;
  readonly bytes?: Buffer;
  /** The caller's token; by default the administrator's. */
  readonly secret?: string;
  readonly lease?: string;
  /** Whether the console sends it: with its headers, and without a token. */
  readonly fromConsole?: boolean;
  /** The seconds that pass before it. */
  readonly after?: number;
  /** Whether it must be refused. */
  readonly refused?: boolean;
}

/** A valid sequence of steps. It receives the response to each and ends at an unexpected refusal. */
export type Story = Generator<Step, void, Json>;

export interface Setting {
  readonly pool: Pool;
  readonly random: Random;
  readonly fresh: () => string;
  readonly archive: Buffer;
  /** The archive of a policy set version. */
  readonly policies: Buffer;
  /** Reports `otherwise` unless it holds. */
  readonly expect: (holds: boolean, otherwise: string) => void;
}

type Asked = Generator<Step, Json, Json>;

function* ask(operation: string, about: readonly string[], rest: Omit<Step, 'operation' | 'about'> = {}): Asked {
  return yield { operation, about, ...rest };
}

const data = (attributes: object = {}, relationships: object = {}) => ({
  body: { data: { attributes, relationships } },
});

const listOf = (id: string) => ({ body: { data: [{ id }] } });

const related = (id: string) => ({ data: { id } });

const lastOf = (url: string): string => url.replace(/^.*\//, '');

/** An organization that no other story deletes. */
const place = ({ pool, random }: Setting): string => pool.pick('settled', random.below(2 ** 30)) ?? 'none';

function* created(operation: string, about: readonly string[], rest: Omit<Step, 'operation' | 'about'>): Asked {
  return (yield* ask(operation, about, rest)).data.id;
}

function* uploaded({ archive }: Setting, workspace: string): Asked {
  const plain = { 'auto-queue-runs': false, speculative: false, provisional: false };
  const version = yield* ask('createConfigurationVersion', [workspace], data(plain));
  yield* ask('uploadFiles', [lastOf(version.data.attributes['upload-url'])], { bytes: archive });
  return version.data.id;
}

/** Claims until the agent gets this run; it may get others first. */
function* claimed({ pool }: Setting, run: string, phase: string, secret: string): Asked {
  pool.reserved.add(run);
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const held = pool.held.findLast((one) => one.id === run && one.phase === phase);
    if (held !== undefined) return held;
    yield* ask('claimRun', [], { secret, body: { name: 'story' } });
  }
}

/** A policy set that takes its policies from a version. */
function* versioned({ fresh, policies: archive }: Setting, at: readonly string[]): Asked {
  const set = yield* created('createPolicySet', at, data({ name: fresh(), kind: 'opa', global: false, policies: [] }));
  const version = yield* ask('createPolicySetVersion', [set]);
  yield* ask('uploadPolicies', [lastOf(version.data.links.upload)], { bytes: archive });
  yield* ask('showPolicySetVersion', [version.data.id]);
  return set;
}

/** A policy set with an uploaded policy, and one with a version, attached to the workspace. */
function* held(setting: Setting, at: readonly string[], workspace: string): Asked {
  const { fresh, random } = setting;
  const level = random.oneOf(['advisory', 'mandatory']);
  const opa = { kind: 'opa', query: 'data.terraform.deny', 'enforcement-level': level };
  const policy = yield* created('createPolicy', at, data({ name: fresh(), ...opa }));
  yield* ask('uploadPolicyCode', [policy], { bytes: Buffer.from(`package terraform # ${fresh()}`) });
  const set = yield* created(
    'createPolicySet',
    at,
    data({ name: fresh(), kind: 'opa', global: false, overridable: true }),
  );
  yield* ask('attachPolicies', [set], listOf(policy));
  for (const one of [set, yield* versioned(setting, at)]) yield* ask('attachPolicySet', [one], listOf(workspace));
}

/** An agent reads the inputs of a plan, uploads its outputs, and reports the results of the plan and its policies. */
function* planned({ random, expect }: Setting, held: HeldRun): Asked {
  const { id: run, lease, agent, evaluations, codes, archives, state } = held;
  const ours = { secret: agent, lease };
  yield* ask('readRunFiles', [run], ours);
  for (const code of codes) {
    const text = yield* ask('readRunPolicy', [run, code], ours);
    expect(digestOf('sha256', text) === code, `the code of ${code} is ${text}`);
  }
  for (const version of archives) yield* ask('readRunPolicyArchive', [run, version], ours);
  yield* ask('renewLease', [run], ours);
  if (state !== null) {
    const text = yield* ask('readRunState', [run], { ...ours, query: `id=${state.id}` });
    expect(digestOf('md5', text) === state.md5, `the state ${state.id} is ${text}`);
  }
  yield* ask('appendRunLog', [run], { ...ours, query: 'offset=0', bytes: Buffer.from('planning') });
  for (const name of artifactNames) {
    yield* ask('storeRunArtifact', [run, name], { ...ours, bytes: Buffer.from(JSON.stringify({ name })) });
  }
  yield* ask('renewLease', [run], ours);
  yield* ask('reportPlan', [run], { ...ours, body: { status: 'finished', 'has-changes': true } });
  const status = random.oneOf(['passed', 'failed']);
  for (const { id, 'policy-sets': sets } of evaluations) {
    const said = sets.map((set: Json) => ({
      'policy-set-id': set.id,
      policies: set.policies.map(({ name }: Json) => ({ name, status, output: null })),
    }));
    const body = { 'policy-tool-version': '1.0.0', 'policy-sets': said };
    yield* ask('reportPolicyEvaluation', [run, id], { ...ours, body });
  }
}

/** A caller with the right to do so overrides the policies of the run. */
function* overridden(run: string): Asked {
  const stages = yield* ask('listTaskStages', [run]);
  for (const stage of stages.data) {
    if (stage.attributes.status === 'awaiting_override') yield* ask('overrideTaskStage', [stage.id]);
    for (const evaluation of (yield* ask('listPolicyEvaluations', [stage.id])).data) {
      const outcomes = yield* ask('listPolicySetOutcomes', [evaluation.id]);
      for (const outcome of outcomes.data) yield* ask('showPolicySetOutcome', [outcome.id]);
    }
  }
}

/** A caller with the right to do so lets the run continue. */
function* decided(run: string): Asked {
  yield* ask('listDecidingTeams', [run]);
  yield* overridden(run);
  const plan = run.replace('run', 'plan');
  yield* ask('readPlanJson', [plan]);
  yield* ask('readRedactedPlanJson', [plan]);
  yield* ask('applyRun', [run]);
}

/** An agent reads the plan and uploads a state, or fails before. Returns the id of the state. */
function* applied({ random, expect }: Setting, { id: run, lease, agent, state, planFile }: HeldRun): Asked {
  const ours = { secret: agent, lease };
  if (planFile !== null) {
    const text = yield* ask('readPlanFile', [run, 'plan-file'], ours);
    expect(digestOf('sha256', text) === planFile.sha256, `the plan of ${run} is ${text}`);
  }
  if (state !== null && state.serial > 0) {
    yield* ask('announceState', [run], { ...ours, body: stateAfter(state, -1), refused: true });
  }
  const { outputs, ...found } = stateAfter(state, 1 + random.below(3));
  const { id } = yield* ask('announceState', [run], { ...ours, body: { ...found, outputs } });
  yield* ask('renewLease', [run], ours);
  if (random.chance(0.2)) {
    yield* ask('reportApply', [run], { ...ours, body: { status: 'errored', message: 'no' } });
    return undefined;
  }
  yield* ask('uploadState', [run, id], { ...ours, bytes: stateBytes(found) });
  yield* ask('appendRunLog', [run], { ...ours, query: 'offset=0', bytes: Buffer.from('applying') });
  const outcome = random.oneOf([{ status: 'finished' }, { status: 'errored', message: 'no' }]);
  yield* ask('reportApply', [run], { ...ours, body: outcome });
  return id;
}

/** Users read a state and its outputs. */
function* lookedAt(state: string, workspace: string, organizationName: string, name: string): Asked {
  const query = `filter[organization][name]=${organizationName}&filter[workspace][name]=${name}`;
  yield* ask('listStateVersions', [], { query });
  yield* ask('showStateVersion', [state], { query: 'include=outputs' });
  yield* ask('showCurrentStateVersion', [workspace]);
  yield* ask('listCurrentStateVersionOutputs', [workspace]);
  const outputs = yield* ask('listStateVersionOutputs', [state]);
  for (const { id } of outputs.data) yield* ask('showStateVersionOutput', [id]);
}

/** A workspace with an agent of its own. */
function* executed({ fresh }: Setting, at: readonly string[]): Asked {
  const racks = yield* created('createAgentPool', at, data({ name: fresh() }));
  const token = yield* ask('issueAgentPoolToken', [racks], data());
  const name = fresh();
  const settings = { name, 'auto-apply': false, 'execution-mode': 'agent', 'agent-pool-id': racks };
  const workspace = yield* created('createWorkspace', at, data(settings));
  return { workspace, name, agent: token.data.attributes.token };
}

/** Two runs of one workspace: the second reads the state of the first. */
function* runsToTheirEnd(setting: Setting): Story {
  const { random } = setting;
  const at = [place(setting)] as const;
  const { workspace, name, agent } = yield* executed(setting, at);
  yield* held(setting, at, workspace);
  const version = yield* uploaded(setting, workspace);
  const mine = {
    workspace: related(workspace),
    'configuration-version': related(version),
  };
  for (const _ of ['first', 'second']) {
    const whole = { 'plan-only': false, 'auto-apply': false, 'save-plan': random.chance(0.3) };
    const run = yield* created('createRun', [], data(whole, mine));
    const plan = yield* claimed(setting, run, 'plan', agent);
    if (plan === undefined) return;
    yield* planned(setting, plan);
    yield* decided(run);
    const apply = yield* claimed(setting, run, 'apply', agent);
    if (apply === undefined) return;
    const state = yield* applied(setting, apply);
    if (state !== undefined) yield* lookedAt(state, workspace, at[0], name);
    yield* ask('showRunConfigurationVersion', [run]);
  }
}

/** Two trials of a policy set on a plan: an agent evaluates the first, and the second is canceled. */
function* tried(setting: Setting): Story {
  const at = [place(setting)];
  const { workspace, agent } = yield* executed(setting, at);
  yield* held(setting, at, workspace);
  const mine = {
    workspace: related(workspace),
    'configuration-version': related(yield* uploaded(setting, workspace)),
  };
  const run = yield* created('createRun', [], data({ 'plan-only': true }, mine));
  const plan = yield* claimed(setting, run, 'plan', agent);
  if (plan === undefined) return;
  yield* planned(setting, plan);
  const asked = data(
    { archive: setting.policies.toString('base64'), plans: 1 },
    { workspaces: { data: [{ id: workspace }] } },
  );
  const first = yield* created('createPolicyTrial', at, asked);
  const job = yield* ask('claimRun', [], { secret: agent, body: { name: 'story', accepts: ['policy-trials'] } });
  if (job['policy-trial'] === undefined) return;
  const ours = { secret: agent, lease: job.lease.token };
  yield* ask('renewPolicyTrialLease', [first], ours);
  yield* ask('readPolicyTrialArchive', [first], ours);
  for (const { run: of } of job['policy-trial'].plans) {
    yield* ask('readPolicyTrialPlan', [first, of.id], ours);
    const policies = job['policy-trial']['policy-set'].policies.map(({ name }: Json) => ({ name, status: 'passed' }));
    const body = { 'policy-tool-version': '1.0.0', 'policy-sets': [{ 'policy-set-id': first, policies }] };
    yield* ask('reportPolicyTrialPlan', [first, of.id], { ...ours, body });
  }
  const second = yield* created('createPolicyTrial', at, asked);
  yield* ask('cancelPolicyTrial', [second]);
  for (const trial of [first, second]) {
    yield* ask('showPolicyTrial', [trial]);
    yield* ask('listPolicyTrialResults', [trial]);
  }
}

/** A run is executed in place of those before it, reads the state of another workspace, and is canceled by force. */
function* forced(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)] as const;
  const name = fresh();
  const shared = yield* created('createWorkspace', at, data({ name, 'global-remote-state': true }));
  yield* ask('lockWorkspace', [shared], { body: {} });
  const state = stateBytes({ serial: 1, lineage: name });
  const facts = { serial: 1, lineage: name, md5: digestOf('md5', state), force: false };
  yield* ask('createStateVersion', [shared], data({ ...facts, state: state.toString('base64') }));
  const { workspace, agent } = yield* executed(setting, at);
  const mine = { workspace: related(workspace) };
  yield* uploaded(setting, workspace);
  const whole = data({ 'plan-only': false, 'auto-apply': false, 'save-plan': false }, mine);
  const first = yield* created('createRun', [], whole);
  const plan = yield* claimed(setting, first, 'plan', agent);
  if (plan === undefined) return;
  const { sharedStates } = plan;
  yield* ask('pingSharedStates', [sharedStates]);
  yield* ask('showSharedStatesEntitlementSet', [sharedStates, ...at]);
  yield* ask('showSharedStatesWorkspace', [sharedStates, ...at, name]);
  yield* ask('showSharedState', [sharedStates, shared]);
  yield* planned(setting, plan);
  const second = yield* created('createRun', [], whole);
  yield* ask('forceExecuteRun', [second], { body: {} });
  const again = yield* claimed(setting, second, 'plan', agent);
  if (again === undefined) return;
  yield* planned(setting, again);
  yield* decided(second);
  const apply = yield* claimed(setting, second, 'apply', agent);
  if (apply === undefined) return;
  yield* ask('cancelRun', [second], { body: {} });
  // The background work between two requests lasts up to 40 seconds, and the lease 60.
  const ours = { secret: agent, lease: apply.lease, after: 19 };
  for (let passed = 0; passed < 130; passed += ours.after) yield* ask('renewLease', [second], ours);
  yield* ask('forceCancelRun', [second], { body: {}, after: 50 });
}

/** A run task is attached to a workspace, called before and after the plan of a run, and lets it pass. */
function* runTasks(setting: Setting): Story {
  const { fresh, pool } = setting;
  const at = [place(setting)] as const;
  const { workspace, agent } = yield* executed(setting, at);
  const task = yield* created('createRunTask', at, data({ name: fresh(), url: 'https://scanner.example/check' }));
  const attached = data({ stages: ['pre_plan', 'post_plan'] }, { task: related(task) });
  const added = yield* created('addWorkspaceTask', [workspace], attached);
  yield* ask('showWorkspaceTask', [workspace, added]);
  yield* ask('updateWorkspaceTask', [workspace, added], data({ 'enforcement-level': 'mandatory' }));
  yield* uploaded(setting, workspace);
  const whole = { 'plan-only': true, 'auto-apply': false, 'save-plan': false };
  const run = yield* created('createRun', [], data(whole, { workspace: related(workspace) }));
  pool.reserved.add(run);
  yield* passed(setting, run, 'pre_plan');
  const plan = yield* claimed(setting, run, 'plan', agent);
  if (plan === undefined) return;
  yield* planned(setting, plan);
  yield* passed(setting, run, 'post_plan');
  yield* ask('removeWorkspaceTask', [workspace, added]);
  yield* ask('removeRunTask', [task]);
}

/** A receiver is verified, and notified of a run. */
function* notified(setting: Setting): Story {
  const { fresh } = setting;
  const { workspace } = yield* executed(setting, [place(setting)]);
  const url = 'https://hooks.example/1';
  const settings = { name: fresh(), enabled: true, 'destination-type': 'generic', url, triggers: ['run:created'] };
  const added = yield* created('createNotificationConfiguration', [workspace], data(settings));
  yield* ask('verifyNotificationConfiguration', [added]);
  yield* ask('updateNotificationConfiguration', [added], data({ triggers: ['run:created', 'run:planning'] }));
  yield* uploaded(setting, workspace);
  yield* created('createRun', [], data({ 'plan-only': true }, { workspace: related(workspace) }));
  yield* ask('showNotificationConfiguration', [added]);
  yield* ask('removeNotificationConfiguration', [added]);
  const at = [place(setting)];
  for (const [creator, kind] of [
    ['createProject', 'Project'],
    ['createTeam', 'Team'],
  ] as const) {
    const subject = yield* created(creator, at, data({ name: fresh() }));
    yield* created(`createNotificationConfigurationOf${kind}`, [subject], data({ ...settings, triggers: [] }));
    yield* ask(`listNotificationConfigurationsOf${kind}`, [subject]);
  }
}

/** A workspace gets a source, which has run triggers then. */
function* connected(setting: Setting): Story {
  const at = [place(setting)];
  const { workspace } = yield* executed(setting, at);
  const source = yield* created('createWorkspace', at, data({ name: setting.fresh() }));
  const added = yield* created('createRunTrigger', [workspace], data({}, { sourceable: related(source) }));
  for (const [one, type] of [
    [workspace, 'inbound'],
    [source, 'outbound'],
  ]) {
    yield* ask('listRunTriggers', [one], { query: `filter[run-trigger][type]=${type}&include=workspace,sourceable` });
  }
  yield* ask('showRunTrigger', [added]);
  yield* ask('removeRunTrigger', [added]);
}

/** The task reads what it is called for and reports; the call is made in the background. */
function* passed({ pool }: Setting, run: string, name: string): Asked {
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const stages = yield* ask('listTaskStages', [run]);
    const stage = stages.data.find(({ attributes }: Json) => attributes.stage === name);
    const result = stage?.relationships['task-results'].data[0]?.id;
    const secret = pool.callbacks.get(result);
    if (secret === undefined) continue;
    yield* ask('readTaskConfiguration', [result], { secret });
    if (name === 'post_plan') yield* ask('readTaskPlanJson', [result], { secret });
    yield* ask('showTaskResult', [result]);
    const outcomes = { data: [{ attributes: { 'outcome-id': 'bucket', description: 'public', body: '', url: '' } }] };
    yield* ask('reportTaskResult', [result], {
      secret,
      ...data({ status: 'passed', message: '', url: '' }, { outcomes }),
    });
    yield* ask('listTaskResultOutcomes', [result]);
    return;
  }
}

/** A team gets a project, and a workspace moves into it. */
function* projects(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const project = yield* created('createProject', at, data({ name: fresh() }));
  const team = yield* created('createTeam', at, data({ name: fresh() }));
  const both = { project: related(project), team: related(team) };
  const grant = yield* created('addProjectAccess', [], data({ access: 'read' }, both));
  yield* ask('listProjectAccess', [], { query: `filter[project][id]=${project}` });
  yield* ask('showProjectAccess', [grant]);
  yield* ask('updateProjectAccess', [grant], data({ access: 'maintain' }));
  yield* ask('removeProjectAccess', [grant]);
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  yield* ask('moveWorkspaces', [project], listOf(workspace));
  yield* ask('safelyRemoveWorkspace', [workspace]);
  yield* ask('removeProject', [project]);
}

/** Workspaces get tags and bindings, which are listed and removed. */
function* tags(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  const other = yield* created('createWorkspace', at, data({ name: fresh() }));
  const named = { body: { data: [{ attributes: { name: fresh() } }] } };
  yield* ask('addWorkspaceTags', [workspace], named);
  const [tag] = (yield* ask('listWorkspaceTags', [workspace])).data;
  yield* ask('tagWorkspaces', [tag.id], listOf(other));
  yield* ask('removeWorkspaceTags', [workspace], named);
  yield* ask('bindTags', [workspace], { body: { data: [{ attributes: { key: fresh(), value: 'any' } }] } });
  yield* ask('listTagBindings', [workspace]);
  yield* ask('listEffectiveTagBindings', [workspace]);
  yield* ask('removeTags', at, listOf(tag.id));
}

/** A set of variables is attached to workspaces and projects. */
function* variableSets(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const set = yield* created('createVariableSet', at, data({ name: fresh(), global: false }));
  const attributes = { key: fresh(), category: 'terraform', value: '', hcl: false, sensitive: false };
  const variable = yield* created('createSetVariable', [set], data(attributes));
  yield* ask('listSetVariables', [set]);
  yield* ask('updateSetVariable', [set, variable], data({ value: 'anything', sensitive: false }));
  yield* ask('showSetVariable', [set, variable]);
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  yield* ask('attachVariableSetToWorkspaces', [set], listOf(workspace));
  yield* ask('listWorkspaceVariableSets', [workspace]);
  yield* ask('detachVariableSetFromWorkspaces', [set], listOf(workspace));
  const project = yield* created('createProject', at, data({ name: fresh() }));
  yield* ask('attachVariableSetToProjects', [set], listOf(project));
  yield* ask('detachVariableSetFromProjects', [set], listOf(project));
  yield* ask('removeSetVariable', [set, variable]);
  yield* ask('removeVariableSet', [set]);
}

/** A versioned policy set gets parameters and exclusions. */
function* policySets(setting: Setting): Story {
  const { fresh, random } = setting;
  const at = [place(setting)];
  const set = yield* versioned(setting, at);
  const attributes = { key: fresh(), category: 'policy-set', value: '', sensitive: false };
  const parameter = yield* created('createPolicySetParameter', [set], data(attributes));
  yield* ask('listPolicySetParameters', [set]);
  yield* ask('updatePolicySetParameter', [set, parameter], data({ value: 'anything', sensitive: false }));
  yield* ask('showPolicySetParameter', [set, parameter]);
  yield* ask('removePolicySetParameter', [set, parameter]);
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  yield* ask('excludeWorkspaces', [set], listOf(workspace));
  yield* ask('includeWorkspaces', [set], listOf(workspace));
  const project = yield* created('createProject', at, data({ name: fresh() }));
  for (const each of [
    'attachPolicySetToProjects',
    'excludeProjects',
    'includeProjects',
    'detachPolicySetFromProjects',
  ]) {
    yield* ask(each, [set], listOf(project));
  }
  const selector = { 'tag-key': 'stage', 'tag-value': 'test', 'is-exclude': random.oneOf([true, false]) };
  for (const each of ['addTagSelectors', 'removeTagSelectors']) {
    yield* ask(each, [set], { body: { data: [selector] } });
  }
}

/** Variables are created, read, changed and deleted; the value of a sensitive one is never returned. */
function* variables(setting: Setting): Story {
  const workspace = yield* created('createWorkspace', [place(setting)], data({ name: setting.fresh() }));
  for (const sensitive of [false, true]) {
    const settings = { key: setting.fresh(), category: 'terraform', value: '', hcl: false, sensitive };
    const made = yield* ask('createVariable', [workspace], data(settings));
    const { id, attributes } = made.data;
    yield* ask('listVariables', [workspace]);
    const value = attributes.sensitive ? 'whsec_what_nobody_is_to_be_told_again' : 'anything';
    yield* ask('updateVariable', [workspace, id], data({ value, sensitive: attributes.sensitive }));
    yield* ask('showVariable', [workspace, id]);
    if (!sensitive) yield* ask('removeVariable', [workspace, id]);
  }
}

/** A client that holds the lock writes states, inline and by upload, and rolls back to the first. */
function* states(setting: Setting): Story {
  const lineage = setting.fresh();
  const workspace = yield* created('createWorkspace', [place(setting)], data({ name: setting.fresh() }));
  yield* ask('lockWorkspace', [workspace], { body: {} });
  const first = stateBytes({ serial: 1, lineage });
  const second = stateBytes({ serial: 2, lineage });
  const announced = (serial: number, bytes: Buffer) => ({ serial, lineage, md5: digestOf('md5', bytes), force: false });
  const inline = { ...announced(1, first), state: first.toString('base64') };
  const one = yield* created('createStateVersion', [workspace], data(inline));
  const two = yield* ask('createStateVersion', [workspace], data(announced(2, second)));
  yield* ask('uploadStateVersion', [lastOf(two.data.attributes['hosted-state-upload-url'])], { bytes: second });
  yield* ask('rollBackState', [workspace], data({}, { 'rollback-state-version': related(one) }));
  yield* ask('showCurrentStateVersion', [workspace]);
}

/** Policies are created, uploaded, attached and deleted. */
function* policies(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const rule = { name: fresh(), kind: 'opa', query: 'data.x' };
  const policy = yield* created('createPolicy', at, data(rule));
  yield* ask('listPolicies', at);
  const code = `package x # ${fresh()}`;
  yield* ask('uploadPolicyCode', [policy], { bytes: Buffer.from(code) });
  yield* ask('readPolicyCode', [policy]);
  yield* ask('updatePolicy', [policy], data({ query: 'data.y', 'enforcement-level': 'mandatory' }));
  yield* ask('showPolicy', [policy]);
  const set = yield* created('createPolicySet', at, data({ name: fresh(), kind: 'opa', global: false }));
  yield* ask('attachPolicies', [set], listOf(policy));
  yield* ask('detachPolicies', [set], listOf(policy));
  yield* ask('removePolicy', [policy]);
}

/** Runs are canceled or discarded where possible. */
function* givenUp(setting: Setting): Story {
  const workspace = yield* created('createWorkspace', [place(setting)], data({ name: setting.fresh() }));
  const mine = { workspace: related(workspace) };
  yield* uploaded(setting, workspace);
  const first = yield* created('createRun', [], data({}, mine));
  const second = yield* created('createRun', [], data({}, mine));
  const third = yield* created('createRun', [], data({}, mine));
  for (const run of [second, third]) yield* ask('discardRun', [run], { body: {} });
  yield* ask('cancelRun', [first], { body: {} });
}

/** Versions are created from a repository. */
function* fetched(setting: Setting): Story {
  const linked = { name: setting.fresh(), 'vcs-repo': { 'clone-url': repositories[1], branch: 'main' } };
  const workspace = yield* created('createWorkspace', [place(setting)], data(linked));
  const version = yield* created('fetchCommit', [workspace], {});
  yield* ask('showConfigurationVersion', [version]);
  yield* ask('showIngressAttributes', [version]);
}

/** A user manages their own tokens. */
function* account(setting: Setting): Story {
  const username = setting.fresh();
  const email = `${username}@example.com`;
  const made = yield* ask('createUser', [], data({ username, email }));
  const mine = { secret: made.included[0].attributes.token };
  yield* ask('showAccount', [], mine);
  const token = yield* created('issueUserToken', [made.data.id], { ...mine, ...data() });
  yield* ask('listUserTokens', [made.data.id], mine);
  yield* ask('showToken', [token], mine);
  yield* ask('revokeToken', [token], mine);
}

/** Versions that are no longer current are archived or soft-deleted. */
function* putAway(setting: Setting): Story {
  const workspace = yield* created('createWorkspace', [place(setting)], data({ name: setting.fresh() }));
  const old = [yield* uploaded(setting, workspace), yield* uploaded(setting, workspace)] as [string, string];
  const current = yield* uploaded(setting, workspace);
  yield* ask('downloadConfigurationVersion', [current]);
  yield* ask('archiveConfigurationVersion', [old[0]]);
  yield* ask('softDeleteBackingData', [old[1]]);
  yield* ask('restoreBackingData', [old[1]]);
  yield* ask('softDeleteBackingData', [old[1]]);
  yield* ask('permanentlyDeleteBackingData', [old[1]]);
}

function* access(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)] as const;
  const name = fresh();
  const team = yield* created('createTeam', at, data({ name: fresh() }));
  const workspace = yield* created('createWorkspace', at, data({ name }));
  const both = { team: related(team), workspace: related(workspace) };
  const grant = yield* created('addTeamAccess', [], data({ access: 'read' }, both));
  yield* ask('showTeamAccess', [grant]);
  yield* ask('updateTeamAccess', [grant], data({ access: 'write' }));
  yield* ask('issueTeamToken', [team], data());
  yield* ask('showTeamToken', [team]);
  yield* ask('revokeTeamToken', [team]);
  yield* ask('lockWorkspace', [workspace], { body: {} });
  yield* ask('unlockWorkspace', [workspace]);
  yield* ask('lockWorkspace', [workspace], { body: {} });
  yield* ask('forceUnlockWorkspace', [workspace]);
  // Twice, as a step takes either mount.
  for (let turn = 0; turn < 2; turn += 1) {
    yield* ask('showEffectiveAccess', [workspace], { query: `filter[team][id]=${team}` });
    yield* ask('listEffectiveAccess', [workspace], { query: `filter[team][id]=${team}` });
    yield* ask('setDataRetentionPolicy', [workspace]);
    yield* ask('showDataRetentionPolicy', [workspace]);
    yield* ask('removeDataRetentionPolicy', [workspace]);
    yield* ask('setDataRetentionPolicyOfOrganization', at);
    yield* ask('showDataRetentionPolicyOfOrganization', at);
    yield* ask('removeDataRetentionPolicyOfOrganization', at);
  }
  yield* ask('removeTeamAccess', [grant]);
  yield* ask('removeTeam', [team]);
  yield* ask('removeWorkspaceByName', [at[0], name]);
}

function* membership(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const username = fresh();
  const email = `${username}@example.com`;
  const made = yield* ask('createUser', [], data({ username, email }));
  const user: string = made.data.id;
  const own = { secret: made.included[0].attributes.token as string };
  const signIn = { data: { type: 'sessions', attributes: { token: own.secret } } };
  yield* ask('beginSession', [], { bytes: Buffer.from(JSON.stringify(signIn)), fromConsole: true });
  const member = yield* created('addOrganizationMembership', at, data({ email }));
  const team = yield* created('createTeam', at, data({ name: fresh() }));
  const users = listOf(user);
  const memberships = listOf(member);
  yield* ask('addTeamUsers', [team], users);
  yield* ask('removeTeamUsers', [team], users);
  yield* ask('addTeamMemberships', [team], memberships);
  yield* ask('removeTeamMemberships', [team], memberships);
  yield* ask('removeOrganizationMembership', [member]);
  // Twice, as a step takes either mount.
  for (let turn = 0; turn < 2; turn += 1) {
    const person = { issuer: 'https://login.example.com', subject: fresh() };
    const identity = yield* created('addIdentity', [user], data(person));
    yield* ask('listIdentities', [user]);
    yield* ask('removeIdentity', [user, identity]);
    const further = yield* created('addIdentity', [user], data({ ...person, subject: fresh() }));
    yield* ask('listOwnIdentities', [], own);
    yield* ask('removeOwnIdentity', [further], own);
  }
  yield* ask('suspendUser', [user]);
  yield* ask('unsuspendUser', [user]);
  yield* ask('removeUser', [user]);
}

function* organization(setting: Setting): Story {
  const { fresh } = setting;
  const named = data({ name: fresh(), email: 'ops@example.com' });
  const at = [yield* created('createOrganization', [], named)] as const;
  yield* ask('issueOrganizationToken', at, data());
  yield* ask('showOrganizationToken', at);
  yield* ask('revokeOrganizationToken', at);
  const audits = yield* ask('issueOrganizationToken', at, { ...data(), query: 'token=audit-trails' });
  const secret: string = audits.data.attributes.token;
  yield* ask('listAuditTrails', [], { secret });
  yield* ask('listAuditTrail', [], { secret });
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  const set = yield* created('createPolicySet', at, data({ name: fresh(), global: false }));
  const attached = listOf(workspace);
  yield* ask('attachPolicySet', [set], attached);
  yield* ask('detachPolicySet', [set], attached);
  yield* ask('removePolicySet', [set]);
  const racks = yield* created('createAgentPool', at, data({ name: fresh() }));
  yield* ask('updateAgentPool', [racks], data({ name: fresh() }));
  yield* ask('removeAgentPool', [racks]);
  const site = yield* created('createSiteAgentPool', [], data({ name: fresh() }));
  yield* ask('updateSiteAgentPool', [site], data({ name: fresh() }));
  yield* ask('issueSiteAgentPoolToken', [site], data());
  yield* ask('listSiteAgentPoolTokens', [site]);
  yield* ask('removeSiteAgentPool', [site]);
  yield* ask('removeWorkspace', [workspace]);
  yield* ask('removeOrganization', at);
}

/** The sessions and failing background jobs that the service began with, while some are left. Each step takes either mount. */
function* planted(): Story {
  const sessions = yield* ask('listSessions', []);
  for (const { id } of sessions.data.slice(0, 3)) yield* ask('endOneSession', [id]);
  const failing = yield* ask('listFailingEffects', []);
  for (const { id } of failing.data.slice(0, 2)) yield* ask('retryEffect', [id]);
}

/** Weighted towards workspaces with runs. The planted story comes first, as any request may end all sessions. */
export const stories: readonly [(setting: Setting) => Story, ...((setting: Setting) => Story)[]] = [
  planted,
  runsToTheirEnd,
  variables,
  states,
  forced,
  projects,
  policies,
  policySets,
  tried,
  runsToTheirEnd,
  givenUp,
  variableSets,
  putAway,
  tags,
  fetched,
  forced,
  runTasks,
  notified,
  connected,
  runsToTheirEnd,
  account,
  access,
  membership,
  organization,
];
