import {
  type Agent,
  DomainError,
  type Instant,
  type PolicyTrial,
  type PolicyTrialId,
  type RunId,
  type TrialPart,
  type TrialReport,
} from '../../../domain/index.js';
import { settledTrial, trialResult } from '../../../domain/policy-outcomes/policy-trial.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { leaseEnd } from './lease-holder.js';

/** An agent, the trial that it evaluates, and the token that proves its lease of one part. */
export interface TrialHolder {
  readonly agent: Agent;
  readonly trialId: PolicyTrialId;
  readonly leaseToken: string;
}

type Repositories = 'policyTrials' | 'runs' | 'runArtifacts' | 'audit';

export interface RenewedTrialLease {
  readonly expiresAt: Instant;
  /** The lease has ended: a run waits for the agent. */
  readonly interrupted: boolean;
}

/** The requests of an agent under the lease of a part of a trial. Every method throws `lease/lost`. */
export class EvaluatePolicyTrial {
  constructor(
    private readonly unitOfWork: UnitOfWork<Repositories>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  /** Checks the lease before a report is read. */
  async check(holder: TrialHolder): Promise<void> {
    await this.unitOfWork.read((tx) => this.partOf(tx, holder));
  }

  /** GET /agent/v1/policy-trials/:id/archive: the draft code. */
  code(holder: TrialHolder): Promise<Uint8Array> {
    return this.unitOfWork.read(async (tx) => {
      await this.partOf(tx, holder);
      return (await tx.policyTrials.code(holder.trialId)) ?? lost();
    });
  }

  /** GET /agent/v1/policy-trials/:id/plans/:runId: the redacted plan. Throws `resource/not-found` if it is not of the part. */
  async plan(holder: TrialHolder, runId: RunId): Promise<AsyncIterable<Uint8Array>> {
    const bundle = await this.unitOfWork.read(async (tx) => {
      const plan = await tx.policyTrials.findPlan(await this.partOf(tx, holder), runId);
      return plan?.now === null ? tx.runArtifacts.find(runId, 'plan-json-redacted') : undefined;
    });
    return openBundle(this.store, bundle, noSuchPlan());
  }

  /** POST /agent/v1/policy-trials/:id/heartbeat. A waiting run takes precedence: it ends the lease. */
  heartbeat(holder: TrialHolder): Promise<RenewedTrialLease> {
    return this.unitOfWork.run(async (tx) => {
      const { trial, part } = await this.lockedPart(tx, holder);
      const now = this.clock.now();
      const expiresAt = leaseEnd(now);
      const interrupted = (await tx.runs.nextClaimable(holder.agent)) !== undefined;
      await tx.policyTrials.saveLease(part, interrupted ? null : part.lease && { ...part.lease, expiresAt });
      if (interrupted) await settle(tx, trial, now);
      return { expiresAt, interrupted };
    });
  }

  /**
   * POST /agent/v1/policy-trials/:id/plans/:runId. The report of the last plan ends the lease. Throws `resource/not-found`
   * for a plan that is not of the part, and `agent-report/invalid`. A report on a plan that has a result changes nothing.
   */
  report(holder: TrialHolder, runId: RunId, report: TrialReport): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { trial, part } = await this.lockedPart(tx, holder);
      const plan = await tx.policyTrials.findPlan(part, runId);
      if (plan === undefined) throw noSuchPlan();
      if (plan.now !== null) return;
      await tx.policyTrials.keepResult(plan, trialResult(trial, plan, report));
      await this.endIfDone(tx, trial, part);
      const place = { organizationId: trial.organizationId, workspaceId: part.workspaceId };
      await tx.audit.add(doneByAgent(holder.agent, 'policy-trials/report', holder.trialId), place);
    });
  }

  private async endIfDone(tx: Transaction<'policyTrials'>, trial: PolicyTrial, part: TrialPart): Promise<void> {
    if ((await tx.policyTrials.waitingPlans(part)).length > 0) return;
    await tx.policyTrials.saveLease(part, null);
    await settle(tx, trial, this.clock.now());
  }

  private async lockedPart(tx: Transaction<'policyTrials'>, holder: TrialHolder) {
    await this.partOf(tx, holder);
    const trial = await tx.policyTrials.findLocked(holder.trialId);
    const part = await this.partOf(tx, holder);
    return trial === undefined ? lost() : { trial, part };
  }

  private async partOf(tx: Transaction<'policyTrials'>, holder: TrialHolder): Promise<TrialPart> {
    const part = await tx.policyTrials.partByLease(this.secrets.digestOf(holder.leaseToken));
    const held = part?.trialId === holder.trialId && part.lease?.poolId === holder.agent.poolId;
    return part !== undefined && held ? part : lost();
  }
}

async function settle(tx: Transaction<'policyTrials'>, trial: PolicyTrial, now: Instant): Promise<void> {
  const settled = settledTrial(trial, await tx.policyTrials.progress(trial.id), now);
  if (settled !== trial) await tx.policyTrials.save(settled);
}

const noSuchPlan = (): DomainError =>
  new DomainError('resource/not-found', 'the part of the policy trial has no such plan, or has its result');

function lost(): never {
  throw new DomainError('lease/lost', 'the lease has ended: stop evaluating the policy trial');
}
