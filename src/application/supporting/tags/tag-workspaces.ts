import {
  type Actor,
  authorize,
  authorizedView,
  DomainError,
  notFound,
  type TagId,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkTagNames } from '../../../domain/supporting/tags/tag.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TagChanges } from './tag-changes.js';

const at = { member: 'data' } as const;

/** POST /tags/:id/relationships/workspaces: gives the tag to workspaces. */
export class TagWorkspaces {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'tags' | 'audit'>,
    private readonly changes: TagChanges,
  ) {}

  /** Throws `attribute/invalid` for a workspace that is not in the organization, or that the caller may not read. */
  execute(actor: Actor, id: TagId, workspaceIds: readonly WorkspaceId[]): Promise<void> {
    const ids = [...new Set(workspaceIds)].sort();
    return this.unitOfWork.run(async (tx) => {
      const { subject: tag, standing } = authorizedView(await tx.tags.findFor(actor, id), 'organizations/read');
      const { organizationId, name } = tag;
      const visibility = workspaceVisibility(standing);
      if ((await tx.tags.among(organizationId, visibility, [id])).length === 0) throw notFound();
      for (const workspaceId of ids) await tx.workspaces.lockRow(workspaceId);
      const found = await tx.workspaces.visibleWithStanding(organizationId, standing, visibility, ids);
      if (found.length < ids.length) {
        throw new DomainError('attribute/invalid', 'Workspaces must be workspaces of the organization', at);
      }
      for (const workspace of found) {
        authorize(workspace.standing, 'workspaces/update');
        checkTagNames([...workspace.subject.tagNames, name], at);
      }
      await this.changes.give(tx, organizationId, ids, [name]);
      for (const workspaceId of ids) {
        await tx.audit.add(doneBy(actor, 'workspaces/update', workspaceId), { organizationId, workspaceId });
      }
    });
  }
}
