import {
  type Actor,
  authorizedView,
  type ProjectId,
  type VariableSet,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { Page } from '../../ports/repositories/page.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { visibleProjects } from '../projects/visible-projects.js';

/** The sets, attached only to those workspaces and projects that the caller can see. All are of one organization. */
export async function withVisibleAttachments(
  tx: Transaction<'organizations' | 'workspaces' | 'projects'>,
  actor: Actor,
  page: Page<VariableSet>,
): Promise<Page<VariableSet>> {
  const workspaceIds = [...new Set(page.items.flatMap((set) => set.workspaceIds))];
  const projectIds = [...new Set(page.items.flatMap((set) => set.projectIds))];
  const [first] = page.items;
  if (first === undefined || workspaceIds.length + projectIds.length === 0) return page;
  const { standing } = authorizedView(
    await tx.organizations.findFor(actor, first.organizationName),
    'organizations/read',
  );
  const visibility = workspaceVisibility(standing);
  const seen = new Set<string>(
    visibility === 'all' || workspaceIds.length === 0
      ? workspaceIds
      : await tx.workspaces.visibleAmong(first.organizationId, workspaceIds, visibility),
  );
  const projects = await visibleProjects(tx, actor, standing, projectIds);
  const seenProjects = new Set<ProjectId>(projects.map(({ subject }) => subject.id));
  const items = page.items.map((set) => ({
    ...set,
    workspaceIds: set.workspaceIds.filter((id) => seen.has(id)),
    projectIds: set.projectIds.filter((id) => seenProjects.has(id)),
  }));
  return { ...page, items };
}
