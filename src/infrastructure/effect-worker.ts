import type { PerformEffects, SweepBundles, TokenUses } from '../application/index.js';

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Chores {
  readonly performEffects: PerformEffects;
  readonly sweepBundles: SweepBundles;
  readonly tokenUses: TokenUses;
  /** Older upload attempts belong to no process that still runs. */
  readonly abandonedAfterSeconds: number;
}

const everySeconds = { effects: 0.5, tokenUses: 15, sweep: 3600 };

/** Does in the background what requests leave behind: ordered effects, noted uses of tokens, abandoned uploads. */
export class EffectWorker {
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void>[] = [];
  private stopping = false;

  constructor(
    private readonly chores: Chores,
    private readonly log: Log,
  ) {}

  start(): void {
    this.every(everySeconds.effects, () => this.performEffects());
    this.every(everySeconds.tokenUses, () => this.chores.tokenUses.flush());
    this.every(everySeconds.sweep, () => this.sweep(this.chores.abandonedAfterSeconds));
  }

  /** Ends after the work in hand; what is still ordered waits for the next start. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.running);
    await this.chores.tokenUses.flush();
  }

  async sweep(olderThanSeconds: number): Promise<void> {
    const discarded = await this.chores.sweepBundles.execute(olderThanSeconds);
    if (discarded > 0) this.log.info({ discarded }, 'abandoned uploads removed');
  }

  private async performEffects(): Promise<void> {
    for (let more = true; more && !this.stopping; ) {
      const { done, failures } = await this.chores.performEffects.execute();
      for (const { effect, error } of failures)
        this.log.error({ effect, err: error }, 'effect failed, will be retried');
      more = done > 0;
    }
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
