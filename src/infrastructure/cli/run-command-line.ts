import { parseArgs } from 'node:util';
import { isDomainError } from '../../domain/index.js';
import { OperatorError } from '../backup.js';
import { ConfigError } from '../config.js';
import { packageVersion } from '../package-version.js';
import { forOperator, StartError } from '../service.js';
import { globalOptions, helpOf, helpOfAll } from './help.js';
import { Call, type Command, type Option, UsageError } from './toolkit/command.js';
import { type Output, Progress } from './toolkit/output.js';

export interface Dependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
}

/** Runs the named command; returns the exit code: 1 for a failure, 2 for a malformed call. */
export async function runCommandLine(
  words: readonly string[],
  commands: readonly Command[],
  { environment, out, err }: Dependencies,
): Promise<number> {
  const progress = new Progress(err);
  let usage = 'gatehouse --help';
  try {
    const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
    if (asked[0] === '--version') {
      out.write(`${packageVersion()}\n`);
      return 0;
    }
    const command = commandOf(asked, commands);
    if (command === undefined) {
      const help = asked.includes('--help') || asked.includes('-h');
      (help ? out : err).write(helpOfAll(commands, asked[0]?.startsWith('-') ? undefined : asked[0]));
      return help ? 0 : 2;
    }
    usage = `gatehouse ${command.name} --help`;
    const { values, positionals } = parsed(asked.slice(command.name.split(' ').length), command);
    if (values.help === true) {
      out.write(helpOf(command));
      return 0;
    }
    checkWords(command, positionals);
    const answer = await command
      .run(new Call(command.name, positionals, values, environment, progress, out))
      .finally(() => progress.end());
    if (answer === undefined) return 0;
    const asJson = values.json === true || out.isTTY !== true;
    out.write(asJson ? `${JSON.stringify(answer.json, null, 2)}\n` : `${answer.text}\n`);
    return answer.failed === true ? 1 : 0;
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      err.write(`${thrown.message}; see ${usage}\n`);
      return 2;
    }
    err.write(`${inWords(thrown)}\n`);
    return 1;
  }
}

/** One sentence for an error the operator can fix; full details for an unexpected error. */
function inWords(thrown: unknown): string {
  const error = forOperator(thrown);
  const ours = [ConfigError, OperatorError, StartError].some((kind) => error instanceof kind) || isDomainError(error);
  // Errors of the system or the database, such as a file this user cannot open.
  const known = ours || typeof (error as { code?: unknown } | undefined)?.code === 'string';
  return known ? (error as Error).message : String((error as Error)?.stack ?? error);
}

/** Undefined if the words are empty or name a group of commands. Throws `UsageError` for an unknown command. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const [first = '--help', second = '--help'] = words;
  const found =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  if (found !== undefined || first.startsWith('-')) return found;
  const grouped = commands.some(({ name }) => name.startsWith(`${first} `));
  if (grouped && second.startsWith('-')) return undefined;
  const both = `${first} ${second}`;
  const candidates = commands.map(({ name }) => ({ name, given: name.includes(' ') ? both : first }));
  throw new UsageError(`unknown command ${grouped ? both : first}${suggestion(candidates)}`);
}

function parsed(words: readonly string[], command: Command) {
  const known: Readonly<Record<string, Option>> = { ...command.options, ...globalOptions };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, isList = false }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: isList },
    ]),
  );
  const args = words.map((word) => (word === '-h' ? '--help' : word));
  const unknown = args.find((word) => /^--[^=]/.test(word) && known[nameIn(word)] === undefined);
  if (unknown !== undefined && !args.slice(0, args.indexOf(unknown)).includes('--')) {
    const given = `--${nameIn(unknown)}`;
    const candidates = Object.keys(known).map((name) => ({ name: `--${name}`, given }));
    throw new UsageError(`unknown option ${given}${suggestion(candidates)}`);
  }
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]?.replaceAll('\n', ' '));
  }
}

const nameIn = (word: string): string => word.slice(2).split('=')[0] ?? '';

function checkWords({ args = [] }: Command, given: readonly string[]): void {
  const missing = args[given.length];
  if (missing !== undefined) throw new UsageError(`missing argument ${missing}`);
  const [surplus] = given.slice(args.length);
  if (surplus !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(surplus)}`);
}

/** The closest name to a misspelled one, if any is close. */
function suggestion(candidates: readonly { readonly name: string; readonly given: string }[]): string {
  const near = candidates
    .map(({ name, given }) => ({ name, edits: name.startsWith(given) ? 1 : distance(given, name) }))
    .filter(({ name, edits }) => edits <= Math.max(2, name.length / 3))
    .sort((a, b) => a.edits - b.edits);
  const [nearest] = near;
  return nearest === undefined ? '' : `; did you mean ${nearest.name}?`;
}

/** The edit distance: the letters to insert, delete or replace to turn one text into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
