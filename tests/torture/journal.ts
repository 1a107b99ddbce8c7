import { performance } from 'node:perf_hooks';

/** `done`: acknowledged. `refused`: answered that it was not done. `unknown`: cut off, or answered with a fault. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** One thing a client asked for, as the client saw it. */
export interface Operation {
  readonly number: number;
  readonly client: string;
  readonly instance: number;
  /** What it is about: kind and id. Operations on different objects do not depend on each other. */
  readonly object: string;
  readonly kind: string;
  /** What was asked for, or what the answer said. */
  readonly value: string;
  /** In milliseconds since the journal began. */
  readonly begun: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** Of the answer; 0 where there was none. */
  readonly status: number;
}

/** What clients remember. It is all the checker believes. */
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
