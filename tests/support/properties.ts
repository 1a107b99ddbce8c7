import fc from 'fast-check';

const { PROPERTY_SEED } = process.env;

/** Whether everything is tried, as in `npm run test:full`. */
export const everything = PROPERTY_SEED !== undefined;

// The same examples every time, so that `npm test` fails for a change and never by chance. `npm run test:full` takes
// a seed of its own for each file and all the runs a property asks for; a failure prints the seed that repeats it.
fc.configureGlobal({ seed: Number(PROPERTY_SEED ?? 2026) });

/** How many examples a property gets that asks for this many. */
export const runs = (wanted: number): number => (everything ? wanted : Math.ceil(wanted / 20));

/**
 * All the cases of a product in `npm run test:full`, and each n-th in `npm test`. An odd n meets every pair of facts that
 * are true or false. Different `turn`s take different ones.
 */
export const some = <Case>(cases: readonly Case[], n: number, turn = 0): readonly Case[] =>
  everything ? cases : cases.filter((_, at) => (at + turn) % n === 0);

export { fc };
