import type { Clock } from '../../application/index.js';

export class SystemClock implements Clock {
  now(): string {
    return new Date().toISOString();
  }
}
