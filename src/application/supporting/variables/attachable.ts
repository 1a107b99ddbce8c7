import {
  type Actor,
  type Attachments,
  authorize,
  authorizedView,
  DomainError,
  type ProjectId,
  type VariableSet,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { AtFault } from '../../../domain/shared/domain-error.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { targetProject } from '../projects/target-project.js';

export type AttachingRepositories = 'organizations' | 'workspaces' | 'projects' | 'rowLocks';

type Owner = Pick<VariableSet, 'organizationId' | 'organizationName' | 'projectId'>;

/**
 * The ids without duplicates. Throws `attribute/invalid`, at `where`, for a workspace that the caller cannot see, or
 * that is not the owner's, and `resource/not-found` without the right to its variables.
 */
export async function attachableWorkspaces(
  tx: Transaction<AttachingRepositories>,
  actor: Actor,
  { organizationId, organizationName, projectId }: Owner,
  ids: readonly WorkspaceId[],
  where: AtFault,
): Promise<readonly WorkspaceId[]> {
  if (ids.length === 0) return [];
  const wanted = [...new Set(ids)];
  const { standing } = authorizedView(await tx.organizations.findFor(actor, organizationName), 'organizations/read');
  const seen = await tx.workspaces.visibleWithStanding(organizationId, standing, workspaceVisibility(standing), wanted);
  const found = seen.filter(({ subject }) => projectId === null || subject.projectId === projectId);
  if (found.length < wanted.length) {
    const owner = projectId === null ? 'organization' : 'project';
    const sentence = `Workspaces must be workspaces of the ${owner} that you can see`;
    throw new DomainError('attribute/invalid', sentence, where);
  }
  for (const workspace of found) authorize(workspace.standing, 'variables/manage');
  return wanted.sort();
}

/** Like `attachableWorkspaces`, for projects, whose variable sets the caller must be able to manage. */
export async function attachableProjects(
  tx: Transaction<AttachingRepositories>,
  actor: Actor,
  { organizationId, projectId }: Owner,
  ids: readonly ProjectId[],
  where: AtFault,
): Promise<readonly ProjectId[]> {
  const wanted = [...new Set(ids)].sort();
  for (const id of wanted) {
    if (projectId !== null && id !== projectId) {
      throw new DomainError('attribute/invalid', 'A project can share its variable sets with no other project', where);
    }
    await targetProject(tx, actor, organizationId, id, 'variable-sets/manage-in-project', where);
  }
  return wanted;
}

/** The attachments that a request names: those it leaves out are missing. */
export async function attachments(
  tx: Transaction<AttachingRepositories>,
  actor: Actor,
  owner: Owner,
  { workspaceIds, projectIds }: Partial<Attachments>,
): Promise<Partial<Attachments>> {
  return {
    ...(workspaceIds !== undefined && {
      workspaceIds: await attachableWorkspaces(tx, actor, owner, workspaceIds, { relationship: 'workspaces' }),
    }),
    ...(projectIds !== undefined && {
      projectIds: await attachableProjects(tx, actor, owner, projectIds, { relationship: 'projects' }),
    }),
  };
}
