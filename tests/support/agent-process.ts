import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { noteEnvironment } from './secrets-in-logs.js';
import { until } from './service-steps.js';

const program = fileURLToPath(new URL('../../dist/agent/main.js', import.meta.url));

/** The built agent as a process of its own, or another `program` that is one. */
export class AgentProcess {
  private text = '';

  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.text += chunk.toString();
      });
    }
  }

  static start(
    environment: Readonly<Record<string, string>>,
    words: readonly string[] = [],
    at: { readonly cwd?: string; readonly program?: string } = {},
  ): AgentProcess {
    const { PATH = '', HOME = '' } = process.env;
    noteEnvironment(environment);
    const env = { PATH, HOME, ...environment };
    const args = [at.program ?? program, ...words];
    return new AgentProcess(spawn(process.execPath, args, { cwd: at.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get printed(): string {
    return this.text;
  }

  prints(text: string): Promise<unknown> {
    return until(`the agent prints ${text}, after\n${this.text}`, async () => this.text.includes(text));
  }

  /** Resolves to its exit code, or null if a signal ended it. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }
}
