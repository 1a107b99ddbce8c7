import { invalidAttribute } from '../../shared/domain-error.js';
import { type Instant, later } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** When a workspace's resources are destroyed by a run of the service. At least one of the first two is set. */
export interface AutoDestroy {
  /** When the run is created; null while there is nothing to destroy. */
  readonly at: Instant | null;
  /** How long after the last new state, such as `14d` or `12h`; null if only `at` was set. */
  readonly activityDuration: string | null;
  /** The admin who set it: the run is created, and applied, for as long as this one remains an admin. */
  readonly by: TokenOwner;
}

/** Unnamed members keep their value; null unsets. */
export interface AutoDestroyChange {
  readonly at?: Instant | null;
  readonly activityDuration?: string | null;
}

const form = /^(?=\d*[1-9])(\d{1,4})([dh])$/;
const secondsOfUnit: Readonly<Record<string, number>> = { d: 86_400, h: 3_600 };

/** Throws `attribute/invalid` for a malformed duration. */
function secondsOf(activityDuration: string): number {
  const [, digits = '', unit = ''] = form.exec(activityDuration) ?? [];
  const seconds = secondsOfUnit[unit];
  if (seconds === undefined) {
    const rule = 'Auto destroy activity duration must be 1 to 9999, followed by d for days or h for hours';
    throw invalidAttribute('autoDestroyActivityDuration', rule);
  }
  return Number(digits) * seconds;
}

const orNull = (next: AutoDestroy): AutoDestroy | null =>
  next.at === null && next.activityDuration === null ? null : next;

/** The schedule once something happened in the workspace, after which it has resources or not. */
export const afterActivity = (current: AutoDestroy, now: Instant, hasResources: boolean): AutoDestroy =>
  current.activityDuration === null
    ? current
    : { ...current, at: hasResources ? later(now, secondsOf(current.activityDuration)) : null };

/** The schedule once its time has come: it happens once, and again only after the next activity. */
export const afterItsTime = (current: AutoDestroy): AutoDestroy | null => orNull({ ...current, at: null });

/**
 * The requested schedule. A time replaces the duration that the request does not name; one that has passed is due at once.
 * A duration counts from now, since a change of it is an activity, unless the request names the time too; unsetting the
 * duration unsets the time it led to. Throws `attribute/invalid` for a malformed duration.
 */
export function changedAutoDestroy(
  current: AutoDestroy | null,
  { at, activityDuration }: AutoDestroyChange,
  { by, now, hasResources }: { readonly by: TokenOwner; readonly now: Instant; readonly hasResources: boolean },
): AutoDestroy | null {
  const before = current ?? { at: null, activityDuration: null, by };
  const kept = at === undefined || at === null || at === before.at ? before.activityDuration : null;
  const duration = activityDuration === undefined ? kept : activityDuration;
  const next = { ...before, activityDuration: duration, by };
  if (duration !== null) secondsOf(duration);
  if (at !== undefined) return orNull({ ...next, at });
  if (duration === before.activityDuration) return orNull(next);
  return orNull(duration === null ? { ...next, at: null } : afterActivity(next, now, hasResources));
}
