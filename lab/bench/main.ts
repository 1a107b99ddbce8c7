import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chartOf } from './chart.js';
import type { BenchGroup, Finding } from './finding.js';
import { growth, organization } from './growth.js';
import { layers } from './layers.js';
import { machine, postgresVersion } from './machine.js';
import { processes } from './processes.js';
import { reads } from './reads.js';
import { removals } from './removals.js';
import { type GroupReport, headlines, inserted, line, type Report, textOf } from './report.js';
import { dropDatabases } from './seeded.js';
import { root, stopAll, stopPostgres } from './servers.js';
import { sizing } from './sizing.js';
import { start } from './start.js';
import { streams } from './streams.js';
import { uploads } from './uploads.js';
import { writes } from './writes.js';

const groups: readonly BenchGroup[] = [
  reads,
  layers,
  writes,
  streams,
  uploads,
  growth,
  organization,
  removals,
  sizing,
  start,
  processes,
];

const help = `npm run bench -- [--quick] [--only ${groups.map(({ name }) => name).join(',')}] [--json FILE] [--docs]

Measures the built service against baselines, in turn, on loopback. Needs only what npm installs.
--quick takes less than four minutes. The results are written as JSON to FILE, or to a new file whose name is printed,
and next to it as a chart in SVG. --docs also writes the table of docs/performance.md and its chart.
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const page = join(root, 'docs/performance.md');

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function chosen(): readonly BenchGroup[] {
  if (values.only === undefined) return groups;
  return values.only.split(',').map((name) => {
    const group = groups.find((known) => known.name === name);
    if (group === undefined) throw new Error(`there is no group ${name}`);
    return group;
  });
}

async function measured(group: BenchGroup, directory: string): Promise<GroupReport> {
  const begun = performance.now();
  const findings: Finding[] = [];
  let broken: string | undefined;
  print(`\n${group.title}`);
  try {
    for await (const finding of group.run({ quick: values.quick, print, directory })) {
      findings.push(finding);
      print(`  ${line(finding)}`);
    }
  } catch (error) {
    // The other groups take minutes and do not depend on this one.
    process.exitCode = 1;
    broken = (error as Error).message;
    print(`  BROKEN: ${(error as Error).stack ?? error}`);
  }
  const seconds = (performance.now() - begun) / 1_000;
  const { name, title } = group;
  return { name, title, seconds, findings, ...(broken === undefined ? {} : { broken }) };
}

/** JSON and chart, side by side. */
async function write(report: Report, file: string): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
  const chart = `${file.replace(/\.json$/, '')}.svg`;
  await writeFile(chart, chartOf(report));
  print(`written to ${file} and ${chart}`);
}

async function bench(directory: string): Promise<void> {
  if (values.docs && (values.quick || values.only !== undefined)) throw new Error('--docs is for all groups, in full');
  const before = machine();
  const file = values.json ?? join(tmpdir(), `gatehouse-bench-${Date.now()}.json`);
  // Fails early if the results could not be written.
  await access(dirname(resolve(file)), constants.W_OK);
  if (values.docs) inserted(await readFile(page, 'utf8'), { machine: before, groups: [] });
  const reports: GroupReport[] = [];
  for (const group of chosen()) reports.push(await measured(group, directory));
  const postgres = process.env.TEST_POSTGRES_URL;
  const report: Report = {
    machine: {
      ...before,
      ...(postgres === undefined ? {} : { postgres: await postgresVersion(postgres) }),
      rounds: values.quick ? 'few and short (--quick)' : 'all',
    },
    groups: reports,
  };
  print(`\n${textOf(report)}\n`);
  await write(report, file);
  if (!values.docs) return;
  const shown = headlines(report);
  await writeFile(page, inserted(await readFile(page, 'utf8'), shown));
  await writeFile(join(root, 'docs/performance.svg'), chartOf(shown));
}

async function main(): Promise<void> {
  if (values.help) return print(help);
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  let cleaning: Promise<void> | undefined;
  const cleanUp = async () => {
    await stopAll();
    await dropDatabases();
    await stopPostgres();
    await rm(directory, { recursive: true, force: true });
  };
  const cleanUpOnce = () => {
    cleaning ??= cleanUp();
    return cleaning;
  };
  const end = (code: number, why?: unknown) => {
    if (cleaning === undefined && why !== undefined) process.stderr.write(`${(why as Error).stack ?? why}\n`);
    void cleanUpOnce().finally(() => process.exit(code));
  };
  process
    .on('SIGINT', () => end(130))
    .on('SIGTERM', () => end(143))
    .on('SIGHUP', () => end(129));
  process.on('uncaughtException', (error) => end(1, error));
  // The reader of the pipe may have exited.
  process.stdout.on('error', () => end(1));
  try {
    await bench(directory);
  } catch (error) {
    end(1, error);
  } finally {
    await cleanUpOnce();
  }
}

await main();
