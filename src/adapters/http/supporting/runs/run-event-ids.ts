import type { DatedComment, RunEvent, RunId, RunState } from '../../../../domain/index.js';
import { runEventsOf } from '../../../../domain/supporting/runs/run-event.js';

/** The common part of the ids of an event and of its comment: from the comment, or from the run and the action. */
const partOf = (runId: RunId, { action, commentId }: RunEvent): string =>
  commentId === null ? `${runId.replace(/^run-/, '')}-${action.replaceAll('_', '-')}` : commentId.replace(/^wsc-/, '');

export const eventIdOf = (runId: RunId, event: RunEvent): string => `re-${partOf(runId, event)}`;
export const commentIdOf = (runId: RunId, event: RunEvent): string => `wsc-${partOf(runId, event)}`;

/** The ids of the events of a run, and of the comments among them, oldest first. */
export function eventIdsOf(run: RunState, comments: readonly DatedComment[]) {
  const events = runEventsOf(run, comments);
  const commented = events.filter(({ comment, commentId }) => comment !== null || commentId !== null);
  return {
    events: events.map((event) => eventIdOf(run.id, event)),
    comments: commented.map((event) => commentIdOf(run.id, event)),
  };
}
