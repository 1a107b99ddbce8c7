import type { Command, Option } from './toolkit/command.js';

/** The options of every command. */
export const globalOptions: Readonly<Record<'json' | 'help', Option>> = {
  json: { about: 'print JSON, which is the default in a pipe' },
  help: { about: 'show help' },
};

const rows = (lines: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

const columns = 100;

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= columns) {
      lines.push(line);
      line = word;
    } else line = `${line} ${word}`.trim();
  }
  return [...lines, line].join('\n');
}

const shown = (name: string, { value }: Option): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const usageOf = ({ name, args = [], options = {} }: Command): string =>
  ['gatehouse', name, ...args, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');

const optionRows = ({ options = {} }: Command) =>
  Object.entries(options).map(([name, option]) => [shown(name, option), option.about] as const);

/** The `--help` text of one command. */
export const helpOf = (command: Command): string =>
  [
    `Usage: ${usageOf(command)}`,
    wrapped(command.about === undefined ? `It ${command.does}.` : `It ${command.does}. ${command.about}`),
    rows([
      ...optionRows(command),
      ...Object.entries(globalOptions).map(([name, option]) => [shown(name, option), option.about] as const),
    ]),
    ...(command.more === undefined ? [] : [command.more()]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');

const conventions = [
  'Output is text on a terminal, and JSON elsewhere or with --json. Errors and progress go to standard error.',
  'Exit codes: 0 on success, 1 if something failed or a problem was found, 2 for a usage error.',
  'Configured by the environment variables of the service; see gatehouse serve --help.',
].join('\n');

/** The `--help` text without a command, or for a group of commands. */
export function helpOfAll(commands: readonly Command[], group?: string): string {
  const of = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  const list = rows(of.map((command) => [usageOf(command).replace(/^gatehouse /, ''), command.does]));
  return ['Usage: gatehouse COMMAND', list, conventions, ''].join('\n\n').replace(/\n+$/, '\n');
}

/** Generates `docs/command-line.md`. */
export const commandLinePage = (commands: readonly Command[]): string =>
  [
    '# The command line',
    [
      'Run `gatehouse COMMAND` where the package is [installed](embedding.md), `npm run gatehouse -- COMMAND` in a checkout',
      '(`npm run --silent` if a program reads the output), or `node dist/infrastructure/cli/gatehouse.js COMMAND` in the image.',
      '`npm run docs` generates this page from the help of the commands.',
    ].join('\n'),
    'On a terminal the answer is text; elsewhere, and with `--json`, one JSON document with the names of the API. Errors and\nprogress go to standard error. The exit code is 0 on success, 1 on failure or when a check finds a fault, 2 on a usage error.\nThe environment is [that of the service](configuration.md): a user who can read it and `DATA_DIR` can do anything\n([why](adr/0037-the-command-line-speaks-for-the-operator.md)). All but `serve`, `migrate` and `move` may be used while a\nservice runs.',
    ...commands.map((command) =>
      [
        `## ${command.name}`,
        `\`${usageOf(command)}\` ${command.does}.${command.about === undefined ? '' : ` ${command.about}`}`,
        ...(optionRows(command).length === 0
          ? []
          : [
              optionRows(command)
                .map(([option, about]) => `- \`${option}\`: ${about}`)
                .join('\n'),
            ]),
      ].join('\n\n'),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
