import {
  type Actor,
  authorize,
  type Identity,
  type IdentityId,
  longestSubject,
  notFound,
  standingOnSite,
  type UserId,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import { tokenSessionsEnded } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { GroupMemberships } from './group-memberships.js';
import { ownUser } from './own-user.js';

export type NewIdentity = Pick<Identity, 'userId' | 'issuer' | 'subject'>;

/** POST /admin/users/:id/identities: links a person at an identity provider to a user. */
export class AddIdentity {
  constructor(
    private readonly unitOfWork: UnitOfWork<'identities' | 'users' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Throws `attribute/taken` if the identity is linked to a user. */
  execute(actor: Actor, { userId, issuer, subject }: NewIdentity): Promise<Identity> {
    const { done } = changingSite(actor, 'users/manage');
    for (const [attribute, text] of Object.entries({ issuer, subject })) {
      if (text.length > longestSubject || text.trim() === '') {
        throw invalidAttribute(attribute, `${attribute} must be 1 to ${longestSubject} characters`);
      }
    }
    return this.unitOfWork.run(async (tx) => {
      if ((await tx.users.find(userId)) === undefined) throw notFound();
      const identity = { id: this.ids.next('identity'), userId, issuer, subject, createdAt: this.clock.now() };
      await tx.identities.add(identity);
      await tx.audit.add(done(identity.id), 'site');
      return identity;
    });
  }
}

/** GET /admin/users/:id/identities. */
export class ListIdentities {
  constructor(private readonly unitOfWork: UnitOfWork<'identities' | 'users'>) {}

  execute(actor: Actor, userId: UserId): Promise<readonly Identity[]> {
    authorize(standingOnSite(actor), 'users/manage');
    return this.of(userId);
  }

  /** GET /account/identities. */
  own(actor: Actor): Promise<readonly Identity[]> {
    return this.of(own(actor).userId);
  }

  private of(userId: UserId): Promise<readonly Identity[]> {
    return this.unitOfWork.read(async (tx) => {
      if ((await tx.users.find(userId)) === undefined) throw notFound();
      return tx.identities.ofUser(userId);
    });
  }
}

type Removing = Transaction<'identities' | 'sessions' | 'teamGroups' | 'teams' | 'memberships' | 'rowLocks' | 'audit'>;

/** Also ends the user's sessions, which the identity may have begun, and the memberships that its groups made. */
export class RemoveIdentity {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'identities' | 'sessions' | 'teamGroups' | 'teams' | 'memberships' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly groups: GroupMemberships,
  ) {}

  /** DELETE /admin/users/:id/identities/:identityId. */
  execute(actor: Actor, userId: UserId, id: IdentityId): Promise<void> {
    const { done } = changingSite(actor, 'users/manage');
    return this.unitOfWork.run(async (tx) => {
      await this.remove(tx, actor, userId, id);
      const ended = await tx.sessions.removeOf(userId);
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
      await tx.audit.add(done(id), 'site');
    });
  }

  /** DELETE /account/identities/:id. The session that asks goes on, unless this identity began it. */
  own(actor: Actor, id: IdentityId): Promise<void> {
    const { userId, done } = own(actor);
    return this.unitOfWork.run(async (tx) => {
      const sessions = await tx.sessions.ofUser(userId, this.clock.now());
      const kept = sessions.find((session) => session.id === actor.tokenId && session.identityId !== id);
      await this.remove(tx, actor, userId, id);
      const ended = await tx.sessions.removeOf(userId, kept === undefined ? {} : { except: kept.id });
      for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
      await tx.audit.add(done(id), 'site');
    });
  }

  private async remove(tx: Removing, actor: Actor, userId: UserId, id: IdentityId): Promise<void> {
    if (!(await tx.identities.remove(userId, id))) throw notFound();
    // An identity that is gone has no groups.
    await this.groups.follow(tx, actor, { id: userId }, id, []);
  }
}

const own = (actor: Actor) => ownUser(actor, 'identities/manage');
