import { DomainError, type StateOutput, type StateVersion } from '../../../domain/index.js';
import type { SliceSize } from '../../ports/repositories/page.js';

/** An output as readers see it. */
export interface ShownOutput extends Omit<StateOutput, 'value'> {
  /** The length of the stored value, in characters. */
  readonly size: number;
  /** Any JSON; null for a sensitive value in a list. */
  readonly value: unknown;
}

/**
 * An output in a list, without a sensitive value: only a request for that single output returns it. Values are parsed
 * on access, since all of them together may be long.
 */
export const amongOthers = (output: StateOutput): ShownOutput => ({
  ...output,
  size: output.value.length,
  get value() {
    return output.sensitive ? null : JSON.parse(output.value);
  },
});

/**
 * Throws `state-version/outputs-unread` for a moment after a client wrote the state, and `state-version/outputs-errored` if
 * they cannot be read: an empty list would be wrong.
 */
export function withOutputsRead(version: StateVersion): StateVersion {
  if (version.status === 'pending' || version.outputsRead) return version;
  if (version.unreadBecause !== null) {
    throw new DomainError(
      'state-version/outputs-errored',
      `the outputs of this state could not be read: ${version.unreadBecause}`,
    );
  }
  throw new DomainError(
    'state-version/outputs-unread',
    'the outputs of this state are being read: ask again in a moment',
  );
}

/** The size of one slice. Parsing and printing 1 MiB takes 20 milliseconds or more. */
export const outputsAtOnce: SliceSize = { rows: 100, characters: 256 * 1024 };
