import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { until } from './service-steps.js';

export interface CallBody {
  readonly stage: string;
  readonly access_token: string;
  readonly task_result_id: string;
  readonly task_result_callback_url: string;
}

/** One call of the service, which the test reports on. */
class Called {
  constructor(private readonly body: CallBody) {}

  async report(attributes: object, outcomes: readonly object[] = []): Promise<void> {
    const data = outcomes.map((one) => ({ type: 'task-result-outcomes', attributes: one }));
    const { status } = await fetch(this.body.task_result_callback_url, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${this.body.access_token}`, 'Content-Type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'task-results', attributes, relationships: { outcomes: { data } } } }),
    });
    if (status !== 200) throw new Error(`the result was refused with ${status}`);
  }
}

/** The server of a run task: it accepts every call. */
export class RunTaskServer {
  private constructor(
    private readonly server: Server,
    /** In the order in which they came, with those that try a task before it is saved. */
    readonly calls: CallBody[],
  ) {}

  static async start(): Promise<RunTaskServer> {
    const calls: CallBody[] = [];
    const server = createServer(async (request, response) => {
      calls.push((await json(request)) as CallBody);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RunTaskServer(server, calls);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get countOfCalls(): number {
    return this.calls.length;
  }

  /** The first call at a stage, once it has come. */
  async called(stage: string): Promise<Called> {
    return new Called(
      await until(`the task is called ${stage}`, async () => this.calls.find((one) => one.stage === stage)),
    );
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
