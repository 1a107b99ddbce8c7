import { type Actor, authorized, notFound, type PolicyId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /policies/:id/download: the latest uploaded code. Throws `resource/not-found` before the first upload. */
export class ReadPolicyCode {
  constructor(private readonly unitOfWork: UnitOfWork<'policies'>) {}

  execute(actor: Actor, id: PolicyId): Promise<string> {
    return this.unitOfWork.read(async (tx) => {
      const { organizationId, code } = authorized(await tx.policies.findFor(actor, id), 'policies/manage');
      const text = code === null ? undefined : await tx.policies.findCode(organizationId, code);
      if (text === undefined) throw notFound();
      return text;
    });
  }
}
