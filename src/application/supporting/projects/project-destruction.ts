import { type Actor, authorize, type Instant, identityOf, type Project, type Standing } from '../../../domain/index.js';
import { changedProjectAutoDestroy } from '../../../domain/supporting/workspaces/auto-destroy.js';

/**
 * The schedule of a project after a change of its duration; undefined keeps it. Throws `resource/not-found` without the
 * right to set one, and `attribute/invalid`. Unsetting what is not set needs no right.
 */
export function projectDestruction(
  current: Project['autoDestroy'],
  activityDuration: string | null | undefined,
  { actor, standing, now }: { readonly actor: Actor; readonly standing: Standing; readonly now: Instant },
): Project['autoDestroy'] {
  if (activityDuration === undefined || activityDuration === (current?.activityDuration ?? null)) return current;
  authorize(standing, 'projects/schedule-destroy');
  return changedProjectAutoDestroy(current, activityDuration, { by: identityOf(actor), now });
}
