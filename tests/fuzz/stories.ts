import type { Random } from '../torture/random.js';
import type { Pool } from './pool.js';
import { repositories } from './repositories.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** A request with a purpose: its operation is asked in either dialect, with what else the description lets it say. */
export interface Step {
  readonly operation: string;
  /** What the parameters of the path are, in order. */
  readonly about: readonly string[];
  /** What the body has at least, but for the types of what it names; one that fits where it is left out. */
  readonly body?: Json;
  readonly bytes?: Buffer;
  /** Whose token; the administrator's where it is left out. */
  readonly secret?: string;
  readonly lease?: string;
}

/** What somebody is about who knows the way: it is told what each step was answered, and ends where one is refused. */
export type Story = Generator<Step, void, Json>;

export interface Setting {
  readonly pool: Pool;
  readonly random: Random;
  readonly fresh: () => string;
  readonly archive: Buffer;
}

type Asked = Generator<Step, Json, Json>;

function* ask(operation: string, about: readonly string[], rest: Omit<Step, 'operation' | 'about'> = {}): Asked {
  return yield { operation, about, ...rest };
}

const data = (attributes: object = {}, relationships: object = {}) => ({
  body: { data: { attributes, relationships } },
});

const related = (id: string) => ({ data: { id } });

const lastOf = (url: string): string => url.replace(/^.*\//, '');

const place = ({ pool, random }: Setting): string => pool.pick('organizations', random.below(2 ** 30)) ?? 'none';

function* created(operation: string, about: readonly string[], rest: Omit<Step, 'operation' | 'about'>): Asked {
  return (yield* ask(operation, about, rest)).data.id;
}

function* uploaded({ archive }: Setting, workspace: string): Asked {
  const plain = { 'auto-queue-runs': false, speculative: false, provisional: false };
  const version = yield* ask('createConfigurationVersion', [workspace], data(plain));
  yield* ask('uploadFiles', [lastOf(version.data.attributes['upload-url'])], { bytes: archive });
  return version.data.id;
}

/** Until the run is in an agent's hands, who may be given others before it. */
function* claimed({ pool }: Setting, run: string, phase: string, secret: string): Asked {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const held = pool.held.findLast((one) => one.id === run && one.phase === phase);
    if (held !== undefined) return held;
    yield* ask('claimRun', [], { secret, body: { name: 'story' } });
  }
}

function* runToItsEnd(setting: Setting): Story {
  const { random, fresh } = setting;
  const at = [place(setting)];
  const racks = yield* created('createAgentPool', at, data({ name: fresh() }));
  const token = yield* ask('issueAgentToken', [racks], data());
  const agent = token.data.attributes.token;
  const settings = { name: fresh(), 'auto-apply': false, 'agent-pool-id': racks };
  const workspace = yield* created('createWorkspace', at, data(settings));
  const version = yield* uploaded(setting, workspace);
  const mine = {
    workspace: related(workspace),
    'configuration-version': related(version),
  };
  const whole = { 'plan-only': false, 'auto-apply': false, 'save-plan': random.chance(0.3) };
  const run = yield* created('createRun', [], data(whole, mine));
  const plan = yield* claimed(setting, run, 'plan', agent);
  if (plan === undefined) return;
  const { lease, evaluations } = plan;
  const ours = { secret: plan.agent, lease };
  yield* ask('readRunFiles', [run], ours);
  yield* ask('renewLease', [run], ours);
  yield* ask('appendRunLog', [run], { ...ours, bytes: Buffer.from('planning') });
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
  const stages = yield* ask('listTaskStages', [run]);
  for (const stage of stages.data) {
    if (stage.attributes.status === 'awaiting_override') yield* ask('overrideTaskStage', [stage.id]);
    for (const evaluation of (yield* ask('listPolicyEvaluations', [stage.id])).data) {
      const outcomes = yield* ask('listPolicySetOutcomes', [evaluation.id]);
      for (const outcome of outcomes.data) yield* ask('showPolicySetOutcome', [outcome.id]);
    }
  }
  yield* ask('applyRun', [run]);
  const apply = yield* claimed(setting, run, 'apply', agent);
  if (apply === undefined) return;
  const still = { secret: apply.agent, lease: apply.lease };
  yield* ask('appendRunLog', [run], { ...still, bytes: Buffer.from('applying') });
  const outcome = random.oneOf([{ status: 'finished' }, { status: 'errored', message: 'no' }]);
  yield* ask('reportApply', [run], { ...still, body: outcome });
  yield* ask('showRunConfigurationVersion', [run]);
}

