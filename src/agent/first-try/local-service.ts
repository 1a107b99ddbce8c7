import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { FirstTryError } from './first-try-error.js';

const discovery = z.record(z.string(), z.string());

type Environment = Readonly<Record<string, string | undefined>>;

const built = (path: string): string => fileURLToPath(new URL(`../../../dist/infrastructure/${path}`, import.meta.url));

/** The service as a separate process, for this machine only. */
export class LocalService {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly environment: Environment,
  ) {}

  /**
   * Resolves once the service accepts requests; its log goes to `logFile`. Throws `FirstTryError` with the service's
   * message if it does not start.
   */
  static async start(environment: Environment, logFile: string): Promise<LocalService> {
    const child = spawn(process.execPath, [built('main.js')], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C reaches only this process, which stops the service after the agent has sent its last report.
      detached: true,
    });
    const end = () => child.kill();
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    child.stdout.pipe(createWriteStream(logFile, { mode: 0o600 }));
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (said.length < 64 * 1024) said += text;
        const address = /serves at (\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      child.once('error', reject);
      child.once('close', () => reject(new FirstTryError(`the service failed to start:\n${said}`)));
    });
    return new LocalService(url, child, environment);
  }

  onEnd(act: () => void): void {
    this.child.once('exit', act);
  }

  /** The addresses of its API by the names the terraform CLI looks for. */
  async discovered(): Promise<Readonly<Record<string, string>>> {
    const paths = discovery.parse(await (await fetch(`${this.url}/.well-known/terraform.json`)).json());
    return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${this.url}${path}`]));
  }

  /** The output of a command of the service's command line. */
  async command(...words: readonly string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(process.execPath, [built('cli/gatehouse.js'), ...words, '--json'], {
      env: this.environment as NodeJS.ProcessEnv,
    });
    return JSON.parse(stdout);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}
