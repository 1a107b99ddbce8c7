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
  type Workspace,
} from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** A run with what a document says of it. */
export interface ShownRun {
  readonly run: RunState;
  /** The reader's, on its workspace: it decides which actions the document offers. */
  readonly standing: Standing;
  /** Null when no policy applies to it. */
  readonly stage: TaskStage | null;
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
}

export async function showing(tx: Transaction, { subject, standing }: Seen<Run>): Promise<ShownRun> {
  return { run: subject.state, standing, stage: (await tx.taskStages.ofRun(subject.state.id)) ?? null };
}

/** The same for many runs of one workspace. */
export async function showingAll(
  tx: Transaction,
  runs: readonly RunState[],
  standing: Standing,
): Promise<readonly ShownRun[]> {
  const stages = runs.length === 0 ? new Map() : await tx.taskStages.ofRuns(runs.map(({ id }) => id));
  return runs.map((run) => ({ run, standing, stage: stages.get(run.id) ?? null }));
}

/** GET /runs/:id. */
export class ShowRun {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    { id, include }: { readonly id: RunId; readonly include: ReadonlySet<RunInclude> },
  ): Promise<RunWithIncluded> {
    return this.unitOfWork.read(async (tx) => {
      const shown = await showing(tx, seenBy(await tx.runs.findFor(actor, id), 'runs/read'));
      const { workspaceId, configurationVersionId } = shown.run;
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
      return { ...shown, workspace, version: readable, ingressAttributes: commits?.get(configurationVersionId) };
    });
  }
}
