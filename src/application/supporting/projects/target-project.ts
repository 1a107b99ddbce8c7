import {
  type Action,
  type Actor,
  authorize,
  DomainError,
  may,
  type OrganizationId,
  type Project,
  type ProjectId,
  type WithStanding,
} from '../../../domain/index.js';
import type { AtFault } from '../../../domain/shared/domain-error.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * The project that a request names for a workspace. It is not removed until the transaction ends. Throws
 * `attribute/invalid`, at `where`, unless the caller can see it in the organization, and `resource/not-found` without the
 * right to `action`.
 */
export async function targetProject(
  tx: Transaction<'projects' | 'rowLocks'>,
  actor: Actor,
  organizationId: OrganizationId,
  id: ProjectId,
  action: Action,
  where: AtFault = { relationship: 'project' },
): Promise<WithStanding<Project>> {
  const held = await tx.rowLocks.share({ kind: 'project', id });
  const seen = held ? await tx.projects.findFor(actor, id) : undefined;
  if (seen?.subject.organizationId !== organizationId || !may(seen.standing, 'projects/read')) {
    throw new DomainError('attribute/invalid', 'Project must be a project of the organization that you can see', where);
  }
  authorize(seen.standing, action);
  return seen;
}
