import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { GitRepository, GitServer } from '../../tests/support/git-server.js';
import type { Json } from './client.js';

/** A call of a run task, to be reported on. */
export interface TaskCall {
  readonly resultId: string;
  /** Its path on any instance. */
  readonly callback: string;
  readonly token: string;
}

/** Why nothing is pushed on this machine; undefined if something is. */
export const whyNoPushes: string | undefined =
  spawnSync('git', ['--version']).status === 0 ? undefined : 'no git on PATH';

/** The systems around the service, on loopback: the server of a run task, and a forge with one repository. */
export class Neighbours {
  /** Calls that the run task has not reported on yet. */
  readonly calls: TaskCall[] = [];

  private constructor(
    private readonly task: Server,
    private readonly forge: GitServer | undefined,
    private readonly repository: GitRepository | undefined,
  ) {}

  static async start(directory: string): Promise<Neighbours> {
    const calls: TaskCall[] = [];
    const task = createServer(async (request, response) => {
      const call = (await json(request)) as Json;
      response.end();
      // Before a run task is saved, the service tries it with a call that has no result.
      if (call.stage === 'test') return;
      calls.push({
        resultId: call.task_result_id,
        callback: new URL(call.task_result_callback_url).pathname,
        token: call.access_token,
      });
    });
    await new Promise<void>((resolve) => task.listen(0, '127.0.0.1', resolve));
    const withGit = whyNoPushes === undefined;
    const repository = withGit ? await GitRepository.create(directory, name) : undefined;
    await repository?.commit({ 'main.tf': '# the first\n' });
    const forge = withGit ? await GitServer.start(directory) : undefined;
    const neighbours = new Neighbours(task, forge, repository);
    return Object.assign(neighbours, { calls });
  }

  get taskUrl(): string {
    return `http://127.0.0.1:${(this.task.address() as AddressInfo).port}/`;
  }

  /** The address of its repository; undefined without git. */
  get cloneUrl(): string | undefined {
    return this.forge?.url(name);
  }

  /** Commits to the default branch. Returns the hash. */
  async commit(text: string): Promise<string> {
    if (this.repository === undefined) throw new Error(whyNoPushes);
    return this.repository.commit({ 'main.tf': text }, text);
  }

  async stop(): Promise<void> {
    this.task.closeAllConnections();
    await new Promise((resolve) => this.task.close(resolve));
    await this.forge?.stop();
  }
}

const name = 'harbour/app.git';
