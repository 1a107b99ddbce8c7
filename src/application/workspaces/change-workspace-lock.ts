import {
  type Action,
  type Actor,
  identityOf,
  type LockAction,
  lockActions,
  type Seen,
  seenBy,
  type Workspace,
  type WorkspaceId,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

const needs = {
  lock: 'workspaces/lock',
  unlock: 'workspaces/lock',
  'force-unlock': 'workspaces/force-unlock',
} as const satisfies Record<LockAction, Action>;

/** POST /workspaces/:id/actions/lock, …/unlock (the caller's own lock) and …/force-unlock (anybody's). */
export class ChangeWorkspaceLock {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    id: WorkspaceId,
    command: { readonly action: LockAction; readonly reason: string | null },
  ): Promise<Seen<Workspace>> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, standing } = seenBy(await tx.workspaces.findFor(actor, id), needs[command.action]);
      const next = lockActions[command.action](subject, identityOf(actor), this.clock.now(), command.reason);
      await tx.workspaces.save(next);
      return { subject: next, standing };
    });
  }
}
