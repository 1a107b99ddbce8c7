import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Bounds } from '../programs/child-process.js';
import type { Code, Opa } from '../programs/opa.js';
import type { Policy, TrialJob } from '../service/job.js';
import { LeasedTrial, type TrialPolicyReport, type TrialSetReport } from '../service/leased-trial.js';
import { Secrets } from '../service/secrets.js';
import type { Dependencies } from './execute-job.js';
import type { Evaluating } from './execution.js';
import { type Common, commonOf, judged, opaOf, reportOf } from './policies.js';
import { RunDirectory } from './run-directory.js';
import { trialInput, unknownIn } from './trial-input.js';

/** The time of one plan, with all policies. */
const planSeconds = 10;
/** Within the 5 seconds after which a waiting run is claimed, with the time between two heartbeats. */
const graceSeconds = 1;
/** Below the service's limit of 1 MiB for a report. */
const outputBytes = 768 * 1024;
const longestReason = 4096;

/**
 * Evaluates the plans of one workspace with the code of a policy trial, and reports each. Ends when a run waits for the
 * agent: another agent, or this one, goes on later. Never rejects.
 */
export async function executeTrial(job: TrialJob, dependencies: Dependencies): Promise<void> {
  const { client, settings, token, print, environment, stopping, killing } = dependencies;
  const { id, plans, workspace } = job['policy-trial'];
  const trial = new LeasedTrial(client, job);
  const stop = () => trial.stop(new Error('the agent was stopped'));
  stopping.addEventListener('abort', stop, { once: true });
  const megabyte = 1024 * 1024;
  const bounds = (seconds: number): Bounds => ({
    deadline: performance.now() + seconds * 1000,
    memoryBytes: settings.AGENT_MEMORY_MB * megabyte,
    outputBytes: settings.AGENT_OUTPUT_MB * megabyte,
    graceSeconds,
    interrupt: trial.ended,
    kill: killing,
  });
  let directory: RunDirectory | undefined;
  try {
    print(`${id}: policy trial, ${plans.length} plans of ${workspace.organization}/${workspace.name}`);
    directory = await RunDirectory.create(
      settings.AGENT_WORK_DIR,
      { phase: 'trial', run: { id } },
      settings.AGENT_RUN_AS,
    );
    const secrets = await Secrets.of([], [token, job.lease.token]);
    // Messages are in the reports.
    const log = { write: () => undefined };
    const x = { run: trial, log, secrets, directory, settings, environment, bounds: bounds(planSeconds) };
    await directory.open();
    await evaluated(x, job, bounds, trial);
    print(`${id}: policy trial, evaluated`);
  } catch (error) {
    print(`${id}: policy trial ended: ${(trial.ended.reason ?? error).message}`);
  } finally {
    stopping.removeEventListener('abort', stop);
    trial.stop(new Error('the trial has ended'));
    await directory
      ?.remove()
      .catch((error: Error) => print(`${directory?.path} could not be removed: ${error.message}`));
  }
}

async function evaluated(
  x: Evaluating,
  { 'policy-trial': trial }: TrialJob,
  bounds: (seconds: number) => Bounds,
  leased: LeasedTrial,
): Promise<void> {
  const { opa } = await opaOf(x);
  if (opa === undefined) throw new Error('OPA is missing');
  const set = trial['policy-set'];
  const common = await commonOf(x, set);
  const share = outputBytes / Math.max(1, set.policies.length);
  const known = new Map<Policy, Promise<readonly (readonly string[])[] | undefined>>();
  const file = x.directory.at('policies', 'input.json');
  for (const plan of trial.plans) {
    await leased.download(plan.url, file);
    const input = trialInput(JSON.parse(await readFile(file, 'utf8')), plan, trial);
    await writeFile(file, JSON.stringify(input.input), { mode: 0o600 });
    await x.directory.give(file);
    const within = { ...x, bounds: bounds(planSeconds) };
    const limited = opa.within(within.bounds);
    const inV0 = new Set<string>();
    const report = await reportOf(
      within,
      set,
      common,
      async (policy, shared) => {
        const said = await judged(within, limited, policy, shared, file);
        if (said.asV0) inV0.add(policy.name);
        return said;
      },
      share,
    );
    const policies: TrialPolicyReport[] = [];
    for (const policy of set.policies) {
      const said = report.policies?.find(({ name }) => name === policy.name);
      if (said === undefined || typeof common === 'string') continue;
      // The same for every plan, in time of its own.
      const reads =
        known.get(policy) ?? readsOf(x, opa.within(bounds(planSeconds)), policy, common, inV0.has(policy.name));
      known.set(policy, reads);
      const reason = whyUnknown(await reads, said.status, (found) => unknownIn(found, input));
      policies.push(reason === undefined ? said : { ...said, 'not-comparable': reason.slice(0, longestReason) });
    }
    const full: TrialSetReport = { ...report, ...(report.policies && { policies }) };
    await leased.report(plan.url, opa.version, full);
  }
}

/** Code that does not compile is errored whatever the input is. */
function whyUnknown(
  reads: readonly (readonly string[])[] | undefined,
  status: TrialPolicyReport['status'],
  unknown: (reads: readonly (readonly string[])[]) => string | undefined,
): string | undefined {
  if (reads !== undefined) return unknown(reads);
  return status === 'errored' ? undefined : 'OPA cannot determine what the policy reads of the plan';
}

async function readsOf(x: Evaluating, opa: Opa, policy: Policy, { tree, parameters, rego }: Common, asV0: boolean) {
  if (tree === undefined || policy.query === null) return undefined;
  const files = rego === 'v0' || asV0 ? await convertedTo(x, opa, tree.files) : tree.files;
  const code: Code = { files, data: parameters === undefined ? [] : [parameters] };
  return opa.reads(code, policy.query);
}

/** Copies in Rego v1, which `opa deps` reads. */
async function convertedTo(x: Evaluating, opa: Opa, files: readonly string[]): Promise<readonly string[]> {
  const directory = x.directory.at('policies', 'as-v1');
  await mkdir(directory, { mode: 0o700, recursive: true });
  const copies: string[] = [];
  for (const [index, file] of files.entries()) {
    const copy = x.directory.at('policies', 'as-v1', `${index}.rego`);
    await writeFile(copy, (await opa.asV1(file)) ?? (await readFile(file)), { mode: 0o600 });
    copies.push(copy);
  }
  await x.directory.giveTree(directory, copies);
  return copies;
}
