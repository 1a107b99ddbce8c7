import {
  type Actor,
  authorize,
  type Executed,
  type ExecutionChange,
  type ExecutionSettings,
  executionOf,
  type Project,
  type Standing,
  type TokenOwner,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { changedExecution } from '../../../domain/shared/execution.js';
import { namedPool, otherCreators } from '../../authorization/named-pool.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

export interface ChangedProject extends Project {
  /** The owners of tokens of the newly named default pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/** The repositories of pools that projects name. */
export type PoolRepositories = 'agentPools' | 'agentTokens' | 'rowLocks';

interface ChosenDefaults {
  readonly settings: ExecutionSettings;
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/**
 * The new execution settings of a project. Throws `resource/not-found` without the right to change them, and
 * `attribute/invalid` for an invalid combination, or a pool that is not available to the project.
 */
export async function chosenDefaults(
  tx: Transaction<PoolRepositories>,
  actor: Actor,
  standing: Standing,
  current: Pick<Project, 'id' | 'organizationId' | keyof Executed>,
  change: ExecutionChange | undefined,
): Promise<ChosenDefaults> {
  const { id, organizationId, executionMode, agentPoolId } = current;
  if (change === undefined) return { settings: { executionMode, agentPoolId } };
  const settings = changedExecution(current, change, 'project');
  if (settings.executionMode === executionMode && settings.agentPoolId === agentPoolId) return { settings };
  authorize(standing, 'projects/set-execution');
  const { agentPoolId: poolId } = executionOf({ ...current, ...settings });
  if (poolId === null) return { settings };
  const pool = await namedPool(tx, organizationId, poolId, { attribute: 'defaultAgentPoolId' });
  if (!pool.organizationScoped && !pool.allowedProjectIds.includes(id)) {
    const sentence = 'Agent pool does not allow this project. Change the scope of the pool first';
    throw invalidAttribute('defaultAgentPoolId', sentence);
  }
  return { settings, poolTokenCreators: await otherCreators(tx, actor, poolId) };
}
