import { performance } from 'node:perf_hooks';

/** `done`: acknowledged. `refused`: answered that it was not done. `unknown`: cut off, or answered with a fault. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** The kind of a request that the file store answers itself, at a signed URL: its faults are not the service's. */
export const fromStore = 'read-from-store';

/** One operation, as its client saw it. */
export interface Operation {
  readonly number: number;
  readonly client: string;
  readonly instance: number;
  /** Its object: kind and id. Operations on different objects are independent. */
  readonly object: string;
  readonly kind: string;
  /** The requested or returned value. */
  readonly value: string;
  /** In milliseconds since the journal began. */
  readonly begun: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** The status of the response; 0 without one. */
  readonly status: number;
  /** Seconds from the header `Retry-After`; 0 without one. */
  readonly retryAfter: number;
}

/** The operations of all clients, as they observed them. */
export class Journal {
  readonly operations: Operation[] = [];
  private readonly origin = performance.now();

  now(): number {
    return performance.now() - this.origin;
  }

  add(operation: Omit<Operation, 'number'>): void {
    this.operations.push({ number: this.operations.length, ...operation });
  }

  toString(): string {
    return this.operations.map((operation) => `${JSON.stringify(operation)}\n`).join('');
  }
}
