import { setTimeout as pause } from 'node:timers/promises';
import { maxSnapshots, type Snapshots } from '../../../../application/ports/repositories/snapshots.js';
import type { Transaction, UnitOfWork } from '../../../../application/ports/repositories/unit-of-work.js';
import { DomainError } from '../../../../domain/index.js';

/** A transaction that only reads. */
export interface Snapshot {
  /** Called once. */
  start<Part>(work: (tx: Transaction) => AsyncIterable<Part>): AsyncIterable<Part>;
  /** May be called during a statement, which then rejects. */
  close(): Promise<void>;
}

export interface SnapshotLimits {
  /** The number of snapshots that are open at the same time. */
  readonly max: number;
  /** How long the next part may not be requested, in milliseconds. */
  readonly unread: number;
  /** How long a snapshot stays open, in milliseconds: the database keeps what has been deleted since. */
  readonly longest: number;
}

export const snapshotLimits: SnapshotLimits = { max: maxSnapshots, unread: 60_000, longest: 600_000 };

const busy = (sentence: string): DomainError => new DomainError('snapshots/busy', sentence);

const tooSlow = (): DomainError =>
  new DomainError('service/unavailable', 'the report was read too slowly, and ended before its last row');

/** Opens a snapshot for each read, and closes it at the end, or when the reader is slow. */
export class OpenSnapshots implements Snapshots {
  private readonly keys = new Set<string>();

  /** `open` returns undefined if another instance has one with the same key. */
  constructor(
    private readonly open: (key: string) => Promise<Snapshot | undefined>,
    /** Gives callers the error that stands for one of the database. */
    private readonly mapped: <Result>(work: Promise<Result>) => Promise<Result>,
    private readonly limits: SnapshotLimits = snapshotLimits,
  ) {}

  async read<Part>(key: string, work: (tx: Transaction) => AsyncIterable<Part>) {
    const snapshot = await this.openAlone(key);
    const parts = snapshot.start(work)[Symbol.asyncIterator]();
    let ended: Promise<void> | undefined;
    let late = false;
    const end = (): Promise<void> => {
      clearTimeout(unread);
      clearTimeout(longest);
      ended ??= snapshot
        .close()
        .catch(() => undefined)
        .finally(() => this.keys.delete(key));
      return ended;
    };
    const giveUp = () => {
      late = true;
      void end();
    };
    const longest = setTimeout(giveUp, this.limits.longest).unref();
    let unread = setTimeout(giveUp, this.limits.unread).unref();
    let took = 0;
    const next = async (): Promise<IteratorResult<Part, undefined>> => {
      clearTimeout(unread);
      // A third of the time belongs to other requests.
      await pause(took / 2);
      if (ended !== undefined && !late) return { done: true, value: undefined };
      try {
        if (late) throw tooSlow();
        const began = performance.now();
        const found = await this.mapped(parts.next());
        took = performance.now() - began;
        if (late) throw tooSlow();
        if (found.done !== true) {
          unread = setTimeout(giveUp, this.limits.unread).unref();
          return found;
        }
      } catch (error) {
        await end();
        throw late ? tooSlow() : error;
      }
      await end();
      return { done: true, value: undefined };
    };
    const stop = async (): Promise<IteratorReturnResult<undefined>> => {
      await end();
      return { done: true, value: undefined };
    };
    const iterator = {
      next,
      return: stop,
      throw: stop,
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  private async openAlone(key: string): Promise<Snapshot> {
    const taken = busy('a report of this organization is being read; try again when it has ended');
    if (this.keys.has(key)) throw taken;
    if (this.keys.size >= this.limits.max) throw busy('too many reports are being read; try again later');
    this.keys.add(key);
    try {
      const snapshot = await this.mapped(this.open(key));
      if (snapshot === undefined) throw taken;
      return snapshot;
    } catch (error) {
      this.keys.delete(key);
      throw error;
    }
  }
}

/** For a database with a single connection: reads all parts in a transaction, before the first is returned. */
export const inOneTransaction = (unitOfWork: UnitOfWork): Snapshots =>
  new OpenSnapshots(
    async () => ({
      start: async function* <Part>(work: (tx: Transaction) => AsyncIterable<Part>) {
        yield* await unitOfWork.run(async (tx) => {
          const parts: Part[] = [];
          for await (const part of work(tx)) parts.push(part);
          return parts;
        });
      },
      close: async () => undefined,
    }),
    (work) => work,
  );
