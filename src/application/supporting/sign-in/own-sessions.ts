import { type Actor, notFound, type SessionId, type TokenId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { tokenSessionsEnded } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { ListedSession } from '../../ports/repositories/session-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { ownUser } from './own-user.js';

const own = (actor: Actor) => ownUser(actor, 'sessions/manage');

export interface OwnSessions {
  readonly sessions: readonly ListedSession[];
  /** The session that asks; undefined for a token. */
  readonly current: SessionId | undefined;
  /** The number of the user's tokens that sessions made. */
  readonly tokensMadeInSessions: number;
}

/** GET /account/sessions. */
export class ListSessions {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions' | 'tokens'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor): Promise<OwnSessions> {
    const { userId } = own(actor);
    return this.unitOfWork.read(async (tx) => {
      const sessions = await tx.sessions.ofUser(userId, this.clock.now());
      const current = sessions.find(({ id }) => id === actor.tokenId)?.id;
      return { sessions, current, tokensMadeInSessions: await tx.tokens.countMadeInSessions(userId) };
    });
  }
}

/** DELETE /account/sessions/:id. */
export class EndOneSession {
  constructor(private readonly unitOfWork: UnitOfWork<'sessions' | 'audit'>) {}

  execute(actor: Actor, id: SessionId): Promise<void> {
    const { userId, done } = own(actor);
    return this.unitOfWork.run(async (tx) => {
      const ended = await tx.sessions.removeOne(userId, id);
      if (ended.length === 0) throw notFound();
      await tx.audit.add(done(id), 'site');
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
    });
  }
}

/** DELETE /account/sessions: signs out everywhere, and revokes the tokens that sessions made if asked to. */
export class EndAllSessions {
  constructor(private readonly unitOfWork: UnitOfWork<'sessions' | 'tokens' | 'audit'>) {}

  execute(actor: Actor, { revokesTokens }: { readonly revokesTokens: boolean }): Promise<void> {
    const { userId, done } = own(actor);
    return this.unitOfWork.run(async (tx) => {
      const ended = await tx.sessions.removeOf(userId);
      const revoked: readonly TokenId[] = revokesTokens ? await tx.tokens.removeMadeInSessions(userId) : [];
      await tx.audit.add(done(userId), 'site');
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
      for (const id of revoked) await tx.audit.add(doneBy(actor, 'user-tokens/manage', id), 'site');
    });
  }
}
