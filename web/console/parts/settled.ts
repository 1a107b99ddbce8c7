import { useDeferredValue } from 'react';

/**
 * The parameters of a list, a moment late: while the list of new ones is loading, the last list stays, instead of a
 * flash of "Loading…".
 */
export function useSettled<Options>(options: Options): Options {
  // By content: a render makes new objects of the same values.
  const text = useDeferredValue(JSON.stringify(options));
  return JSON.parse(text) as Options;
}
