import {
  type AgentPool,
  type AgentPoolScope,
  DomainError,
  type Standing,
  type WithStanding,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The requested change of a pool's scope; unnamed settings keep their value. */
export type ScopeChange = Partial<AgentPoolScope>;

const lists = [
  ['allowedWorkspaceIds', 'allowedWorkspaces'],
  ['excludedWorkspaceIds', 'excludedWorkspaces'],
] as const;

/**
 * The pool with its changed scope. A list replaces the part of the previous one that the caller can see. Throws
 * `attribute/invalid` for an id that is not a workspace of the organization, or is hidden from the caller.
 */
export async function withScope(
  tx: Transaction<'workspaces'>,
  { subject: pool, standing }: WithStanding<AgentPool>,
  change: ScopeChange,
): Promise<AgentPool> {
  const scope: AgentPoolScope = { ...pool, organizationScoped: change.organizationScoped ?? pool.organizationScoped };
  const named = lists.flatMap(([list]) => [...(change[list] ?? []), ...(change[list] ? pool[list] : [])]);
  const visible = await visibleTo(tx, pool, standing, named);
  const changed = lists.flatMap(([list, relationship]) => {
    const wanted = change[list];
    if (wanted === undefined) return [];
    if (wanted.some((id) => !visible.has(id))) {
      throw new DomainError('attribute/invalid', 'Workspaces must belong to the organization', { relationship });
    }
    const hidden = pool[list].filter((id) => !visible.has(id));
    return [[list, [...new Set([...wanted, ...hidden])].sort()]];
  });
  return { ...pool, ...scope, ...Object.fromEntries(changed) };
}

/** The pools without the workspaces hidden from the caller. */
export async function withVisibleScope(
  tx: Transaction<'workspaces'>,
  pools: readonly AgentPool[],
  standing: Standing,
): Promise<readonly AgentPool[]> {
  const [first] = pools;
  const named = pools.flatMap((pool) => lists.flatMap(([list]) => pool[list]));
  if (first === undefined || named.length === 0) return pools;
  const visible = await visibleTo(tx, first, standing, named);
  const seen = (ids: readonly WorkspaceId[]) => ids.filter((id) => visible.has(id));
  return pools.map((pool) => ({
    ...pool,
    allowedWorkspaceIds: seen(pool.allowedWorkspaceIds),
    excludedWorkspaceIds: seen(pool.excludedWorkspaceIds),
  }));
}

export const withVisibleScopeOf = async (
  tx: Transaction<'workspaces'>,
  { subject, standing }: WithStanding<AgentPool>,
): Promise<AgentPool> => (await withVisibleScope(tx, [subject], standing))[0] ?? subject;

async function visibleTo(
  tx: Transaction<'workspaces'>,
  { organizationId }: AgentPool,
  standing: Standing,
  ids: readonly WorkspaceId[],
): Promise<ReadonlySet<WorkspaceId>> {
  if (organizationId === null || ids.length === 0) return new Set();
  return new Set(await tx.workspaces.visibleAmong(organizationId, [...new Set(ids)], workspaceVisibility(standing)));
}
