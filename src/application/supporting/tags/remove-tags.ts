import type { Actor, TagId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { unknownTag } from './tag-changes.js';

/** DELETE /organizations/:name/tags: takes tags from all workspaces. */
export class RemoveTags {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tags' | 'audit'>) {}

  /** Throws `attribute/invalid` for a tag that the organization does not have. */
  execute(actor: Actor, organizationName: string, ids: readonly TagId[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, done } = changing(actor, await tx.organizations.findFor(actor, organizationName), 'tags/delete');
      const found = await tx.tags.among(subject.id, 'all', ids);
      if (found.length < new Set(ids).size) throw unknownTag({ member: 'data' });
      await tx.tags.takeFromAll(ids);
      const tags = found.map(({ id, name }) => ({ id, name }));
      await tx.audit.add(done(subject.id, { tags }), { organizationId: subject.id });
    });
  }
}
