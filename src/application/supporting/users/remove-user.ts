import { type Actor, DomainError, isUser, notFound, type UserId } from '../../../domain/index.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkActiveRemain } from '../teams/check-active-remain.js';

/**
 * DELETE /admin/users/:id: tokens and memberships are invalid at once; remaining data is removed in batches. The
 * audit trail keeps the username, unless `erase` is true.
 */
export class RemoveUser {
  constructor(
    private readonly unitOfWork: UnitOfWork<'users' | 'teams' | 'effects' | 'rowLocks' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  async execute(actor: Actor, id: UserId, erase = false): Promise<void> {
    const { done } = changingSite(actor, 'users/manage');
    await this.unitOfWork.run(async (tx) => {
      if ((await tx.users.find(id)) === undefined) throw notFound();
      if (isUser(actor, id)) {
        throw new DomainError('user/protected', 'a site administrator cannot delete their own user');
      }
      // Prevents a run from starting, or an owners team from adding the user, between the checks and the removal.
      if (!(await tx.rowLocks.take({ kind: 'user', id }))) throw notFound();
      for (const team of await tx.teams.ownedBy(id)) {
        await checkActiveRemain(tx, team, [id]);
        await tx.teams.save(withChangedMembers(team));
      }
      await tx.users.remove(id, this.clock.now());
      await tx.audit.add(done(id), 'site');
      if (erase) await tx.audit.eraseName(id);
      await tx.effects.enqueue(id, [{ kind: 'remove-rows', target: { kind: 'user', id } }]);
    });
  }
}
