import {
  type Actor,
  authorize,
  type ConfigurationVersionState,
  type IngressAttributes,
  type Run,
  type RunId,
  type RunState,
  type Seen,
  type Standing,
  seenBy,
  type TaskStage,
  type TaskStageId,
  type Workspace,
} from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** A run with what a document says of it. */
export interface ShownRun {
  readonly run: RunState;
  /** The reader's, on its workspace: it decides which actions the document offers. */
  readonly standing: Standing;
  /** Null when no policy applies to it. */
  readonly stageId: TaskStageId | null;
}

/** What may be asked for beside a run. */
export type RunInclude =
  | 'workspace'
  | 'configuration-version'
  | 'ingress-attributes'
  | 'task-stages'
  | 'plan'
  | 'apply';

export interface RunWithIncluded extends ShownRun {
  readonly workspace: Seen<Workspace> | undefined;
  readonly version: ConfigurationVersionState | undefined;
  readonly ingressAttributes: IngressAttributes | undefined;
  readonly stage: TaskStage | undefined;
}

export async function showing(tx: Transaction, { subject, standing }: Seen<Run>): Promise<ShownRun> {
  const { state: run } = subject;
  return { run, standing, stageId: (await tx.taskStages.idsOfRuns([run.id])).get(run.id) ?? null };
}

/** The same for many runs of one workspace. */
export async function showingAll(
  tx: Transaction,
  runs: readonly RunState[],
  standing: Standing,
): Promise<readonly ShownRun[]> {
  const stageIds = await tx.taskStages.idsOfRuns(runs.map(({ id }) => id));
  return runs.map((run) => ({ run, standing, stageId: stageIds.get(run.id) ?? null }));
}

/** GET /runs/:id. */
export class ShowRun {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    { id, include }: { readonly id: RunId; readonly include: ReadonlySet<RunInclude> },
  ): Promise<RunWithIncluded> {
    return this.unitOfWork.read(async (tx) => {
      const seen = seenBy(await tx.runs.findFor(actor, id), 'runs/read');
      const { standing } = seen;
      const { state: run } = seen.subject;
      const withStage = include.has('task-stages');
      const stage = withStage ? await tx.taskStages.ofRun(id) : undefined;
      const shown = withStage ? { run, standing, stageId: stage?.id ?? null } : await showing(tx, seen);
      const { workspaceId, configurationVersionId } = run;
      const workspace = include.has('workspace') ? await tx.workspaces.findFor(actor, workspaceId) : undefined;
      if (workspace !== undefined) authorize(workspace.standing, 'workspaces/read');
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
      return { ...shown, workspace, version: readable, ingressAttributes, stage };
    });
  }
}
