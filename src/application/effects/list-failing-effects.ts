import { type Actor, authorize, standingOnSite } from '../../domain/index.js';
import type { FailingEffect } from '../ports/effect-outbox.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /admin/failing-effects: ordered work that did not succeed yet, the oldest first. */
export class ListFailingEffects {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async execute(actor: Actor, page: PageRequest): Promise<Page<FailingEffect>> {
    authorize(standingOnSite(actor), 'effects/read');
    return this.unitOfWork.read((tx) => tx.effects.failing(page));
  }
}
