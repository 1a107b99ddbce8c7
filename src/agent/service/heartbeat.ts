import type { LeasedRun } from './leased-run.js';

const every = 15_000;
const afterFailure = 3_000;

/** Keeps the lease of a run, whatever else the agent does, and hears when somebody cancels it. */
export class Heartbeat {
  /** Aborted once somebody asked for the run to be canceled. */
  readonly canceled: AbortSignal;
  private readonly canceling = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly run: LeasedRun) {
    this.canceled = this.canceling.signal;
    void this.beat();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** A lease that cannot be renewed is tried again until the service says that it is lost: it may be the one that is away. */
  private async beat(): Promise<void> {
    const next = await this.run.heartbeat().then(
      (cancel) => {
        if (cancel) this.canceling.abort();
        return every;
      },
      () => afterFailure,
    );
    if (this.stopped || this.run.lost.aborted) return;
    this.timer = setTimeout(() => {
      void this.beat();
    }, next);
  }
}
