import type { Actor, ExecutionChange, ExecutionSettings, Standing, Workspace } from '../../../domain/index.js';
import { admits } from '../../../domain/shared/execution.js';
import { type ChosenExecution, chosenExecution, type PoolRepositories } from '../../authorization/chosen-execution.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Current = Pick<Workspace, 'id' | 'projectId' | 'organizationId' | keyof ExecutionSettings | 'executionDefaults'>;

/** The new execution settings of a workspace. Throws as `chosenExecution`. */
export const workspaceExecution = (
  tx: Transaction<PoolRepositories>,
  actor: Actor,
  standing: Standing,
  current: Current,
  change: ExecutionChange | undefined,
): Promise<ChosenExecution> =>
  chosenExecution(tx, actor, standing, current, change, {
    kind: 'workspace',
    allowedBy: (pool) => admits(pool, current),
  });
