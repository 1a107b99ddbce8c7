import type { WorkspaceId } from '../../../domain/index.js';
import type { WorkspaceActivity } from '../../ports/repositories/run-repository.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** A workspace without runs and states. */
export const noActivity: WorkspaceActivity = {
  workingRunId: null,
  currentRunId: null,
  latestRunId: null,
  runsCount: 0,
  stateVersionId: null,
  resourceCount: null,
  variableIds: [],
};

export const activityOf = async (tx: Transaction<'runs'>, id: WorkspaceId): Promise<WorkspaceActivity> =>
  (await tx.runs.activityOf([id])).get(id) ?? noActivity;
