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

/** An agent with the run it says it executes, and the token that proves it. */
export interface LeaseHolder {
  readonly agent: Agent;
  readonly runId: RunId;
  readonly leaseToken: string;
}

/** How long an agent may be silent before it counts as lost. */
export const leaseSeconds = 60;

export const leaseEnd = (now: Instant): Instant => later(now, leaseSeconds);

/**
 * The run the agent executes. Throws `lease/lost` when the lease is not, or not any more, the run's: the run went to
 * another agent, was canceled, or came to a rest.
 */
export async function leasedRun(tx: Transaction<'runs'>, secrets: SecretGenerator, holder: LeaseHolder): Promise<Run> {
  const run = await tx.runs.findByLease(secrets.digestOf(holder.leaseToken));
  if (run === undefined || run.state.id !== holder.runId || run.state.lease?.poolId !== holder.agent.poolId) {
    throw new DomainError('lease/lost', 'the lease has ended: stop executing the run and send no more reports for it');
  }
  return run;
}

/** The same with the workspace's turn taken, for whoever is going to change the run. */
export async function leasedRunInTurn(
  tx: Transaction<'workspaces' | 'runs'>,
  secrets: SecretGenerator,
  holder: LeaseHolder,
): Promise<Run> {
  const { state } = await leasedRun(tx, secrets, holder);
  await tx.workspaces.takeTurn(state.workspaceId);
  return leasedRun(tx, secrets, holder);
}

/** Throws `run/transition-refused`; `what` begins its sentence. */
export function refuseUnless({ state: { status } }: Run, needed: RunStatus, what: string): void {
  if (status === needed) return;
  throw new DomainError('run/transition-refused', `${what} because the run's status is ${status}`);
}

/** Whether a lease is worth reading a long report for. Throws `lease/lost`. */
export class AskLease {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs'>,
    private readonly secrets: SecretGenerator,
  ) {}

  async execute(holder: LeaseHolder): Promise<void> {
    await this.unitOfWork.read((tx) => leasedRun(tx, this.secrets, holder));
  }
}
