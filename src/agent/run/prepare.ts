import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bareEnvironment, terraformEnvironment } from '../programs/environment.js';
import { findTerraform, noTerraform, type TerraformProgram } from '../programs/find-programs.js';
import { firstErrorIn, type Ran, Terraform } from '../programs/terraform.js';
import { satisfies } from '../programs/version-constraints.js';
import { writeCliConfig } from './cli-config.js';
import { digestOf, fetched, forgetFormerRuns, replaceBackend, workingDirectory } from './configuration.js';
import type { Environment, Evaluating, Execution } from './execution.js';
import { RunFailure } from './execution.js';
import { knownStateFile, stateFileOf } from './run-directory.js';
import { type Variables, writeVariables } from './variables.js';

export interface Prepared {
  readonly terraform: Terraform;
  readonly directory: string;
  readonly variables: Variables;
  readonly stateFile: string;
  /** The MD5 of the state before the run; undefined without one. */
  readonly stateBefore: string | undefined;
}

export const bareEnvironmentOf = (x: Pick<Evaluating, 'environment' | 'directory'>): Environment =>
  bareEnvironment(x.environment, x.directory.at('home'), x.directory.temporary);

/** Finds the program and begins the log with its version. */
export async function begin(x: Execution): Promise<TerraformProgram> {
  const program = await findTerraform(x.settings, bareEnvironmentOf(x));
  if (program === undefined) throw new RunFailure(noTerraform(x.settings));
  const { title, version, platform } = program;
  x.log.write(heading(`${title} v${version}`, platform));
  const asked = x.job.workspace['terraform-version'];
  if (asked === null || asked === 'latest') return program;
  if (satisfies(version, asked)) return program;
  if (!/^\d[^,]*$/.test(asked)) {
    throw new RunFailure(
      `The workspace requires ${title} ${asked}, but the agent has ${version}. Install another version on the agent's machine, or change the terraform-version of the workspace`,
    );
  }
  // Not a refusal: a command that creates a workspace sets its own version, and tofu's differ from terraform's.
  x.log.write(`\nWarning: the workspace requires version ${asked}, but the agent runs ${version}.\n`);
  return program;
}

/** Clients skip the first three lines of an apply's log, whatever they contain. */
export const heading = (program: string, platform: string): string =>
  `${program}\non ${platform}\nInitializing plugins and modules...\n`;

/** Downloads the run's files and its state, and initializes terraform. */
export async function prepare(
  x: Execution,
  program: TerraformProgram,
  {
    workingDirectoryName,
    workspace,
    lockFile,
  }: { readonly workingDirectoryName: string; readonly workspace: string; readonly lockFile?: string },
): Promise<Prepared> {
  const bare = bareEnvironmentOf(x);
  await fetched(x, x.job.configuration.url, 'configuration');
  const directory = await workingDirectory(x, workingDirectoryName);
  const stateFile = x.directory.at(...stateFileOf(workspace));
  // Terraform sees a workspace once its directory exists.
  await mkdir(dirname(stateFile), { recursive: true, mode: 0o700 });
  await forgetFormerRuns(directory);
  await replaceBackend(directory, x.directory.at('state'));
  if (lockFile !== undefined) await copyFile(lockFile, `${directory}/.terraform.lock.hcl`);
  if (x.job.state !== null) {
    await x.run.download(x.job.state.url, stateFile);
    if ((await digestOf(stateFile, 'md5')) !== x.job.state.md5)
      throw new RunFailure('The state was damaged on its way to the agent');
    await writeFile(x.directory.at(knownStateFile), x.job.state.md5, { mode: 0o600 });
  }

  const variables = await writeVariables(x.job, directory, (name) => x.directory.at('variables', name));
  for (const file of variables.files) await x.directory.give(file);
  const environment = {
    ...variables.environment,
    ...terraformEnvironment(x.environment, bare, x.settings, x.job.workspace.variables, await writeCliConfig(x)),
    TF_WORKSPACE: workspace,
    ...(x.job.run['debugging-mode'] && { TF_LOG: 'TRACE' }),
  };
  await x.directory.open();
  const user = x.settings.AGENT_RUN_AS;
  const terraform = new Terraform(program, { directory, environment, bounds: x.bounds, user });
  const init = await terraform.run(['init', '-input=false', '-no-color']);
  if (init.code !== 0) {
    x.log.write(`${init.printed}`);
    throw failureOf(x, 'init', init);
  }
  return { terraform, directory, variables, stateFile, stateBefore: x.job.state?.md5 };
}

const longestFailure = 1024;

/** The failure of a run that ended this way; its log already contains the program's own message. */
export function failureOf(x: Execution, command: string, { stopped, code, printed }: Ran): Error {
  const because = stopped?.message ?? firstErrorIn(printed) ?? `it exited with ${code ?? 'a signal'}`;
  if (stopped !== undefined && stopped.name !== 'BoundReached') return stopped;
  return new RunFailure(x.secrets.masked(`terraform ${command} failed: ${because}`).slice(0, longestFailure));
}
