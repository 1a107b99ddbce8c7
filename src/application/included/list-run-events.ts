import {
  type Actor,
  authorized,
  notFound,
  type RunEvent,
  type RunEventReference,
  type RunId,
  type RunState,
  runEventsOf,
} from '../../domain/index.js';
import { isReferredTo } from '../../domain/supporting/runs/run-event.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { type Related, related } from './related.js';

/** Events of one run, oldest first. */
export interface ShownRunEvents {
  readonly runId: RunId;
  readonly events: readonly RunEvent[];
  /** The users who acted, as far as they are members; empty unless they were asked for. */
  readonly actors: readonly Related[];
}

type Repositories = 'workspaces' | 'memberships' | 'runs' | 'runComments';

async function eventsOf(
  tx: Transaction<Repositories>,
  actor: Actor,
  id: RunId,
): Promise<readonly [RunState, RunEvent[]]> {
  const { state } = authorized(await tx.runs.findFor(actor, id), 'runs/read');
  return [state, [...runEventsOf(state, await tx.runComments.ofRun(id))]];
}

async function actorsOf(
  tx: Transaction<Repositories>,
  { workspaceId }: RunState,
  events: readonly RunEvent[],
): Promise<readonly Related[]> {
  const [workspace] = await tx.workspaces.among([workspaceId]);
  const userIds = events.flatMap((event) => (event.actor?.kind === 'user' ? event.actor.id : []));
  if (workspace === undefined || userIds.length === 0) return [];
  const members = await tx.memberships.ofUsers(workspace.organizationId, [...new Set(userIds)]);
  return members.map(({ user }) => related('user')(user));
}

/** GET /runs/:id/run-events, and those of them that are comments. */
export class ListRunEvents {
  constructor(private readonly unitOfWork: UnitOfWork<Repositories>) {}

  execute(actor: Actor, runId: RunId, withActors = false): Promise<ShownRunEvents> {
    return this.unitOfWork.read(async (tx) => {
      const [run, events] = await eventsOf(tx, actor, runId);
      return { runId, events, actors: withActors ? await actorsOf(tx, run, events) : [] };
    });
  }
}

/** The one event that is referred to. */
async function eventOf(
  tx: Transaction<Repositories>,
  actor: Actor,
  reference: RunEventReference,
): Promise<readonly [RunState, RunEvent]> {
  const runId = 'runId' in reference ? reference.runId : (await tx.runComments.find(reference.commentId))?.runId;
  if (runId === undefined) throw notFound();
  const [run, events] = await eventsOf(tx, actor, runId);
  const found = events.find((event) => isReferredTo(event, reference));
  if (found === undefined) throw notFound();
  return [run, found];
}

/** GET /run-events/:id. */
export class ShowRunEvent {
  constructor(private readonly unitOfWork: UnitOfWork<Repositories>) {}

  execute(actor: Actor, reference: RunEventReference, withActors = false): Promise<ShownRunEvents> {
    return this.unitOfWork.read(async (tx) => {
      const [run, event] = await eventOf(tx, actor, reference);
      return { runId: run.id, events: [event], actors: withActors ? await actorsOf(tx, run, [event]) : [] };
    });
  }
}

/** GET /comments/:id. */
export class ShowRunComment {
  constructor(private readonly unitOfWork: UnitOfWork<Repositories>) {}

  execute(actor: Actor, reference: RunEventReference): Promise<ShownRunEvents> {
    return this.unitOfWork.read(async (tx) => {
      const [run, event] = await eventOf(tx, actor, reference);
      if (event.comment === null) throw notFound();
      return { runId: run.id, events: [event], actors: [] };
    });
  }
}
