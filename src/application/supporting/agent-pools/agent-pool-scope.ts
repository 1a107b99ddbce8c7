import {
  type Actor,
  type AgentPool,
  type AgentPoolScope,
  DomainError,
  type ProjectId,
  type Standing,
  type WithStanding,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { visibleProjects } from '../projects/visible-projects.js';

/** The requested change of a pool's scope; unnamed settings keep their value. */
export type ScopeChange = Partial<AgentPoolScope>;

const lists = [
  ['allowedWorkspaceIds', 'Workspaces', 'allowedWorkspaces'],
  ['allowedProjectIds', 'Projects', 'allowedProjects'],
  ['excludedWorkspaceIds', 'Workspaces', 'excludedWorkspaces'],
] as const;

type Places = Transaction<'workspaces' | 'projects'>;

/**
 * The pool with its changed scope. A list replaces the part of the previous one that the caller can see. Throws
 * `attribute/invalid` for an id that is not a workspace or project of the organization, or is hidden from the caller.
 */
export async function withScope(
  tx: Places,
  actor: Actor,
  { subject: pool, standing }: WithStanding<AgentPool>,
  change: ScopeChange,
): Promise<AgentPool> {
  const scope: AgentPoolScope = { ...pool, organizationScoped: change.organizationScoped ?? pool.organizationScoped };
  const named = lists.filter(([list]) => change[list] !== undefined).map(([list]) => list);
  const asked = [pool, change].map((of): ScopeChange => Object.fromEntries(named.map((list) => [list, of[list]])));
  const visible = await visibleTo(tx, actor, standing, asked, pool);
  const changed = lists.flatMap(([list, what, relationship]) => {
    const wanted = change[list];
    if (wanted === undefined) return [];
    if (wanted.some((id) => !visible.has(id))) {
      throw new DomainError('attribute/invalid', `${what} must belong to the organization`, { relationship });
    }
    const hidden = pool[list].filter((id) => !visible.has(id));
    return [[list, [...new Set([...wanted, ...hidden])].sort()]];
  });
  return { ...pool, ...scope, ...Object.fromEntries(changed) };
}

/** The pools without the workspaces and projects hidden from the caller. */
export async function withVisibleScope(
  tx: Places,
  actor: Actor,
  pools: readonly AgentPool[],
  standing: Standing,
): Promise<readonly AgentPool[]> {
  const [first] = pools;
  if (first === undefined || pools.every((pool) => lists.every(([list]) => pool[list].length === 0))) return pools;
  const visible = await visibleTo(tx, actor, standing, pools, first);
  const seen = <Id extends string>(ids: readonly Id[]) => ids.filter((id) => visible.has(id));
  return pools.map((pool) => ({
    ...pool,
    allowedWorkspaceIds: seen(pool.allowedWorkspaceIds),
    allowedProjectIds: seen(pool.allowedProjectIds),
    excludedWorkspaceIds: seen(pool.excludedWorkspaceIds),
  }));
}

export const withVisibleScopeOf = async (
  tx: Places,
  actor: Actor,
  { subject, standing }: WithStanding<AgentPool>,
): Promise<AgentPool> => (await withVisibleScope(tx, actor, [subject], standing))[0] ?? subject;

/** The workspaces and projects that the scopes name, the organization has, and the caller can see. */
async function visibleTo(
  tx: Places,
  actor: Actor,
  standing: Standing,
  scopes: readonly ScopeChange[],
  { organizationId }: AgentPool,
): Promise<ReadonlySet<WorkspaceId | ProjectId>> {
  if (organizationId === null) return new Set();
  const workspaceIds = scopes.flatMap(({ allowedWorkspaceIds = [], excludedWorkspaceIds = [] }) => [
    ...allowedWorkspaceIds,
    ...excludedWorkspaceIds,
  ]);
  const projectIds = scopes.flatMap(({ allowedProjectIds = [] }) => allowedProjectIds);
  const workspaces =
    workspaceIds.length === 0
      ? []
      : await tx.workspaces.visibleAmong(organizationId, [...new Set(workspaceIds)], workspaceVisibility(standing));
  const projects = await visibleProjects(tx, actor, standing, [...new Set(projectIds)]);
  const own = projects.filter(({ subject }) => subject.organizationId === organizationId);
  return new Set([...workspaces, ...own.map(({ subject }) => subject.id)]);
}
