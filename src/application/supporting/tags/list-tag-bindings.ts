import type { Actor, EffectiveTagBinding, TagBinding, TagBindingOwner } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findOwner } from './binding-owner.js';

/** GET /workspaces/:id/tag-bindings and GET /projects/:id/tag-bindings: its own, by key. */
export class ListTagBindings {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'tagBindings'>) {}

  execute(actor: Actor, owner: TagBindingOwner): Promise<readonly TagBinding[]> {
    return this.unitOfWork.read(async (tx) => {
      await findOwner(tx, actor, owner, 'read');
      return tx.tagBindings.of(owner);
    });
  }
}

/** GET /workspaces/:id/effective-tag-bindings and GET /projects/:id/effective-tag-bindings, by key. */
export class ListEffectiveTagBindings {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'projects' | 'tagBindings'>) {}

  execute(actor: Actor, owner: TagBindingOwner): Promise<readonly EffectiveTagBinding[]> {
    return this.unitOfWork.read(async (tx) => {
      await findOwner(tx, actor, owner, 'read');
      return tx.tagBindings.effectiveOf(owner.kind, [owner.id]);
    });
  }
}
