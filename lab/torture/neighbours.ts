import { spawnSync } from 'node:child_process';
import { GitRepository, GitServer } from '../../tests/support/git-server.js';
import { RunTaskServer } from '../../tests/support/run-task-server.js';

/** Why nothing is pushed on this machine; undefined if something is. */
export const whyNoPushes: string | undefined =
  spawnSync('git', ['--version']).status === 0 ? undefined : 'no git on PATH';

/** The systems around the service, on loopback: the server of a run task, and a forge with one repository. */
export class Neighbours {
  private constructor(
    readonly task: RunTaskServer,
    private readonly forge: GitServer | undefined,
    private readonly repository: GitRepository | undefined,
  ) {}

  static async start(directory: string): Promise<Neighbours> {
    const task = await RunTaskServer.start();
    if (whyNoPushes !== undefined) return new Neighbours(task, undefined, undefined);
    const repository = await GitRepository.create(directory, name);
    await repository.commit({ 'main.tf': '# the first\n' });
    return new Neighbours(task, await GitServer.start(directory), repository);
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
    await this.task.stop();
    await this.forge?.stop();
  }
}

const name = 'harbour/app.git';
