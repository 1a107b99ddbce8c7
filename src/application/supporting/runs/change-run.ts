import {
  type Action,
  type Actor,
  DomainError,
  identityOf,
  notFound,
  type Run,
  type RunDecision,
  type RunId,
  type RunTrigger,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { lockedRun, type ProgressRepositories, type RunProgress } from './run-progress.js';

export type RunAction = 'apply' | 'discard' | 'cancel' | 'force-cancel' | 'force-execute';

interface Way {
  readonly action: Action;
  /** How it is recorded with the run. */
  readonly decision: RunDecision['action'];
  readonly trigger: (run: Run) => RunTrigger;
}

export const runActions: Readonly<Record<RunAction, Way>> = {
  apply: { action: 'runs/apply', decision: 'confirm', trigger: () => 'confirm' },
  discard: { action: 'runs/apply', decision: 'discard', trigger: () => 'discard' },
  cancel: { action: 'runs/apply', decision: 'cancel', trigger: (run) => run.cancelTrigger },
  'force-cancel': { action: 'runs/force-cancel', decision: 'force-cancel', trigger: () => 'force-cancel' },
  'force-execute': { action: 'runs/force-execute', decision: 'force-execute', trigger: () => 'force-execute' },
};

type Repositories = ProgressRepositories | 'audit';

/** The number of runs that one request ends. */
const maxInTheWay = 100;

/**
 * POST /runs/:id/actions/…. Throws `run/transition-refused` if the run's status forbids it, and `run/not-blocked` if the run
 * to execute by force does not wait for another one.
 */
export class ChangeRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<Repositories>,
    private readonly clock: Clock,
    private readonly progress: RunProgress,
  ) {}

  execute(actor: Actor, id: RunId, asked: RunAction, comment: string | null = null): Promise<void> {
    const { action, decision, trigger } = runActions[asked];
    return this.unitOfWork.run(async (tx) => {
      const { done } = changing(actor, await tx.runs.findFor(actor, id), action);
      const run = await lockedRun(tx, id);
      if (run === undefined) throw notFound();
      await this.fire(tx, actor, run, trigger(run), { action: decision, comment });
      const ended = asked === 'force-execute' ? await this.clearWay(tx, actor, run) : [];
      const detail = ended.length > 0 ? { ended: ended.map((other) => ({ id: other.state.id })) } : null;
      await tx.audit.add(done(id, detail), run.state);
    });
  }

  /** Ends the runs before this one. The last of them holds the workspace: its end starts this one. */
  private async clearWay(tx: Transaction<Repositories>, actor: Actor, run: Run): Promise<readonly Run[]> {
    const others = await tx.runs.before(run, maxInTheWay + 1);
    const refused = (because: string) =>
      new DomainError('run/transition-refused', `run could not be executed by force because ${because}`);
    if (others.length > maxInTheWay) throw refused(`more than ${maxInTheWay} runs wait before it`);
    const holding = others.at(-1);
    if (holding?.allows('discard') === false) {
      throw refused(`the status of ${holding.state.id}, which holds its workspace, is ${holding.state.status}`);
    }
    for (const other of others) {
      const decision = other.allows('discard') ? 'discard' : 'cancel';
      await this.fire(tx, actor, other, decision, { action: decision, comment: null });
    }
    return others;
  }

  private async fire(
    tx: Transaction<Repositories>,
    actor: Actor,
    run: Run,
    trigger: RunTrigger,
    made: Pick<RunDecision, 'action' | 'comment'>,
  ): Promise<void> {
    const now = this.clock.now();
    const change = {
      decisions: [...run.state.decisions, { ...made, by: identityOf(actor), at: now }],
      ...(trigger === 'request-cancel' && { cancelRequested: true }),
    };
    await this.progress.fire(tx, run, trigger, change, now);
  }
}
