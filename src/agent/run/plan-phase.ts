import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Artifact } from '../service/leased-run.js';
import { LeaseLost, ServiceRefused } from '../service/service-client.js';
import type { Execution } from './execution.js';
import { countsOf, generatesConfiguration, redacted } from './plan-json.js';
import { evaluatePolicies } from './policies.js';
import { begin, failureOf, type Prepared, prepare } from './prepare.js';
import type { Variables } from './variables.js';

/** The files of a plan that its apply needs, by their names in the archive. */
export const planned = {
  plan: 'plan.tfplan',
  lockFile: '.terraform.lock.hcl',
  /** The directory the plan was made in: the workspace's setting may change before the apply. */
  workingDirectory: 'working-directory',
  /** The workspace's name, under which the plan expects its state: the workspace may be renamed before the apply. */
  workspace: 'workspace',
} as const;

/** Plans a run, evaluates its policies, and reports both. */
export async function planRun(x: Execution): Promise<void> {
  const program = await begin(x);
  const workingDirectoryName = x.job.workspace['working-directory'] ?? '';
  const prepared = await prepare(x, program, { workingDirectoryName, workspace: x.job.workspace.name });
  const { terraform, directory, variables } = prepared;
  const file = x.directory.at('out', planned.plan);
  const flags = ['-input=false', '-no-color', '-detailed-exitcode', `-out=${file}`];
  const plan = await terraform.run(['plan', ...flags, ...flagsOf(x, variables)], (chunk) => x.log.write(chunk));
  if (plan.stopped !== undefined || (plan.code !== 0 && plan.code !== 2)) throw failureOf(x, 'plan', plan);

  const json = await printed(x, prepared, 'plan.json', 'show', '-json', file);
  const schemas = await printed(x, prepared, 'schemas.json', 'providers', 'schema', '-json');
  const { resources, generatedConfiguration } = await writeRedacted(x, json, schemas);
  await archive(x, directory, workingDirectoryName);
  await upload(x, 'plan-json', json);
  await upload(x, 'plan-json-redacted', x.directory.at('plan', 'redacted.json'));
  await x.run.upload('plan-file', x.directory.at('plan.tar.gz'));

  // Before the plan is reported as finished, since clients then stop reading its log, which includes the policy
  // failures.
  const evaluations = await evaluatePolicies(x, json);
  await x.log.flush();
  await x.run.reportPhase({ status: 'finished', hasChanges: plan.code === 2, generatedConfiguration, resources });
  for (const { id, version, sets } of evaluations) await x.run.reportPolicies(id, version, sets);
}

function flagsOf({ job: { run }, directory }: Execution, variables: Variables): readonly string[] {
  return [
    ...(run['is-destroy'] ? ['-destroy'] : []),
    ...(run.refresh ? [] : ['-refresh=false']),
    ...(run['refresh-only'] ? ['-refresh-only'] : []),
    ...(run['allow-config-generation'] ? [`-generate-config-out=${directory.at('out', 'generated.tf')}`] : []),
    ...(run['target-addrs'] ?? []).map((address) => `-target=${address}`),
    ...(run['replace-addrs'] ?? []).map((address) => `-replace=${address}`),
    ...variables.files.map((file) => `-var-file=${file}`),
  ];
}

/** Runs a command with its output in a file. */
async function printed(
  x: Execution,
  { terraform }: Prepared,
  name: string,
  ...args: readonly string[]
): Promise<string> {
  const file = x.directory.at('plan', name);
  const ran = await terraform.runInto(file, args);
  if (ran.stopped === undefined && ran.code === 0) return file;
  x.log.write(`${ran.printed}`);
  throw failureOf(x, args.join(' '), ran);
}

async function writeRedacted(x: Execution, plan: string, schemas: string) {
  const [json, ofProviders] = await Promise.all(
    [plan, schemas].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
  );
  const shown = JSON.stringify(redacted(json, ofProviders, x.secrets));
  await writeFile(x.directory.at('plan', 'redacted.json'), shown, { mode: 0o600 });
  return { resources: countsOf(json), generatedConfiguration: generatesConfiguration(json) };
}

async function archive(x: Execution, directory: string, workingDirectoryName: string): Promise<void> {
  const tar = pack();
  const writing = pipeline(tar, createGzip(), createWriteStream(x.directory.at('plan.tar.gz'), { mode: 0o600 }));
  const files = [
    [planned.plan, await x.directory.taken(x.directory.at('out', planned.plan), 'plan', planned.plan)],
    // Without providers to install, there is no lock file.
    [planned.lockFile, await x.directory.taken(join(directory, planned.lockFile), 'plan', planned.lockFile)],
  ] as const;
  tar.entry({ name: planned.workingDirectory }, workingDirectoryName);
  tar.entry({ name: planned.workspace }, x.job.workspace.name);
  for (const [name, path] of files) {
    if (path === undefined) continue;
    const { size } = await stat(path);
    await pipeline(createReadStream(path), tar.entry({ name, size }));
  }
  tar.finalize();
  await writing;
}

/** For display only: a plan too large to upload in this form can still be applied. */
async function upload(x: Execution, name: Artifact, file: string): Promise<void> {
  await x.run.upload(name, file).catch((error: unknown) => {
    if (!(error instanceof ServiceRefused) || error instanceof LeaseLost) throw error;
    x.log.write(`\nWarning: the service did not accept the JSON plan (${name}): ${error.message}\n`);
  });
}
