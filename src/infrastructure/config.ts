import { resolve } from 'node:path';
import { z } from 'zod';

const usableLimit = 'must be 0 or a whole number greater than 3';
const daysOrNone = 'must be a whole number from 0 to 36500';
const wholeNumber = 'must be a positive whole number';
const portNumber = 'must be a whole number from 0 to 65535';
const countOrNone = 'must be 0 or a positive whole number';
const count = z.coerce.number(wholeNumber).int(wholeNumber).positive(wholeNumber);
const words = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
);

const hosts = words.refine((all) => all.every((host) => /^(\[[\da-f:.]+\]|[\w.-]+|[\da-f:]+)(:\d+)?$/i.test(host)), {
  error: 'must be comma-separated hosts, each as name or name:port',
});

interface Setting {
  /** Parses the variable's text; `undefined` if it is unset and has no default. */
  readonly schema: z.ZodType;
  /** As text, as it would be set in the environment. */
  readonly fallback?: string;
  /** Shown in the table if there is no fixed default. */
  readonly shown?: string;
  readonly about: string;
}

/** Every environment variable the service reads. `--help` and `docs/configuration.md` print this table. */
export const settings = {
  HOST: { schema: z.string(), fallback: '127.0.0.1', about: 'address to listen on' },
  PORT: {
    schema: z.coerce.number(portNumber).int(portNumber).min(0, portNumber).max(65535, portNumber),
    fallback: '8080',
    about: 'port to listen on; 0 picks a free port and prints it',
  },
  PUBLIC_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    shown: 'from HOST and PORT',
    about: 'base of every absolute URL that the service returns; required when HOST is not loopback',
  },
  TRUSTED_PROXIES: {
    schema: words,
    fallback: '',
    shown: 'none',
    about: 'comma-separated addresses of proxies whose X-Forwarded-For header is trusted',
  },
  DATA_DIR: {
    schema: z.string().transform((path) => resolve(path)),
    fallback: './data',
    about: 'directory of the SQLite database, the archives and the generated secrets',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
    shown: 'SQLite in DATA_DIR',
    about: 'URL of a Postgres database, postgres://…',
  },
  DATABASE_DIRECT_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
    shown: 'DATABASE_URL',
    about: 'URL of the same database without a pooler, used for migrations and notifications',
  },
  DATABASE_POOLING: {
    schema: z.enum(['auto', 'none', 'transaction']),
    fallback: 'auto',
    about:
      'whether a pooler shares the connections of DATABASE_URL between transactions: transaction, none, or auto, which finds out',
  },
  ARCHIVE_STORE: {
    schema: z.enum(['file', 's3']),
    fallback: 'file',
    about: 'where archives are stored: file (in DATA_DIR) or s3 (the S3_* variables and the usual AWS credentials)',
  },
  S3_BUCKET: {
    schema: z.string().optional(),
    shown: 'none',
    about: 'name of the bucket; required with ARCHIVE_STORE=s3',
  },
  S3_ENDPOINT: {
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .refine(
        (url) => !/^https?:\/\/[^/]*@/.test(url),
        'must not contain a user; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      )
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    shown: "Amazon's",
    about: 'URL of an S3-compatible service, addressed in path style',
  },
  S3_REGION: { schema: z.string(), fallback: 'us-east-1', about: 'region of the bucket' },
  ARCHIVE_DOWNLOAD: {
    schema: z.enum(['presigned', 'proxy']),
    fallback: 'presigned',
    about: 'with s3: presigned redirects downloads to the bucket, proxy streams them through this service',
  },
  ADMIN_TOKEN: {
    schema: z
      .string()
      .regex(/^\S{16,}$/, 'must be at least 16 characters without spaces')
      .optional(),
    shown: 'generated',
    about: 'token of the first site administrator; read only when the database is empty',
  },
  SIGNING_SECRET: {
    schema: z
      .string()
      .pipe(words)
      .refine((secrets) => secrets.length > 0 && secrets.every(({ length }) => length >= 32), {
        error: 'must be at least 32 characters, or several such secrets separated by commas',
      })
      .optional(),
    shown: 'generated into DATA_DIR',
    about:
      'comma-separated secrets that sign capability URLs and encrypt stored secrets; the first is used, the others are still accepted; required when instances share a database',
  },
  MAX_ARCHIVE_BYTES: { schema: count, fallback: '104857600', about: 'largest upload in bytes' },
  MAX_UNPACKED_BYTES: { schema: count, fallback: '536870912', about: 'largest unpacked size of an upload in bytes' },
  MAX_ARCHIVE_ENTRIES: {
    schema: count,
    fallback: '100000',
    about: 'maximum number of files and directories in an upload',
  },
  MAX_ORGANIZATION_BYTES: {
    schema: z.coerce.number(countOrNone).int(countOrNone).min(0, countOrNone),
    fallback: '0',
    about:
      'most bytes an organization may store: archives of configurations and policies, states, plan artifacts and policy code; 0 disables the limit',
  },
  UPLOAD_URL_SECONDS: {
    schema: count,
    fallback: '90000',
    about: 'lifetime of an upload URL; it also ends when the creator of the version loses the right to create versions',
  },
  DOWNLOAD_URL_SECONDS: {
    schema: count,
    fallback: '300',
    about:
      'lifetime of a URL that reads an archive, a state or a log; a log URL stays valid until one minute after the phase ends',
  },
  SOFT_DELETE_DAYS: {
    schema: count.max(36_500, 'must be at most 36500'),
    fallback: '7',
    about: 'days for which soft-deleted backing data can be restored',
  },
  ARCHIVE_AFTER_DAYS: {
    schema: z.coerce.number(daysOrNone).int(daysOrNone).min(0, daysOrNone).max(36_500, daysOrNone),
    fallback: '0',
    about: 'archives unused configuration versions older than this many days; 0 disables it',
  },
  AUDIT_DAYS: {
    schema: z.coerce.number(daysOrNone).int(daysOrNone).min(0, daysOrNone).max(36_500, daysOrNone),
    fallback: '365',
    about: 'retention of audit events; 0 keeps them indefinitely',
  },
  RATE_LIMIT_PER_SECOND: {
    // Clients throttle themselves to a third of the limit, and a third of 3 allows no request.
    schema: z.coerce
      .number(usableLimit)
      .int(usableLimit)
      .refine((limit) => limit === 0 || limit > 3, usableLimit),
    fallback: '30',
    about:
      'requests per second for each user, team, organization, audit token and agent token, and for each address without a valid token; 0 disables the limit',
  },
  MAX_TOKENS_PER_USER: {
    schema: z.coerce.number(countOrNone).int(countOrNone).min(0, countOrNone),
    fallback: '100',
    about: 'most API tokens per user, expired ones included; 0 disables the limit',
  },
  OIDC_ISSUER: {
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an https:// URL' })
      .refine((url) => url.startsWith('https:') || isLoopback(new URL(url).hostname), 'must be an https:// URL')
      .refine((url) => !/[?#]|^https?:\/\/[^/]*@/.test(url), 'must not contain a user, a query or a fragment')
      .optional(),
    shown: 'none',
    about:
      'URL of the OpenID Connect provider with which people sign in, exactly as the provider names itself; without it, people cannot sign in',
  },
  OIDC_CLIENT_ID: {
    schema: z.string().optional(),
    shown: 'none',
    about:
      'id of this service at the provider; its redirect URI is PUBLIC_URL/session/callback; required with OIDC_ISSUER',
  },
  OIDC_CLIENT_SECRET: {
    schema: z.string().optional(),
    shown: 'none',
    about: 'secret of this service at the provider; required with OIDC_ISSUER',
  },
  OIDC_SCOPES: {
    schema: z
      .string()
      .refine(
        (scopes) =>
          scopes.split(' ').includes('openid') &&
          /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scopes),
        'must be scopes separated by single spaces, openid among them',
      ),
    fallback: 'openid email profile',
    about: 'scopes requested from the provider, separated by spaces',
  },
  OIDC_GROUPS_CLAIM: {
    schema: z.string().max(255, 'must be at most 255 characters').optional(),
    shown: 'none',
    about:
      'claim that lists the groups of a person, which owners map to teams; without it, memberships do not follow groups',
  },
  OIDC_CREATE_USERS: {
    schema: z.enum(['on', 'off']).transform((word) => word === 'on'),
    fallback: 'off',
    about: 'on creates a user at sign-in for an unknown person whose e-mail address the provider has verified',
  },
  SESSION_HOURS: {
    schema: count.max(8_760, 'must be at most 8760'),
    fallback: '12',
    about: 'hours after which a person must sign in again',
  },
  EDITION: {
    schema: z.enum(['self-hosted', 'hosted']),
    fallback: 'self-hosted',
    about: 'self-hosted, or hosted, which disables the backing-data actions',
  },
  VCS_CREDENTIALS_DIR: {
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
    shown: 'none',
    about: 'directory with one file per repository credential; each file names the URL prefix that may receive it',
  },
  VCS_ALLOWED_HOSTS: {
    schema: hosts,
    fallback: '',
    shown: 'none',
    about: 'comma-separated hosts to fetch from even though their addresses are private',
  },
  RUN_TASK_ALLOWED_HOSTS: {
    schema: hosts,
    fallback: '',
    shown: 'none',
    about:
      'comma-separated hosts of run tasks to call even though their addresses are private, and without TLS where the URL has http://',
  },
  NOTIFICATION_ALLOWED_HOSTS: {
    schema: hosts,
    fallback: '',
    shown: 'none',
    about: 'the same for the receivers of notifications',
  },
  STOP_DELAY_SECONDS: {
    schema: z.coerce.number(wholeNumber).int(wholeNumber).min(0, wholeNumber).max(3600, 'must be at most 3600'),
    fallback: '0',
    about: 'how long to keep serving after SIGTERM while /readyz returns 503, so that load balancers notice',
  },
  METRICS_TOKEN: {
    schema: z
      .string()
      .regex(/^\S{16,}$/, 'must be at least 16 characters without spaces')
      .optional(),
    shown: 'none',
    about:
      'bearer token for /metrics; without it, /metrics exists only while HOST and PUBLIC_URL are loopback and no proxy is trusted',
  },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    about: 'fatal, error, warn, info, debug, trace or silent',
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

/** The validated configuration, one property per variable. */
export type Config = { readonly [Name in keyof Settings]: z.output<Settings[Name]['schema']> };

/** An invalid environment. The message lists every fault, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(
      `the configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

export const isLoopback = (host: string): boolean => /^(localhost|\[?::1\]?|127(\.\d+){3})$/.test(host);

/** Whether the service is meant for this machine only, and no proxy exposes it. */
export const isForThisMachine = ({ HOST, PUBLIC_URL, TRUSTED_PROXIES }: Config): boolean =>
  isLoopback(HOST) &&
  (PUBLIC_URL === undefined || isLoopback(new URL(PUBLIC_URL).hostname)) &&
  TRUSTED_PROXIES.length === 0;

/** Throws `ConfigError`. An empty variable counts as unset. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings) as [string, Setting][]) {
    const given = environment[name] === '' ? undefined : environment[name];
    const result = setting.schema.safeParse(given ?? setting.fallback);
    if (result.success) values[name] = result.data;
    else faults.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  const config = values as unknown as Config;
  if (
    config.HOST !== undefined &&
    !isLoopback(config.HOST) &&
    config.PUBLIC_URL === undefined &&
    !environment.PUBLIC_URL
  ) {
    faults.push('PUBLIC_URL: required if HOST is not a loopback address');
  }
  if (config.ARCHIVE_STORE === 's3' && config.S3_BUCKET === undefined) {
    faults.push('S3_BUCKET: required with ARCHIVE_STORE=s3');
  }
  if (environment.DATABASE_DIRECT_URL && !environment.DATABASE_URL) {
    faults.push('DATABASE_URL: required with DATABASE_DIRECT_URL');
  }
  const together = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  if (together.some((name) => environment[name])) {
    for (const name of together) if (!environment[name]) faults.push(`${name}: required to sign people in`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** How Postgres is reached, apart from `DATABASE_URL`. */
export const postgresPlace = ({ DATABASE_DIRECT_URL: directUrl, DATABASE_POOLING: pooling }: Config) => ({
  directUrl,
  pooling,
});

/** The settings as rows of name, default and meaning. */
export const settingRows = (): readonly (readonly [string, string, string])[] =>
  (Object.entries(settings) as [string, Setting][]).map(([name, { fallback, shown, about }]) => [
    name,
    shown ?? fallback ?? '',
    about,
  ]);

/** The settings as aligned lines. */
export function settingsTable(): string {
  const rows = settingRows();
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  return rows
    .map(([name, value, about]) => `  ${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${about}`)
    .join('\n');
}

export const helpPage = (): string =>
  [
    'Usage: npm start [-- --help]',
    '',
    'Starts Gatehouse. Configured by environment variables:',
    '',
    settingsTable(),
    '',
  ].join('\n');
