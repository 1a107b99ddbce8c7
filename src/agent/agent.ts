import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bareEnvironment } from './programs/environment.js';
import { findOpa, findTerraform, noOpa, noTerraform } from './programs/find-programs.js';
import { checkRunUser, refuseSharedUser } from './programs/run-user-checks.js';
import { type Dependencies, executeJob } from './run/execute-job.js';
import { executeTrial } from './run/execute-trial.js';
import { removeLeftovers } from './run/leftovers.js';
import { ServiceClient, ServiceRefused } from './service/service-client.js';
import type { Settings } from './settings.js';

/** The longest time the service lets an agent wait for a run, in seconds. */
const longestWait = 60;
const afterNonsense = 15_000;

/** Claims runs and executes them, one at a time, until it is stopped. Rejects if its token is refused. */
export async function runAgent(
  settings: Settings,
  token: string,
  dependencies: Pick<Dependencies, 'environment' | 'stopping' | 'killing' | 'print'>,
): Promise<void> {
  const { stopping, print, environment } = dependencies;
  const client = new ServiceClient(settings.GATEHOUSE_URL, token, print);
  await checkRunUser(settings);
  await removeLeftovers(settings, dependencies);
  refuseSharedUser(settings);
  const accepts = (await introduce(settings, environment, print)) ? (['policy-trials'] as const) : [];
  while (!stopping.aborted) {
    const job = await client.claim(settings.AGENT_NAME, longestWait, stopping, accepts).catch(async (error: Error) => {
      if (stopping.aborted) return undefined;
      if (error instanceof ServiceRefused && error.status === 401) throw error;
      // The response was not understood; another release may soon serve this address.
      print(`claiming a run failed: ${error.message}`);
      await pause(afterNonsense, undefined, { signal: stopping }).catch(() => undefined);
      return undefined;
    });
    if (job === undefined) continue;
    if ('policy-trial' in job) {
      await executeTrial(job, { ...dependencies, client, settings, token });
      continue;
    }
    print(`${job.run.id}: ${job.phase} of ${job.workspace.organization}/${job.workspace.name}`);
    await executeJob(job, { ...dependencies, client, settings, token });
  }
}

/** Returns whether OPA is there, without which the agent evaluates no policy trials. */
async function introduce(
  settings: Settings,
  environment: Dependencies['environment'],
  print: (line: string) => void,
): Promise<boolean> {
  const { AGENT_WORK_DIR: place } = settings;
  const bare = bareEnvironment(environment, place, place);
  const [terraform, opa] = await Promise.all([findTerraform(settings, bare), findOpa(settings, bare)]);
  print(`agent ${settings.AGENT_NAME} claims runs from ${settings.GATEHOUSE_URL}`);
  print(`runs are executed in ${place}; states that cannot be uploaded are kept in ${join(place, 'lost-state')}`);
  if (settings.AGENT_RUN_AS === undefined) {
    print(
      "warning: configurations run as the agent's own user and can read its token. Run the agent as root with AGENT_RUN_AS to prevent that (docs/agents.md)",
    );
  }
  print(terraform ? `${terraform.title} ${terraform.version} is ${terraform.path}` : noTerraform(settings));
  print(opa ? `OPA ${opa.version} is ${opa.path}` : noOpa(settings));
  return opa !== undefined;
}
