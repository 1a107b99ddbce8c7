import {
  type Actor,
  type AutoDestroy,
  type AutoDestroyChange,
  authorize,
  type Instant,
  identityOf,
  type Standing,
} from '../../../domain/index.js';
import { changedAutoDestroy } from '../../../domain/supporting/workspaces/auto-destroy.js';
import type { WorkspaceActivity } from '../../ports/repositories/run-repository.js';

/** Whether there is anything to destroy. Until a state has been read, it may have resources. */
export const hasResources = ({
  stateVersionId,
  resourceCount,
}: Pick<WorkspaceActivity, 'stateVersionId' | 'resourceCount'>): boolean =>
  stateVersionId !== null && resourceCount !== 0;

interface Scheduling {
  readonly actor: Actor;
  readonly standing: Standing;
  readonly now: Instant;
  /** Read only if a duration is set. */
  readonly activity: () => Promise<WorkspaceActivity>;
}

/**
 * The schedule after a change. Throws `resource/not-found` without the right to set one, and `attribute/invalid`.
 * Unsetting what is not set needs no right: clients send null with other settings.
 */
export async function chosenAutoDestroy(
  current: AutoDestroy | null,
  change: AutoDestroyChange | undefined,
  { actor, standing, now, activity }: Scheduling,
): Promise<AutoDestroy | null> {
  const same = (next: AutoDestroyChange) =>
    (next.at ?? null) === (current?.at ?? null) &&
    (next.activityDuration ?? null) === (current?.activityDuration ?? null);
  if (change === undefined || same({ ...current, ...change })) return current;
  authorize(standing, 'workspaces/schedule-destroy');
  const counts = change.activityDuration !== undefined && change.activityDuration !== null;
  const facts = { by: identityOf(actor), now, hasResources: counts && hasResources(await activity()) };
  return changedAutoDestroy(current, change, facts);
}
