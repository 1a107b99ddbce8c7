import type { StateOutput } from '../../domain/index.js';

/** An output as readers see it. */
export interface ShownOutput extends Omit<StateOutput, 'value'> {
  /** Any JSON; null of a sensitive one among others. */
  readonly value: unknown;
}

/** Among others: a sensitive value is told only to who asks for that output by itself. */
export const amongOthers = (output: StateOutput): ShownOutput => ({
  ...output,
  value: output.sensitive ? null : JSON.parse(output.value),
});
