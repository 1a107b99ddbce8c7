import {
  type EndedSession,
  hasEnded,
  hasExpired,
  type Identity,
  type Instant,
  later,
  type ProvenIdentity,
  refusedSignIn,
  type SessionId,
  type User,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { SessionCredential } from '../../ports/repositories/session-repository.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { BegunSignIn, PendingSignIns } from './pending-sign-in.js';

type Stored = Transaction<'identities' | 'sessions' | 'users'>;

/** The owner of a session confirms a new identity with this. */
export type LinkConfirmation = 'identity' | 'token' | 'same token';

/** The identity, and the sessions of the user that ended. */
interface Linked {
  readonly user: User;
  readonly identity: Identity;
  readonly isLinked: boolean;
  readonly ended: readonly EndedSession[];
}

/** The clocks of the service and the provider may differ by this much, in seconds. */
const clockDifference = 60;

/**
 * Links a further identity to the user of a session. A copied cookie must not be enough: the person signs in again with
 * an identity that they have. If the provider cannot show that, an older token of the user counts instead. A session that
 * was made from a token takes that token again.
 */
export class IdentityLinks {
  constructor(
    private readonly unitOfWork: UnitOfWork<'identities' | 'sessions' | 'tokens'>,
    private readonly pending: PendingSignIns,
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Throws `sign-in/refused` if the session has ended. */
  confirmation(session: string): Promise<LinkConfirmation> {
    return this.unitOfWork.read(async (tx) => this.neededFor(tx, await this.credential(tx, session)));
  }

  /**
   * POST /session/link. `token` is ignored where an identity confirms. Throws `sign-in/refused`, and
   * `sign-in/provider-unavailable`.
   */
  async begin(session: string, token: string | undefined, returnTo: string): Promise<BegunSignIn> {
    const since = this.clock.now();
    const { needed, id } = await this.unitOfWork.read(async (tx) => {
      const credential = await this.credential(tx, session);
      const needed = await this.neededFor(tx, credential);
      if (needed !== 'identity') await this.checkToken(tx, credential, token);
      return { needed, id: credential.session.id };
    });
    const purpose =
      needed === 'identity'
        ? ({ kind: 'confirm-link', sessionId: id, since } as const)
        : ({ kind: 'link', sessionId: id } as const);
    return this.pending.begin(purpose, returnTo);
  }

  /** The person came back from signing in again: goes on to the identity that is added. Throws `sign-in/refused`. */
  async confirmed(
    { sessionId, since }: { readonly sessionId: SessionId; readonly since: Instant },
    session: string | undefined,
    proven: ProvenIdentity,
    returnTo: string,
  ): Promise<BegunSignIn> {
    const { issuer, subject, authTime } = proven;
    // Committed also where the confirmation is refused.
    await this.unitOfWork.run((tx) => tx.identities.noteAuthTime(issuer, authTime !== null));
    await this.unitOfWork.read(async (tx) => {
      const { actor } = await this.credential(tx, session, sessionId);
      if ((await tx.identities.find(issuer, subject))?.user.id !== actor.userId) {
        throw refusedSignIn(
          'You signed in with an identity that is not one of yours yet. Begin again: sign in first with an identity that you have, and then with the new one.',
        );
      }
    });
    if (authTime === null) {
      throw refusedSignIn(
        'Your identity provider did not say when you signed in, so it does not confirm that you are there. Begin again, or ask a site administrator to link the identity.',
      );
    }
    if (authTime < later(since, -clockDifference)) {
      throw refusedSignIn('Your identity provider did not ask you to sign in again. Begin again, and sign in there.');
    }
    return this.pending.begin({ kind: 'link', sessionId }, returnTo);
  }

  /** Adds the identity, unless the user has it. All sessions of the user end. Throws `sign-in/refused`. */
  async link(tx: Stored, sessionId: SessionId, session: string | undefined, proven: ProvenIdentity): Promise<Linked> {
    const { actor } = await this.credential(tx, session, sessionId);
    const found = await tx.identities.find(proven.issuer, proven.subject);
    if (found !== undefined && found.user.id !== actor.userId) {
      throw refusedSignIn('This identity belongs to another user of this service.');
    }
    const user = found?.user ?? (await tx.users.find(actor.userId));
    if (user === undefined) throw signedOut();
    const ended = await tx.sessions.removeOf(user.id);
    return {
      ended,
      user,
      identity: found?.identity ?? (await this.add(tx, user, proven)),
      isLinked: found === undefined,
    };
  }

  async add(tx: Stored, { id: userId }: Pick<User, 'id'>, { issuer, subject }: ProvenIdentity): Promise<Identity> {
    const identity = { id: this.ids.next('identity'), userId, issuer, subject, createdAt: this.clock.now() };
    await tx.identities.add(identity);
    return identity;
  }

  private async neededFor(
    tx: Transaction<'identities'>,
    { actor: { userId, session } }: SessionCredential,
  ): Promise<LinkConfirmation> {
    if (session.signedInWith.kind === 'token') return 'same token';
    const { issuer } = this.provider;
    const has = (await tx.identities.ofUser(userId)).some((identity) => identity.issuer === issuer);
    return has && (await tx.identities.sendsAuthTime(issuer)) !== false ? 'identity' : 'token';
  }

  private async checkToken(
    tx: Transaction<'tokens'>,
    { actor: { userId, session } }: SessionCredential,
    secret: string | undefined,
  ): Promise<void> {
    const credential = secret ? await tx.tokens.findCredential(this.secrets.digestOf(secret)) : undefined;
    const token = credential && (await tx.tokens.find(credential.token.id));
    const isOwn = token?.owner.kind === 'user' && token.owner.id === userId;
    const { signedInWith: from } = session;
    if (from.kind === 'token' && token?.id !== from.id) {
      throw refusedSignIn(
        'You signed in with a user token. Linking an identity takes the same token again. Without it, ask a site administrator to link the identity.',
      );
    }
    if (isOwn && !token.madeInSession && token.createdAt < session.createdAt && !hasExpired(token, this.clock.now())) {
      return;
    }
    throw refusedSignIn(
      'Linking an identity takes a user token of yours that was not made in a browser and is older than this session. Without one, ask a site administrator to link the identity.',
    );
  }

  /** With `id`, the session must be that one. */
  private async credential(
    tx: Transaction<'sessions'>,
    session: string | undefined,
    id?: SessionId,
  ): Promise<SessionCredential> {
    const found = session && (await tx.sessions.findCredential(this.secrets.digestOf(session)));
    if (!found || hasEnded(found.session, this.clock.now())) throw signedOut();
    if (id !== undefined && found.session.id !== id) throw signedOut();
    return found;
  }
}

const signedOut = () => refusedSignIn('You were signed out in the meantime. Sign in, and link again.');
