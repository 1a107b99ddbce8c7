import { later } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Settings } from '../../ports/outside/settings.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const batch = 500;

/** Deletes audit events past their retention period. */
export class ForgetAuditEvents {
  constructor(
    private readonly unitOfWork: UnitOfWork<'audit'>,
    private readonly clock: Clock,
    private readonly settings: Pick<Settings, 'auditDays'>,
  ) {}

  /** Deletes one batch. Safe to repeat and to run concurrently. */
  async execute(): Promise<{ readonly forgotten: number; readonly more: boolean }> {
    const { auditDays } = this.settings;
    if (auditDays === 0) return { forgotten: 0, more: false };
    const before = later(this.clock.now(), -auditDays * 86_400);
    const forgotten = await this.unitOfWork.run((tx) => tx.audit.forget(before, batch));
    return { forgotten, more: forgotten === batch };
  }
}
