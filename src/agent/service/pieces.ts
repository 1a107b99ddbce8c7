import type { Pace } from './pace.js';
import { folded } from './text-automaton.js';

/** Longer texts are found piece by piece. */
export const pieceLength = 256;

const base = 0x2c1b3c6d;
const leaving = Array.from({ length: pieceLength }).reduce<number>((power) => Math.imul(power, base), 1);
const sliceLength = 16 * 1024;

/** A rolling hash of the last units of a text (Rabin-Karp). */
export class RollingHash {
  value = 0;
  private readonly units = new Uint16Array(pieceLength);
  private at = 0;

  push(unit: number): void {
    const own = folded(unit);
    const out = this.units[this.at] as number;
    this.value = (Math.imul(this.value, base) + own - Math.imul(out, leaving)) | 0;
    this.units[this.at] = own;
    this.at = (this.at + 1) % pieceLength;
  }
}

/**
 * The hashes of the pieces of long texts, except for the first piece of each. Neighbouring pieces share at least one
 * unit, and the last one ends with the text. A hash collision only hides too much.
 */
export class Pieces {
  private readonly hashes = new Set<number>();

  get isEmpty(): boolean {
    return this.hashes.size === 0;
  }

  has({ value }: RollingHash): boolean {
    return this.hashes.has(value);
  }

  async add(text: string, pace: Pace): Promise<void> {
    const hash = new RollingHash();
    for (let at = 0; at < text.length; at += 1) {
      hash.push(text.charCodeAt(at));
      const end = at + 1;
      const isEnd = end === text.length || (end - pieceLength) % (pieceLength - 1) === 0;
      if (end > pieceLength && isEnd) this.hashes.add(hash.value);
      if (end % sliceLength === 0 && pace.isDue(sliceLength)) await pace.rest();
    }
  }
}
