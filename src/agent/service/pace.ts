import { setImmediate as nextTurn } from 'node:timers/promises';

const unitsPerTurn = 64 * 1024;

/** Divides long work into slices, so that timers and network requests run between them. */
export class Pace {
  private left = unitsPerTurn;

  constructor(private readonly turn: () => Promise<unknown> = () => nextTurn()) {}

  /** Counts this much work. Once it returns true the caller must await `rest` before it continues. */
  isDue(units: number): boolean {
    this.left -= units;
    return this.left <= 0;
  }

  async rest(): Promise<void> {
    this.left = unitsPerTurn;
    await this.turn();
  }
}
