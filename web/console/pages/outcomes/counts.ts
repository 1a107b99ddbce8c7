export type Outcome = 'failed' | 'errored' | 'overridden' | 'passed';
export type Sums = Readonly<Record<Outcome, number>>;

/** In the order of the parts of a bar, from its base: the ones that need work can be compared best there. */
export const outcomes: readonly Outcome[] = ['failed', 'errored', 'overridden', 'passed'];

export const totalOf = (sums: Sums): number => outcomes.reduce((total, outcome) => total + sums[outcome], 0);

export const sumOf = (all: readonly Sums[]): Sums => {
  const of = (outcome: Outcome): number => all.reduce((total, sums) => total + sums[outcome], 0);
  return { failed: of('failed'), errored: of('errored'), overridden: of('overridden'), passed: of('passed') };
};

/** The part of the outcomes that stopped a run, or would have. */
export const failedShare = (sums: Sums): number => (sums.failed + sums.errored) / Math.max(totalOf(sums), 1);

export interface Part {
  readonly outcome: Outcome;
  /** Both in hundredths of the plot, from the base. */
  readonly start: number;
  readonly length: number;
}

/** One failure among a thousand must still be seen. */
const shortest = 1.5;

/** The parts of a bar in a plot whose longest bar counts `most`. Parts without outcomes are left out. */
export function partsOf(sums: Sums, most: number): readonly Part[] {
  const room = 100 - shortest * (outcomes.length - 1);
  let start = 0;
  return outcomes
    .filter((outcome) => sums[outcome] > 0)
    .map((outcome) => {
      const length = Math.max(shortest, (sums[outcome] / Math.max(most, 1)) * room);
      const part = { outcome, start, length };
      start += length;
      return part;
    });
}

const milliseconds = 24 * 3600_000;

/** The first of a number of days in UTC that end with the one of an instant, such as `2030-01-31`. */
export const firstOfDays = (days: number, now: number): string =>
  new Date(now - (days - 1) * milliseconds).toISOString().slice(0, 10);

const nothing: Sums = { failed: 0, errored: 0, overridden: 0, passed: 0 };

export interface DayOfOutcomes {
  readonly day: string;
  readonly sums: Sums;
}

/** All days from the first to the last, also those without outcomes. */
export function everyDay(from: string, until: string, counted: readonly DayOfOutcomes[]): readonly DayOfOutcomes[] {
  const byDay = new Map(counted.map((one) => [one.day, one]));
  const days: DayOfOutcomes[] = [];
  for (let at = Date.parse(from); at <= Date.parse(until); at += milliseconds) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push(byDay.get(day) ?? { day, sums: nothing });
  }
  return days;
}
