import type { RepositoryName, Transaction } from './unit-of-work.js';

/** The number of snapshots that an instance has open: on Postgres each has a connection of its own. */
export const maxSnapshots = 2;

/** Long reads of what was committed at one moment. They do not delay writes. */
export interface Snapshots<Names extends RepositoryName = RepositoryName> {
  /**
   * Returns what `work` yields, part by part: it reads on when the next part is requested. There is at most one read per
   * key, over all instances, and a few per instance; more are `snapshots/busy`. The snapshot is released after the
   * last part, by `return`, and when nothing requests the next part for a while, which is then `service/unavailable`.
   * `work` must not wait for anything but `tx`.
   */
  read<Part>(
    key: string,
    work: (tx: Transaction<Names>) => AsyncIterable<Part>,
  ): Promise<Required<AsyncIterableIterator<Part, undefined>>>;
}
