import { writeFile } from 'node:fs/promises';
import type { RunUser } from '../run-user.js';
import { type Bounds, runProgram } from './child-process.js';
import type { OpaProgram } from './find-programs.js';

/** The result of one policy. */
export type Verdict =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly reasons: readonly unknown[] }
  | { readonly status: 'errored'; readonly reason: string };

/** The version of the language of some code. */
export type Rego = 'v0' | 'v1' | 'unknown';

export interface Evaluated {
  readonly verdict: Verdict;
  /** Whether code in an unknown version turned out to be Rego v0. */
  readonly asV0: boolean;
}

/** The code and data that a query is evaluated with, as file paths. */
export interface Code {
  readonly files: readonly string[];
  /** The directory of the files, which messages then name relative to it. */
  readonly root?: string | undefined;
  /** JSON files whose members are members of `data`. */
  readonly data?: readonly string[] | undefined;
}

/** These would reach the network or the agent's machine. */
const forbidden = new Set(['http.send', 'net.lookup_ip_addr', 'opa.runtime']);
const evaluationSeconds = 60;

/** Open Policy Agent, evaluating policies on one input, without network access. */
export class Opa {
  private constructor(
    private readonly program: OpaProgram,
    private readonly options: {
      readonly directory: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly bounds: Bounds;
      readonly user?: RunUser | undefined;
    },
    private readonly capabilities: string,
  ) {}

  /** Throws if the program does not report its capabilities. */
  static async prepare(program: OpaProgram, options: Opa['options'], capabilities: string): Promise<Opa> {
    const asked = new Opa(program, options, capabilities);
    const { out, complaints } = await asked.run(['capabilities', '--current']);
    const current = parsed(out) as { readonly builtins?: readonly { readonly name: string }[] } | undefined;
    if (!Array.isArray(current?.builtins)) throw new Error(`opa capabilities failed: ${complaints.slice(0, 500)}`);
    const builtins = current.builtins.filter(({ name }) => !forbidden.has(name));
    await writeFile(capabilities, JSON.stringify({ ...current, builtins, allow_net: [] }), { mode: 0o600 });
    return asked;
  }

  /** `input` is a file path. Code in an unknown version of Rego is v0 if it parses only as that. */
  async evaluate(code: Code, query: string, input: string, rego: Rego): Promise<Evaluated> {
    const first = await this.evaluated(code, query, input, rego === 'v0' ? 'v0' : 'v1');
    if (rego === 'unknown' && first.unparsed && this.readsBoth) {
      const second = await this.evaluated(code, query, input, 'v0');
      if (!second.unparsed) return { verdict: second.verdict, asV0: true };
    }
    return { verdict: first.verdict, asV0: false };
  }

  /** The same, within other bounds. */
  within(bounds: Bounds): Opa {
    return new Opa(this.program, { ...this.options, bounds }, this.capabilities);
  }

  get version(): string {
    return this.program.version;
  }

  /**
   * The paths below `input` that evaluating the query may read, whatever the input is: as opa finds them in the code,
   * each cut off before its first part that depends on the input. Undefined if the code does not compile.
   */
  async reads(code: Code, query: string): Promise<readonly (readonly string[])[] | undefined> {
    const files = [...code.files, ...(code.data ?? [])].flatMap((file) => ['-d', file]);
    const { out, stopped } = await this.run(['deps', '--format', 'json', ...files, '--', query]);
    const found = stopped === undefined ? (parsed(out) as Dependencies | undefined) : undefined;
    if (!Array.isArray(found?.base)) return undefined;
    const paths = (found as Dependencies).base.map((ref) => ref.map(({ value }) => String(value)));
    // Code that looks up other documents by computed names could reach any of the rules.
    const isOpen = paths.some(([root, first]) => root === 'data' && first !== 'parameters');
    return isOpen ? [[]] : paths.filter(([root]) => root === 'input').map(([, ...path]) => path);
  }

