import {
  type Agent,
  type ConfigurationVersionState,
  doneByAgent,
  type Instant,
  type Phase,
  type RunId,
  type RunState,
  type RunTrigger,
  type TaskStage,
  type Workspace,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { SecretGenerator } from '../ports/secret-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { type RunProgress, runInTurn } from '../runs/run-progress.js';
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
}

const startOf: Readonly<Partial<Record<RunState['status'], readonly [Phase, RunTrigger]>>> = {
  plan_queued: ['plan', 'start-plan'],
  apply_queued: ['apply', 'start-apply'],
};

/** POST /agent/v1/claims, once: whoever waits asks again. */
export class ClaimRun {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly progress: RunProgress,
  ) {}

  /** Undefined when there is nothing to do for the agent's pool. */
  async execute(agent: Agent, name: string): Promise<Job | undefined> {
    const { poolId, organizationId } = agent;
    for (;;) {
      const id = await this.unitOfWork.read((tx) => tx.runs.nextClaimable(poolId, organizationId));
      if (id === undefined) return undefined;
      const job = await this.claim(agent, name, id);
      // Otherwise another agent was faster, and the next look finds another run.
      if (job !== undefined) return job;
    }
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
      // Meanwhile it may have been given to another pool.
      if ((workspace?.agentPoolId ?? poolId) !== poolId) return undefined;
      const [phase, trigger] = start;
      const { secret, digest } = this.secrets.generate();
      const expiresAt = leaseEnd(this.clock.now());
      const { state } = await this.progress.fire(tx, run, trigger, {
        lease: { poolId, agent: name, digest, expiresAt },
      });
      await tx.audit.add(doneByAgent(agent, 'runs/claim', id), state);
      const version = await tx.configurationVersions.find(state.configurationVersionId);
      if (workspace === undefined || version === undefined) throw new Error(`what ${id} hangs on is gone`);
      const stage = (await tx.taskStages.ofRun(id)) ?? null;
      return { leaseToken: secret, expiresAt, phase, run: state, workspace, version: version.state, stage };
    });
  }
}
