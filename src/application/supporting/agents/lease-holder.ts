import {
  type Agent,
  DomainError,
  type Instant,
  later,
  type Run,
  type RunId,
  type RunStatus,
} from '../../../domain/index.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** An agent, the run it executes, and the token that proves its lease. */
export interface LeaseHolder {
  readonly agent: Agent;
  readonly runId: RunId;
  readonly leaseToken: string;
}

/** An agent counts as lost after this time without a heartbeat. */
export const leaseSeconds = 60;

export const leaseEnd = (now: Instant): Instant => later(now, leaseSeconds);

/**
 * The run the agent executes. Throws `lease/lost` if the run no longer has this lease: another agent claimed it, or it
 * was canceled or has ended its phase.
 */
export async function leasedRun(tx: Transaction<'runs'>, secrets: SecretGenerator, holder: LeaseHolder): Promise<Run> {
  const run = await tx.runs.findByLease(secrets.digestOf(holder.leaseToken));
  if (run === undefined || run.state.id !== holder.runId || run.state.lease?.poolId !== holder.agent.poolId) {
    throw new DomainError('lease/lost', 'the lease has ended: stop executing the run and send no more reports for it');
  }
  return run;
}

/** Like `leasedRun`, with the workspace's row locked, for a change of the run. */
export async function lockedLeasedRun(
  tx: Transaction<'workspaces' | 'runs'>,
  secrets: SecretGenerator,
  holder: LeaseHolder,
): Promise<Run> {
  const { state } = await leasedRun(tx, secrets, holder);
  await tx.workspaces.lockRow(state.workspaceId);
  return leasedRun(tx, secrets, holder);
}

/** Throws `run/transition-refused`; `what` begins its sentence. */
export function requireStatus({ state: { status } }: Run, needed: RunStatus, what: string): void {
  if (status === needed) return;
  throw new DomainError('run/transition-refused', `${what} because the run's status is ${status}`);
}

/** Checks the lease before a long report is read. Throws `lease/lost`. */
export class CheckLease {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs'>,
    private readonly secrets: SecretGenerator,
  ) {}

  async execute(holder: LeaseHolder): Promise<void> {
    await this.unitOfWork.read((tx) => leasedRun(tx, this.secrets, holder));
  }
}
