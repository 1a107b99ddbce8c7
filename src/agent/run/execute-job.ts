import type { Bounds } from '../programs/child-process.js';
import { Heartbeat } from '../service/heartbeat.js';
import { type Job, sensitiveParametersOf } from '../service/job.js';
import { LeasedRun, type PhaseReport } from '../service/leased-run.js';
import { printable } from '../service/printable.js';
import { RunLog } from '../service/run-log.js';
import { Secrets } from '../service/secrets.js';
import { LeaseLost, type ServiceClient } from '../service/service-client.js';
import type { Settings } from '../settings.js';
import { applyRun } from './apply-phase.js';
import { AgentStopped, Canceled, type Execution, RunFailure } from './execution.js';
import { planRun } from './plan-phase.js';
import { heading } from './prepare.js';
import { RunDirectory } from './run-directory.js';

export interface Dependencies {
  readonly client: ServiceClient;
  readonly settings: Settings;
  /** The agent's token. */
  readonly token: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted on the first request to stop, and on the second. */
  readonly stopping: AbortSignal;
  readonly killing: AbortSignal;
  readonly print: (line: string) => void;
}

/** Killing a plan loses nothing. */
const planGraceSeconds = 5;
const longestMessage = 4096;

/** Executes one phase of a run and reports its result. Never rejects. */
export async function executeJob(job: Job, dependencies: Dependencies): Promise<void> {
  const { client, settings, token, print } = dependencies;
  const run = new LeasedRun(client, job);
  // First, because the lease may expire while long secrets are prepared for masking.
  const heartbeat = new Heartbeat(run);
  const ends = endsOf(job, run, heartbeat, dependencies);
  const secrets = await Secrets.of(job.workspace.variables, ownSecretsOf(job, token)).catch((error: unknown) => {
    ends.clear();
    heartbeat.stop();
    throw error;
  });
  const log = new RunLog(run, secrets, print);
  let directory: RunDirectory | undefined;
  try {
    directory = await RunDirectory.create(settings.AGENT_WORK_DIR, job, settings.AGENT_RUN_AS);
    const x = { job, run, log, secrets, directory, settings, environment: dependencies.environment, ...ends, print };
    await (job.phase === 'plan' ? planRun(x) : applyRun(x));
    print(`${job.run.id}: ${job.phase} finished`);
  } catch (error) {
    await reportEnd(error, { job, run, log, secrets, print }).catch((failure: Error) =>
      print(`${job.run.id}: reporting stopped: ${failure.message}`),
    );
  } finally {
    ends.clear();
    log.stop();
    heartbeat.stop();
    await directory
      ?.remove()
      .catch((error: Error) => print(`${directory?.path} could not be removed: ${error.message}`));
  }
}

/** The last segment of the URL is a right of the run. */
const ownSecretsOf = (job: Job, token: string): readonly string[] => {
  const { lease, 'shared-states-url': url } = job;
  const signature = url === null ? [] : [url.slice(url.lastIndexOf('/') + 1)];
  return [token, lease.token, ...signature, ...sensitiveParametersOf(job)];
};

/** The signals and the deadline that end the run's programs. */
function endsOf(job: Job, run: LeasedRun, { canceled }: Heartbeat, { settings, stopping, killing }: Dependencies) {
  const interrupt = new AbortController();
  const kill = new AbortController();
  const stopped = new AgentStopped('the agent was stopped');
  let timer: NodeJS.Timeout | undefined;
  const when = (signal: AbortSignal, act: () => void) => {
    if (signal.aborted) act();
    else signal.addEventListener('abort', act, { once: true });
  };
  when(run.lost, () => interrupt.abort(run.lost.reason));
  when(canceled, () => interrupt.abort(new Canceled('the run was canceled')));
  when(stopping, () => {
    // Another agent can repeat a plan; an apply should finish what it has begun.
    if (job.phase === 'plan') {
      run.abandon(stopped);
      interrupt.abort(stopped);
    } else {
      timer = setTimeout(() => interrupt.abort(stopped), settings.AGENT_CANCEL_SECONDS * 1000);
    }
  });
  when(killing, () => {
    interrupt.abort(stopped);
    kill.abort(stopped);
  });
  const megabyte = 1024 * 1024;
  const bounds: Bounds = {
    deadline: performance.now() + settings.AGENT_PHASE_SECONDS * 1000,
    memoryBytes: settings.AGENT_MEMORY_MB * megabyte,
    outputBytes: settings.AGENT_OUTPUT_MB * megabyte,
    graceSeconds: job.phase === 'plan' ? planGraceSeconds : settings.AGENT_CANCEL_SECONDS,
    interrupt: interrupt.signal,
    kill: kill.signal,
  };
  return { bounds, clear: () => clearTimeout(timer) };
}

async function reportEnd(
  error: unknown,
  { job, run, log, secrets, print }: Pick<Execution, 'job' | 'run' | 'log' | 'secrets' | 'print'>,
): Promise<void> {
  const of = `${job.run.id}: ${job.phase}`;
  if (error instanceof LeaseLost || run.lost.aborted) {
    print(`${of} stopped: the run no longer belongs to this agent`);
    return;
  }
  if (error instanceof AgentStopped && job.phase === 'plan') {
    // The lease is left to expire: reporting a failure would end the run.
    print(`${of} stopped; another agent will claim the run`);
    return;
  }
  const report = endOf(error, secrets);
  if (log.isEmpty) log.write(heading('Gatehouse agent', `${process.platform}_${process.arch}`));
  if (report.status === 'errored') {
    print(`${of} failed: ${report.message}`);
    log.write(`\n${report.message}\n`);
  } else {
    print(`${of} was canceled`);
    log.write('\nThe run was canceled.\n');
  }
  await log.flush();
  await run.reportPhase(report);
}

function endOf(error: unknown, secrets: Secrets): PhaseReport & { readonly status: 'errored' | 'canceled' } {
  if (error instanceof Canceled) return { status: 'canceled' };
  const { message } = error as Error;
  const known = error instanceof RunFailure || error instanceof AgentStopped;
  const text = known ? message : `The agent failed: ${message}`;
  return { status: 'errored', message: printable(secrets.masked(text)).slice(0, longestMessage).toWellFormed() };
}
