import { type Actor, type KeyValue, notFound, type TagBinding, type TagBindingOwner } from '../../../domain/index.js';
import { checkBindings } from '../../../domain/supporting/tags/tag-binding.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findOwner } from './binding-owner.js';
import type { TagChanges } from './tag-changes.js';

/** PATCH /workspaces/:id/tag-bindings and /projects/:id/tag-bindings: adds keys, and changes values of those there. */
export class BindTags {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'tagBindings' | 'rowLocks' | 'audit'>,
    private readonly changes: TagChanges,
  ) {}

  /** The bindings named, in their order. Throws `attribute/invalid` for a malformed one, and for too many. */
  execute(actor: Actor, owner: TagBindingOwner, wanted: readonly KeyValue[]): Promise<readonly TagBinding[]> {
    const { kind, id } = owner;
    return this.unitOfWork.run(async (tx) => {
      // Concurrent additions would otherwise exceed the limit together.
      if (kind === 'workspace') await tx.workspaces.lockRow(id);
      else if (!(await tx.rowLocks.take({ kind, id }))) throw notFound();
      const { subject, done } = await findOwner(tx, actor, owner, 'update');
      const { organizationId } = subject;
      const present = await tx.tagBindings.of(owner);
      checkBindings(
        wanted,
        { member: 'data' },
        present.map(({ key }) => key),
      );
      const bound = this.changes.bindings(owner, organizationId, wanted).map((binding) => {
        const before = present.find(({ key }) => key === binding.key);
        return { ...(before ?? binding), value: binding.value };
      });
      await tx.tagBindings.bind(owner, bound);
      await tx.audit.add(done(id), {
        organizationId,
        ...(kind === 'workspace' && { workspaceId: id }),
      });
      return bound;
    });
  }
}
