import { buffer } from 'node:stream/consumers';
import type * as application from '../../src/application/index.js';
import type {
  Actor,
  Agent,
  Policy,
  PolicySet,
  ReportedPolicySet,
  ResourceCounts,
  RunId,
  RunOptions,
  RunState,
  RunStatus,
  TaskStage,
} from '../../src/domain/index.js';
import type { World } from './application.js';
import { someRunOptions } from './builders.js';

export type RunGiven = Partial<Omit<application.NewRun, 'options'>> & { readonly options?: Partial<RunOptions> };

export const someCounts: ResourceCounts = { additions: 3, changes: 2, destructions: 1, imports: 0 };

/** A run that an agent claimed, with every report the agent can make. */
export class Held {
  constructor(
    private readonly world: World,
    private readonly agent: Agent,
    readonly job: application.Job,
  ) {}

  get id(): RunId {
    return this.job.run.id;
  }

  get holder(): application.LeaseHolder {
    return { agent: this.agent, runId: this.id, leaseToken: this.job.leaseToken };
  }

  heartbeat(): Promise<application.RenewedLease> {
    return this.world.useCases.renewLease.execute(this.holder);
  }

  async files(): Promise<Buffer> {
    return buffer(await this.world.useCases.readRunFiles.execute(this.holder));
  }

  log(offset: number, text: string): Promise<number> {
    return this.world.useCases.appendRunLog.execute(this.holder, offset, Buffer.from(text));
  }

  planned(hasChanges = true): Promise<RunStatus> {
    return this.report('plan', { outcome: 'finished', hasChanges, resources: someCounts });
  }

  applied(): Promise<RunStatus> {
    return this.report('apply', { outcome: 'finished', hasChanges: true, resources: someCounts });
  }

  report(phase: 'plan' | 'apply', report: application.PhaseReport): Promise<RunStatus> {
    return this.world.useCases.reportPhase.execute(this.holder, phase, report);
  }

  judge(evaluationId: string, policySets: readonly ReportedPolicySet[]): Promise<RunStatus> {
    const report = { policyToolVersion: '1.9.0', policySets };
    return this.world.useCases.reportPolicyEvaluation.execute(this.holder, evaluationId, report);
  }

  /** Reports on every evaluation of the run, each policy by what `verdict` says of it. */
  async judgeAll(verdict: (policyName: string) => 'passed' | 'failed' | 'errored'): Promise<RunStatus> {
    let status: RunStatus = this.job.run.status;
    for (const { id, policySets } of this.job.stage?.evaluations ?? []) {
      const sets = policySets.map((set) =>
        verdictsOn(
          set.id,
          set.policies.map(({ name }) => [name, verdict(name)]),
        ),
      );
      status = await this.judge(id, sets);
    }
    return status;
  }
}

/** An agent's report on one policy set: each policy's name with its status. */
export const verdictsOn = (
  policySetId: string,
  verdicts: readonly (readonly [name: string, status: 'passed' | 'failed' | 'errored'])[],
  error: string | null = null,
): ReportedPolicySet => ({
  policySetId,
  error,
  warnings: [],
  policies: verdicts.map(([name, status]) => ({
    name,
    status,
    output: status === 'passed' ? null : [`${name} said no`],
  })),
});

/** Runs of acme, and agents that execute them, through the use cases alone. */
export class RunSteps {
  private constructor(
    readonly world: World,
    /** An agent of the site pool `ours`. */
    readonly agent: Agent,
  ) {}

  static async of(world: World): Promise<RunSteps> {
    return new RunSteps(world, await siteAgent(world, 'ours'));
  }

  /** An agent of another site pool. */
  anotherAgent(name: string): Promise<Agent> {
    return siteAgent(this.world, name);
  }

  /** An agent of a pool of the organization. */
  async agentOfOrganization(name: string, actor: Actor = this.world.owner, organizationName = 'acme'): Promise<Agent> {
    const pool = await this.world.useCases.createAgentPool.execute(actor, organizationName, name);
    return agentOf(this.world, actor, { id: pool.id, of: 'organization' });
  }

