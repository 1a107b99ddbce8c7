import type { Day } from '../../../../../application/ports/repositories/outcome-counts.js';

/**
 * The lengths of the spans that are summed, in days. Spans begin at multiples of their length since 1970, and each is in
 * one of the next length: all days since any other are at most 7 spans of 1, 7 of 8, and 3 of 64.
 */
export const spanLengths = [1, 8, 64] as const;

const dayLength = 86_400_000;

/** Days since 1970. */
export const dayNumber = (day: Day): number => Date.parse(day.slice(0, 10)) / dayLength;

export const dayOfNumber = (number: number): Day => new Date(number * dayLength).toISOString().slice(0, 10);

/** The beginning of the span of a length that a day is in. */
export const spanOf = (length: number, day: number): number => day - (day % length);

/** The spans of one length that begin in these days. */
export interface Spans {
  readonly span: number;
  readonly first: number;
  /** Undefined for all later ones. */
  readonly before: number | undefined;
}

/** The fewest spans that are all days since `first`. */
export function spansSince(first: number): readonly Spans[] {
  const spans: Spans[] = [];
  let next = first;
  spanLengths.forEach((span, index) => {
    const longer = spanLengths[index + 1];
    const before = longer === undefined ? undefined : Math.ceil(next / longer) * longer;
    if (before === undefined || before > next) spans.push({ span, first: next, before });
    next = before ?? next;
  });
  return spans;
}
