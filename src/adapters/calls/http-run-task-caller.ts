import type { CallAnswer, RunTaskCall, RunTaskCaller } from '../../application/index.js';
import { type GuardedCalls, isSuccess, refusalOf, signed } from './guarded-calls.js';
import { payloadOf } from './run-task-payload.js';

export class HttpRunTaskCaller implements RunTaskCaller {
  constructor(
    private readonly calls: GuardedCalls,
    private readonly publicUrl: string,
  ) {}

  async call(call: RunTaskCall): Promise<CallAnswer> {
    const body = JSON.stringify(payloadOf(call, this.publicUrl));
    const answer = await this.calls.post(call.url, body, signed('X-TFC-Task-Signature', call.hmacKey, body));
    if (!('status' in answer)) return { delivered: false, ...answer };
    return isSuccess(answer.status)
      ? { delivered: true }
      : { delivered: false, ...refusalOf('the task', answer.status) };
  }
}
