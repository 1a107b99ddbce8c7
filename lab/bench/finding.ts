/** One row of the table: a measurement, its range over the rounds, and its target. */
export interface Finding {
  readonly name: string;
  readonly unit: '×' | 'ms' | 'µs' | 'MiB' | '%' | '/s';
  /** The median of the rounds. */
  readonly measured: number;
  /** The lowest and highest value of the rounds; equal if there was one round. */
  readonly spread: readonly [lowest: number, highest: number];
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  /** A note for the reader. */
  readonly note?: string;
  /** The underlying values, only in the JSON. */
  readonly from?: Readonly<Record<string, unknown>>;
}

export interface BenchOptions {
  /** Smaller and fewer, so that all groups together take less than four minutes. */
  readonly quick: boolean;
  readonly print: (line: string) => void;
  /** Removed at the end. */
  readonly directory: string;
}

/** Measurements that share their preparation. */
export interface BenchGroup {
  readonly name: string;
  readonly title: string;
  run(options: BenchOptions): AsyncIterable<Finding>;
}

export const meets = ({ measured, target }: Finding): boolean =>
  target === undefined || ('atLeast' in target ? measured >= target.atLeast : measured <= target.atMost);
