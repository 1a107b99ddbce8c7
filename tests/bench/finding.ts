/** One line of the table: what was measured, between which values it lay in the rounds, and what it should be. */
export interface Finding {
  readonly name: string;
  readonly unit: '×' | 'ms' | 'µs' | 'MiB' | '%' | '/s';
  /** The median of the rounds. */
  readonly measured: number;
  /** The lowest and the highest of the rounds; the same twice where there was one. */
  readonly spread: readonly [lowest: number, highest: number];
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  /** What a reader must know to read it. */
  readonly note?: string;
  /** What it was made of, for the JSON alone. */
  readonly from?: Readonly<Record<string, unknown>>;
}

export interface BenchOptions {
  /** Smaller and fewer, so that all groups together take less than four minutes. */
  readonly quick: boolean;
  readonly say: (line: string) => void;
  /** Removed when all is done. */
  readonly directory: string;
}

/** Measurements that are prepared together. */
export interface BenchGroup {
  readonly name: string;
  readonly title: string;
  run(options: BenchOptions): AsyncIterable<Finding>;
}

export const meets = ({ measured, target }: Finding): boolean =>
  target === undefined || ('atLeast' in target ? measured >= target.atLeast : measured <= target.atMost);
