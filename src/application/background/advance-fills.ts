import { isStale } from '../../domain/shared/domain-error.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** The result of one batch. */
export interface FilledBatch {
  readonly rows: number;
  /** Whether no row is left. */
  readonly complete: boolean;
}

/** Fills what migrations of this release added, for the rows that were there before. */
export class AdvanceFills {
  constructor(private readonly unitOfWork: UnitOfWork<'fills'>) {}

  /** The names of the fills that are not complete. */
  pending(): Promise<readonly string[]> {
    return this.unitOfWork.read((tx) => tx.fills.pending());
  }

  /**
   * Fills up to `count` rows in one transaction. Returns undefined if the fill is complete or another process works on it,
   * and no rows if requests use them.
   */
  async execute(name: string, count: number): Promise<FilledBatch | undefined> {
    try {
      const rows = await this.unitOfWork.run((tx) => tx.fills.advance(name, count));
      return rows === undefined ? undefined : { rows, complete: rows < count };
    } catch (error) {
      if (isStale(error)) return { rows: 0, complete: false };
      throw error;
    }
  }
}
