import {
  type Actor,
  authorizedView,
  type DatedComment,
  type Run,
  type RunId,
  type RunState,
  type Standing,
  type TaskStageId,
  type WithStanding,
  waitingRunStatuses,
} from '../../../domain/index.js';
import type { QueuedRun } from '../../ports/repositories/run-repository.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** A run with the related data a document shows. */
export interface ShownRun {
  readonly run: RunState;
  /** The reader's standing on its workspace: it decides which actions the document offers. */
  readonly standing: Standing;
  /** Its task stages, in their order. */
  readonly stageIds: readonly TaskStageId[];
  /** The comments on it, oldest first. */
  readonly comments: readonly DatedComment[];
  /** Its queue position while it waits for its workspace; 0 otherwise. */
  readonly position: number;
}

const waits = ({ status }: RunState): boolean => waitingRunStatuses.includes(status);

/** The queue positions of waiting runs of one organization. */
async function positionsOf(tx: Transaction<'runs'>, runs: readonly RunState[]): Promise<ReadonlyMap<RunId, number>> {
  const waiting = runs.filter(waits);
  const [first] = waiting;
  if (first === undefined) return new Map();
  return tx.runs.positionsOf(
    first.workspaceId,
    waiting.map(({ id }) => id),
  );
}

/** The repositories that show runs. */
export type ShowsRuns = 'runs' | 'taskStages' | 'runComments';

export async function showing(tx: Transaction<ShowsRuns>, seen: WithStanding<Run>): Promise<ShownRun> {
  const { id } = seen.subject.state;
  const stageIds = (await tx.taskStages.idsOfRuns([id])).get(id) ?? [];
  return showingOne(tx, seen, stageIds, (await tx.runComments.datesOfRuns([id])).get(id));
}

/** Shows a run whose task stages and comments are known. */
export async function showingOne(
  tx: Transaction<'runs'>,
  { subject: { state: run }, standing }: WithStanding<Run>,
  stageIds: readonly TaskStageId[],
  comments: readonly DatedComment[] = [],
): Promise<ShownRun> {
  const positions = await positionsOf(tx, [run]);
  return { run, standing, stageIds, comments, position: positions.get(run.id) ?? 0 };
}

/** Shows many runs of one workspace. */
export const showingAll = (
  tx: Transaction<ShowsRuns>,
  runs: readonly RunState[],
  standing: Standing,
): Promise<readonly ShownRun[]> =>
  showingEach(
    tx,
    runs.map((subject) => ({ subject, standing })),
  );

/** Shows many runs of one organization. */
export async function showingEach(
  tx: Transaction<ShowsRuns>,
  seen: readonly WithStanding<RunState>[],
): Promise<readonly ShownRun[]> {
  const runs = seen.map(({ subject }) => subject);
  const ids = runs.map(({ id }) => id);
  const stageIds = await tx.taskStages.idsOfRuns(ids);
  const comments = await tx.runComments.datesOfRuns(ids);
  const positions = await positionsOf(tx, runs);
  return seen.map(({ subject: run, standing }) => ({
    run,
    standing,
    stageIds: stageIds.get(run.id) ?? [],
    comments: comments.get(run.id) ?? [],
    position: positions.get(run.id) ?? 0,
  }));
}

/** Shows runs of many workspaces, in the order of their organization's queue. */
export async function showingQueued(
  tx: Transaction<'taskStages' | 'runComments'>,
  queued: readonly WithStanding<QueuedRun>[],
): Promise<readonly ShownRun[]> {
  const ids = queued.map(({ subject }) => subject.run.id);
  const stageIds = await tx.taskStages.idsOfRuns(ids);
  const comments = await tx.runComments.datesOfRuns(ids);
  return queued.map(({ subject: { run, position }, standing }) => ({
    run,
    standing,
    stageIds: stageIds.get(run.id) ?? [],
    comments: comments.get(run.id) ?? [],
    position: waits(run) ? position : 0,
  }));
}

/** GET /runs/:id. */
export class ShowRun {
  constructor(private readonly unitOfWork: UnitOfWork<ShowsRuns>) {}

  execute(actor: Actor, id: RunId): Promise<ShownRun> {
    return this.unitOfWork.read(async (tx) =>
      showing(tx, authorizedView(await tx.runs.findFor(actor, id), 'runs/read')),
    );
  }
}