/** Runs are given up where they can be. */
function* givenUp(setting: Setting): Story {
  const workspace = yield* created('createWorkspace', [place(setting)], data({ name: setting.fresh() }));
  const mine = { workspace: related(workspace) };
  yield* uploaded(setting, workspace);
  const first = yield* created('createRun', [], data({}, mine));
  const second = yield* created('createRun', [], data({}, mine));
  yield* ask('discardRun', [second], { body: {} });
  yield* ask('cancelRun', [first], { body: {} });
}

/** Versions come from a repository. */
function* fetched(setting: Setting): Story {
  const linked = { name: setting.fresh(), 'vcs-repo': { 'clone-url': repositories[1], branch: 'main' } };
  const workspace = yield* created('createWorkspace', [place(setting)], data(linked));
  const version = yield* created('fetchCommit', [workspace], {});
  yield* ask('showConfigurationVersion', [version]);
  yield* ask('showIngressAttributes', [version]);
}

/** Somebody looks after their own tokens. */
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

/** Versions that are current no longer are put away. */
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
  yield* ask('removeTeamAccess', [grant]);
  yield* ask('lockWorkspace', [workspace], { body: {} });
  yield* ask('unlockWorkspace', [workspace]);
  yield* ask('lockWorkspace', [workspace], { body: {} });
  yield* ask('forceUnlockWorkspace', [workspace]);
  yield* ask('removeTeam', [team]);
  yield* ask('removeWorkspaceByName', [at[0], name]);
}

function* membership(setting: Setting): Story {
  const { fresh } = setting;
  const at = [place(setting)];
  const username = fresh();
  const email = `${username}@example.com`;
  const user = yield* created('createUser', [], data({ username, email }));
  const member = yield* created('addOrganizationMembership', at, data({ email }));
  const team = yield* created('createTeam', at, data({ name: fresh() }));
  const users = { body: { data: [{ id: user }] } };
  const memberships = { body: { data: [{ id: member }] } };
  yield* ask('addTeamUsers', [team], users);
  yield* ask('removeTeamUsers', [team], users);
  yield* ask('addTeamMemberships', [team], memberships);
  yield* ask('removeTeamMemberships', [team], memberships);
  yield* ask('removeOrganizationMembership', [member]);
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
  const workspace = yield* created('createWorkspace', at, data({ name: fresh() }));
  const set = yield* created('createPolicySet', at, data({ name: fresh(), global: false }));
  const attached = { body: { data: [{ id: workspace }] } };
  yield* ask('attachPolicySet', [set], attached);
  yield* ask('detachPolicySet', [set], attached);
  yield* ask('removePolicySet', [set]);
  const racks = yield* created('createAgentPool', at, data({ name: fresh() }));
  yield* ask('renameAgentPool', [racks], data({ name: fresh() }));
  yield* ask('removeAgentPool', [racks]);
  yield* ask('removeWorkspace', [workspace]);
  yield* ask('removeOrganization', at);
}

/** Twice as many runs as anything else. */
export const stories: readonly ((setting: Setting) => Story)[] = [
  runToItsEnd,
  runToItsEnd,
  givenUp,
  putAway,
  fetched,
  account,
  access,
  membership,
  organization,
];
