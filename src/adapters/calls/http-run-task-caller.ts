import type { CallAnswer, RunTaskCall, RunTaskCaller } from '../../application/index.js';
import { type GuardedCalls, isFinal, signed } from './guarded-calls.js';
import { payloadOf } from './run-task-payload.js';

export class HttpRunTaskCaller implements RunTaskCaller {
  constructor(
    private readonly calls: GuardedCalls,
    private readonly publicUrl: string,
  ) {}

  async call(call: RunTaskCall): Promise<CallAnswer> {
    const body = JSON.stringify(payloadOf(call, this.publicUrl));
    const answer = await this.calls.post(call.url, body, signed('X-TFC-Task-Signature', call.hmacKey, body));
    return 'status' in answer ? answerTo(answer.status) : { delivered: false, ...answer };
  }
}

function answerTo(status: number): CallAnswer {
  if (status >= 200 && status < 300) return { delivered: true };
  const reason =
    status >= 300 && status < 400
      ? `the task redirected (${status}), and redirects are not followed`
      : `the task answered with status ${status}`;
  return { delivered: false, final: isFinal(status), reason };
}
