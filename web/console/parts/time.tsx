import { useSyncExternalStore } from 'react';
import { distancesIn, relativeTime } from './relative-time.ts';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const distances = distancesIn();
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** Milliseconds after which a time may have to say another minute. */
const period = 30_000;

const listeners = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** A hidden page need not be right. */
function tick(): void {
  if (document.visibilityState === 'hidden') return;
  ticks += 1;
  for (const listener of listeners) listener();
}

/** One timer for all times of the page. */
function eachPeriod(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, period);
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
}

/** An instant as its distance from now. The exact one, in the reader's time zone, is shown under the pointer and the focus. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  useSyncExternalStore(eachPeriod, () => ticks);
  if (at === null || at === undefined) return <span className="quiet">never</span>;
  const instant = new Date(at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be within reach of the keyboard and of a tap.
    <time dateTime={at} title={exact.format(instant)} data-exact={exact.format(instant)} tabIndex={0}>
      {relativeTime(instant.getTime(), Date.now(), distances) ?? date.format(instant)}
    </time>
  );
}
