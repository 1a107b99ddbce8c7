import type { LeasedRun } from './leased-run.js';

const every = 15_000;
const afterFailure = 3_000;

/** Renews the lease of a run in the background, and detects its cancellation. */
export class Heartbeat {
  /** Aborted once the run's cancellation was requested. */
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

  /**
   * Retries a failed renewal until the service reports the lease as lost: the service may be temporarily unavailable.
   */
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
