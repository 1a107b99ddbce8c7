import {
  type Actor,
  authorize,
  type ExecutionChange,
  type ExecutionSettings,
  executionOf,
  type Standing,
  type TokenOwner,
  type Workspace,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { admits, changedExecution } from '../../../domain/shared/execution.js';
import { namedPool, otherCreators } from '../../authorization/named-pool.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Current = Pick<Workspace, 'id' | 'projectId' | 'organizationId' | keyof ExecutionSettings | 'executionDefaults'>;

interface ChosenExecution {
  readonly settings: ExecutionSettings;
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/**
 * The new execution settings of a workspace. Throws `resource/not-found` without the right to change them, and
 * `attribute/invalid` for an invalid combination, or a pool that is not available to the workspace.
 */
export async function chosenExecution(
  tx: Transaction<'agentPools' | 'agentTokens' | 'rowLocks'>,
  actor: Actor,
  standing: Standing,
  current: Current,
  change: ExecutionChange | undefined,
): Promise<ChosenExecution> {
  const { executionMode, agentPoolId } = current;
  if (change === undefined) return { settings: { executionMode, agentPoolId } };
  const settings = changedExecution(current, change);
  if (settings.executionMode === executionMode && settings.agentPoolId === agentPoolId) return { settings };
  authorize(standing, 'workspaces/set-execution');
  const { agentPoolId: poolId } = executionOf({ ...current, ...settings });
  if (poolId === null) return { settings };
  const pool = await namedPool(tx, current.organizationId, poolId, { attribute: 'agentPoolId' });
  if (!admits(pool, current)) {
    throw invalidAttribute(
      'agentPoolId',
      'Agent pool does not allow this workspace. Change the scope of the pool first',
    );
  }
  return { settings, poolTokenCreators: await otherCreators(tx, actor, poolId) };
}