  /** Rego v0 as v1, which is what `reads` understands; undefined if the file is in neither. */
  async asV1(file: string): Promise<string | undefined> {
    const { out, stopped } = await this.run(['fmt', '--v0-v1', '--v0-compatible', file]);
    return stopped === undefined && out !== '' ? out : undefined;
  }

  private async evaluated(code: Code, query: string, input: string, rego: 'v0' | 'v1') {
    const flags = ['--format', 'json', '--capabilities', this.capabilities, '--timeout', `${evaluationSeconds}s`];
    if (rego === 'v0' && this.readsBoth) flags.push('--v0-compatible');
    const { out, complaints, stopped } = await this.run([
      'eval',
      ...flags,
      ...[...code.files, ...(code.data ?? [])].flatMap((file) => ['-d', file]),
      '-i',
      input,
      '--',
      query,
    ]);
    if (stopped !== undefined) {
      return { verdict: { status: 'errored', reason: stopped.message } as const, unparsed: false };
    }
    const answer = parsed(out);
    return { verdict: verdictOf(answer, complaints, code.root), unparsed: isUnparsed(answer) };
  }

  /** Releases before 1.0 read Rego v0 only, and have no flag for it. */
  private get readsBoth(): boolean {
    return !this.program.version.startsWith('0.');
  }

  private async run(args: readonly string[]) {
    let out = '';
    let complaints = '';
    const { bounds } = this.options;
    const deadline = Math.min(bounds.deadline, performance.now() + (evaluationSeconds + 15) * 1000);
    const ended = await runProgram({
      path: this.program.path,
      args,
      ...this.options,
      bounds: { ...bounds, deadline },
      onOutput: (chunk) => {
        out += chunk.toString('latin1');
      },
      onComplaint: (chunk) => {
        complaints += chunk.toString();
      },
    });
    return { out: Buffer.from(out, 'latin1').toString(), complaints, stopped: ended.stopped };
  }
}

/** The output of `opa deps`. */
interface Dependencies {
  readonly base: readonly (readonly { readonly value: unknown }[])[];
}

interface Answer {
  readonly result?: readonly { readonly expressions: readonly { readonly value: unknown }[] }[];
  readonly errors?: readonly {
    readonly message: string;
    readonly code?: string;
    readonly location?: { readonly file?: string; readonly row?: number };
  }[];
}

/** As in the field, undefined and empty results pass; a result that is not a list cannot be evaluated. */
export function verdictOf(answer: unknown, complaints: string, root?: string): Verdict {
  const errored = (reason: string): Verdict => ({ status: 'errored', reason: reason.trim() });
  if (typeof answer !== 'object' || answer === null) return errored(complaints || 'opa printed no result');
  const { result, errors } = answer as Answer;
  if (errors !== undefined) {
    return errored(
      errors
        .map(({ message, location }) =>
          location?.row === undefined ? message : `${fileIn(root, location.file)}line ${location.row}: ${message}`,
        )
        .join('\n'),
    );
  }
  if (result === undefined) return { status: 'passed' };
  const values = result.flatMap(({ expressions }) => expressions.map(({ value }) => value));
  const other = values.find((value) => !Array.isArray(value));
  if (values.length !== 1 || other !== undefined) {
    return errored(`the query must return one set or list of messages, but returned ${shown(values)}`);
  }
  const reasons = values.flat();
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons };
}

const fileIn = (root: string | undefined, file = ''): string =>
  root !== undefined && file.startsWith(`${root}/`) ? `${file.slice(root.length + 1)}, ` : '';

/** Whether opa could not even parse the code. */
const isUnparsed = (answer: unknown): boolean => {
  const { errors = [] } = (answer ?? {}) as Answer;
  return errors.length > 0 && errors.every(({ code }) => code === 'rego_parse_error');
};

const shown = (values: readonly unknown[]): string => JSON.stringify(values.length === 1 ? values[0] : values);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
