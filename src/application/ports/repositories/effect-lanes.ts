import type { Effect } from './effect.js';

/** Kinds of effects that one claim may take, and how many at a time. */
export interface Share {
  readonly kinds: readonly Effect['kind'][];
  readonly batch: number;
}

/**
 * Effects that wait for different things have lanes of their own, so that one cannot hold up the other. Each process
 * runs `loops` at once per lane, each of which claims `batch` effects at a time. An organization that already has a
 * loop gets none of the last `reserve`.
 */
export const lanes = {
  /** Database work alone: one loop is enough. */
  quick: {
    kinds: ['queue-run', 'follow-run-triggers', 'queue-triggered-run', 'purge-backing-data', 'archive-version'],
    batch: 20,
    loops: 1,
    reserve: 0,
  },
  discards: { kinds: ['discard-bundle'], batch: 5, loops: 4, reserve: 2 },
  local: { kinds: ['read-state-outputs', 'remove-rows'], batch: 1, loops: 8, reserve: 4 },
  fetches: { kinds: ['fetch-commit', 'fetch-run-files', 'fetch-policies'], batch: 1, loops: 8, reserve: 4 },
  calls: { kinds: ['call-run-task'], batch: 1, loops: 12, reserve: 4 },
  /** Apart from the calls that runs wait for: a receiver that is down delays none of them. */
  notifications: { kinds: ['send-notification'], batch: 1, loops: 8, reserve: 4 },
  /** Effects that may have ended a process before: one at a time, so that no other is counted with the one that did. */
  alone: { kinds: [], batch: 1, loops: 1, reserve: 0 },
} as const satisfies Record<string, Share & { readonly loops: number; readonly reserve: number }>;

export type Lane = keyof typeof lanes;

export const laneNames = Object.keys(lanes) as readonly Lane[];

export const laneOf = (kind: Effect['kind']): Lane =>
  laneNames.find((lane) => (lanes[lane].kinds as readonly string[]).includes(kind)) ?? 'local';

/** Attempts in a row that never ended, because their process died. */
export const neverEnded = {
  /** From this many on, the effect is performed in the lane `alone`. */
  alone: 2,
  /** After this many, it is put aside. */
  max: 5,
} as const;
