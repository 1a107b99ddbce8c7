const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The largest unit first. An instant further away than the last is shown as a date. */
const units = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
] as const;

/** Milliseconds for which a distance is said in words. */
const longest = 30 * day;

/** How the language of the reader says distances. */
export const distancesIn = (language?: string): Intl.RelativeTimeFormat =>
  new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });

/**
 * The distance of an instant from now, such as `4 min. ago`; undefined beyond thirty days, where a date says more. In
 * milliseconds since 1970.
 */
export function relativeTime(at: number, now: number, format: Intl.RelativeTimeFormat): string | undefined {
  const distance = at - now;
  const far = Math.abs(distance);
  if (far >= longest) return undefined;
  for (const [unit, length] of units) {
    if (far >= length) return format.format(Math.trunc(distance / length), unit);
  }
  return format.format(0, 'second');
}

/** A length of time in its two largest units, such as `1 m 12 s`. In milliseconds. */
export function duration(length: number): string {
  const seconds = Math.max(0, Math.round(length / second));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
