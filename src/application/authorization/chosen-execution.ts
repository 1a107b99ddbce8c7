import {
  type Actor,
  type AgentPool,
  authorize,
  type Executed,
  type ExecutionChange,
  type ExecutionSettings,
  executionOf,
  type OrganizationId,
  type Standing,
  type TokenOwner,
} from '../../domain/index.js';
import { invalidAttribute } from '../../domain/shared/domain-error.js';
import { changedExecution } from '../../domain/shared/execution.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';
import { namedPool, otherCreators } from './named-pool.js';

/** The repositories of pools that workspaces and projects name. */
export type PoolRepositories = 'agentPools' | 'agentTokens' | 'rowLocks';

const kinds = {
  workspace: { action: 'workspaces/set-execution', attribute: 'agentPoolId' },
  project: { action: 'projects/set-execution', attribute: 'defaultAgentPoolId' },
} as const;

interface Current extends Executed {
  readonly organizationId: OrganizationId;
}

interface Place {
  readonly kind: keyof typeof kinds;
  /** Whether the scope of the pool includes the workspace or project. */
  readonly allowedBy: (pool: AgentPool) => boolean;
}

export interface ChosenExecution {
  readonly settings: ExecutionSettings;
  /** The owners of tokens of the newly named pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/**
 * The new execution settings of a workspace or project. Throws `resource/not-found` without the right to change them, and
 * `attribute/invalid` for an invalid combination, or a pool that is not available to it.
 */
export async function chosenExecution(
  tx: Transaction<PoolRepositories>,
  actor: Actor,
  standing: Standing,
  current: Current,
  change: ExecutionChange | undefined,
  { kind, allowedBy }: Place,
): Promise<ChosenExecution> {
  const { executionMode, agentPoolId } = current;
  if (change === undefined) return { settings: { executionMode, agentPoolId } };
  const settings = changedExecution(current, change, kind);
  if (settings.executionMode === executionMode && settings.agentPoolId === agentPoolId) return { settings };
  const { action, attribute } = kinds[kind];
  authorize(standing, action);
  const { agentPoolId: poolId } = executionOf({ ...current, ...settings });
  if (poolId === null) return { settings };
  const pool = await namedPool(tx, current.organizationId, poolId, { attribute });
  if (!allowedBy(pool)) {
    throw invalidAttribute(attribute, `Agent pool does not allow this ${kind}. Change the scope of the pool first`);
  }
  return { settings, poolTokenCreators: await otherCreators(tx, actor, poolId) };
}
