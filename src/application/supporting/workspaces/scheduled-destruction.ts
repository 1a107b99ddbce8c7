import {
  type Actor,
  type AutoDestroyChange,
  authorize,
  type Instant,
  identityOf,
  type Standing,
} from '../../../domain/index.js';
import {
  changedAutoDestroy,
  type Destroyed,
  effectiveAutoDestroy,
  hasResources,
  inheritsAutoDestroy,
} from '../../../domain/supporting/workspaces/auto-destroy.js';
import type { WorkspaceActivity } from '../../ports/repositories/run-repository.js';

interface Scheduling {
  readonly actor: Actor;
  readonly standing: Standing;
  readonly now: Instant;
  /** Read only if a duration is set or inherited. */
  readonly activity: () => Promise<WorkspaceActivity>;
}

/**
 * The schedule after a change. Throws `resource/not-found` without the right to set one, and `attribute/invalid`.
 * Unsetting what is not set, and setting what is inherited, needs no right: clients send both with other settings.
 */
export async function chosenAutoDestroy(
  current: Destroyed,
  change: AutoDestroyChange | undefined,
  { actor, standing, now, activity }: Scheduling,
): Promise<Destroyed> {
  if (change === undefined) return current;
  const counts = current.inheritedDestruction.project !== null || typeof change.activityDuration === 'string';
  const resources = counts && hasResources(await activity());
  const { inherits = inheritsAutoDestroy(current), ...named } = change;
  const changes = (shown: AutoDestroyChange | null) =>
    (named.at !== undefined && named.at !== (shown?.at ?? null)) ||
    (named.activityDuration !== undefined && named.activityDuration !== (shown?.activityDuration ?? null));
  const isSame = !changes(current.autoDestroy) || !changes(effectiveAutoDestroy(current, resources));
  if (isSame && inherits === inheritsAutoDestroy(current)) return current;
  authorize(standing, 'workspaces/schedule-destroy');
  return changedAutoDestroy(current, change, { by: identityOf(actor), now, hasResources: resources });
}
