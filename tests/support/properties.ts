import fc from 'fast-check';

const { PROPERTY_SEED } = process.env;

// The same examples every time, so that `npm test` fails for a change and never by chance. `npm run test:full` takes
// a seed of its own for each file and all the runs a property asks for; a failure prints the seed that repeats it.
fc.configureGlobal({ seed: Number(PROPERTY_SEED ?? 2026) });

/** How many examples a property gets that asks for this many. */
export const runs = (wanted: number): number => (PROPERTY_SEED === undefined ? Math.ceil(wanted / 10) : wanted);

export { fc };
