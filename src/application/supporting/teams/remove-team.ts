import { type Actor, notFound, type TeamId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
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
      const { subject: team, done } = changing(actor, await tx.teams.findFor(actor, id), 'teams/delete');
      checkRemovable(team);
      // Prevents a run from starting between the check and the removal.
      if (!(await tx.rowLocks.take({ kind: 'team', id }))) throw notFound();
      await tx.teams.remove(id, this.clock.now());
      await tx.audit.add(done(id), team);
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'team', id } }]);
    });
  }
}
