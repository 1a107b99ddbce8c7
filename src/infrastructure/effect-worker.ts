import {
  type Lane,
  lanes,
  type PerformEffects,
  type ReclaimLostRuns,
  type SweepBundles,
  type TokenUses,
} from '../application/index.js';

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Chores {
  readonly performEffects: PerformEffects;
  readonly reclaimLostRuns: ReclaimLostRuns;
  readonly sweepBundles: SweepBundles;
  readonly tokenUses: TokenUses;
  /** Older upload attempts belong to no process that still runs. */
  readonly abandonedAfterSeconds: number;
}

const everySeconds = { effects: 0.5, lostRuns: 2, tokenUses: 15, sweep: 3600 };

/** Does in the background what requests leave behind: ordered effects, runs of lost agents, noted uses of tokens, abandoned uploads. */
export class EffectWorker {
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void>[] = [];
  private stopping = false;

  constructor(
    private readonly chores: Chores,
    private readonly log: Log,
  ) {}

  start(): void {
    for (const lane of Object.keys(lanes) as Lane[]) {
      this.every(everySeconds.effects, () => this.performEffects(lane));
    }
    this.every(everySeconds.lostRuns, () => this.reclaimLostRuns());
    this.every(everySeconds.tokenUses, () => this.chores.tokenUses.flush());
    this.every(everySeconds.sweep, () => this.sweep(this.chores.abandonedAfterSeconds));
  }

  /** Takes up nothing more; what is still ordered waits for the next start. */
  halt(): void {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Ends after the work in hand. */
  async stop(): Promise<void> {
    this.halt();
    await Promise.all(this.running);
    await this.chores.tokenUses.flush();
  }

  async sweep(olderThanSeconds: number): Promise<void> {
    const discarded = await this.chores.sweepBundles.execute(olderThanSeconds);
    if (discarded > 0) this.log.info({ discarded }, 'abandoned uploads removed');
  }

  private async performEffects(lane: Lane): Promise<void> {
    for (let more = true; more && !this.stopping; ) {
      const { done, failures } = await this.chores.performEffects.execute(lane);
      for (const { effect, error } of failures)
        this.log.error({ effect, err: error }, 'effect failed, will be retried');
      more = done > 0;
    }
  }

  private async reclaimLostRuns(): Promise<void> {
    const runs = await this.chores.reclaimLostRuns.execute();
    if (runs.length > 0) this.log.info({ runs }, 'runs taken from lost agents');
  }

  /** Runs `chore` again and again, the pause counted from its end. A failure is logged and the next turn still comes. */
  private every(seconds: number, chore: () => Promise<void>): void {
    const index = this.timers.length;
    const turn = () => {
      this.running[index] = chore()
        .catch((error: unknown) => this.log.error({ err: error }, 'background work failed'))
        .then(schedule);
    };
    const schedule = () => {
      if (!this.stopping) this.timers[index] = setTimeout(turn, seconds * 1000).unref();
    };
    schedule();
  }
}
