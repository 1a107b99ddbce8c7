import type { Bounds } from '../programs/child-process.js';
import type { Job } from '../service/job.js';
import type { LeasedRun } from '../service/leased-run.js';
import type { RunLog } from '../service/run-log.js';
import type { Secrets } from '../service/secrets.js';
import type { Settings } from '../settings.js';
import type { RunDirectory } from './run-directory.js';

export type Environment = Readonly<Record<string, string>>;

/** The context in which policies are evaluated: that of a run, or of a policy trial. */
export interface Evaluating {
  readonly run: Pick<LeasedRun, 'download'>;
  readonly log: Pick<RunLog, 'write'>;
  readonly secrets: Secrets;
  readonly directory: RunDirectory;
  readonly settings: Settings;
  /** The agent's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly bounds: Bounds;
}

/** The context of one run on this agent. */
export interface Execution extends Evaluating {
  readonly job: Job;
  readonly run: LeasedRun;
  readonly log: RunLog;
  readonly print: (line: string) => void;
}

/** The run was canceled on request. */
export class Canceled extends Error {
  override readonly name = 'Canceled';
}

/** The agent is stopping. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
}

/** The reason a run is errored, as a sentence for its readers. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}
