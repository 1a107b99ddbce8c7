import { DomainError, type StateOutput, type StateVersion } from '../../../domain/index.js';
import type { SliceSize } from '../../ports/repositories/page.js';

/** An output as readers see it. */
export interface ShownOutput extends StateOutput {
  /** The length of the stored value and its type, in characters. */
  readonly size: number;
}

const sizeOf = ({ value, type }: StateOutput): number => value.length + type.length;

/** An output whose value is JSON, opened if it is sensitive. */
export const withValue = (output: StateOutput, value: string): ShownOutput => ({
  ...output,
  size: sizeOf(output),
  value,
});

/** An output in a list, without a sensitive value: only a request for that single output returns it. */
export const amongOthers = (output: StateOutput): ShownOutput =>
  withValue(output, output.sensitive ? 'null' : output.value);

/**
 * Throws `state-version/outputs-unread` for a moment after a client wrote the state, and `state-version/outputs-errored` if
 * they cannot be read: an empty list would be wrong.
 */
export function withOutputsRead(version: StateVersion): StateVersion {
  if (version.status === 'pending' || version.outputsRead) return version;
  if (version.unreadReason !== null) {
    throw new DomainError(
      'state-version/outputs-errored',
      `the outputs of this state could not be read: ${version.unreadReason}`,
    );
  }
  throw new DomainError(
    'state-version/outputs-unread',
    'the outputs of this state are being read: ask again in a moment',
  );
}

/** The size of one slice, whose values are read and written at once. */
export const outputsAtOnce: SliceSize = { rows: 100, characters: 256 * 1024 };
