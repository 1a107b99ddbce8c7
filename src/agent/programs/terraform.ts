import { closeSync, openSync } from 'node:fs';
import { type Bounds, type Ended, runProgram } from './child-process.js';
import type { TerraformProgram } from './find-programs.js';
import type { RunUser } from './run-user.js';

/** The end of what a program printed, for what is to be found in it. */
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

/** Terraform or OpenTofu in one directory, with one environment. */
export class Terraform {
  constructor(
    readonly program: TerraformProgram,
    private readonly surroundings: {
      readonly directory: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly bounds: Bounds;
      readonly user?: RunUser | undefined;
    },
  ) {}

  /**
   * Hands what it prints to `onOutput` as it comes. Its standard output goes `into` a descriptor where there is one;
   * `printed` is then what it complained of.
   */
  async run(args: readonly string[], onOutput: (chunk: Buffer) => void = () => undefined, into?: number): Promise<Ran> {
    const printed = new Tail();
    const ended = await runProgram({
      path: this.program.path,
      args,
      ...this.surroundings,
      ...(into !== undefined && { into }),
      onOutput: (chunk) => {
        printed.add(chunk);
        onOutput(chunk);
      },
    });
    return { ...ended, printed };
  }

  /** The same with its standard output in a new file. */
  async runInto(file: string, args: readonly string[]): Promise<Ran> {
    const descriptor = openSync(file, 'wx', 0o600);
    return this.run(args, undefined, descriptor).finally(() => closeSync(descriptor));
  }
}

/** The first error of what terraform printed, on one line; of those in a configuration, not the one that announces them. */
export function firstErrorIn(printed: Tail): string | undefined {
  const errors = [...String(printed).matchAll(/^[ │╷]*(Error: .*)$/gm)].map(([, error = '']) => error.trim());
  const [first] = errors;
  const announces = first !== undefined && / encountered problems during initiali[sz]ation/.test(first);
  return (announces ? errors[1] : undefined) ?? first;
}
