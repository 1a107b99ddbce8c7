import type { Clock } from '../../application/index.js';

/** The time of this machine, in UTC with milliseconds. */
export class SystemClock implements Clock {
  private milliseconds = 0;
  private text = '';

  now(): string {
    const milliseconds = Date.now();
    if (milliseconds !== this.milliseconds) {
      this.milliseconds = milliseconds;
      this.text = new Date(milliseconds).toISOString();
    }
    return this.text;
  }
}
