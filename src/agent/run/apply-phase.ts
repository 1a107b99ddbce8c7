import { readFile, stat, writeFile } from 'node:fs/promises';
import type { NewState } from '../service/leased-run.js';
import { digestOf, fetched } from './configuration.js';
import { AgentStopped, Canceled, type Execution, RunFailure } from './execution.js';
import { putAside, stateLeftIn } from './leftovers.js';
import { reportedCounts } from './plan-json.js';
import { planned } from './plan-phase.js';
import { begin, failureOf, type Prepared, prepare } from './prepare.js';
import { knownStateFile } from './run-directory.js';

/** Applies the plan of a run, stores the state even after a failure, and reports the result. */
export async function applyRun(x: Execution): Promise<void> {
  const program = await begin(x);
  const planFile = x.job['plan-file'];
  if (planFile === null) throw new RunFailure('The saved plan of the run is missing. Start a new run');
  await fetched(x, planFile.url, 'plan', planFile.sha256);
  await x.directory.give(x.directory.at('plan', planned.plan));
  const lockFile = x.directory.at('plan', planned.lockFile);
  const locked = (await stat(lockFile).catch(() => undefined)) !== undefined;
  const workingDirectoryName = await readFile(x.directory.at('plan', planned.workingDirectory), 'utf8');
  const workspace = await readFile(x.directory.at('plan', planned.workspace), 'utf8');
  const prepared = await prepare(x, program, { workingDirectoryName, workspace, ...(locked && { lockFile }) });

  const { terraform, variables } = prepared;
  const flags = ['-input=false', '-no-color', ...variables.files.map((file) => `-var-file=${file}`)];
  x.log.write('\n');
  const apply = await terraform.run(['apply', ...flags, x.directory.at('plan', planned.plan)], (chunk) =>
    x.log.write(chunk),
  );
  const kept = await keepState(x, prepared);
  if (apply.stopped instanceof AgentStopped) {
    throw new RunFailure('The agent was stopped during the apply. Check the state before you apply again');
  }
  if (apply.stopped instanceof Canceled) throw apply.stopped;
  if (apply.code !== 0 || apply.stopped !== undefined) throw failureOf(x, 'apply', apply);
  if (!kept)
    throw new RunFailure('The apply finished, but its state could not be stored. The log shows where the state is');
  await x.log.flush();
  await x.run.reportPhase({ status: 'finished', resources: reportedCounts(String(apply.printed)) });
}

/** False if a new state could not be sent to the service. */
async function keepState(x: Execution, { directory, stateFile, stateBefore }: Prepared): Promise<boolean> {
  const file = await stateLeftIn(directory, stateFile, (left) => x.directory.taken(left, 'taken-state')).catch(
    (error: Error) => {
      x.directory.keep();
      const told = `The state could not be read: ${error.message}. It is in ${x.directory.path} on the agent's machine`;
      throw new RunFailure(told);
    },
  );
  if (file === undefined) return true;
  const md5 = await digestOf(file, 'md5');
  if (md5 === stateBefore) return true;
  try {
    const told = await x.run.storeState(await described(file, md5), file);
    if (told !== undefined) x.log.write(`\n${told}\n`);
    await writeFile(x.directory.at(knownStateFile), md5, { mode: 0o600 }).catch(() => undefined);
    return true;
  } catch (error) {
    const path = await putAside(file, x.job.run.id, x.settings.AGENT_WORK_DIR).catch(() => {
      x.directory.keep();
      return file;
    });
    const told = `The state could not be stored: ${(error as Error).message}. It is in ${path} on the agent's machine.`;
    x.print(`${x.job.run.id}: ${told}`);
    x.log.write(`\n${told}\n`);
    return false;
  }
}

interface StateFile {
  readonly serial: number;
  readonly lineage: string;
  readonly outputs?: Readonly<
    Record<string, { readonly type: unknown; readonly value: unknown; readonly sensitive?: boolean }>
  >;
}

/**
 * The outputs come from the file: they equal those of `terraform output -json`, and are available even if terraform was
 * killed.
 */
async function described(file: string, md5: string): Promise<NewState> {
  const bytes = await readFile(file);
  const { serial, lineage, outputs = {} } = JSON.parse(bytes.toString()) as StateFile;
  return {
    serial,
    lineage,
    md5,
    size: bytes.length,
    outputs: Object.entries(outputs).map(([name, { type, value, sensitive = false }]) => ({
      name,
      type,
      value,
      sensitive,
    })),
  };
}
