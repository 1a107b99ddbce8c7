/**
 * Limits the loops that work on a lane at the same time. A wake-up while all are busy makes one of them check again.
 */
export class Loops {
  private readonly working = new Set<Promise<void>>();
  private again = false;

  constructor(private readonly max: number) {}

  /** `work` never rejects. */
  wake(work: () => Promise<void>): void {
    if (this.working.size >= this.max) {
      this.again = true;
      return;
    }
    const loop = work().then(() => {
      this.working.delete(loop);
      if (!this.again) return;
      this.again = false;
      this.wake(work);
    });
    this.working.add(loop);
  }

  async ended(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
  }
}