  /** A run, by default of the world's workspace. */
  async create(given: RunGiven = {}, actor: Actor = this.world.owner): Promise<RunState> {
    const { options, ...rest } = given;
    const { run } = await this.world.useCases.createRun.execute(actor, {
      workspaceId: this.world.workspace.id,
      configurationVersionId: undefined,
      planOnly: false,
      savePlan: false,
      autoApply: undefined,
      ...rest,
      options: someRunOptions(options),
    });
    return run;
  }

  change(id: RunId, action: application.RunAction, actor: Actor = this.world.owner): Promise<void> {
    return this.world.useCases.changeRun.execute(actor, id, action);
  }

  async stateOf(id: RunId): Promise<RunState> {
    const run = await this.world.unitOfWork.read((tx) => tx.runs.find(id));
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run.state;
  }

  async statusOf(id: RunId): Promise<RunStatus> {
    return (await this.stateOf(id)).status;
  }

  /** The statuses of runs, in the order of their names. */
  async statusesOf(...runs: readonly { readonly id: RunId }[]): Promise<readonly RunStatus[]> {
    return Promise.all(runs.map(({ id }) => this.statusOf(id)));
  }

  async stageOf(id: RunId): Promise<TaskStage> {
    const stages = await this.world.unitOfWork.read((tx) => tx.taskStages.ofRun(id));
    const stage = stages.find((one) => one.stage === 'post_plan');
    if (stage === undefined) throw new Error(`${id} has no task stage`);
    return stage;
  }

  async claim(agent: Agent = this.agent, name = 'rack-1'): Promise<Held | undefined> {
    const job = await this.world.useCases.claimRun.execute(agent, name);
    return job && new Held(this.world, agent, job);
  }

  async claimed(agent?: Agent): Promise<Held> {
    const held = await this.claim(agent);
    if (held === undefined) throw new Error('there was nothing to claim');
    return held;
  }

  /** Plans the next run in the queue. */
  async plan(hasChanges = true): Promise<RunStatus> {
    return (await this.claimed()).planned(hasChanges);
  }

  /** Applies the next run in the queue. */
  async apply(): Promise<RunStatus> {
    return (await this.claimed()).applied();
  }

  /** A run that is being applied, in an agent's hands. */
  async applying(given: RunGiven = {}): Promise<Held> {
    const { id } = await this.create(given);
    await this.plan();
    await this.change(id, 'apply');
    return this.claimed();
  }

  /** A policy set that checks every run of the world's workspace from now on. */
  policySet(
    name: string,
    policies: readonly (readonly [string, Policy['enforcementLevel']])[],
    given: Partial<PolicySet> = {},
  ) {
    const kept = { policyToolVersion: null, agentEnabled: false, updatePatterns: [], policiesPath: null };
    const flags = { global: false, overridable: false };
    const settings = { name, description: null, kind: 'opa', ...flags, ...kept, ...given } as const;
    const made = policies.map(([policy, enforcementLevel]) => ({
      name: policy,
      description: '',
      query: settings.kind === 'opa' ? `data.${policy}` : null,
      enforcementLevel,
    }));
    const workspaceIds = settings.global ? [] : [this.world.workspace.id];
    return this.world.useCases.createPolicySet.execute(
      this.world.owner,
      'acme',
      { ...settings, policies: made },
      { workspaceIds },
    );
  }
}

async function siteAgent(world: World, name: string): Promise<Agent> {
  const pool = await world.useCases.createSiteAgentPool.execute(world.administrator, name);
  return agentOf(world, world.administrator, { id: pool.id, of: 'site' });
}

async function agentOf(world: World, actor: Actor, pool: application.AgentPoolReference): Promise<Agent> {
  const { secret } = await world.useCases.issueAgentToken.execute(actor, pool, 'in the basement');
  return world.useCases.authenticateAgent.execute(secret);
}
