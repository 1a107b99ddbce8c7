import { copyFile } from 'node:fs/promises';
import { bareEnvironment, terraformEnvironment } from '../programs/environment.js';
import { findTerraform, noTerraform } from '../programs/find-programs.js';
import { firstErrorIn, type Ran, Terraform } from '../programs/terraform.js';
import { digestOf, fetched, forgetFormerRuns, replaceBackend, workingDirectory } from './configuration.js';
import type { Environment, Execution } from './execution.js';
import { RunFailure } from './run-failure.js';
import { type Variables, writeVariables } from './variables.js';

export interface Prepared {
  readonly terraform: Terraform;
  readonly directory: string;
  readonly variables: Variables;
  readonly stateFile: string;
  /** MD5 of the state as it was brought; undefined where there was none. */
  readonly stateBefore: string | undefined;
}

export const bareEnvironmentOf = (x: Execution): Environment =>
  bareEnvironment(x.environment, x.directory.at('home'), x.directory.at('tmp'));

/** The files of the run in their places, its state beside them, and terraform initialized there. */
export async function prepare(x: Execution, workingDirectoryName: string, lockFile?: string): Promise<Prepared> {
  const bare = bareEnvironmentOf(x);
  const program = await findTerraform(x.settings, bare);
  if (program === undefined) throw new RunFailure(noTerraform(x.settings));
  const { title, version, platform } = program;
  // Clients drop the first three lines of an apply's log.
  x.log.write(`${title} v${version}\non ${platform}\nInitializing plugins and modules...\n`);
  const asked = x.job.workspace['terraform-version'];
  if (asked !== null && /^\d+\.\d+\.\d+/.test(asked) && asked !== version) {
    x.log.write(`\nWarning: the workspace asks for version ${asked}, and the agent runs ${version}.\n`);
  }

  await fetched(x, x.job.configuration.url, 'configuration');
  const directory = await workingDirectory(x, workingDirectoryName);
  const stateFile = x.directory.at('state', 'terraform.tfstate');
  await forgetFormerRuns(directory);
  await replaceBackend(directory, stateFile);
  if (lockFile !== undefined) await copyFile(lockFile, `${directory}/.terraform.lock.hcl`);
  if (x.job.state !== null) {
    await x.run.download(x.job.state.url, stateFile);
    if ((await digestOf(stateFile, 'md5')) !== x.job.state.md5)
      throw new RunFailure('The state came to the agent damaged');
  }

  const variables = await writeVariables(x.job, directory, (name) => x.directory.at('variables', name));
  const environment = {
    ...(x.job.phase === 'plan' ? variables.environment : {}),
    ...terraformEnvironment(x.environment, bare, x.settings, x.job.workspace.variables),
  };
  const terraform = new Terraform(program, { directory, environment, bounds: x.bounds });
  const init = await terraform.run(['init', '-input=false', '-no-color']);
  if (init.code !== 0) {
    x.log.write(`${init.printed}`);
    throw failureOf(x, 'init', init);
  }
  return { terraform, directory, variables, stateFile, stateBefore: x.job.state?.md5 };
}

/** What a run that ended this way fails with; its log has the program's own words already. */
export function failureOf(x: Execution, command: string, { stopped, code, printed }: Ran): Error {
  const because = stopped?.message ?? firstErrorIn(printed) ?? `it ended with ${code ?? 'a signal'}`;
  if (stopped !== undefined && stopped.name !== 'BoundReached') return stopped;
  return new RunFailure(x.secrets.masked(`terraform ${command} failed: ${because}`));
}
