import { type Actor, notFound } from '../../domain/index.js';
import { changingSite } from '../../domain/supporting/audit/change.js';
import type { FailingEffect } from '../ports/repositories/effect-outbox.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** POST /admin/failing-effects/:id/actions/retry: attempts at once what failed or was put aside. */
export class RetryEffect {
  constructor(private readonly unitOfWork: UnitOfWork<'effects' | 'audit'>) {}

  async execute(actor: Actor, id: string): Promise<FailingEffect> {
    const { done } = changingSite(actor, 'effects/retry');
    return this.unitOfWork.run(async (tx) => {
      const found = /^[1-9]\d{0,14}$/.test(id) ? await tx.effects.retry(Number(id)) : undefined;
      if (found === undefined) throw notFound();
      await tx.audit.add(done(id), 'site');
      return found;
    });
  }
}
