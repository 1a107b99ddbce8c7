import { type Actor, DomainError, isUser, notFound, type User, type UserId } from '../../../domain/index.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import { tokenSessionsEnded } from '../../../domain/supporting/sign-in/session-events.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** POST /admin/users/:id/actions/suspend and …/unsuspend. While suspended, none of the user's tokens is accepted. Their sessions end. */
export class ChangeUserSuspension {
  constructor(private readonly unitOfWork: UnitOfWork<'users' | 'sessions' | 'audit'>) {}

  async execute(actor: Actor, id: UserId, suspended: boolean): Promise<User> {
    const { done } = changingSite(actor, 'users/manage');
    return this.unitOfWork.run(async (tx) => {
      const user = await tx.users.find(id);
      if (user === undefined) throw notFound();
      if (isUser(actor, id)) {
        throw new DomainError('user/protected', 'a site administrator cannot suspend their own user');
      }
      await tx.users.setSuspended(id, suspended);
      const ended = await tx.sessions.removeOf(id);
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
      await tx.audit.add(done(id), 'site');
      return { ...user, suspended };
    });
  }
}
