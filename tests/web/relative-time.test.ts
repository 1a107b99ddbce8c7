import { describe, expect, it } from '@jest/globals';
import { distancesIn, duration, relativeTime } from '../../web/console/parts/relative-time.js';

const now = Date.parse('2026-03-01T12:00:00Z');

describe('a time relative to now', () => {
  it.each([
    ['2026-03-01T12:00:00Z', 'now'],
    ['2026-03-01T11:59:01Z', 'now'],
    ['2026-03-01T11:56:00Z', '4 min. ago'],
    ['2026-03-01T12:05:30Z', 'in 5 min.'],
    ['2026-03-01T09:30:00Z', '2 hr. ago'],
    ['2026-02-28T12:00:00Z', 'yesterday'],
    ['2026-03-15T12:00:00Z', 'in 14 days'],
  ])('is %s as "%s"', (at, words) => {
    expect(relativeTime(Date.parse(at), now, distancesIn('en'))).toBe(words);
  });

  it.each(['2026-01-30T12:00:00Z', '2026-03-31T12:00:00Z'])('is a date for %s', (at) => {
    expect(relativeTime(Date.parse(at), now, distancesIn('en'))).toBeUndefined();
  });
});

describe('a length of time', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [12_000, '12 s'],
    [72_000, '1 m 12 s'],
    [3_600_000, '1 h'],
    [3_720_000, '1 h 2 m'],
    [3_605_000, '1 h'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('of %d milliseconds is "%s"', (length, words) => {
    expect(duration(length)).toBe(words);
  });
});
