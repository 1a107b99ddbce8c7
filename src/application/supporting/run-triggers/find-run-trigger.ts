import {
  type Actor,
  authorized,
  authorizedView,
  may,
  type RunTriggerId,
  type WithStanding,
  type WorkspaceRunTrigger,
} from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * The caller sees it if they may read both workspaces or manage the triggers of the one whose runs it queues. Throws
 * `resource/not-found`.
 */
export async function visibleRunTrigger(
  tx: Transaction<'workspaces' | 'runTriggers'>,
  actor: Actor,
  id: RunTriggerId,
): Promise<WithStanding<WorkspaceRunTrigger>> {
  const seen = authorizedView(await tx.runTriggers.findFor(actor, id), 'run-triggers/read');
  const managed = may(seen.standing, 'run-triggers/manage');
  if (!managed) authorized(await tx.workspaces.findIdFor(actor, seen.subject.sourceId), 'workspaces/read');
  return seen;
}
