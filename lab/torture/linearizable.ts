import type { Operation } from './journal.js';

/** A sequential model of an object. States are strings, so that they compare by value. */
export interface Model {
  readonly initial: string;
  /** The state after the operation, or undefined if it is impossible in this state. */
  step(state: string, operation: Operation): string | undefined;
}

/** `undecided` is separate, so that a checker that gives up does not report success. */
export type Verdict = 'explained' | 'impossible' | 'undecided';

const maxSteps = 400_000;

/** The operations that are not in the order yet, by their begin: only these are looked at, however long the history. */
class Untaken {
  private readonly next: Int32Array;
  private readonly previous: Int32Array;

  constructor(private readonly length: number) {
    // The last place begins and ends the ring.
    this.next = Int32Array.from({ length: length + 1 }, (_, index) => (index + 1) % (length + 1));
    this.previous = Int32Array.from({ length: length + 1 }, (_, index) => (index + length) % (length + 1));
  }

  *[Symbol.iterator](): Generator<number> {
    for (let index = this.after(this.length); index < this.length; index = this.after(index)) yield index;
  }

  take(index: number): void {
    const [before, after] = [this.previous[index] as number, this.after(index)];
    this.next[before] = after;
    this.previous[after] = before;
  }

  /** Undoes the last `take`. */
  restore(index: number): void {
    this.next[this.previous[index] as number] = index;
    this.previous[this.after(index)] = index;
  }

  private after(index: number): number {
    return this.next[index] as number;
  }
}

/** An order of some operations, and those that may come next. */
interface Place {
  readonly state: string;
  readonly choices: readonly number[];
  /** How many of them were tried. */
  tried: number;
  /** The operation that led here. */
  readonly by: number;
  /** The latest one that is in the order. */
  readonly latest: number;
}

/**
 * Whether an order of the operations exists, each at one moment between its start and its end, in which every response
 * is correct. Acknowledged operations must be in it. Unknown ones may be, at any moment after their start. Refused ones
 * are not, since they must have changed nothing.
 */
export function judge(history: readonly Operation[], model: Model): Verdict {
  const operations = history.filter(({ outcome }) => outcome !== 'refused').sort((a, b) => a.begun - b.begun);
  const isDone = (index: number) => operations[index]?.outcome === 'done';
  const untaken = new Untaken(operations.length);
  const seen = new Set<string>();
  let required = operations.filter(({ outcome }) => outcome === 'done').length;

  /** The operations that may come next, certain ones first; unknown ones are tried only if nothing else explains the rest. */
  const choicesNow = (): number[] => {
    let deadline = Number.POSITIVE_INFINITY;
    const choices: number[] = [];
    const unknown = new Set<string>();
    for (const index of untaken) {
      const { begun, ended, kind, value } = operations[index] as Operation;
      if (begun > deadline) break;
      if (isDone(index)) deadline = Math.min(deadline, ended);
      else if (unknown.has(`${kind} ${value}`)) continue;
      // Unknown operations that do the same may all happen at any time: the first stands for each.
      else unknown.add(`${kind} ${value}`);
      choices.push(index);
    }
    return choices.sort((a, b) => Number(isDone(b)) - Number(isDone(a)) || a - b);
  };

  /** The same for all orders of the same operations that lead to the same state. */
  const nameOf = (latest: number, state: string): string => {
    let left = '';
    for (const index of untaken) {
      if (index > latest) break;
      left += `${index} `;
    }
    return `${latest}|${left}|${state}`;
  };

  if (required === 0) return 'explained';
  // Not recursive: a history of an hour is longer than the stack.
  const places: Place[] = [{ state: model.initial, choices: choicesNow(), tried: 0, by: -1, latest: -1 }];
  for (let steps = 0; ; ) {
    const place = places.at(-1);
    if (place === undefined) return 'impossible';
    const index = place.choices[place.tried++];
    if (index === undefined) {
      places.pop();
      if (place.by < 0) continue;
      untaken.restore(place.by);
      if (isDone(place.by)) required += 1;
      continue;
    }
    const state = model.step(place.state, operations[index] as Operation);
    if (state === undefined || (state === place.state && !isDone(index))) continue;
    if (isDone(index) && required === 1) return 'explained';
    if (++steps > maxSteps) return 'undecided';
    untaken.take(index);
    const latest = Math.max(place.latest, index);
    const name = nameOf(latest, state);
    if (seen.has(name)) {
      untaken.restore(index);
      continue;
    }
    seen.add(name);
    if (isDone(index)) required -= 1;
    places.push({ state, choices: choicesNow(), tried: 0, by: index, latest });
  }
}

/** The shortest prefix of a history that is not linearizable; its last operation is the violation. */
export function shortestImpossible(history: readonly Operation[], model: Model): readonly Operation[] {
  const ends = history
    .filter(({ outcome }) => outcome === 'done')
    .map(({ ended }) => ended)
    .sort((a, b) => a - b);
  const until = (end: number) =>
    history.filter((one) => one.begun <= end && (one.outcome !== 'done' || one.ended <= end));
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (judge(until(ends[middle] as number), model) === 'explained') low = middle + 1;
    else high = middle;
  }
  return until(ends[low] ?? 0);
}
