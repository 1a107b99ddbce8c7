import { useSyncExternalStore } from 'react';

const events = ['hashchange', 'popstate'];

function subscribe(changed: () => void): () => void {
  for (const event of events) addEventListener(event, changed);
  return () => {
    for (const event of events) removeEventListener(event, changed);
  };
}

/** The fragment of the address, with its `#`; empty if there is none. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);
