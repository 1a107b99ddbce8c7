import type { Bounds } from '../programs/child-process.js';
import type { Job } from '../service/job.js';
import type { LeasedRun } from '../service/leased-run.js';
import type { RunLog } from '../service/run-log.js';
import type { Secrets } from '../service/secrets.js';
import type { Settings } from '../settings.js';
import type { RunDirectory } from './run-directory.js';

export type Environment = Readonly<Record<string, string>>;

/** All that belongs to one run in this agent's hands. */
export interface Execution {
  readonly job: Job;
  readonly run: LeasedRun;
  readonly log: RunLog;
  readonly secrets: Secrets;
  readonly directory: RunDirectory;
  readonly settings: Settings;
  /** The agent's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly bounds: Bounds;
  readonly say: (line: string) => void;
}

/** Somebody asked for the run to be canceled. */
export class Canceled extends Error {
  override readonly name = 'Canceled';
}

/** The agent was told to end. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
}

/** Why a run ends as errored, in a sentence for whoever looks at the run. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}
