import { writeFileSync } from 'node:fs';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The clock of a service that was started with `past-clock.mjs`. It is behind, and only moves forward. */
export class PastClock {
  private behind = Number.POSITIVE_INFINITY;

  constructor(
    private readonly file: string,
    ago: number,
  ) {
    this.isAt(ago);
  }

  /** Sets it to this many milliseconds ago, unless it is later already. */
  isAt(ago: number): void {
    this.behind = Math.min(this.behind, Math.max(0, ago));
    writeFileSync(this.file, String(this.behind));
  }

  passes(milliseconds: number): void {
    this.isAt(this.behind - milliseconds);
  }
}
