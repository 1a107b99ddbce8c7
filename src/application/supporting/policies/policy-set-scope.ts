import { DomainError, type OrganizationId, type PolicySetScope } from '../../../domain/index.js';
import type { AtFault } from '../../../domain/shared/domain-error.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Find = (
  tx: Transaction<'workspaces' | 'projects'>,
  organizationId: OrganizationId,
  ids: readonly string[],
) => Promise<readonly string[]>;

const ofWorkspaces: Find = (tx, organizationId, ids) => tx.workspaces.visibleAmong(organizationId, ids, 'all');

const ofProjects: Find = async (tx, organizationId, ids) =>
  (await tx.projects.among(ids)).filter((project) => project.organizationId === organizationId).map(({ id }) => id);

const lists = {
  workspaceIds: { find: ofWorkspaces, what: 'Workspaces', relationship: 'workspaces' },
  excludedWorkspaceIds: { find: ofWorkspaces, what: 'Workspaces', relationship: 'workspaceExclusions' },
  projectIds: { find: ofProjects, what: 'Projects', relationship: 'projects' },
  excludedProjectIds: { find: ofProjects, what: 'Projects', relationship: 'projectExclusions' },
} as const;

/**
 * The ids without duplicates. Throws `attribute/invalid`, at `where`, if one of them does not belong to the
 * organization.
 */
export async function attachable(
  tx: Transaction<'workspaces' | 'projects'>,
  organizationId: OrganizationId,
  list: keyof PolicySetScope,
  ids: readonly string[],
  where: AtFault = { relationship: lists[list].relationship },
): Promise<readonly string[]> {
  const wanted = [...new Set(ids)];
  const { find, what } = lists[list];
  const found = wanted.length === 0 ? [] : await find(tx, organizationId, wanted);
  if (found.length < wanted.length) {
    throw new DomainError('attribute/invalid', `${what} must belong to the organization`, where);
  }
  return wanted.sort();
}

/** The lists that a request names, checked; those it leaves out are missing. */
export async function scopeOf(
  tx: Transaction<'workspaces' | 'projects'>,
  organizationId: OrganizationId,
  asked: Partial<PolicySetScope>,
): Promise<Partial<PolicySetScope>> {
  const scope: { -readonly [List in keyof PolicySetScope]?: PolicySetScope[List] } = {};
  for (const list of Object.keys(lists) as readonly (keyof PolicySetScope)[]) {
    const ids = asked[list];
    if (ids !== undefined) scope[list] = await attachable(tx, organizationId, list, ids);
  }
  return scope;
}
