import {
  type Agent,
  type Bundle,
  type ConfigurationVersionState,
  type Instant,
  type Phase,
  type RunId,
  type RunState,
  type RunTrigger,
  type StateVersion,
  serves,
  type TaskStage,
  type Variable,
  type Workspace,
} from '../../../domain/index.js';
import { doneByAgent, doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ProgressRepositories, type RunProgress, runInTurn } from '../runs/run-progress.js';
import type { OpenedVariable } from '../variables/variable-values.js';
import { unknownAgent } from './authenticate-agent.js';
import { leaseEnd } from './lease-holder.js';

/** All an agent is told of the run it executes, and the token that goes with every report. */
export interface Job {
  readonly leaseToken: string;
  readonly expiresAt: Instant;
  readonly phase: Phase;
  readonly run: RunState;
  readonly workspace: Workspace;
  readonly version: ConfigurationVersionState;
  readonly stage: TaskStage | null;
  /** The workspace's, as they are at this moment. */
  readonly variables: readonly OpenedVariable[];
  /** The workspace's current one; null while it has none. */
  readonly state: StateVersion | null;
  /** What the agent that planned has left; null when it left none, and while planning. */
  readonly planFile: Bundle | null;
}

const startOf: Readonly<Partial<Record<RunState['status'], readonly [Phase, RunTrigger]>>> = {
  plan_queued: ['plan', 'start-plan'],
  apply_queued: ['apply', 'start-apply'],
};

/** An agent that finds nothing asks again: a run that can never be claimed must not keep it here. */
const mostLooks = 20;

/** POST /agent/v1/claims, once: whoever waits asks again. */
export class ClaimRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<ProgressRepositories | 'variables' | 'agentPools' | 'holds' | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
    private readonly progress: RunProgress,
  ) {}

  /** Undefined when there is nothing to do for the agent's pool, or others were faster each time. */
  async execute(agent: Agent, name: string): Promise<Job | undefined> {
    for (let look = 0; look < mostLooks; look += 1) {
      const id = await this.unitOfWork.read((tx) => tx.runs.nextClaimable(agent));
      if (id === undefined) return undefined;
      const job = await this.claim(agent, name, id);
      // Otherwise another agent was faster, or the run could not be started, and the next look finds another run.
      if (job !== undefined) return job;
    }
    return undefined;
  }

  private claim(agent: Agent, name: string, id: RunId): Promise<Job | undefined> {
    const { poolId } = agent;
    return this.unitOfWork.run(async (tx) => {
      // Who removes the pool sees that it executes a run, or is through before.
      if (!(await tx.holds.share({ kind: 'agent-pool', id: poolId }))) throw unknownAgent();
      const run = await runInTurn(tx, id);
      const start = run && startOf[run.state.status];
      if (start === undefined || run === undefined) return undefined;
      const workspace = await tx.workspaces.find(run.state.workspaceId);
      const pool = await tx.agentPools.find(poolId);
      // Meanwhile it may have been given to another pool, or taken out of the scope of this one.
      if (workspace === undefined || pool === undefined || !serves(pool, workspace)) return undefined;
      const [phase, trigger] = start;
      const { secret, digest } = this.secrets.generate();
      const expiresAt = leaseEnd(this.clock.now());
      const started = await this.progress.fire(tx, run, trigger, {
        lease: { poolId, agent: name, digest, expiresAt },
      });
      const { state } = started;
      const { variables, lost } = this.opened(await tx.variables.ofWorkspace(state.workspaceId));
      if (lost > 0) {
        // Whoever may read the run may not read the variables: no key is told.
        const failure = `${lost} of the workspace's variables cannot be decrypted with any signing secret: set those without a value again`;
        await this.progress.fire(tx, started, 'fail', { failure });
        await tx.audit.add(doneBySystem('runs/fail', id), state);
        return undefined;
      }
      await tx.audit.add(doneByAgent(agent, 'runs/claim', id), state);
      const version = await tx.configurationVersions.find(state.configurationVersionId);
      if (version === undefined) throw new Error(`a resource that ${id} depends on was deleted`);
      const stage = (await tx.taskStages.ofRun(id)) ?? null;
      return {
        leaseToken: secret,
        expiresAt,
        phase,
        run: state,
        workspace,
        version: version.state,
        stage,
        variables,
        state: (await tx.stateVersions.current(workspace.id)) ?? null,
        planFile: phase === 'plan' ? null : ((await tx.runArtifacts.find(id, 'plan-file')) ?? null),
      };
    });
  }

  /** `lost` is the number of those that cannot be opened. */
  private opened(sealed: readonly Variable[]) {
    const variables: OpenedVariable[] = [];
    let lost = 0;
    for (const variable of sealed) {
      const value = openedWith(this.box, variable.sealedValue);
      if (value === undefined) lost += 1;
      else variables.push({ ...variable, value });
    }
    return { variables, lost };
  }
}
