import { type Config, loadConfig } from '../config.js';
import type { Progress } from './output.js';

export interface Option {
  /** What its value is called in the help; an option without one is a switch. */
  readonly value?: string;
  readonly about: string;
}

/** What a command has found or done, for a program and for a person. */
export interface Answer {
  /** Names are those of the API. */
  readonly json: unknown;
  readonly text: string;
  /** Whether the process ends with 1 although there is an answer. */
  readonly failed?: boolean;
}

export interface Command {
  /** One word or two. */
  readonly name: string;
  /** One line, as the list of commands shows it. */
  readonly does: string;
  /** What else there is to know, in whole sentences. */
  readonly about?: string;
  /** Those that must be given, in their order. */
  readonly words?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** What only its own help shows. */
  readonly more?: () => string;
  /** Nothing when there is nothing to answer. */
  run(call: Call): Promise<Answer | undefined>;
}

/** Called in a way that cannot be meant: the process ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One use of a command. */
export class Call {
  constructor(
    /** The name of the command. */
    readonly command: string,
    readonly words: readonly string[],
    private readonly values: Readonly<Record<string, string | boolean | undefined>>,
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly progress: Progress,
  ) {}

  /** Throws `ConfigError`. */
  get config(): Config {
    return loadConfig(this.environment);
  }

  word(index: number): string {
    return this.words[index] ?? '';
  }

  option(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    const value = this.option(name);
    if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
    return value;
  }

  switch(name: string): boolean {
    return this.values[name] === true;
  }

  /** The one of these options that is given, and its value. */
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
