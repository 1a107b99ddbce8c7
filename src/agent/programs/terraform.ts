import { closeSync, openSync } from 'node:fs';
import type { RunUser } from '../run-user.js';
import { type Bounds, type Ended, runProgram } from './child-process.js';
import type { TerraformProgram } from './find-programs.js';

/** Keeps the end of a program's output, to search it for errors. */
export class Tail {
  private text = '';

  add(chunk: Buffer): void {
    this.text = (this.text + chunk.toString()).slice(-256 * 1024);
  }

  toString(): string {
    return this.text;
  }
}

export interface Ran extends Ended {
  readonly printed: Tail;
}

/** Terraform or OpenTofu in one directory with one environment. */
export class Terraform {
  constructor(
    readonly program: TerraformProgram,
    private readonly options: {
      readonly directory: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly bounds: Bounds;
      readonly user?: RunUser | undefined;
    },
  ) {}

  /**
   * Passes the output to `onOutput` as it arrives. With `into`, standard output goes to that descriptor, and `printed`
   * contains standard error only.
   */
  async run(args: readonly string[], onOutput: (chunk: Buffer) => void = () => undefined, into?: number): Promise<Ran> {
    const printed = new Tail();
    const ended = await runProgram({
      path: this.program.path,
      args,
      ...this.options,
      ...(into !== undefined && { into }),
      onOutput: (chunk) => {
        printed.add(chunk);
        onOutput(chunk);
      },
    });
    return { ...ended, printed };
  }

  /** Like `run`, with standard output in a new file. */
  async runInto(file: string, args: readonly string[]): Promise<Ran> {
    const descriptor = openSync(file, 'wx', 0o600);
    return this.run(args, undefined, descriptor).finally(() => closeSync(descriptor));
  }
}

/** The first error that terraform printed, on one line; for configuration errors, the one after the announcement. */
export function firstErrorIn(printed: Tail): string | undefined {
  const errors = [...String(printed).matchAll(/^[ │╷]*(Error: .*)$/gm)].map(([, error = '']) => error.trim());
  const [first] = errors;
  const announces = first !== undefined && / encountered problems during initiali[sz]ation/.test(first);
  return (announces ? errors[1] : undefined) ?? first;
}
