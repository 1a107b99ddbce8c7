import {
  type Agent,
  type Bundle,
  type ConfigurationVersionState,
  type Instant,
  type Phase,
  type PolicySetParameter,
  type RunId,
  type RunState,
  type RunTrigger,
  type RunVariable,
  resolveVariables,
  type StateVersion,
  serves,
  type TaskStage,
  type Workspace,
} from '../../../domain/index.js';
import { doneByAgent, doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from '../runs/run-progress.js';
import type { OpenedVariable } from '../variables/variable-values.js';
import { unknownAgent } from './authenticate-agent.js';
import { leaseEnd } from './lease-holder.js';

/** A parameter with its value, for the agent that evaluates its set. */
export interface OpenedParameter extends PolicySetParameter {
  readonly value: string;
}

/** A claimed run with all data an agent needs to execute it, and the lease token for its reports. */
export interface Job {
  readonly leaseToken: string;
  readonly expiresAt: Instant;
  readonly phase: Phase;
  readonly run: RunState;
  readonly workspace: Workspace;
  readonly version: ConfigurationVersionState;
  /** The stage after the plan, with the policies to evaluate; null without one. */
  readonly stage: TaskStage | null;
  /** The run's own variables, without those that a variable set overrides. */
  readonly runVariables: readonly RunVariable[];
  /** The variables of the workspace and its variable sets at the time of the claim. */
  readonly variables: readonly OpenedVariable[];
  /** The parameters of the policy sets to evaluate, at the time of the claim. */
  readonly parameters: readonly OpenedParameter[];
  /** The workspace's current state; null if it has none. */
  readonly state: StateVersion | null;
  /** The base of the endpoints from which the run's program reads the states that are shared with it. */
  readonly sharedStatesUrl: string;
  /** The plan file stored by the planning agent; null without one, and for a plan. */
  readonly planFile: Bundle | null;
}

const startOf: Readonly<Partial<Record<RunState['status'], readonly [Phase, RunTrigger]>>> = {
  plan_queued: ['plan', 'start-plan'],
  apply_queued: ['apply', 'start-apply'],
};

/** Bounds the attempts: a run that can never be claimed must not block the agent, which claims again. */
const maxLooks = 20;

/** POST /agent/v1/claims, a single attempt: the caller repeats it while the client waits. */
export class ClaimRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      ProgressRepositories | 'variables' | 'policySetParameters' | 'agentPools' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
    private readonly progress: RunProgress,
    private readonly urls: CapabilityUrls,
  ) {}

  /** Undefined if no run is claimable for the agent's pool, or other agents claimed each one first. */
  async execute(agent: Agent, name: string): Promise<Job | undefined> {
    for (let look = 0; look < maxLooks; look += 1) {
      const id = await this.unitOfWork.read((tx) => tx.runs.nextClaimable(agent));
      if (id === undefined) return undefined;
      const job = await this.claim(agent, name, id);
      // Otherwise another agent claimed it first, or the run could not be started, and the next look finds another run.
      if (job !== undefined) return job;
    }
    return undefined;
  }

  private claim(agent: Agent, name: string, id: RunId): Promise<Job | undefined> {
    const { poolId } = agent;
    return this.unitOfWork.run(async (tx) => {
      // Serializes with the pool's removal, which either sees the executing run or commits first.
      if (!(await tx.rowLocks.share({ kind: 'agent-pool', id: poolId }))) throw unknownAgent();
      const run = await lockedRun(tx, id);
      const start = run && startOf[run.state.status];
      if (start === undefined || run === undefined) return undefined;
      const workspace = await tx.workspaces.find(run.state.workspaceId);
      const pool = await tx.agentPools.find(poolId);
      // Meanwhile the workspace may have changed its pool, or left the scope of this one.
      if (workspace === undefined || pool === undefined || !serves(pool, workspace)) return undefined;
      const [phase, trigger] = start;
      // Serializes with the organization's removal, which either sees the apply or commits first.
      const organization = { kind: 'organization', id: workspace.organizationId } as const;
      if (phase === 'apply' && !(await tx.rowLocks.share(organization))) return undefined;
      const { secret, digest } = this.secrets.generate();
      const expiresAt = leaseEnd(this.clock.now());
      const started = await this.progress.fire(tx, run, trigger, {
        lease: { poolId, agent: name, digest, expiresAt },
      });
      const { state } = started;
      const stages = await tx.taskStages.ofRun(id);
      const stage = stages.find((one) => one.stage === 'post_plan') ?? null;
      const applying = await tx.variables.applyingTo(state.workspaceId);
      const resolved = resolveVariables(state.options.variables, applying);
      const { opened: variables, lost } = this.opened(resolved.variables.map(({ variable }) => variable));
      const { opened: parameters, lost: lostParameters } = this.opened(await parametersOf(tx, phase, stage));
      if (lost + lostParameters > 0) {
        // Readers of the run may lack access to variables, so keys are not named.
        const what =
          lost > 0 ? `${lost} of the workspace's variables` : `${lostParameters} of the policy sets' parameters`;
        const failure = `${what} cannot be decrypted with any signing secret: set those without a value again`;
        await this.progress.fire(tx, started, 'fail', { failure });
        await tx.audit.add(doneBySystem('runs/fail', id), state);
        return undefined;
      }
      await tx.audit.add(doneByAgent(agent, 'runs/claim', id), state);
      const version = await tx.configurationVersions.find(state.configurationVersionId);
      if (version === undefined) throw new Error(`a resource that ${id} depends on was deleted`);
      return {
        leaseToken: secret,
        expiresAt,
        phase,
        run: state,
        workspace,
        version: version.state,
        stage,
        runVariables: resolved.run,
        variables,
        parameters,
        state: (await tx.stateVersions.current(workspace.id)) ?? null,
        sharedStatesUrl: this.urls.issue('shared-states', digest, this.clock.now()),
        planFile: phase === 'plan' ? null : ((await tx.runArtifacts.find(id, 'plan-file')) ?? null),
      };
    });
  }

  /** `lost` is the number of values that cannot be opened. */
  private opened<Sealed extends { readonly sealedValue: string }>(sealed: readonly Sealed[]) {
    const opened: (Sealed & { readonly value: string })[] = [];
    let lost = 0;
    for (const one of sealed) {
      const value = openedWith(this.box, one.sealedValue);
      if (value === undefined) lost += 1;
      else opened.push({ ...one, value });
    }
    return { opened, lost };
  }
}

/** An apply evaluates no policies. */
const parametersOf = async (tx: Transaction<'policySetParameters'>, phase: Phase, stage: TaskStage | null) =>
  phase === 'apply' || stage === null
    ? []
    : tx.policySetParameters.ofSets(stage.evaluations.flatMap(({ policySets }) => policySets.map(({ id }) => id)));
