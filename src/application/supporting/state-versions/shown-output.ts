import { DomainError, type StateOutput, type StateVersion } from '../../../domain/index.js';
import type { SliceSize } from '../../ports/repositories/page.js';

/** An output as readers see it. */
export interface ShownOutput extends Omit<StateOutput, 'value'> {
  /** How many characters the value has as it is kept. */
  readonly size: number;
  /** Any JSON; null of a sensitive one among others. */
  readonly value: unknown;
}

/**
 * Among others: a sensitive value is told only to who asks for that output by itself. A value is parsed when it is asked
 * for, since all of them may be long.
 */
export const amongOthers = (output: StateOutput): ShownOutput => ({
  ...output,
  size: output.value.length,
  get value() {
    return output.sensitive ? null : JSON.parse(output.value);
  },
});

/** Throws `state-version/outputs-unread` for a moment after a client wrote the state: an empty list would be wrong. */
export function withOutputsRead(version: StateVersion): StateVersion {
  if (version.status === 'pending' || version.outputsRead) return version;
  throw new DomainError(
    'state-version/outputs-unread',
    'the outputs of this state are being read: ask again in a moment',
  );
}

/** What is read at once. Together they must not be long: to parse and print a MiB takes 20 milliseconds or more. */
export const outputsAtOnce: SliceSize = { rows: 100, characters: 256 * 1024 };
