import {
  type Actor,
  type AgentPool,
  type AgentPoolId,
  authorize,
  DomainError,
  type ExecutionChange,
  type ExecutionSettings,
  executionOf,
  identityOf,
  type OrganizationId,
  type Standing,
  type TokenOwner,
  type Workspace,
} from '../../../domain/index.js';
import { type AtFault, invalidAttribute } from '../../../domain/shared/domain-error.js';
import { admits, changedExecution } from '../../../domain/shared/execution.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Current = Pick<
  Workspace,
  'id' | 'projectId' | 'organizationId' | keyof ExecutionSettings | 'organizationDefaults'
>;

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

/**
 * The pool a request names. It is locked against removal, and no token is issued for it, until the transaction ends.
 * Throws `attribute/invalid` unless it belongs to the organization.
 */
export async function namedPool(
  tx: Transaction<'agentPools' | 'rowLocks'>,
  organizationId: OrganizationId,
  id: AgentPoolId,
  at: AtFault,
): Promise<AgentPool> {
  const held = await tx.rowLocks.share({ kind: 'agent-pool', id });
  const pool = held ? await tx.agentPools.find(id) : undefined;
  if (pool === undefined || pool.organizationId !== organizationId) {
    throw new DomainError('attribute/invalid', 'Agent pool must belong to the organization', at);
  }
  return pool;
}

/** The other owners of the pool's tokens, whose agents claim the runs it serves. */
export async function otherCreators(
  tx: Transaction<'agentTokens'>,
  actor: Actor,
  id: AgentPoolId,
): Promise<readonly TokenOwner[]> {
  const own = identityOf(actor);
  return (await tx.agentTokens.creatorsOf(id)).filter((one) => one.kind !== own.kind || one.id !== own.id);
}
