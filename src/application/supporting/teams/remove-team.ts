import { type Actor, authorized, notFound, type TeamId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkRemovable } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** DELETE /teams/:id: its token and grants are invalid at once. */
export class RemoveTeam {
  constructor(
    private readonly unitOfWork: UnitOfWork<'teams' | 'effects' | 'rowLocks' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: TeamId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const team = authorized(await tx.teams.findFor(actor, id), 'teams/delete');
      checkRemovable(team);
      // Prevents a run from starting between the check and the removal.
      if (!(await tx.rowLocks.take({ kind: 'team', id }))) throw notFound();
      await tx.teams.remove(id, this.clock.now());
      await tx.audit.add(doneBy(actor, 'teams/delete', id), team);
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'team', id } }]);
    });
  }
}
