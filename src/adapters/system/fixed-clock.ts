import type { Clock } from '../../application/index.js';

/** For tests: stands still until it is moved. */
export class FixedClock implements Clock {
  private at: number;

  /** `instant` is what it says first. */
  constructor(instant = '2030-01-01T00:00:00.000Z') {
    this.at = Date.parse(instant);
  }

  now(): string {
    return new Date(this.at).toISOString();
  }

  advance(seconds: number): void {
    this.at += seconds * 1000;
  }
}
