/** How fast bodies must arrive that are held in memory, in milliseconds and bytes. */
export interface Pace {
  /** Until the first byte. */
  readonly first: number;
  /** The time in which `perWindow` bytes must arrive. */
  readonly window: number;
  readonly perWindow: number;
  /** For the whole body. */
  readonly total: number;
}

export const usualPace: Pace = { first: 1_000, window: 5_000, perWindow: 5 * 64 * 1024, total: 60_000 };

export type Lateness = 'silent' | 'slow';

/** A body on its way. */
export interface Arrival {
  /** The bytes so far. */
  received: number;
}

interface Watched extends Arrival {
  readonly begun: number;
  readonly late: (lateness: Lateness) => void;
  /** The bytes that had arrived at each of the last looks, the latest last. */
  readonly seen: number[];
}

/** Looks per window. */
const looks = 20;

/** Watches the bodies that arrive, with one timer for all of them. */
export class Arrivals {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  private readonly interval: number;

  constructor(private readonly pace: Pace) {
    this.interval = Math.ceil(Math.min(pace.window / looks, pace.first / 4));
  }

  /** `late` is called once, when the body is too slow. The body is watched until `forget`. */
  watch(late: (lateness: Lateness) => void): Arrival {
    const arrival: Watched = { received: 0, begun: performance.now(), late, seen: [] };
    this.watched.add(arrival);
    this.timer ??= setInterval(() => this.look(), this.interval).unref();
    return arrival;
  }

  forget(arrival: Arrival): void {
    this.watched.delete(arrival as Watched);
  }

  private look(): void {
    const now = performance.now();
    for (const arrival of this.watched) {
      const lateness = this.latenessOf(arrival, now);
      if (lateness === undefined) continue;
      this.watched.delete(arrival);
      arrival.late(lateness);
    }
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private latenessOf({ received, begun, seen }: Watched, now: number): Lateness | undefined {
    const { first, window, perWindow, total } = this.pace;
    const age = now - begun;
    if (received === 0) return age >= first ? 'silent' : undefined;
    if (age >= total) return 'slow';
    seen.push(received);
    if (seen.length * this.interval <= window) return undefined;
    const before = seen.shift() ?? 0;
    return age >= window && received - before < perWindow ? 'slow' : undefined;
  }
}
