import { useDeferredValue, useEffect } from 'react';
import { shared } from '../api/shared.ts';

/** The number of lists that are loading while the last one stays. */
export const settling = shared(0);

/**
 * The parameters of a list, a moment late: while the list of new ones is loading, the last list stays, instead of a
 * flash of "Loading…".
 */
export function useSettled<Options>(options: Options): Options {
  // By content: a render makes new objects of the same values.
  const text = JSON.stringify(options);
  const settled = useDeferredValue(text);
  const isBehind = text !== settled;
  useEffect(() => {
    if (!isBehind) return;
    settling.set(settling.get() + 1);
    return () => settling.set(settling.get() - 1);
  }, [isBehind]);
  return JSON.parse(settled) as Options;
}
