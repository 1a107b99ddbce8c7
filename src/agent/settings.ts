import { hostname, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { runUserFrom } from './run-user.js';

const wholeNumber = (lowest: number) => {
  const error = `must be a whole number, ${lowest} or more`;
  return z.coerce.number(error).int(error).min(lowest, error).max(1_000_000, 'must be at most 1000000');
};
const path = z.string().transform((given) => resolve(given));
export const tokenSchema = z.string().regex(/^\S{16,}$/, 'must be at least 16 characters without spaces');
const variableName = /^[A-Za-z_]\w*$/;

interface Setting {
  /** Parses the variable's text; `undefined` if it is unset and has no default. */
  readonly schema: z.ZodType;
  /** As text, as it would be set in the environment. */
  readonly fallback?: string;
  /** Shown in the table if there is no fixed default. */
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
    about: 'URL of the service',
  },
  AGENT_TOKEN: {
    schema: tokenSchema.optional(),
    shown: 'required, unless AGENT_TOKEN_FILE is set',
    about: 'agent token of the pool whose runs the agent executes',
  },
  AGENT_TOKEN_FILE: {
    schema: path.optional(),
    shown: 'required, unless AGENT_TOKEN is set',
    about: 'file with the agent token, readable by the agent only (mode 0600); /dev/stdin for standard input',
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
      'user for terraform, opa and their child processes, as a name, uid or uid:gid; the agent must run as root. Choose a user that runs nothing else: its processes are killed when a program ends',
  },
  AGENT_NAME: {
    schema: z.string().max(255, 'must be at most 255 characters'),
    fallback: hostname().slice(0, 255) || 'agent',
    shown: "the host's",
    about: 'name of the agent, as shown with the runs it executes',
  },
  AGENT_WORK_DIR: {
    schema: path,
    fallback: tmpdir(),
    shown: 'the directory for temporary files',
    about:
      'directory for the run being executed and for lost-state, which keeps states that could not be uploaded; choose one that survives a restart of the machine',
  },
  TERRAFORM_PATH: {
    schema: path.optional(),
    shown: 'terraform, else tofu, on PATH',
    about: 'program that plans and applies',
  },
  OPA_PATH: { schema: path.optional(), shown: 'opa on PATH', about: 'program that evaluates policies' },
  AGENT_TF_CLI_CONFIG_FILE: {
    schema: path.optional(),
    shown: 'none',
    about: 'CLI configuration file of terraform, for provider mirrors and registry credentials',
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
      .refine((names) => names.every((name) => variableName.test(name)), 'must be comma-separated names')
      .refine((names) => !names.includes('AGENT_TOKEN'), 'must not name AGENT_TOKEN'),
    fallback: '',
    shown: 'none',
    about: "comma-separated names of the agent's environment variables to pass to terraform",
  },
  AGENT_PHASE_SECONDS: {
    schema: wholeNumber(1),
    fallback: '3600',
    about: 'time limit for a plan or an apply, after which it is interrupted',
  },
  AGENT_CANCEL_SECONDS: {
    schema: wholeNumber(1),
    fallback: '120',
    about: 'time that an interrupted apply gets to end before it is killed, also when the agent stops',
  },
  AGENT_MEMORY_MB: {
    schema: wholeNumber(0),
    fallback: '4096',
    about: 'memory limit for a program and its child processes, beyond which it is killed; 0 disables it',
  },
  AGENT_OUTPUT_MB: {
    schema: wholeNumber(1),
    fallback: '64',
    about: 'limit for the output of one program; the service keeps the first 64 MiB of a log',
  },
  AGENT_UNPACKED_MB: {
    schema: wholeNumber(1),
    fallback: '512',
    about: 'limit for the unpacked size of a configuration',
  },
} as const satisfies Record<string, Setting>;

/** The validated settings, one property per variable. */
export type Settings = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };

/** An invalid environment. The message lists every fault, one per line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(faults: readonly string[]) {
    super(
      `the agent's settings have ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
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
  if (!token && !file) faults.push('AGENT_TOKEN_FILE: required, unless AGENT_TOKEN is set');
  if (token && file) faults.push('AGENT_TOKEN_FILE: cannot be combined with AGENT_TOKEN. Unset AGENT_TOKEN');
  if (faults.length > 0) throw new SettingsError(faults);
  return values as unknown as Settings;
}

/** The settings as rows of name, default and meaning. */
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
    'Executes the runs of an agent pool: plans, policy checks and applies. Configured by environment variables:',
    '',
    ...rows.map(([name, value, about]) => `  ${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${about}`),
    '',
    'For a first try, --with-server also starts the service, on this machine only, and creates all that a first plan requires:',
    'it uses a free port unless PORT is set, and stores its data in ./data/first-try unless DATA_DIR is set.',
    'put-back makes a state from lost-state the current state of its workspace, and locks the workspace meanwhile. GATEHOUSE_TOKEN is',
    'the token of a user or team that may write states. --force skips the check that the workspace has no newer state.',
    'SIGTERM, SIGINT and SIGHUP stop the agent: a plan goes to another agent, an apply may finish. A second SIGTERM or SIGINT kills.',
    '',
  ].join('\n');
}
