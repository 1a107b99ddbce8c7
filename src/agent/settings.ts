import { hostname, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { runUserFrom } from './programs/run-user.js';

const wholeNumber = (lowest: number) => {
  const error = `must be a whole number, ${lowest} or more`;
  return z.coerce.number(error).int(error).min(lowest, error).max(1_000_000, 'must be at most 1000000');
};
const path = z.string().transform((given) => resolve(given));
export const tokenSchema = z.string().regex(/^\S{16,}$/, 'must be at least 16 characters without blanks');
const variableName = /^[A-Za-z_]\w*$/;

interface Setting {
  /** Reads the variable's text; `undefined` where it is not set and has no default. */
  readonly schema: z.ZodType;
  /** As text, the way the variable would be written. */
  readonly fallback?: string;
  /** What the table shows where there is no fixed default. */
  readonly shown?: string;
  readonly about: string;
}

/** Every environment variable the agent reads. `--help` and docs/agents.md show this table. */
export const settings = {
  GATEHOUSE_URL: {
    schema: z
      .url({ protocol: /^https?$/, error: 'must be the http:// or https:// URL of the service' })
      .transform((url) => url.replace(/\/$/, '')),
    shown: 'required',
    about: 'where the service is',
  },
  AGENT_TOKEN: {
    schema: tokenSchema.optional(),
    shown: 'this or AGENT_TOKEN_FILE',
    about: 'an agent token of the pool whose runs it executes',
  },
  AGENT_TOKEN_FILE: {
    schema: path.optional(),
    shown: 'this or AGENT_TOKEN',
    about: 'a file with that token, which only the agent can read (mode 0600); /dev/stdin for standard input',
  },
  AGENT_RUN_AS: {
    schema: z
      .string()
      .transform((text, context) => {
        try {
          return runUserFrom(text);
        } catch (error) {
          context.addIssue((error as Error).message);
          return z.NEVER;
        }
      })
      .optional(),
    shown: "the agent's user",
    about:
      'the user that terraform, opa and all they start run as, where the agent runs as root: a name, uid or uid:gid. Give it a user that runs nothing else: its processes are killed at the end of each program',
  },
  AGENT_NAME: {
    schema: z.string().max(255, 'must be at most 255 characters'),
    fallback: hostname().slice(0, 255) || 'agent',
    shown: "the host's",
    about: 'what it is called where somebody asks who executes a run',
  },
  AGENT_WORK_DIR: {
    schema: path,
    fallback: tmpdir(),
    shown: 'that for temporary files',
    about:
      'holds a directory for the run being executed, and lost-state, where states go that could not be delivered: name one that outlives a restart of the machine',
  },
  TERRAFORM_PATH: {
    schema: path.optional(),
    shown: 'terraform, else tofu, on PATH',
    about: 'the program that plans and applies',
  },
  OPA_PATH: { schema: path.optional(), shown: 'opa on PATH', about: 'the program that evaluates policies' },
  AGENT_TF_CLI_CONFIG_FILE: {
    schema: path.optional(),
    shown: 'none',
    about: 'CLI configuration of terraform, for mirrors of providers and credentials of registries',
  },
  AGENT_PASS_ENV: {
    schema: z
      .string()
      .transform((text) =>
        text
          .split(',')
          .map((word) => word.trim())
          .filter((word) => word !== ''),
      )
      .refine((names) => names.every((name) => variableName.test(name)), 'must be names with commas between')
      .refine((names) => !names.includes('AGENT_TOKEN'), 'must not name AGENT_TOKEN'),
    fallback: '',
    shown: 'none',
    about: "comma-separated names of the agent's own variables which terraform gets too",
  },
  AGENT_PHASE_SECONDS: {
    schema: wholeNumber(1),
    fallback: '3600',
    about: 'how long a plan or an apply may take; then it is interrupted',
  },
  AGENT_CANCEL_SECONDS: {
    schema: wholeNumber(1),
    fallback: '120',
    about: 'how long an interrupted apply may take to end before it is killed, and an agent told to stop waits for one',
  },
  AGENT_MEMORY_MB: {
    schema: wholeNumber(0),
    fallback: '4096',
    about: 'memory of a program and all it starts, beyond which it is killed; 0 is off',
  },
  AGENT_OUTPUT_MB: {
    schema: wholeNumber(1),
    fallback: '64',
    about: 'how much one program may print; of a log, the first 64 MiB are kept',
  },
  AGENT_UNPACKED_MB: {
    schema: wholeNumber(1),
    fallback: '512',
    about: 'how much a configuration may unpack to',
  },
} as const satisfies Record<string, Setting>;

/** The validated settings, one property per variable. */
export type Settings = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };

/** The environment does not make settings. The message lists every fault, one a line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(faults: readonly string[]) {
    super(
      `the agent's settings have ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

/** Throws `SettingsError`. An empty variable counts as unset. */
export function loadSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings) as [string, Setting][]) {
    const given = environment[name] === '' ? undefined : environment[name];
    const result = setting.schema.safeParse(given ?? setting.fallback);
    if (result.success) values[name] = result.data;
    else faults.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  const { AGENT_TOKEN: token, AGENT_TOKEN_FILE: file } = environment;
  if (!token && !file) faults.push('AGENT_TOKEN_FILE: must be set, or AGENT_TOKEN');
  if (token && file) faults.push('AGENT_TOKEN_FILE: must not be set together with AGENT_TOKEN. Remove AGENT_TOKEN');
  if (faults.length > 0) throw new SettingsError(faults);
  return values as unknown as Settings;
}

/** The table of settings as rows of name, default and meaning. */
export const settingRows = (): readonly (readonly [string, string, string])[] =>
  (Object.entries(settings) as [string, Setting][]).map(([name, { fallback, shown, about }]) => [
    name,
    shown ?? fallback ?? '',
    about,
  ]);

export function helpPage(): string {
  const rows = settingRows();
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  return [
    'Usage: gatehouse-agent [--with-server]',
    '       gatehouse-agent put-back FILE [--force]',
    '',
    'Executes the runs of an agent pool: plans, checks policies, applies. It is configured by environment variables:',
    '',
    ...rows.map(([name, value, about]) => `  ${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${about}`),
    '',
    'With --with-server, for a first try, it starts the service too, on this machine alone, and makes what a first plan needs:',
    'on a free port unless PORT is set, with its data in ./data/first-try unless DATA_DIR is set.',
    'put-back makes a state from lost-state the current one of its workspace, under the lock of the workspace, with a token in',
    'GATEHOUSE_TOKEN of a user or team that may write states. --force does so although the workspace has a newer state.',
    'SIGTERM, SIGINT and SIGHUP stop it: a plan goes to another agent, an apply is let end. A second SIGTERM or SIGINT kills.',
    '',
  ].join('\n');
}
