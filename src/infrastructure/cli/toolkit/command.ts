import { type Config, loadConfig } from '../../config.js';
import type { Output, Progress } from './output.js';

export interface Option {
  /** The value's name in the help; an option without one is a switch. */
  readonly value?: string;
  readonly about: string;
  /** Whether it may be repeated. */
  readonly isList?: boolean;
}

/** The result of a command, for programs and for people. */
export interface Answer {
  /** Uses the names of the API. */
  readonly json: unknown;
  readonly text: string;
  /** Whether the process exits with 1 in spite of the result. */
  readonly failed?: boolean;
}

export interface Command {
  /** One word or two. */
  readonly name: string;
  /** One line, as the list of commands shows it. */
  readonly does: string;
  /** Further details, in whole sentences. */
  readonly about?: string;
  /** The required arguments, in order. */
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Further text, shown in the command's own help only. */
  readonly more?: () => string;
  /** Undefined if there is nothing to print. */
  run(call: Call): Promise<Answer | undefined>;
}

/** A malformed call: the process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One invocation of a command. */
export class Call {
  constructor(
    /** The name of the command. */
    readonly command: string,
    readonly args: readonly string[],
    private readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>,
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly progress: Progress,
    private readonly out: Pick<Output, 'write'>,
  ) {}

  /** Writes text to standard output at once: for what is too long to be an answer. */
  print(text: string): void {
    this.out.write(text);
  }

  /** Throws `ConfigError`. */
  get config(): Config {
    return loadConfig(this.environment);
  }

  arg(index: number): string {
    return this.args[index] ?? '';
  }

  option(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** All values of an option that may be repeated. */
  list(name: string): readonly string[] {
    const values = this.values[name];
    return Array.isArray(values) ? values.filter((value) => value !== '') : [];
  }

  required(name: string): string {
    const value = this.option(name);
    if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
    return value;
  }

  switch(name: string): boolean {
    return this.values[name] === true;
  }

  /** The one given option of these, with its value. */
  oneOf<Name extends string>(...names: readonly Name[]): { readonly name: Name; readonly value: string } {
    const given = names.flatMap((name) => {
      const value = this.option(name);
      return value === undefined || value === '' ? [] : [{ name, value }];
    });
    const [only] = given;
    if (only === undefined || given.length > 1) {
      throw new UsageError(`exactly one of ${names.map((name) => `--${name}`).join(', ')} is required`);
    }
    return only;
  }
}
