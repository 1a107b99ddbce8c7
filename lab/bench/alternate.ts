/** The median; for an even number, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}

/**
 * Measures each in turn, with the order reversed every other round, so that other load on the machine affects all
 * alike. Values are compared within a round.
 */
export async function alternate<Name extends string>(
  rounds: number,
  measure: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(measure) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) measured[name].push(await measure[name]());
  }
  return measured;
}

/** The ratio of each round. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): readonly number[] =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN));

/** The summary of the rounds for a finding. */
export const summary = (
  values: readonly number[],
): { readonly measured: number; readonly spread: readonly [number, number] } => ({
  measured: median(values),
  spread: [Math.min(...values), Math.max(...values)],
});
