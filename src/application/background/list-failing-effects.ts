import { type Actor, authorize, standingOnSite } from '../../domain/index.js';
import type { FailingEffect } from '../ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /admin/failing-effects: effects that failed and are retried, oldest first. */
export class ListFailingEffects {
  constructor(private readonly unitOfWork: UnitOfWork<'effects'>) {}

  async execute(actor: Actor, page: PageRequest): Promise<Page<FailingEffect>> {
    authorize(standingOnSite(actor), 'effects/read');
    return this.unitOfWork.read((tx) => tx.effects.failing(page));
  }
}
