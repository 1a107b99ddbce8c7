import type { Actor, WorkspaceId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkTagNames } from '../../../domain/supporting/tags/tag.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { namesOf, type TagChanges, type TagReference } from './tag-changes.js';

const at = { member: 'data' } as const;

/** POST and DELETE /workspaces/:id/relationships/tags. */
export class ChangeWorkspaceTags {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'tags' | 'audit'>,
    private readonly changes: TagChanges,
  ) {}

  /**
   * Adding a tag that the workspace has, and removing a name that it does not have, changes nothing. Throws
   * `attribute/invalid` for a malformed name, an unknown id, and too many tags.
   */
  execute(actor: Actor, id: WorkspaceId, change: 'add' | 'remove', references: readonly TagReference[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      // Concurrent additions would otherwise exceed the limit together.
      await tx.workspaces.lockRow(id);
      const { subject: workspace, done } = changing(actor, await tx.workspaces.findFor(actor, id), 'workspaces/update');
      const names = await namesOf(tx, actor, workspace, references, at);
      if (change === 'remove') {
        await tx.tags.takeFrom(id, names);
      } else {
        checkTagNames([...workspace.tagNames, ...names], at);
        await this.changes.give(tx, workspace.organizationId, [id], names);
      }
      await tx.audit.add(done(id), inWorkspace(workspace));
    });
  }
}
