import { type Actor, authorize, notFound, standingOnSite } from '../../domain/index.js';
import { doneBy } from '../../domain/supporting/audit/audit-event.js';
import type { FailingEffect } from '../ports/repositories/effect-outbox.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** POST /admin/failing-effects/:id/actions/retry: attempts at once what failed or was put aside. */
export class RetryEffect {
  constructor(private readonly unitOfWork: UnitOfWork<'effects' | 'audit'>) {}

  async execute(actor: Actor, id: string): Promise<FailingEffect> {
    authorize(standingOnSite(actor), 'effects/retry');
    return this.unitOfWork.run(async (tx) => {
      const found = /^[1-9]\d{0,14}$/.test(id) ? await tx.effects.retry(Number(id)) : undefined;
      if (found === undefined) throw notFound();
      await tx.audit.add(doneBy(actor, 'effects/retry', id), 'site');
      return found;
    });
  }
}
