import {
  type Agent,
  type Instant,
  type PolicyTrial,
  type RunState,
  serves,
  type TrialPart,
  type Workspace,
} from '../../../domain/index.js';
import { isOpen, startedTrial } from '../../../domain/policy-outcomes/policy-trial.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { unknownAgent } from './authenticate-agent.js';
import { leaseEnd } from './lease-holder.js';

/** The plans of one workspace, to be evaluated with the code of a trial. It has neither variables nor a state. */
export interface TrialJob {
  readonly leaseToken: string;
  readonly expiresAt: Instant;
  readonly trial: PolicyTrial;
  readonly workspace: Workspace;
  readonly runs: readonly RunState[];
}

/** Bounds the attempts, as those of a claim of a run. */
const maxLooks = 5;

/** A claim that found no run, by an agent that evaluates trials. */
export class ClaimPolicyTrial {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'policyTrials' | 'runs' | 'workspaces' | 'agentPools' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Undefined if there is none, or if other agents claimed each one first. */
  async execute(agent: Agent, name: string): Promise<TrialJob | undefined> {
    for (let look = 0; look < maxLooks; look += 1) {
      const part = await this.unitOfWork.read((tx) => tx.policyTrials.nextPart(agent, this.clock.now()));
      if (part === undefined) return undefined;
      const job = await this.claim(agent, name, part);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  private claim(agent: Agent, name: string, { trialId, workspaceId }: TrialPart): Promise<TrialJob | undefined> {
    const { poolId } = agent;
    return this.unitOfWork.run(async (tx) => {
      if (!(await tx.rowLocks.share({ kind: 'agent-pool', id: poolId }))) throw unknownAgent();
      const now = this.clock.now();
      const trial = await tx.policyTrials.findLocked(trialId);
      // Other claims wait for the lock, so that what is free now stays free.
      const next = await tx.policyTrials.nextPart(agent, now);
      if (trial === undefined || !isOpen(trial) || next?.trialId !== trialId || next.workspaceId !== workspaceId) {
        return undefined;
      }
      const [workspace, pool] = [await tx.workspaces.find(workspaceId), await tx.agentPools.find(poolId)];
      if (workspace === undefined || pool === undefined || !serves(pool, workspace)) return undefined;
      const { secret, digest } = this.secrets.generate();
      const expiresAt = leaseEnd(now);
      const plans = await tx.policyTrials.waitingPlans(next);
      const found = new Map((await tx.runs.among(plans.map(({ runId }) => runId))).map((run) => [run.id, run]));
      const runs = plans.flatMap(({ runId }) => found.get(runId) ?? []);
      await tx.policyTrials.saveLease(next, { poolId, agent: name, digest, expiresAt });
      const started = startedTrial(trial, now);
      if (started !== trial) await tx.policyTrials.save(started);
      await tx.audit.add(doneByAgent(agent, 'policy-trials/claim', trialId), inWorkspace(workspace));
      return { leaseToken: secret, expiresAt, trial: started, workspace, runs };
    });
  }
}
