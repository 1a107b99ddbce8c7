import type { CallAnswer, RunTaskCall, RunTaskCaller } from '../../src/application/index.js';

/** The servers of run tasks, in this process's memory. They accept every call by default. */
export class MemoryRunTaskCaller implements RunTaskCaller {
  /** The accepted and refused calls, in order. */
  readonly calls: RunTaskCall[] = [];
  /** The answer of the servers; runs before the call returns. */
  answer: (call: RunTaskCall) => Promise<CallAnswer> | CallAnswer = () => ({ delivered: true });

  async call(call: RunTaskCall): Promise<CallAnswer> {
    this.calls.push(call);
    return this.answer(call);
  }
}
