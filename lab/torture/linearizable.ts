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

/**
 * Whether an order of the operations exists, each at one moment between its start and its end, in which every response
 * is correct. Acknowledged operations must be in it. Unknown ones may be, at any moment after their start. Refused ones
 * are not, since they must have changed nothing.
 */
export function judge(history: readonly Operation[], model: Model): Verdict {
  const operations = history.filter(({ outcome }) => outcome !== 'refused').sort((a, b) => a.begun - b.begun);
  const endOf = ({ outcome, ended }: Operation) => (outcome === 'done' ? ended : Number.POSITIVE_INFINITY);
  const taken = new Array<boolean>(operations.length).fill(false);
  const seen = new Set<string>();
  let required = operations.filter(({ outcome }) => outcome === 'done').length;
  let steps = 0;

  /** `from` is the first operation not yet ordered; the choices before it are the same in every order that reaches it. */
  const explain = (from: number, state: string): boolean => {
    if (required === 0) return true;
    if (++steps > maxSteps) return false;
    let first = from;
    while (taken[first]) first += 1;
    let later = '';
    let deadline = Number.POSITIVE_INFINITY;
    const candidates: number[] = [];
    for (let index = first; index < operations.length; index += 1) {
      const operation = operations[index] as Operation;
      if (operation.begun > deadline) break;
      if (taken[index]) {
        later += `${index} `;
        continue;
      }
      candidates.push(index);
      deadline = Math.min(deadline, endOf(operation));
    }
    const place = `${first}|${later}|${state}`;
    if (seen.has(place)) return false;
    seen.add(place);
    // Certain operations go first; unknown ones are tried only if nothing else explains the rest.
    const sure = (index: number) => (operations[index]?.outcome === 'done' ? 0 : 1);
    for (const index of candidates.sort((a, b) => sure(a) - sure(b) || a - b)) {
      const operation = operations[index] as Operation;
      const next = model.step(state, operation);
      if (next === undefined || (next === state && operation.outcome === 'unknown')) continue;
      const counts = operation.outcome === 'done' ? 1 : 0;
      taken[index] = true;
      required -= counts;
      if (explain(first, next)) return true;
      taken[index] = false;
      required += counts;
    }
    return false;
  };

  if (explain(0, model.initial)) return 'explained';
  return steps > maxSteps ? 'undecided' : 'impossible';
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
