import {
  type Actor,
  type ConfigurationVersionState,
  type IngressAttributes,
  type Run,
  type RunId,
  type RunState,
  type Standing,
  seenBy,
  type TaskStage,
  type TaskStageId,
  type WithStanding,
  waitingRunStatuses,
} from '../../../domain/index.js';
import type { QueuedRun } from '../../ports/repositories/run-repository.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownWorkspace, showingWorkspace } from '../workspaces/show-workspace.js';

/** A run with the related data a document shows. */
export interface ShownRun {
  readonly run: RunState;
  /** The reader's standing on its workspace: it decides which actions the document offers. */
  readonly standing: Standing;
  /** Its task stages, in their order. */
  readonly stageIds: readonly TaskStageId[];
  /** Its queue position while it waits for its workspace; 0 otherwise. */
  readonly position: number;
}

/** The resources that may be included with a run. */
export type RunInclude =
  | 'workspace'
  | 'configuration-version'
  | 'ingress-attributes'
  | 'task-stages'
  | 'created-by'
  | 'plan'
  | 'apply';

export interface RunWithIncluded extends ShownRun {
  readonly workspace: ShownWorkspace | undefined;
  readonly version: ConfigurationVersionState | undefined;
  readonly ingressAttributes: IngressAttributes | undefined;
  readonly stages: readonly TaskStage[];
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

export async function showing(
  tx: Transaction<'runs' | 'taskStages'>,
  { subject, standing }: WithStanding<Run>,
): Promise<ShownRun> {
  const [shown] = await showingAll(tx, [subject.state], standing);
  return shown as ShownRun;
}

/** Shows many runs of one workspace. */
export const showingAll = (
  tx: Transaction<'runs' | 'taskStages'>,
  runs: readonly RunState[],
  standing: Standing,
): Promise<readonly ShownRun[]> =>
  showingEach(
    tx,
    runs.map((subject) => ({ subject, standing })),
  );

/** Shows many runs of one organization. */
export async function showingEach(
  tx: Transaction<'runs' | 'taskStages'>,
  seen: readonly WithStanding<RunState>[],
): Promise<readonly ShownRun[]> {
  const runs = seen.map(({ subject }) => subject);
  const stageIds = await tx.taskStages.idsOfRuns(runs.map(({ id }) => id));
  const positions = await positionsOf(tx, runs);
  return seen.map(({ subject: run, standing }) => ({
    run,
    standing,
    stageIds: stageIds.get(run.id) ?? [],
    position: positions.get(run.id) ?? 0,
  }));
}

/** Shows runs of many workspaces, in the order of their organization's queue. */
export async function showingQueued(
  tx: Transaction<'taskStages'>,
  queued: readonly WithStanding<QueuedRun>[],
): Promise<readonly ShownRun[]> {
  const stageIds = await tx.taskStages.idsOfRuns(queued.map(({ subject }) => subject.run.id));
  return queued.map(({ subject: { run, position }, standing }) => ({
    run,
    standing,
    stageIds: stageIds.get(run.id) ?? [],
    position: waits(run) ? position : 0,
  }));
}

/** GET /runs/:id. */
export class ShowRun {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'runs' | 'taskStages'>,
  ) {}

  execute(
    actor: Actor,
    { id, include }: { readonly id: RunId; readonly include: ReadonlySet<RunInclude> },
  ): Promise<RunWithIncluded> {
    return this.unitOfWork.read(async (tx) => {
      const seen = seenBy(await tx.runs.findFor(actor, id), 'runs/read');
      const { standing } = seen;
      const { state: run } = seen.subject;
      const withStages = include.has('task-stages');
      const stages = withStages ? await tx.taskStages.ofRun(id) : [];
      const stageIds = stages.map((stage) => stage.id);
      const shown = withStages
        ? { run, standing, stageIds, position: (await positionsOf(tx, [run])).get(id) ?? 0 }
        : await showing(tx, seen);
      const { workspaceId, configurationVersionId } = run;
      const workspace = include.has('workspace')
        ? await showingWorkspace(tx, seenBy(await tx.workspaces.findFor(actor, workspaceId), 'workspaces/read'))
        : undefined;
      const withCommit = include.has('ingress-attributes');
      const version =
        withCommit || include.has('configuration-version')
          ? await tx.configurationVersions.find(configurationVersionId)
          : undefined;
      const readable = version?.readable ? version.state : undefined;
      const commits =
        withCommit && readable?.ingressAttributesId
          ? await tx.configurationVersions.ingressAttributes([configurationVersionId])
          : undefined;
      const ingressAttributes = commits?.get(configurationVersionId);
      return { ...shown, workspace, version: readable, ingressAttributes, stages };
    });
  }
}
