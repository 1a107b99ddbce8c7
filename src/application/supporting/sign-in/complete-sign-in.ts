import {
  type Identity,
  type ProvenIdentity,
  provenAddress,
  type RequestTrace,
  refusedSignIn,
  type Session,
  startSession,
  type User,
  type UserId,
  usernamesFor,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkEmail } from '../../../domain/supporting/organizations/organization.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Settings } from '../../ports/outside/settings.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { openPending } from './pending-sign-in.js';

export interface Callback {
  /** The query of the provider's redirect. */
  readonly query: string;
  /** The sealed text that the browser kept. */
  readonly sealed: string | undefined;
  /** The secret of the session that the browser has. It ends. */
  readonly secret: string | undefined;
  readonly request: RequestTrace;
}

export interface SignedIn {
  readonly session: Session;
  readonly secret: string;
  readonly returnTo: string;
}

type Stored = Transaction<'identities' | 'sessions' | 'users' | 'audit'>;

/** GET /session/callback: the person comes back from the provider, and gets a new session. */
export class CompleteSignIn {
  constructor(
    private readonly unitOfWork: UnitOfWork<'identities' | 'sessions' | 'users' | 'audit'>,
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly secretBox: SecretBox,
    private readonly settings: Pick<Settings, 'sessionHours' | 'createsUsersAtSignIn'>,
  ) {}

  /** Throws `sign-in/not-begun`, `sign-in/refused`, `sign-in/provider-unavailable`, and `attribute/taken`. */
  async execute({ query, sealed, secret: former, request }: Callback): Promise<SignedIn> {
    const pending = openPending(this.secretBox, sealed, this.clock.now());
    const proven = await this.provider.finish(query, pending);
    const { secret, digest: secretDigest } = this.secrets.generate();
    const session = await this.unitOfWork.run(async (tx) => {
      const createdAt = this.clock.now();
      const { user, linked, isNew = false } = await this.userOf(tx, proven, pending.linkTo, former);
      if (user.suspended) throw refusedSignIn('Your user is suspended. Ask a site administrator.');
      const { id: userId } = user;
      const started = startSession(
        { id: this.ids.next('session'), userId, secretDigest, createdAt },
        this.settings.sessionHours,
      );
      // Here and not in the background: a user has few, and only those who sign in leave any.
      await tx.sessions.removeOf(userId, createdAt);
      if (former !== undefined) await tx.sessions.remove(this.secrets.digestOf(former));
      await tx.sessions.add(started);
      const actor = {
        kind: 'user',
        userId,
        siteAdministrator: user.siteAdministrator,
        tokenId: started.id,
        request,
      } as const;
      if (isNew) await tx.audit.add(doneBy(actor, 'users/create-at-sign-in', userId), 'site');
      if (linked !== undefined) await tx.audit.add(doneBy(actor, 'identities/link', linked.id), 'site');
      await tx.audit.add(doneBy(actor, 'sessions/start', started.id), 'site');
      return started;
    });
    return { session, secret, returnTo: pending.returnTo };
  }

  /** The user of the identity, the identity if it is new, and whether the user is. */
  private async userOf(
    tx: Stored,
    proven: ProvenIdentity,
    linkTo: UserId | null,
    former: string | undefined,
  ): Promise<{ readonly user: User; readonly linked?: Identity; readonly isNew?: boolean }> {
    const found = await tx.identities.find(proven.issuer, proven.subject);
    if (linkTo !== null) {
      const held = former === undefined ? undefined : await tx.sessions.findCredential(this.secrets.digestOf(former));
      const user = held?.actor.userId === linkTo ? await tx.users.find(linkTo) : undefined;
      if (user === undefined) throw refusedSignIn('You were signed out in the meantime. Sign in, and link again.');
      if (found !== undefined && found.user.id !== linkTo) {
        throw refusedSignIn('This identity belongs to another user of this service.');
      }
      return found === undefined ? { user, linked: await this.link(tx, user.id, proven) } : { user };
    }
    if (found !== undefined) return found;
    if (!this.settings.createsUsersAtSignIn) {
      throw refusedSignIn(
        `No user of this service has the identity with which you signed in. Ask a site administrator to link it to your user: its issuer is ${proven.issuer}, its subject is ${proven.subject}.`,
      );
    }
    const user = await this.newUser(tx, proven);
    return { user, linked: await this.link(tx, user.id, proven), isNew: true };
  }

  private async newUser(tx: Stored, proven: ProvenIdentity): Promise<User> {
    const email = checkEmail(provenAddress(proven));
    const createdAt = this.clock.now();
    const { id, registered } = await tx.users.reserve(email, this.ids.ofAddress(email), createdAt);
    if (registered) {
      throw refusedSignIn(
        `A user of this service has your e-mail address, and an address proves nothing about who it is. Ask a site administrator to link your identity to that user: its issuer is ${proven.issuer}, its subject is ${proven.subject}.`,
      );
    }
    for (const username of usernamesFor(proven)) {
      if ((await tx.users.findByUsername(username)) !== undefined) continue;
      const user: User = { id, username, email, siteAdministrator: false, suspended: false, createdAt };
      await tx.users.add(user);
      return user;
    }
    throw new Error('the sequence of usernames ended');
  }

  private async link(tx: Stored, userId: UserId, { issuer, subject }: ProvenIdentity): Promise<Identity> {
    const identity = { id: this.ids.next('identity'), userId, issuer, subject, createdAt: this.clock.now() };
    await tx.identities.add(identity);
    return identity;
  }
}
