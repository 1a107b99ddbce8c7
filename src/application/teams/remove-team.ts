import {
  type Actor,
  authorized,
  checkRemovable,
  DomainError,
  doneBy,
  notFound,
  type TeamId,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** DELETE /teams/:id: its token and grants are void at once. */
export class RemoveTeam {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: TeamId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const team = authorized(await tx.teams.findFor(actor, id), 'teams/delete');
      checkRemovable(team);
      // So that no run begins between the question and the removal.
      if (!(await tx.holds.take({ kind: 'team', id }))) throw notFound();
      if (await tx.runs.anyInProgress({ createdBy: id })) {
        throw new DomainError('runs/in-progress', 'the team has a run in progress');
      }
      await tx.teams.remove(id, this.clock.now());
      await tx.audit.add(doneBy(actor, 'teams/delete', id), team);
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'team', id } }]);
    });
  }
}
