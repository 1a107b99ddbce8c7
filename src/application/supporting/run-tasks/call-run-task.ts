import { attempted, later, moveResult, type TaskResultId, taskWaits, withToken } from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { RunTaskCall, RunTaskCaller } from '../../ports/outside/run-task-caller.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ResultInHand, ResultRepositories, TaskResultProgress } from './task-result-progress.js';

type Needed = ResultRepositories | 'runTasks' | 'workspaceTasks' | 'users' | 'audit';

export const removedMessage = 'the run task was removed';

/** Calls a run task. Each attempt has a callback token of its own: only the digest of the last one is stored. */
export class CallRunTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
    private readonly caller: RunTaskCaller,
    private readonly results: TaskResultProgress,
  ) {}

  /**
   * Returns what to record in the transaction that ends the effect. Throws while another attempt may still
   * succeed.
   */
  async execute(id: TaskResultId): Promise<((tx: Transaction<Needed>) => Promise<void>) | undefined> {
    const prepared = await this.unitOfWork.run((tx) => this.prepare(tx, id));
    if (prepared === undefined) return undefined;
    const { call, since } = prepared;
    const answer = await this.caller.call(call);
    if (answer.delivered) return (tx) => this.conclude(tx, id, 'progress');
    const { final, reason } = answer;
    if (!final && this.clock.now() < later(since, taskWaits.call)) throw new Error(`run task not reached: ${reason}`);
    return (tx) => this.conclude(tx, id, 'lose', reason);
  }

  /** Undefined if the task is not to be called: it has answered already, was removed, or its stage has ended. */
  private async prepare(tx: Transaction<Needed>, id: TaskResultId) {
    const held = await this.results.find(tx, id);
    if (held?.result.status !== 'pending') return undefined;
    const { run, stage, result } = held;
    const { state } = run;
    const task = (await tx.workspaceTasks.has(result.workspaceTaskId))
      ? await tx.runTasks.find(result.taskId)
      : undefined;
    if (task === undefined) return this.giveUp(tx, held, removedMessage);
    const hmacKey = task.sealedHmacKey === null ? null : openedWith(this.box, task.sealedHmacKey);
    if (hmacKey === undefined) {
      return this.giveUp(
        tx,
        held,
        'the HMAC key of the task cannot be decrypted with any signing secret: set it again',
      );
    }
    const workspace = await tx.workspaces.find(state.workspaceId);
    if (workspace === undefined) return undefined;
    const { configurationVersionId } = state;
    const { secret, digest } = this.secrets.generate();
    const { calledAt, ...underWay } = attempted(result, this.clock.now());
    await this.results.keep(tx, held, withToken({ ...underWay, calledAt }, digest));
    const commits = await tx.configurationVersions.ingressAttributes([configurationVersionId]);
    const creator = state.createdBy?.kind === 'user' ? await tx.users.find(state.createdBy.id) : undefined;
    const call: RunTaskCall = {
      url: task.url,
      hmacKey,
      token: secret,
      result: { ...result, taskStageId: stage.id, runId: state.id, stage: stage.stage },
      run: state,
      createdBy: creator?.username ?? null,
      workspace,
      commit: commits.get(configurationVersionId) ?? null,
      hasPlan: (await tx.runArtifacts.find(state.id, 'plan-json-redacted')) !== undefined,
    };
    return { call, since: calledAt };
  }

  /** Ends the waiting for a call that is not attempted again. */
  async abandon(tx: Transaction<Needed>, id: TaskResultId, reason: string): Promise<void> {
    await this.conclude(tx, id, 'error', reason);
  }

  private async giveUp(tx: Transaction<Needed>, held: ResultInHand, message: string): Promise<undefined> {
    await this.results.keep(tx, held, moveResult(held.result, 'lose', this.clock.now(), message));
    await tx.audit.add(doneBySystem('task-results/call', held.result.id), held.run.state);
  }

  private async conclude(
    tx: Transaction<Needed>,
    id: TaskResultId,
    trigger: 'progress' | 'lose' | 'error',
    message?: string,
  ): Promise<void> {
    const held = await this.results.find(tx, id);
    // The task may have answered before its server accepted the call.
    if (held?.result.status !== 'pending') return;
    await this.results.keep(tx, held, moveResult(held.result, trigger, this.clock.now(), message));
    await tx.audit.add(doneBySystem('task-results/call', id), held.run.state);
  }
}
