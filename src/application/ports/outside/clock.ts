import type { Instant } from '../../../domain/index.js';

export interface Clock {
  now(): Instant;
}
