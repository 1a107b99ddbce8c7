import { later } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

const batch = 500;

/** Forgets audit events that are older than they are kept. */
export class ForgetAuditEvents {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** How long events are kept; 0 is for ever. */
    private readonly days: number,
  ) {}

  /** One batch. Doing it twice, or at once with others, does no harm. */
  async execute(): Promise<{ readonly forgotten: number; readonly more: boolean }> {
    if (this.days === 0) return { forgotten: 0, more: false };
    const before = later(this.clock.now(), -this.days * 86_400);
    const forgotten = await this.unitOfWork.run((tx) => tx.audit.forget(before, batch));
    return { forgotten, more: forgotten === batch };
  }
}
